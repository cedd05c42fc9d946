import { afterAll, beforeAll, expect, it } from 'vitest'
import { uuidv7 } from '../../src/runtime/ids.ts'
import * as erasedFlows from '../../src/store/privacy/erased-flows.ts'
import * as flowCounters from '../../src/store/flows/counters.ts'
import type { Sql } from '../../src/store/db/sql.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { dumpRows, speakingOf } from '../support/dump.ts'
import { seedExecution } from '../support/flow-steps.ts'
import { type Seeded, seedOrganization } from '../support/seed.ts'

const EVENTS = 700

let database: TestDatabase
let sql: Sql
let seeded: Seeded

beforeAll(async () => {
  database = await createDatabase()
  sql = database.sql
  seeded = await seedOrganization(sql)
})
afterAll(() => database.drop())

/** Somebody of whom flows know much, all of it with one word in it. */
async function known({ organizationId }: Pick<Seeded, 'organizationId'> = seeded) {
  const contactId = uuidv7()
  const word = `z${contactId.slice(-12)}`
  await sql`insert into contacts ${sql({ organizationId, id: contactId, phone: contactId })}`
  const data = { note: word }
  const { id, flowId } = await seedExecution(
    sql,
    { organizationId },
    { contactId, steps: [], data },
  )
  const key = { organizationId, executionId: id, stepId: 'hook', visit: 1 }
  const result = { answer: word }
  const step = { type: 'webhook', status: 'completed', result, error: word }
  await sql`insert into execution_steps ${sql({ ...key, ...step, position: 1 })}`
  await sql`update executions set error = ${word} where id = ${id}`
  await sql`
    insert into waits (organization_id, execution_id, step_id, visit, contact_id, kind, event_name,
      since, expires_at)
    values (${organizationId}, ${id}, 'hook', 1, ${contactId}, 'event', 'bought', now(), now())`
  await sql`
    insert into events (organization_id, id, contact_id, name, properties, event_id, occurred_at)
    select ${organizationId}, id, ${contactId}, 'bought', ${sql.json(data)}, ${word} || n, now()
    from unnest(${Array.from({ length: EVENTS }, () => uuidv7())}::uuid[])
      with ordinality as given (id, n)`
  return { organizationId, contactId, word, executionId: id, flowId }
}
type Known = Awaited<ReturnType<typeof known>>

/** The caller's own ids. */
const noteIds = (eventIds: readonly string[]) => sql`
  insert into event_ids (organization_id, event_id, request)
  select ${seeded.organizationId}, event_id, gen_random_uuid()
  from unnest(${[...eventIds]}::text[]) as given (event_id)`

const erase = ({ organizationId, contactId }: Known) =>
  erasedFlows.erase(sql, organizationId, [contactId])

it('nothing of the person is left in what flows know, and all of everybody else', async () => {
  const person = await known()
  const other = await known()
  const stranger = await known(await seedOrganization(sql))
  await noteIds([`${person.word}1`, `${other.word}1`])
  await sql`
    insert into event_ids (organization_id, event_id, name, contact_id, request)
    select organization_id, event_id, name, contact_id, id
    from events
    where organization_id = ${seeded.organizationId} and event_id like '%2'`
  const before = await dumpRows(database.admin)
  const tables = (rows: string[], words: string[]) => [
    ...new Set(speakingOf(rows, words).map((row) => row.split(' ')[0] ?? '')),
  ]
  expect(tables(before, [person.word]).toSorted()).toEqual([
    'event_ids',
    'events',
    'execution_steps',
    'executions',
  ])

  await erase(person)
  const after = await dumpRows(database.admin)
  expect(speakingOf(after, [person.word])).toEqual([])
  const others = [other.word, other.contactId, stranger.word, stranger.contactId]
  const rowsOf = (rows: string[]) => speakingOf(rows, others).toSorted()
  expect(rowsOf(before).length).toBeGreaterThan(2 * EVENTS)
  expect(rowsOf(after)).toEqual(rowsOf(before))
})

it('an execution that still ran is over, counted once; its rows stay for the lists', async () => {
  const person = await known()
  await erase(person)
  const [execution] = await sql`
    select status, reason, error, data from executions where id = ${person.executionId}`
  expect(execution).toEqual({
    status: 'cancelled',
    reason: 'contact_deleted',
    error: null,
    data: {},
  })
  const counters = await flowCounters.read(sql, person.organizationId, [person.flowId])
  expect(counters.get(person.flowId)).toMatchObject({ cancelled: 1 })
  const steps = await sql`
    select status, result, error from execution_steps where execution_id = ${person.executionId}`
  expect(steps).toEqual([{ status: 'completed', result: null, error: null }])
  const gone = await sql`
    select 1 from waits where contact_id = ${person.contactId}
    union all
    select 1 from flow_entries where contact_id = ${person.contactId}`
  expect(gone).toEqual([])
})

it('an id of the caller that counts for somebody else by now is kept', async () => {
  const person = await known()
  await noteIds([`${person.word}1`])
  await database.admin`update events set received_at = now() - interval '8 days' where contact_id = ${person.contactId}`
  await erase(person)
  const kept = await sql`select from event_ids where event_id = ${`${person.word}1`}`
  expect(kept).toHaveLength(1)
})
