import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Settings } from '../../src/domain/flows/flow.ts'
import { type Uuid, uuidv7 } from '../../src/runtime/ids.ts'
import { admit } from '../../src/core/flows/admission.ts'
import type { Start } from '../../src/store/flows/starts.ts'
import * as executions from '../../src/store/flows/executions.ts'
import { type Sql, transact } from '../../src/store/db/sql.ts'
import { tally } from '../support/api.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { seedContacts, seedOrganization } from '../support/seed.ts'
import { countersOf, executionsOf, seedFlow, SETTINGS } from '../support/seed-flow.ts'
import { connectAs } from '../support/logins.ts'

const AT_ONCE = 50

let database: TestDatabase
let sql: Sql
let organizationId: Uuid
let ada: Uuid
let bea: Uuid

beforeAll(async () => {
  database = await createDatabase()
  sql = connectAs(database.url, { name: 'admission', role: 'letterloom_worker', max: 20 })
  ;({ organizationId } = await seedOrganization(database.sql))
  ;[ada = '', bea = ''] = await seedContacts(database.sql, organizationId, 2)
})
afterAll(async () => {
  await sql.end()
  await database.drop()
})

interface Entered {
  id: Uuid
  starts: (...contactIds: Uuid[]) => Start[]
}

async function flow(given: Partial<Settings> = {}): Promise<Entered> {
  const settings = { ...SETTINGS, ...given }
  const id = await seedFlow(sql, organizationId, { settings })
  const entered = { id, version: 1, settings }
  return {
    id,
    starts: (...contactIds) =>
      contactIds.map((contactId) => ({
        flow: entered,
        contactId,
        data: { of: contactId },
        dedupeKey: uuidv7(),
      })),
  }
}

const enter = async (starts: readonly Start[]): Promise<string[]> => {
  const admitted = await transact(sql, (tx) => admit(tx, organizationId, starts, 'request'))
  return admitted.map(({ outcome }) => outcome)
}

async function endAll(flowId: Uuid): Promise<void> {
  const ids = (await executionsOf(sql, flowId)).map(({ id }) => id)
  const ending = { status: 'completed', reason: null } as const
  await transact(sql, (tx) => executions.end(tx, organizationId, ids, ending))
}

const messages = (flowId: Uuid) => sql<{ payload: object; requestId: string }[]>`
  select payload, request_id
  from outbox
  where kind = 'start_execution' and payload ->> 'flowId' = ${flowId}
  order by position`

const entry = async (flowId: Uuid, contactId: Uuid) => {
  const [row] = await sql`
    select entries, live
    from flow_entries
    where flow_id = ${flowId} and contact_id = ${contactId}`
  return row
}

/** As if the contact's last start, or end, had been so long ago. */
const ago = (flowId: Uuid, column: string, seconds: number) => sql`
  update flow_entries
  set ${sql(column)} = clock_timestamp() - ${seconds} * interval '1 second'
  where flow_id = ${flowId}`

test('a contact that enters has an execution, an outbox message that starts it, and is counted', async () => {
  const { id, starts } = await flow()
  expect(await enter(starts(ada, bea))).toEqual(['started', 'started'])
  const rows = await executionsOf(sql, id)
  expect(rows).toMatchObject([
    { contactId: ada, status: 'pending', data: { of: ada }, requestId: 'request' },
    { contactId: bea, status: 'pending', data: { of: bea } },
  ])
  expect(await messages(id)).toEqual(
    rows.map(({ id: executionId, contactId }) => ({
      payload: { executionId, attempt: 1, flowId: id, contactId },
      requestId: 'request',
    })),
  )
  expect(await entry(id, ada)).toEqual({ entries: 1, live: 1 })
  expect(await countersOf(sql, id)).toEqual({ started: 2, cancelled: 0, dropped: 0 })
})

test('without re-entry a contact enters once, ever: the second time is dropped and counted', async () => {
  const { id, starts } = await flow()
  expect(await enter(starts(ada, ada))).toEqual(['started', 'dropped'])
  await endAll(id)
  await ago(id, 'last_started_at', 1e9)
  expect(await enter(starts(ada))).toEqual(['dropped'])
  expect(await executionsOf(sql, id)).toHaveLength(1)
  expect(await messages(id)).toHaveLength(1)
  expect(await countersOf(sql, id)).toMatchObject({ started: 1, dropped: 2 })
})

test('with re-entry a contact enters as often as it is told, also at the same moment', async () => {
  const { id, starts } = await flow({ allowReentry: true })
  expect(await enter(starts(ada, bea, ada, ada))).toEqual(Array(4).fill('started'))
  expect(await enter(starts(ada))).toEqual(['started'])
  expect(await entry(id, ada)).toEqual({ entries: 4, live: 4 })
})

