import { afterAll, beforeAll, expect, it } from 'vitest'
import { acceptText, requireText } from '../../src/core/mails/single-text.ts'
import { newKeyringText, parseKeyring } from '../../src/keys/tokens.ts'
import { transact } from '../../src/store/db/sql.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { type Engine, startEngine, until } from '../support/engine.ts'
import { fakeMailer } from '../support/mailer.ts'
import { seedOrganization } from '../support/seed.ts'
import { fakeTexter } from '../support/texter.ts'

const keyring = parseKeyring(newKeyringText())
const texter = fakeTexter()
const mailer = fakeMailer()
let database: TestDatabase
let engine: Engine
beforeAll(async () => {
  database = await createDatabase()
  engine = await startEngine({ databaseUrl: database.url, mailer, texter, keyring })
})
afterAll(async () => {
  await engine.stop()
  await database.drop()
})

it('a text that is accepted, or whose time has come, leaves without anybody asking', async () => {
  const { sql } = database
  const { organizationId, connectionId } = await seedOrganization(sql)
  await sql`update connections set features = '{"sms": true}' where id = ${connectionId}`
  const accept = (to: string, scheduledFor?: string) =>
    transact(sql, (tx) =>
      acceptText(
        tx,
        organizationId,
        { to, body: 'Hello', senderId: 'A', ...(scheduledFor ? { scheduledFor } : {}) },
        { keyring, now: Date.now() },
      ),
    )
  const { id } = await accept('+12065550101')
  const later = await accept('+12065550102', new Date(Date.now() + 3_600_000).toISOString())
  const isSent = (text: string) =>
    until(async () => (await requireText(sql, organizationId, text)).status === 'sent')
  await isSent(id)
  expect((await requireText(sql, organizationId, later.id)).status).toBe('scheduled')
  await sql`update messages set send_at = now() where id = ${later.id}`
  await sql`update text_queue set send_at = now() where id = ${later.id}`
  await isSent(later.id)
  expect(texter.calls.map(({ to }) => to)).toEqual(['+12065550101', '+12065550102'])
  expect(mailer.calls).toEqual([])
})
