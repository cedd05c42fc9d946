import { type ChildProcess, fork } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Condition, Filter } from '../../src/domain/audience/condition.ts'
import { type Uuid, uuidv7 } from '../../src/runtime/ids.ts'
import { startMembershipKeeper } from '../../src/loops/membership-keeper.ts'
import type { Sql } from '../../src/store/db/sql.ts'
import { type Answer, type Api, startApi } from '../support/api.ts'
import { asksAboutNow, conditionOf, filterOf, properties } from '../support/conditions.ts'
import { importFile } from '../support/imports.ts'
import { endWithUs } from '../support/end-with-us.ts'
import {
  keepAll,
  keptMembers,
  membersByOracle,
  type WatchedSegment,
  watchSegment,
} from '../support/membership.ts'
import { sized } from '../support/size.ts'
import { insertTopic } from '../support/topics.ts'
import { connectAs } from '../support/logins.ts'

const CONTACTS = 30
const SEGMENTS = sized(8, 20)
const ROUNDS = sized(4, 60)
const WRITERS = 6
/** Writes of one writer in a round in which contacts are written several times. */
const WRITES = 12
/** Statements in the middle of turns, about. */
const KILLED_AFTER = 6
const MOST_TRIES = 2_000
const EVENTS = ['bought', 'left', 'never']
const PROGRAM = fileURLToPath(new URL('../support/membership-process.ts', import.meta.url))
const quiet = { info: () => {}, warn: () => {}, error: () => {} }

let api: Api
let sql: Sql
let organizationId: Uuid
let topics: { id: Uuid; slug: string }[]
beforeAll(async () => {
  api = await startApi()
  sql = connectAs(api.databaseUrl, { name: 'test-worker', role: 'letterloom_worker', max: 12 })
  organizationId = api.alice.organizationId
  topics = await Promise.all(
    ['news', 'offers'].map(async (slug) => ({
      id: await insertTopic(api.sql, organizationId, { slug }),
      slug,
    })),
  )
})
afterAll(async () => {
  await sql.end()
  await api.close()
})

const oneOf = <T>(values: readonly T[]): T => values[randomInt(values.length)] as T
const someProperties = () => fc.sample(properties, 1)[0] as Record<string, unknown>

async function make(): Promise<Uuid[]> {
  const contacts = Array.from({ length: 5 }, () => ({
    email: `${oneOf(['ada', 'bob'])}.${uuidv7()}@example.com`,
    firstName: oneOf(['Ada', 'ada', 'Ada Lovelace', 'b']),
  }))
  const { status, body } = await api.alice.post('/v1/contacts/batch', { contacts })
  expect([status, body.results.length]).toEqual([200, contacts.length])
  return body.results.map(({ id }: { id: Uuid }) => id)
}

/** Those that somebody has begun to delete. */
const deleted = new Set<Uuid>()

/** A writer is told nothing of membership: its answer is the same as ever. */
async function succeeds(id: Uuid, answer: Promise<Answer>): Promise<void> {
  const { status, body } = await answer
  expect(
    deleted.has(id) ? [200, 202, 404] : [200, 202],
    `${status} ${JSON.stringify(body)}`,
  ).toContain(status)
}

