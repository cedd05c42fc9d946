import { afterAll, beforeAll, expect, test } from 'vitest'
import { applyEvents } from '../../src/core/delivery/apply-delivery-events.ts'
import { uuidv7 } from '../../src/runtime/ids.ts'
import type { Sql } from '../../src/store/db/sql.ts'
import { newKeyringText, parseKeyring } from '../../src/keys/tokens.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { countedOf, type EngagedMail, seedEngagedMail, timeAt } from '../support/engaged-mail.ts'
import { connectAs } from '../support/logins.ts'
import { sized } from '../support/size.ts'

const ORGANIZATIONS = sized(8, 400)
const keyring = parseKeyring(newKeyringText())
let database: TestDatabase
let sql: Sql
/** Pool with the worker's login. */
let worker: Sql
let asked: string[] = []

beforeAll(async () => {
  database = await createDatabase()
  sql = database.sql
  worker = connectAs(database.url, {
    name: 'events-of-many',
    role: 'letterloom_worker',
    max: 4,
    onQuery: (query) => asked.push(query),
  })
})
afterAll(async () => {
  await worker.end()
  await database.drop()
})

const seedMails = (count: number): Promise<EngagedMail[]> =>
  Promise.all(Array.from({ length: count }, () => seedEngagedMail(sql)))

const PHONE = { userAgent: 'Mozilla/5.0 (iPhone)', ipAddress: '192.0.2.7' }
const PARTS = {
  Delivery: { delivery: { timestamp: timeAt(5), smtpResponse: '250 ok' } },
  Open: { open: { timestamp: timeAt(6), ...PHONE } },
  Click: { click: { timestamp: timeAt(7), link: 'https://letterloom.example/x', ...PHONE } },
  Complaint: { complaint: { timestamp: timeAt(8), complaintFeedbackType: 'abuse' } },
} as const
const KINDS = Object.keys(PARTS) as (keyof typeof PARTS)[]

const eventsOf = (mail: EngagedMail, messageId = `m-${mail.id}`) =>
  KINDS.map((eventType) => ({
    organizationId: mail.organizationId,
    connectionId: mail.connectionId,
    body: {
      detail: {
        eventType,
        mail: {
          timestamp: timeAt(0),
          messageId,
          tags: {
            'letterloom-message': [`${mail.bucket}_${mail.id}`],
            'letterloom-organization': [mail.organizationId],
          },
        },
        ...PARTS[eventType],
      },
    },
  }))

const store = (events: readonly object[]) => sql`
  insert into inbound_events (organization_id, connection_id, envelope_id, body)
  select "organizationId", "connectionId", gen_random_uuid()::text, body
  from jsonb_to_recordset(${sql.json([...events])}) as e ("organizationId" uuid,
    "connectionId" uuid, body jsonb)`

/** Counts the statements of one set of events. */
async function statementsOf(events: readonly object[]): Promise<number> {
  await store(events)
  asked = []
  expect(await applyEvents(worker, keyring)).toBe(events.length)
  return asked.length
}

test('a set about many organizations takes as many statements as one about a single one', async () => {
  const [first, second, ...others] = await seedMails(ORGANIZATIONS + 2)
  if (!first || !second) throw new Error('nothing was seeded')
  const twice = (mail: EngagedMail) => [...eventsOf(mail), ...eventsOf(mail, `again-${mail.id}`)]
  // The days that wait are looked up once a minute.
  await statementsOf(twice(first))
  const alone = await statementsOf(twice(second))
  expect(await statementsOf(others.flatMap(twice))).toBe(alone)
})

test('events of many organizations, applied by three at once, move the figures of each once', async () => {
  const mails = await seedMails(ORGANIZATIONS)
  const events = mails.flatMap((mail) => eventsOf(mail))
  // An organization names a mail of another one: nothing follows.
  const [victim, thief] = mails
  if (!victim || !thief) throw new Error('nothing was seeded')
  const { organizationId, connectionId } = thief
  const stolen = eventsOf(victim).map((event) => ({ ...event, organizationId, connectionId }))
  const shuffled = [...events, ...events, ...stolen]
    .map((event) => ({ event, place: uuidv7().slice(-6) }))
    .toSorted((a, b) => (a.place < b.place ? -1 : 1))
  await store(shuffled.map(({ event }) => event))
  const applyAll = async () => {
    while ((await applyEvents(worker, keyring, 9)) > 0);
  }
  await Promise.all([applyAll(), applyAll(), applyAll()])

  const counted = await Promise.all(mails.map((mail) => countedOf(sql, mail)))
  const once = { delivered: 1, opened: 1, clicked: 1, complained: 1 }
  expect(counted).toMatchObject(
    mails.map(() => ({
      status: 'complained',
      emailStatus: 'complained',
      batch: once,
      variant: { opened: 1, clicked: 1 },
      contact: { opened: 1, clicked: 1 },
      metrics: once,
      links: 1,
      events: KINDS.length,
      matched: expect.stringMatching(/^(opened|clicked)$/),
    })),
  )
  const ids = mails.map((mail) => mail.organizationId)
  const rows = await sql<{ reason: string; wakes: number; consentEvents: number }[]>`
    select p.reason,
      (
        select count(*)
        from outbox
        where organization_id = p.organization_id and kind = 'wake_execution'
      ) as wakes,
      (
        select count(*) from consent_events where organization_id = p.organization_id
      ) as consent_events
    from suppressions p
    where p.organization_id = any(${ids}::uuid[])`
  const each = { reason: 'complained', wakes: 1, consentEvents: 1 }
  expect(rows).toEqual(mails.map(() => each))
})

test('an organization with a crowd of events makes no other one wait', async () => {
  const [crowded, other] = await seedMails(2)
  if (!crowded || !other) throw new Error('nothing was seeded')
  await store(Array.from({ length: 10 }, () => eventsOf(crowded)).flat())
  await store(eventsOf(other))
  const waiting = async ({ organizationId }: EngagedMail) => {
    const [row] = await sql<{ events: number }[]>`
      select count(*) as events
      from inbound_events
      where organization_id = ${organizationId} and applied_at is null`
    return row?.events
  }
  expect(await applyEvents(worker, keyring, 8)).toBe(8)
  expect([await waiting(crowded), await waiting(other)]).toEqual([36, 0])
  // Alone, it gets the whole set.
  expect(await applyEvents(worker, keyring, 8)).toBe(8)
  while ((await applyEvents(worker, keyring)) > 0);
})

test('each organization is served before one is served twice, also if a set has fewer places', async () => {
  const mails = await seedMails(5)
  await store(mails.flatMap((mail) => eventsOf(mail)))
  for (let set = 0; set < 5; set++) await applyEvents(worker, keyring, 2)
  const rows = await sql<{ applied: number }[]>`
    select count(*) filter (where applied_at is not null) as applied
    from inbound_events
    where organization_id = any(${mails.map(({ organizationId }) => organizationId)}::uuid[])
    group by organization_id`
  expect(rows.map(({ applied }) => applied)).toEqual([2, 2, 2, 2, 2])
  while ((await applyEvents(worker, keyring)) > 0);
})
