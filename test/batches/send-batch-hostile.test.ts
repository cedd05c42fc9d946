import { setTimeout as sleep } from 'node:timers/promises'
import { resumeBatch } from '../../src/core/batches/resume-batch.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { SHORT_TIMINGS } from '../../src/domain/delivery/timings.ts'
import type { Sql } from '../../src/store/db/sql.ts'
import { createDatabase } from '../support/database.ts'
import { type Engine, startEngine, until } from '../support/engine.ts'
import { type FakeMailer, fakeMailer, sent } from '../support/mailer.ts'
import { sized } from '../support/size.ts'
import { batchRow, seedBatch, seedContacts, seedOrganization } from '../support/seed.ts'
import { expectWarnings } from '../support/worker-log.ts'

expectWarnings(/^Workflow failed sendBatch .*render_timeout$/)

/** A template that takes minutes for each mail. */
const HOSTILE = `<p>${'{% for a in (1..3000) %}'.repeat(4)}{{ contact.firstName }}${'{% endfor %}'.repeat(4)}</p>`
/** A short template that makes 700,000 characters. */
const LONG = `<p>{{ contact.firstName }}{% for a in (1..14000) %}${'x'.repeat(50)}{% endfor %}</p>`
const LONG_MAILS = 10
const LONG_ANSWER_MS = 500
const LONGEST_MS = 240_000
/** A slow worker is not lost here, also on a busy machine. */
const TIMINGS = {
  ...SHORT_TIMINGS,
  leaseMs: LONGEST_MS,
  doubtMs: LONGEST_MS,
  awaitedMs: LONGEST_MS,
  receivingGapMs: 15_000,
}
/** More than as many slow mails as end a batch, each of which costs a fifth of a second. */
const SLOW = sized(12, 200)
const OTHERS = sized(60, 300)

let database: Awaited<ReturnType<typeof createDatabase>>
let sql: Sql
let engine: Engine
let mailer: FakeMailer
/** Characters of long mails whose calls are under way, and the most that were at once. */
const long = { now: 0, most: 0 }

beforeAll(async () => {
  database = await createDatabase()
  sql = database.sql
  mailer = fakeMailer(sent, 5)
  const answering = { ...mailer }
  mailer.send = async (mail, call) => {
    const length = mail.html?.length ?? 0
    if (length < 100_000) return answering.send(mail, call)
    long.now += length
    long.most = Math.max(long.most, long.now)
    const answer = await answering.send(mail, call)
    await sleep(LONG_ANSWER_MS)
    long.now -= length
    return answer
  }
  engine = await startEngine({ databaseUrl: database.url, mailer, timings: TIMINGS })
})
afterAll(async () => {
  await engine.stop()
  await database.drop()
})

it(
  'a batch whose mails take too long to make fails with the reason, and others are sent meanwhile',
  async () => {
    const hostile = await seedOrganization(sql)
    await seedContacts(sql, hostile.organizationId, SLOW)
    const ordinary = await seedOrganization(sql)
    await seedContacts(sql, ordinary.organizationId, OTHERS)

    const bad = await seedBatch(sql, hostile, { html: HOSTILE })
    const good = await seedBatch(sql, ordinary)
    await until(async () => (await batchRow(sql, good)).status === 'completed', LONGEST_MS)
    const refused = await sql`
      select reason, error from messages
      where organization_id = ${ordinary.organizationId} and state = 'failed'`
    expect(refused).toEqual([])
    expect(await batchRow(sql, good)).toMatchObject({ sent: OTHERS, failed: 0, unknown: 0 })

    await until(async () => (await batchRow(sql, bad)).status === 'failed', LONGEST_MS)
    const row = await batchRow(sql, bad)
    expect(row).toMatchObject({ failedReason: 'render_timeout', sent: 0, unknown: 0 })
    expect(row.failed).toBeGreaterThanOrEqual(10)
    const rows = await sql<{ state: string; reason: string | null; rows: number }[]>`
    select state, reason, count(*) as rows
    from messages
    where organization_id = ${hostile.organizationId}
    group by state, reason`
    const ends = Object.fromEntries(
      rows.map(({ state, reason, rows: n }) => [`${state} ${reason}`, n]),
    )
    expect(Object.keys({ ...ends, 'queued null': 0 }).toSorted()).toEqual([
      'failed render_timeout',
      'queued null',
    ])
    expect((ends['failed render_timeout'] ?? 0) + (ends['queued null'] ?? 0)).toBe(SLOW)

    // Whoever resumes it has the failed ones tried again; it fails for the same reason.
    const [resumed] = await sql.begin(async (tx) => {
      await resumeBatch(tx, hostile.organizationId, bad)
      return tx`select failed from batches where id = ${bad}`
    })
    expect(resumed).toEqual({ failed: 0 })
    await until(async () => (await batchRow(sql, bad)).status === 'failed', LONGEST_MS)
    expect(await batchRow(sql, bad)).toMatchObject({ failedReason: 'render_timeout', sent: 0 })
    const run = engine.client.workflow.getHandle(`batch/${bad}/2`)
    await expect(run.result()).rejects.toThrow('Workflow execution failed')
  },
  4 * LONGEST_MS,
)

it('a batch whose short template makes long mails holds few of them at once and sends all', async () => {
  const seeded = await seedOrganization(sql)
  await seedContacts(sql, seeded.organizationId, LONG_MAILS)
  const batch = await seedBatch(sql, seeded, { html: LONG })
  await until(async () => (await batchRow(sql, batch)).status === 'completed', LONGEST_MS)
  expect(await batchRow(sql, batch)).toMatchObject({ sent: LONG_MAILS, failed: 0, unknown: 0 })
  expect(long.most).toBeGreaterThan(700_000)
  // A chunk has room for two claims of two million characters each.
  expect(long.most).toBeLessThan(4_000_000)
})