/** One transaction that changes one contact, in any of the ways in which contacts change. */
const CHANGES: ((contactId: Uuid) => PromiseLike<unknown>)[] = [
  (id) =>
    succeeds(
      id,
      api.alice.patch(`/v1/contacts/${id}`, { firstName: oneOf(['Ada', 'ada', 'b', 'a']) }),
    ),
  (id) =>
    sql`
      update contacts
      set properties = ${sql.json(someProperties())}
      where organization_id = ${organizationId} and id = ${id}`,
  (id) => succeeds(id, api.alice.patch(`/v1/contacts/${id}`, { emailStatus: 'unsubscribed' })),
  (id) => succeeds(id, api.alice.post('/v1/events', { name: oneOf(EVENTS), contactId: id })),
  (id) => succeeds(id, api.alice.post('/v1/events', { name: 'bought', contactId: id })),
  (contactId) =>
    sql`
      insert into subscriptions (organization_id, contact_id, topic_id, status)
      select organization_id, id, ${oneOf(topics).id}, ${oneOf(['subscribed', 'unsubscribed'])}
      from contacts
      where organization_id = ${organizationId} and id = ${contactId}
      for key share
      on conflict (organization_id, contact_id, topic_id) do update set status = excluded.status`,
  (contactId) =>
    sql`
      insert into contact_stats as s (organization_id, contact_id, emails_opened)
      select organization_id, id, 1
      from contacts
      where organization_id = ${organizationId} and id = ${contactId}
      for key share
      on conflict (organization_id, contact_id) do update
      set emails_opened = s.emails_opened + 1`,
]
/** A file with new people, and with some who are there and get other names. */
async function importSome(): Promise<void> {
  const known = await sql<{ email: string }[]>`
    select email from contacts where organization_id = ${organizationId} order by random() limit 5`
  const emails = [...known.map(({ email }) => email), `ada.${uuidv7()}@example.com`]
  const rows = emails.map((email) => `${email},${oneOf(['Ada', 'ada', 'b'])}`)
  const done = await importFile(api, api.alice, `email,firstName\n${rows.join('\n')}\n`)
  if (done.status !== 'completed') throw new Error(JSON.stringify(done))
}
async function gone(id: Uuid): Promise<void> {
  deleted.add(id)
  const end = oneOf([
    () => api.alice.delete(`/v1/contacts/${id}`),
    () => api.alice.post(`/v1/contacts/${id}/erase`),
  ])
  await succeeds(id, end())
}

/** A worker that is killed in mid-turn again and again, and started again; it works already. */
async function startDying() {
  let deaths = 0
  const stopping = new AbortController()
  let child: ChildProcess
  const run = async () => {
    while (!stopping.signal.aborted) {
      child = endWithUs(
        fork(PROGRAM, [api.databaseUrl, String(KILLED_AFTER)], { execArgv: ['--import', 'tsx'] }),
      )
      const [, signal] = await once(child, 'exit')
      if (stopping.signal.aborted) return
      expect(signal).toBe('SIGKILL')
      deaths++
    }
  }
  const running = run()
  await once(child!, 'message')
  return {
    deaths: () => deaths,
    stop: async () => {
      stopping.abort()
      child.kill('SIGKILL')
      await running
    },
  }
}

/** How often contacts entered and left each segment: `{[segment, contact]: [entries, exits]}`. */
async function eventsOf(watched: readonly WatchedSegment[]) {
  const found = new Map<string, [number, number]>()
  const rows = await api.sql<{ flowId: Uuid; contactId: Uuid; times: number }[]>`
    select flow_id, contact_id, count(*)::integer as times
    from executions
    where organization_id = ${organizationId}
    group by 1, 2`
  for (const { flowId, contactId, times } of rows) {
    const segment = watched.find(({ entry, exit }) => entry === flowId || exit === flowId)
    const key = `${segment?.id} ${contactId}`
    const [entries, exits] = found.get(key) ?? [0, 0]
    found.set(key, segment?.entry === flowId ? [times, exits] : [entries, times])
  }
  return found
}

/** Fails where a contact entered a segment twice without leaving it, or the other way round. */
async function expectTurns(watched: readonly WatchedSegment[], atFirst: ReadonlySet<string>) {
  const rows = await api.sql<{ flowId: Uuid; contactId: Uuid }[]>`
    select flow_id, contact_id
    from executions
    where organization_id = ${organizationId}
    order by created_at, id`
  const isIn = new Set(atFirst)
  for (const { flowId, contactId } of rows) {
    const segment = watched.find(({ entry, exit }) => entry === flowId || exit === flowId)
    const key = `${segment?.id} ${contactId}`
    const hasEntered = segment?.entry === flowId
    expect([key, isIn.has(key)]).toEqual([key, !hasEntered])
    if (hasEntered) isIn.add(key)
    else isIn.delete(key)
  }
}

