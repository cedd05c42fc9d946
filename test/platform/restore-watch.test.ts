import type { Client } from '@temporalio/client'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  OtherDatabase,
  requireOwnDatabase,
  startRestoreWatch,
  watchRestores,
} from '../../src/loops/restore-watch.ts'
import { connect, type Sql } from '../../src/store/db/sql.ts'
import { beginAnew } from '../../src/store/platform/ledger-beats.ts'
import { BEAT_ID } from '../../workflows/contract.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { openNamespace, until } from '../support/engine.ts'

let database: TestDatabase
let sql: Sql
let temporal: Client
let closeTemporal: () => Promise<void>
const warnings: string[] = []
const log = {
  info: () => {},
  warn: (_: object, message: string) => void warnings.push(message),
  error: () => {},
}

beforeAll(async () => {
  database = await createDatabase()
  // As a worker: it may count, and do no more.
  sql = connect(database.url, { name: 'beats', role: 'letterloom_worker' })
  ;({ client: temporal, close: closeTemporal } = await openNamespace())
})
afterAll(async () => {
  await closeTemporal()
  await sql.end()
  await database.drop()
})
beforeEach(async () => {
  warnings.length = 0
  await database.sql`update ledger_beats set restored_at = null`
})

const beat = async () => {
  await watchRestores({ sql, temporal, log, everyMs: 0 })
}
const row = async () => {
  const [found] = await database.sql<{ ledger: string; beat: number; restoredAt: string | null }[]>`
    select ledger, beat, restored_at from ledger_beats`
  if (!found) throw new Error('there is no row')
  return found
}
const copy = async () => (await temporal.schedule.getHandle(BEAT_ID).describe()).state

test('each beat is counted in Postgres and copied to Temporal, and a stop is no restore', async () => {
  for (let beats = 0; beats < 3; beats++) await beat()
  const { ledger, beat: counted, restoredAt } = await row()
  expect(counted).toBe(3)
  expect(await copy()).toMatchObject({ paused: true, note: `${ledger} 3` })
  // It stood still for an hour, and had counted once more without telling Temporal.
  await database.sql`update ledger_beats set beat = 4, beat_at = now() - interval '1 hour'`
  await beat()
  expect(await row()).toMatchObject({ beat: 5, restoredAt: null })
  expect([restoredAt, warnings]).toEqual([null, []])
})

test('a ledger that is behind its copy was restored: it is noted, once, and counted on from there', async () => {
  await beat()
  const { beat: counted } = await row()
  await database.sql`update ledger_beats set beat = ${counted - 1}`
  await beat()
  const { beat: after, restoredAt } = await row()
  expect(after).toBe(counted + 1)
  expect(restoredAt).not.toBeNull()
  expect(warnings).toHaveLength(1)
  await beat()
  expect(await row()).toMatchObject({ beat: counted + 2, restoredAt })
  expect(warnings).toHaveLength(1)
})

test('a new database is not a restored one, and Temporal may have lost its copy', async () => {
  await beat()
  await database.sql`update ledger_beats set ledger = gen_random_uuid(), beat = 0`
  await beat()
  await temporal.schedule.getHandle(BEAT_ID).delete()
  await beat()
  await beat()
  const { ledger, restoredAt } = await row()
  expect(restoredAt).toBeNull()
  expect((await copy()).note).toBe(`${ledger} 3`)
})

test('a database that is another than that of the namespace is refused, and takes its place when somebody says so', async () => {
  for (let beats = 0; beats < 8; beats++) await beat()
  const own = await row()
  const before = (await copy()).note
  await database.sql`update ledger_beats set ledger = gen_random_uuid()`
  await expect(beat()).rejects.toThrow(OtherDatabase)
  await expect(requireOwnDatabase({ sql, temporal })).rejects.toThrow(/TEMPORAL_NAMESPACE/)
  // Nothing has changed here or there, so the right database goes on as if nothing had been.
  expect((await copy()).note).toBe(before)
  expect(await row()).toMatchObject({ beat: own.beat, restoredAt: null })
  await database.sql`update ledger_beats set ledger = ${own.ledger}`
  await beat()
  expect(await row()).toMatchObject({ beat: own.beat + 1, restoredAt: null })

  await database.sql`update ledger_beats set ledger = gen_random_uuid()`
  await beginAnew(sql)
  await beat()
  const { ledger } = await row()
  expect((await copy()).note).toBe(`${ledger} 1`)
  expect(ledger).not.toBe(own.ledger)
})

test('one of many workers counts at a time, and none takes another’s beat for a restore', async () => {
  const before = (await row()).beat
  const loops = Array.from({ length: 6 }, () =>
    startRestoreWatch({ sql, temporal, log, lookMs: 5, everyMs: 5 }),
  )
  try {
    await until(async () => (await row()).beat > before + 20)
  } finally {
    await Promise.all(loops.map((loop) => loop.stop()))
  }
  expect(await row()).toMatchObject({ restoredAt: null })
  expect(warnings.filter((message) => message.includes('restored'))).toEqual([])
})