test('a re-entry delay counts from the last start', async () => {
  const { id, starts } = await flow({ allowReentry: true, reentryDelaySeconds: 60 })
  expect(await enter(starts(ada, ada))).toEqual(['started', 'dropped'])
  await ago(id, 'last_started_at', 30)
  expect(await enter(starts(ada))).toEqual(['dropped'])
  await ago(id, 'last_started_at', 61)
  expect(await enter(starts(ada, ada))).toEqual(['started', 'dropped'])
  expect(await enter(starts(ada))).toEqual(['dropped'])
})

test('a cooldown counts from the last end, and nobody enters while they are in', async () => {
  const { id, starts } = await flow({ allowReentry: true, contactCooldownSeconds: 60 })
  expect(await enter(starts(ada, ada))).toEqual(['started', 'dropped'])
  await ago(id, 'last_started_at', 1_000)
  expect(await enter(starts(ada))).toEqual(['dropped'])
  await endAll(id)
  expect(await enter(starts(ada))).toEqual(['dropped'])
  await ago(id, 'last_ended_at', 30)
  expect(await enter(starts(ada))).toEqual(['dropped'])
  await ago(id, 'last_ended_at', 61)
  expect(await enter(starts(ada))).toEqual(['started'])
})

test('the same cause starts one execution, and is no dropped one', async () => {
  const { id, starts } = await flow({ allowReentry: true })
  const [start] = starts(ada)
  if (!start) throw new Error('no start')
  expect(await enter([start, { ...start }])).toEqual(['started', 'repeated'])
  expect(await enter([{ ...start, data: {} }])).toEqual(['repeated'])
  expect(await executionsOf(sql, id)).toHaveLength(1)
  expect(await entry(id, ada)).toEqual({ entries: 1, live: 1 })
  expect(await countersOf(sql, id)).toMatchObject({ started: 1, dropped: 0 })
})

test('a contact that is gone, or a stranger’s, enters nothing', async () => {
  const { id, starts } = await flow()
  const { organizationId: other } = await seedOrganization(database.sql)
  const [theirs = ''] = await seedContacts(database.sql, other, 1)
  expect(await enter(starts(uuidv7(), theirs, ada))).toEqual(['gone', 'gone', 'started'])
  expect(await executionsOf(sql, id)).toHaveLength(1)
  expect(await countersOf(sql, id)).toMatchObject({ started: 1, dropped: 0 })
})

const race = async (starts: readonly Start[]) =>
  tally((await Promise.all(starts.map((start) => enter([start])))).flat())

test('fifty at once for one contact: one execution where it may enter once', async () => {
  for (const settings of [
    {},
    { allowReentry: true, reentryDelaySeconds: 60 },
    { allowReentry: true, contactCooldownSeconds: 60 },
  ]) {
    const { id, starts } = await flow(settings)
    const outcomes = await race(starts(...Array<Uuid>(AT_ONCE).fill(ada)))
    expect(outcomes).toEqual({ started: 1, dropped: AT_ONCE - 1 })
    expect(await executionsOf(sql, id)).toHaveLength(1)
    expect(await messages(id)).toHaveLength(1)
    expect(await entry(id, ada)).toEqual({ entries: 1, live: 1 })
    expect(await countersOf(sql, id)).toMatchObject({ started: 1, dropped: AT_ONCE - 1 })
  }
})

test('fifty at once of one cause: one execution, although the contact may enter often', async () => {
  const { id, starts } = await flow({ allowReentry: true })
  const [start] = starts(ada)
  if (!start) throw new Error('no start')
  const outcomes = await race(Array.from({ length: AT_ONCE }, () => ({ ...start })))
  expect(outcomes).toEqual({ started: 1, repeated: AT_ONCE - 1 })
  expect(await entry(id, ada)).toEqual({ entries: 1, live: 1 })
})

test('executions that end while others enter leave the right number of live ones', async () => {
  const { id, starts } = await flow({ allowReentry: true })
  await enter(starts(ada, bea, ada, bea))
  const ids = (await executionsOf(sql, id)).map((row) => row.id)
  const ending = { status: 'cancelled', reason: null } as const
  await Promise.all([
    ...ids.map((each) => transact(sql, (tx) => executions.end(tx, organizationId, [each], ending))),
    ...Array.from({ length: AT_ONCE / 2 }, () => enter(starts(bea, ada))),
  ])
  expect(await entry(id, ada)).toEqual({ entries: 2 + AT_ONCE / 2, live: AT_ONCE / 2 })
  expect(await entry(id, bea)).toEqual({ entries: 2 + AT_ONCE / 2, live: AT_ONCE / 2 })
})
