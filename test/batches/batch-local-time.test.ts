import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { firstTime } from '../../src/core/batches/local-times.ts'
import { freezePage } from '../../src/core/batches/freeze-audience.ts'
import { uuidv7 } from '../../src/runtime/ids.ts'
import { sameLocalTime } from '../../src/text/local-time.ts'
import type { Sql } from '../../src/store/db/sql.ts'
import { createDatabase } from '../support/database.ts'
import { type Engine, startEngine, until } from '../support/engine.ts'
import { type FakeMailer, fakeMailer } from '../support/mailer.ts'
import { batchRow, type Seeded, seedBatch, seedOrganization } from '../support/seed.ts'
import { guarantee } from '../support/guarantee.ts'

const iso = (at: number) => new Date(at).toISOString()

describe('the same local time', () => {
  test.each([
    // What clocks show in one zone, and when they show it in another.
    ['2027-01-04T09:00:00.000Z', 'UTC', 'Europe/Berlin', '2027-01-04T08:00:00.000Z'],
    ['2027-01-04T09:00:00.000Z', 'UTC', 'America/New_York', '2027-01-04T14:00:00.000Z'],
    ['2027-01-04T08:00:00.000Z', 'Europe/Berlin', 'Asia/Kathmandu', '2027-01-04T03:15:00.000Z'],
    ['2027-01-04T09:00:00.000Z', 'UTC', undefined, '2027-01-03T19:00:00.000Z'],
    // Left out when clocks go forward: as much later.
    ['2027-03-28T02:30:00.000Z', 'UTC', 'Europe/Berlin', '2027-03-28T01:30:00.000Z'],
    ['2027-03-14T02:30:00.000Z', 'UTC', 'America/New_York', '2027-03-14T07:30:00.000Z'],
    // Twice when they go back: the first.
    ['2027-10-31T02:30:00.000Z', 'UTC', 'Europe/Berlin', '2027-10-31T00:30:00.000Z'],
    ['2027-11-07T01:30:00.000Z', 'UTC', 'America/New_York', '2027-11-07T05:30:00.000Z'],
  ])('%s of %s in %s is %s', (at, timezone, zone, expected) => {
    expect(iso(sameLocalTime(Date.parse(at), timezone, zone))).toBe(expected)
  })
})

