import { afterAll, beforeAll, expect, test } from 'vitest'
import { backfillPhoneConsents } from '../../src/core/consent/phone-consent-backfill.ts'
import { newKeyringText, parseKeyring } from '../../src/keys/tokens.ts'
import { uuidv7 } from '../../src/runtime/ids.ts'
import type { Sql } from '../../src/store/db/sql.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { connectAs } from '../support/logins.ts'
import { seedOrganization } from '../support/seed.ts'

const keyring = parseKeyring(newKeyringText())
let database: TestDatabase
/** The login of workers. */
let workerSql: Sql
beforeAll(async () => {
  database = await createDatabase()
  workerSql = connectAs(database.url, { name: 'backfill', role: 'letterloom_worker' })
})
afterAll(async () => {
  await workerSql.end()
  await database.drop()
})

test('numbers of contacts that opted out before there was a list are put on it, once', async () => {
  const { sql } = database
  const OUT_AT = '2026-01-02T03:04:05.000Z'
  const contacts = [
    ['+12065550101', 'opted_out', OUT_AT],
    ['+12065550102', 'opted_out', null],
    ['+12065550103', 'invalid', null],
    ['+12065550104', 'opted_in', null],
    ['+12065550105', null, null],
  ] as const
  const organizations = [await seedOrganization(sql), await seedOrganization(sql)]
  for (const { organizationId } of organizations) {
    for (const [phone, smsStatus, smsOptedOutAt] of contacts) {
      await sql`
        insert into contacts (organization_id, id, phone, sms_status, sms_opted_out_at)
        values (${organizationId}, ${uuidv7()}, ${phone}, ${smsStatus}, ${smsOptedOutAt})`
    }
  }
  const before = await sql`select id, sms_status, updated_at from contacts order by id`
  let pages = 0
  while (await backfillPhoneConsents(workerSql, keyring, 3)) pages++
  expect(pages).toBe(5)
  for (const { organizationId } of organizations) {
    const entries = await sql`
      select address, reason, stopped_at, source from phone_consents
      where organization_id = ${organizationId} order by address`
    expect([...entries]).toEqual([
      { address: '+12065550101', reason: 'opted_out', stoppedAt: OUT_AT, source: 'api' },
      {
        address: '+12065550102',
        reason: 'opted_out',
        stoppedAt: expect.any(String),
        source: 'api',
      },
      { address: '+12065550103', reason: 'invalid', stoppedAt: null, source: 'api' },
    ])
  }
  expect(await sql`select id, sms_status, updated_at from contacts order by id`).toEqual(before)
  await sql`delete from phone_consents`
  expect(await backfillPhoneConsents(workerSql, keyring, 3)).toBe(false)
  expect(await sql`select from phone_consents`).toHaveLength(0)
})
