import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Uuid } from '../../src/runtime/ids.ts'
import type { Client } from '../support/api.ts'
import { type PlannedApi, startPlannedApi } from '../support/rows-read.ts'
import { seedFlow } from '../support/seed-flow.ts'
import { insertTopic } from '../support/topics.ts'

/** Contacts of the organization that the statistics are about, and of the one that came later. */
const KNOWN = 60_000
const NEW = 10_000
const PAGE = 101

let planned: PlannedApi
let newcomer: Client
let flowId: string
let topicId: string

/** Contacts with subscriptions and executions. */
async function fill(organizationId: Uuid, mark: string, contacts: number) {
  const { sql } = planned.api
  await sql`
    insert into contacts (organization_id, id, external_id, email, phone, email_status)
    select ${organizationId},
      (lpad(to_hex(1700000000000 + n), 12, '0') || '7000800000000000000' || ${mark}::text)::uuid,
      'reader-' || n, 'reader-' || n || '@example.com', '+49151' || lpad(n::text, 8, '0'), 'active'
    from generate_series(1, ${contacts}::bigint) as n`
  const topic = await insertTopic(sql, organizationId)
  await sql`
    insert into subscriptions (organization_id, contact_id, topic_id, status)
    select organization_id, id, ${topic}, 'subscribed'
    from contacts
    where organization_id = ${organizationId}`
  const flow = await seedFlow(sql, organizationId, { settings: { allowReentry: true } })
  await sql`
    insert into executions (organization_id, id, flow_id, version, contact_id, status, dedupe_key,
      finished_at)
    select organization_id, id, ${flow}, 1, id, 'completed', id, now()
    from contacts
    where organization_id = ${organizationId}`
  return { topic, flow }
}

beforeAll(async () => {
  planned = await startPlannedApi()
  const { api } = planned
  newcomer = api.charlie
  // As between two turns of autovacuum.
  await api.admin`alter table contacts set (autovacuum_enabled = off)`
  await api.admin`alter table subscriptions set (autovacuum_enabled = off)`
  await api.admin`alter table executions set (autovacuum_enabled = off)`
  await fill(api.alice.organizationId, '1', KNOWN)
  await api.admin`analyze contacts, subscriptions, executions`
  const { topic, flow } = await fill(newcomer.organizationId, '2', NEW)
  flowId = flow
  topicId = topic
}, 360_000)
afterAll(() => planned.api.close())

const some = Array.from({ length: PAGE }, (_, n) => n * 20 + 1)
const named = some.map((n) => ({
  email: `reader-${n}@example.com`,
  externalId: `reader-${n}`,
  phone: `+49151${String(n).padStart(8, '0')}`,
}))
const whom = named.map(({ email }) => ({ contactEmail: email }))
const one = 'reader-1234@example.com'

/** Requests about a page of contacts or one, and their status. */
const REQUESTS: [string, number, () => Promise<{ status: number }>][] = [
  ['a set by address', 200, () => set(named.map(({ email }) => ({ email, firstName: 'A' })))],
  ['a set by every key', 200, () => set(named.map((each) => ({ ...each, firstName: 'B' })))],
  [
    'a set of statuses',
    200,
    () => set(named.map(({ phone }) => ({ phone, emailStatus: 'bounced' }))),
  ],
  [
    'a set with a topic',
    200,
    () => set(named.map(({ email }) => ({ email, topicIds: [topicId] }))),
  ],
  [
    'a new set with a topic',
    200,
    () => set(named.map(({ email }) => ({ email: `new-${email}`, topicIds: [topicId] }))),
  ],
  ['events by address', 200, () => tell(whom)],
  [
    'events by id',
    200,
    () => tell(named.map(({ externalId }) => ({ contactExternalId: externalId }))),
  ],
  ['an event', 200, () => newcomer.post('/v1/events', { name: 'seen', ...whom[0] })],
  ['starts', 200, () => newcomer.post(`/v1/workflows/${flowId}/trigger/batch`, { contacts: whom })],
  ['a contact', 200, () => newcomer.get(`/v1/contacts/${one}`)],
  ['its executions', 200, () => newcomer.get(`/v1/contacts/${one}/executions`)],
  ['its topics', 200, () => newcomer.put(`/v1/contacts/${one}/topics`, { topicIds: [topicId] })],
  ['its change', 200, () => newcomer.patch(`/v1/contacts/${one}`, { firstName: 'C' })],
]
const set = (contacts: object[]) => newcomer.post('/v1/contacts/batch', { contacts })
const tell = (contacts: object[]) =>
  newcomer.post('/v1/events/batch', { events: contacts.map((each) => ({ name: 'seen', ...each })) })

/** What they insert, but for events, cannot be inserted twice. */
const about =
  /^(?![^]*insert into (?!event))[^]*\b(?:contacts|subscriptions|executions|contact_stats)\b/
const read = (status: number, act: () => Promise<{ status: number }>) =>
  planned.rowsRead(newcomer.organizationId, act, status, about)

describe('of an organization that the statistics do not know', () => {
  test.each(REQUESTS)('%s reads it once at most', async (_, status, act) => {
    expect(await read(status, act)).toBeLessThanOrEqual(NEW + PAGE)
  })
  test.each(['search=reader-12', 'emailStatus=active'])(
    'a page with %s reads it once at most',
    async (filter) => {
      const url = `/v1/contacts?pageSize=100&${filter}`
      expect(await read(200, () => newcomer.get(url))).toBeLessThanOrEqual(NEW + PAGE)
    },
  )
})

test('once it is known, no more than those asked for are read', async () => {
  await planned.api.admin`analyze contacts, subscriptions, executions`
  // Rows that were changed are read in their old versions, too, while any transaction is older.
  const changed = PAGE * 10
  for (const [name, status, act] of REQUESTS) {
    expect(await read(status, act), name).toBeLessThanOrEqual(changed)
  }
  const url = `/v1/contacts?pageSize=100&topicId=${topicId}`
  expect(await read(200, () => newcomer.get(url))).toBeLessThanOrEqual(NEW + changed)
})

test('every table of tenants is analysed after 500 changes, whatever its size', async () => {
  const tables = await planned.api.sql<{ name: string; options: string[] | null }[]>`
    select c.relname as name, c.reloptions as options
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attname = 'organization_id'
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'`
  const others = tables.filter(
    ({ options }) =>
      !options?.includes('autovacuum_analyze_scale_factor=0') ||
      !options.includes('autovacuum_analyze_threshold=500'),
  )
  expect(tables.some(({ name }) => /^messages_\d{8}$/.test(name))).toBe(true)
  expect(others.map(({ name }) => name)).toEqual([])
})
