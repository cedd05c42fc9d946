import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { disconnect as disconnectAccount } from '../../src/core/accounts/disconnect.ts'
import { type Sql, transact } from '../../src/store/db/sql.ts'
import { createDatabase } from '../support/database.ts'
import { type Engine, startEngine, until } from '../support/engine.ts'
import { type FakeMailer, fakeMailer } from '../support/mailer.ts'
import {
  batchRow,
  type Seeded,
  seedBatch,
  seedContacts,
  seedOrganization,
} from '../support/seed.ts'
import { expectWarnings } from '../support/worker-log.ts'
import { guarantee } from '../support/guarantee.ts'

expectWarnings(/^Workflow failed sendBatch .*disconnected$/)

let database: Awaited<ReturnType<typeof createDatabase>>
let sql: Sql
let engine: Engine
let mailer: FakeMailer

beforeAll(async () => {
  database = await createDatabase()
  sql = database.sql
  mailer = fakeMailer()
  engine = await startEngine({ databaseUrl: database.url, mailer })
})
afterAll(async () => {
  await engine.stop()
  await database.drop()
})

const disconnect = ({ organizationId, connectionId }: Seeded) =>
  transact(sql, (tx) => disconnectAccount(tx, organizationId, connectionId))
const failed = (id: string) =>
  until(async () => {
    const row = await batchRow(sql, id)
    return row.status === 'failed' && row
  })

test('a batch fails as disconnected in the middle of its sending, and nobody is mailed after it', async () => {
  const seeded = await seedOrganization(sql, { rate: 20 })
  await seedContacts(sql, seeded.organizationId, 400)
  const id = await seedBatch(sql, seeded)
  await until(async () => mailer.accepted.length > 10)
  await disconnect(seeded)
  expect(await failed(id)).toMatchObject({ failedReason: 'disconnected', failed: 0 })
  // A claim that was committed before may still be under way.
  await until(async () => {
    const held = await sql`
      select from messages where batch_id = ${id} and state in ('claimed', 'unknown') limit 1`
    return held.length === 0
  })
  const mailed = mailer.accepted.length
  await sleep(1_500)
  guarantee(() => expect(mailer.accepted.length).toBe(mailed))
  expect(mailed).toBeLessThan(400)
  await until(async () => (await batchRow(sql, id)).sent === mailed)
})

test('a batch of an account that is disconnected already fails before its audience is frozen', async () => {
  const seeded = await seedOrganization(sql)
  await seedContacts(sql, seeded.organizationId, 3)
  await disconnect(seeded)
  const before = mailer.calls.length
  const id = await seedBatch(sql, seeded)
  expect(await failed(id)).toMatchObject({ failedReason: 'disconnected', sent: 0 })
  expect(mailer.calls.length).toBe(before)
})