/** The members of each segment as the evaluator has them, which must be those that are kept. */
async function settled(watched: readonly WatchedSegment[]) {
  await keepAll(sql)
  const { contactIds, members } = await membersByOracle(
    sql,
    organizationId,
    watched,
    new Date().toISOString(),
  )
  const isIn = new Set<string>()
  for (const { id, condition } of watched) {
    const expected = members.get(id) ?? []
    expect(await keptMembers(api.sql, id), JSON.stringify(condition)).toEqual(expected)
    for (const contactId of expected) isIn.add(`${id} ${contactId}`)
  }
  return { contactIds, isIn, events: await eventsOf(watched) }
}

test('entries and exits are the difference of the evaluator’s answers: none lost, none twice', async () => {
  let contactIds: Uuid[] = []
  while (contactIds.length < CONTACTS) contactIds.push(...(await make()))
  const pools = { events: EVENTS, topics: topics.map(({ slug }) => slug), ids: contactIds }
  // What ages by itself has a test of its own.
  const filter = filterOf(pools).filter((each: Filter) => !asksAboutNow(each))
  const of = (each: Filter): Condition => ({ logic: 'AND', groups: [{ filters: [each] }] })
  const random = fc.sample(fc.oneof(filter.map(of), conditionOf(filter, 3)), SEGMENTS)
  const plain: Filter[] = [
    { field: 'firstName', operator: 'startsWith', value: 'A' },
    { field: 'topics', operator: 'notHasTopic', value: 'news' },
    { field: 'event.bought', operator: 'triggeredAtLeast', value: 2 },
    { field: 'emailsOpened', operator: 'greaterThan', value: 0 },
    { field: 'emailStatus', operator: 'notEquals', value: 'unsubscribed' },
  ]
  const watched: WatchedSegment[] = []
  for (const condition of [...plain.map(of), ...random]) {
    watched.push(await watchSegment(sql, organizationId, condition))
  }
  let before = await settled(watched)
  const atFirst = before.isIn
  expect(before.events.size).toBe(0)
  const dying = await startDying()
  for (let round = 0; round < ROUNDS; round++) {
    const isCalm = round % 2 === 0
    // In the others the worker that is killed has the contacts to itself.
    const keeper = isCalm ? undefined : startMembershipKeeper({ sql, log: quiet })
    // In a calm round each contact changes once: then it is known how often it enters and leaves.
    const queue = isCalm
      ? fc.sample(fc.shuffledSubarray(contactIds, { minLength: contactIds.length }), 1)[0]!
      : []
    await Promise.all(
      Array.from({ length: WRITERS }, async (_, writer) => {
        if (!isCalm) await make()
        if (!isCalm && writer === 0) await importSome()
        if (!isCalm) await gone(oneOf(contactIds))
        for (let id = queue.pop(); id !== undefined; id = queue.pop()) await oneOf(CHANGES)(id)
        for (let left = isCalm ? 0 : WRITES; left > 0; left--)
          await oneOf(CHANGES)(oneOf(contactIds))
      }),
    )
    await keeper?.stop()
    const after = await settled(watched)
    let differences = 0
    for (const { id: segmentId } of watched) {
      for (const contactId of after.contactIds) {
        const key = `${segmentId} ${contactId}`
        const [entries, exits] = after.events.get(key) ?? [0, 0]
        const [entriesBefore, exitsBefore] = before.events.get(key) ?? [0, 0]
        const found = [entries - entriesBefore, exits - exitsBefore]
        const [was, is] = [Number(before.isIn.has(key)), Number(after.isIn.has(key))]
        if (was !== is) differences++
        const wanted = isCalm ? [Math.max(0, is - was), Math.max(0, was - is)] : is - was
        expect([key, isCalm ? found : found[0]! - found[1]!]).toEqual([key, wanted])
      }
    }
    expect(differences).toBeGreaterThan(0)
    before = after
    contactIds = after.contactIds
  }
  // Whatever is written when it is killed at last is found by those that come after it.
  for (let tries = 0; dying.deaths() === 0 && tries < MOST_TRIES; tries++) {
    await oneOf(CHANGES)(oneOf(contactIds))
    await sleep(20)
  }
  expect(dying.deaths()).toBeGreaterThan(0)
  await dying.stop()
  await settled(watched)
  await expectTurns(watched, atFirst)
}, 600_000)
