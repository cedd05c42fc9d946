import { afterAll, beforeAll, expect, it } from 'vitest'
import { uuidv7 } from '../../src/runtime/ids.ts'
import * as imports from '../../src/store/contacts/imports.ts'
import * as outbox from '../../src/store/platform/outbox.ts'
import { transact } from '../../src/store/db/sql.ts'
import { importWorkflowId } from '../../workflows/contract.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { type Engine, startEngine, until } from '../support/engine.ts'
import { fakeMailer, sent } from '../support/mailer.ts'
import { seedOrganization } from '../support/seed.ts'

let database: TestDatabase
let engine: Engine
let organizationId: string

beforeAll(async () => {
  database = await createDatabase()
  ;({ organizationId } = await seedOrganization(database.sql))
  engine = await startEngine({ databaseUrl: database.url, mailer: fakeMailer(() => sent(), 5) })
})
afterAll(async () => {
  await engine.stop()
  await database.drop()
})

/** An upload of so many pages of ten people, as the API leaves it. */
async function received(pages: number, whose: string = uuidv7()): Promise<string> {
  const { sql } = database
  const id = uuidv7()
  const upload = await imports.create(sql, organizationId, {
    id,
    format: 'ndjson',
    onDuplicate: 'update',
    dryRun: false,
    mayLift: false,
    requestId: 'trace-import',
  })
  for (let page = 0; page < pages; page++) {
    const rows = Array.from({ length: 10 }, (_, n) => ({
      row: page * 10 + n + 1,
      values: { email: `${page}-${n}-${whose}@example.com` },
    }))
    const text = JSON.stringify(rows)
    await imports.addPage(sql, upload!, { page, rows: 10, hasTopics: false, text })
  }
  await transact(sql, async (tx) => {
    await imports.finishUpload(tx, upload!)
    const start = { kind: 'start_import', payload: { importId: id } } as const
    await outbox.put(tx, organizationId, start, 'trace-import')
  })
  return id
}

const ended = (id: string) =>
  until(async () => {
    const state = await imports.find(database.sql, organizationId, id)
    return state?.finishedAt == null ? undefined : state
  })

it('an import that was received is started by the outbox and completed', async () => {
  const id = await received(7)
  expect(await ended(id)).toMatchObject({ status: 'completed', rows: 70, created: 70, failed: 0 })
  const handle = engine.client.workflow.getHandle(importWorkflowId(id))
  await handle.result()
  const { memo } = await handle.describe()
  expect(memo).toEqual({ requestId: 'trace-import' })
})

it('many contacts are known to the planner as soon as they are there', async () => {
  const { sql } = database
  const analysed = async () => {
    const [row] = await sql<{ count: bigint }[]>`
      select analyze_count as count from pg_stat_user_tables where relname = 'contacts'`
    return Number(row?.count)
  }
  // An analysis of its own at the same moment would be left in peace.
  await database.admin`alter table contacts set (autovacuum_enabled = off)`
  const before = await analysed()
  const id = await received(51)
  await ended(id)
  await engine.client.workflow.getHandle(importWorkflowId(id)).result()
  expect(await until(async () => (await analysed()) > before)).toBe(true)
})

it('a file without a row is completed', async () => {
  expect(await ended(await received(0))).toMatchObject({ status: 'completed', rows: 0 })
})

it('several imports of the same people at once: each person exists once', async () => {
  const whose = 'same'
  const ids = await Promise.all([received(5, whose), received(5, whose), received(5, whose)])
  const states = await Promise.all(ids.map(ended))
  const sum = (field: 'created' | 'updated' | 'failed') =>
    states.reduce((all, state) => all + state[field], 0)
  expect([sum('created'), sum('updated'), sum('failed')]).toEqual([50, 100, 0])
  const [row] = await database.sql`
    select count(*) as people from contacts where email like '%-same@example.com'`
  expect(row).toEqual({ people: 50 })
})

it('cancelled in the Temporal UI, it leaves the import failed and says by whom', async () => {
  const id = await received(3)
  let release = () => {}
  const released = new Promise<void>((resolve) => (release = resolve))
  // Nobody can begin it meanwhile: its row is held.
  const holding = transact(database.sql, async (tx) => {
    await tx`set local idle_in_transaction_session_timeout = 0`
    await tx`select from imports where id = ${id} for update`
    await released
  })
  const handle = engine.client.workflow.getHandle(importWorkflowId(id))
  const scheduled = (name: string) =>
    until(async () => {
      const { events = [] } = await handle.fetchHistory().catch(() => ({ events: [] }))
      return events?.some(
        (event) => event.activityTaskScheduledEventAttributes?.activityType?.name === name,
      )
    })
  await scheduled('beginImport')
  await handle.cancel()
  await scheduled('failImport')
  release()
  await holding
  expect(await ended(id)).toMatchObject({
    status: 'failed',
    error: 'stopped_by_operator',
    created: 0,
  })
})