describe('a batch at local times', () => {
  let database: Awaited<ReturnType<typeof createDatabase>>
  let sql: Sql
  let engine: Engine
  let mailer: FakeMailer
  let seeded: Seeded

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

  /** Contacts by name, each with what it says of its timezone; in this order. */
  async function contactsWith(zones: Record<string, unknown>): Promise<void> {
    seeded = await seedOrganization(sql)
    for (const [name, timezone] of Object.entries(zones)) {
      await sql`
        insert into contacts (organization_id, id, email, email_status, first_name, properties)
        values (${seeded.organizationId}, ${uuidv7()}, ${`${name}@example.com`}, 'active', ${name},
          ${sql.json(timezone === undefined ? {} : { timezone })})`
    }
  }

  /** A batch of three times, begun between the first and the second. */
  async function begun(): Promise<{ id: string; at: number }> {
    const offset = (hours: number) => `Etc/GMT${hours > 0 ? '-' : '+'}${Math.abs(hours)}`
    // A busy machine may need longer for the first.
    for (const leadMs of [8_000, 30_000, 90_000]) {
      mailer.accepted.length = 0
      await contactsWith({ passed: offset(3), soon: undefined, later: offset(-3) })
      const at = Date.now() + leadMs
      const id = await seedBatch(sql, seeded, { scheduledFor: iso(at), timezone: 'UTC' })
      await until(async () => (await batchRow(sql, id)).sent >= 1)
      if (Date.now() < at) return { id, at }
      await until(async () => (await batchRow(sql, id)).sent === 2)
    }
    throw new Error('the machine is too busy')
  }

  const ledger = (id: string) => sql<{ name: string; sendAt: string }[]>`
    select split_part(recipient, '@', 1) as name, send_at
    from messages
    where batch_id = ${id}
    order by id`
  const parts = (id: string) => sql`
    select from_row as "from", to_row as "to", send_at
    from batch_parts
    where batch_id = ${id}
    order by from_row`

  it('is frozen in the order of local times, and of contacts within one; pages keep that order', async () => {
    await contactsWith({
      newyork: 'America/New_York',
      nobody: undefined,
      berlin: 'Europe/Berlin',
      wrong: 'Mars/Base',
      number: 5,
      lower: 'europe/berlin',
      tokyo: 'Asia/Tokyo',
    })
    const scheduledFor = '2099-01-05T09:00:00.000Z'
    const id = await seedBatch(sql, seeded, { scheduledFor, timezone: 'Europe/London' })
    await sql`update batches set status = 'processing', attempt = 7 where id = ${id}`
    const freeze = { organizationId: seeded.organizationId, batchId: id, attempt: 7 }
    const [tokyo, berlin, london, newYork] = ['00', '08', '09', '14'].map(
      (hour) => `2099-01-05T${hour}:00:00.000Z`,
    )
    expect(await freezePage(sql, { ...freeze, pageSize: 100, chunkSize: 10 })).toMatchObject({
      complete: true,
      total: 7,
    })
    expect(await ledger(id)).toEqual([
      { name: 'tokyo', sendAt: tokyo },
      { name: 'berlin', sendAt: berlin },
      { name: 'lower', sendAt: berlin },
      { name: 'nobody', sendAt: london },
      { name: 'wrong', sendAt: london },
      { name: 'number', sendAt: london },
      { name: 'newyork', sendAt: newYork },
    ])
    expect(await parts(id)).toEqual([
      { from: 0, to: 1, sendAt: tokyo },
      { from: 1, to: 3, sendAt: berlin },
      { from: 3, to: 6, sendAt: london },
      { from: 6, to: 7, sendAt: newYork },
    ])
    const other = await seedBatch(sql, seeded, { scheduledFor, timezone: 'Europe/London' })
    await sql`update batches set status = 'processing', attempt = 7 where id = ${other}`
    for (const [complete, total] of [
      [false, 3],
      [false, 6],
      [true, 7],
    ]) {
      const page = { ...freeze, batchId: other, pageSize: 3, chunkSize: 10 }
      expect(await freezePage(sql, page)).toMatchObject({ complete, total })
    }
    expect((await ledger(other)).map(({ name }) => name)).toEqual([
      'berlin',
      'nobody',
      'newyork',
      'lower',
      'wrong',
      'number',
      'tokyo',
    ])
    const [begins] = await sql<{ now: string }[]>`select now()`
    const timed = { scheduledFor, timezone: 'Europe/London' }
    const before = Date.parse(begins!.now)
    expect(iso(await firstTime(sql, seeded.organizationId, timed, before))).toBe(
      '2099-01-04T19:00:00.000Z',
    )
    const onTheDay = Date.parse('2099-01-04T20:00:00.000Z')
    expect(iso(await firstTime(sql, seeded.organizationId, timed, onTheDay))).toBe(tokyo)
  })

  it('mails contacts with a zone that only Postgres knows together with those without a zone', async () => {
    await contactsWith({ local: 'localtime', rules: 'posixrules', nobody: undefined })
    const scheduledFor = iso(Date.now() - 1_000)
    const id = await seedBatch(sql, seeded, { scheduledFor, timezone: 'UTC' })
    await until(async () => (await batchRow(sql, id)).status === 'completed')
    expect(await batchRow(sql, id)).toMatchObject({ sent: 3, totalRecipients: 3 })
    expect(new Set((await ledger(id)).map(({ sendAt }) => sendAt)).size).toBe(1)
  })

  it('mails each contact at its time, late ones at once, and can be stopped between two times', async () => {
    const { id, at } = await begun()
    guarantee(() => expect(mailer.accepted).toEqual(['passed@example.com']))
    await until(async () => (await batchRow(sql, id)).sent === 2)
    expect(Date.now()).toBeGreaterThanOrEqual(at)
    guarantee(() => expect(mailer.accepted).toEqual(['passed@example.com', 'soon@example.com']))
    expect(await batchRow(sql, id)).toMatchObject({ status: 'processing', totalRecipients: 3 })
    await engine.client.workflow.getHandle(`batch/${id}/1`).cancel()
    expect(
      await until(async () => {
        const row = await batchRow(sql, id)
        return row.status !== 'processing' && row
      }),
    ).toMatchObject({ status: 'failed', failedReason: 'stopped_by_operator', sent: 2 })
  })
})
