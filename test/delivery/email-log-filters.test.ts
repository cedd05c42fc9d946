import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { exportEmailLogs, listEmailLogs } from '../../src/core/delivery/email-logs.ts'
import {
  batchRowId,
  bucketStart,
  dayBucket,
  lowestId,
  type Uuid,
  uuidv7,
} from '../../src/runtime/ids.ts'
import { freezePage } from '../../src/core/batches/freeze-audience.ts'
import * as batchRuns from '../../src/store/batches/batch-runs.ts'
import type { LogPage } from '../../src/store/delivery/email-logs.ts'
import { claimRange } from '../../src/store/delivery/claim-range.ts'
import { recordResults, type Result } from '../../src/store/delivery/record-results.ts'
import { enqueue } from '../../src/store/mails/enqueue-mails.ts'
import { tally } from '../support/api.ts'
import { type LedgerDays, openLedgerDays } from '../support/ledger-days.ts'
import { seedBatch, seedContacts, type Seeded, seedOrganization } from '../support/seed.ts'

/** Mails of batches, over ten days; of single mail there are as many. */
const MAILS = 20_000
const DAY_MS = 86_400_000
const DAYS = 10
/** One mail in this many, of either kind, has each rare property. */
const RARE = 997
const NOW = Date.now()
const TEST = { sharePercent: 20, winnerBy: 'manual', decideAfter: null } as const

let days: LedgerDays
let organizationId: Uuid
let connectionId: Uuid
let template: { batch: Uuid; single: Uuid; variant: Uuid }
let batchId: Uuid
beforeAll(async () => {
  days = await openLedgerDays('log-filters')
  const { sql } = days.database
  const seeded = await seedOrganization(sql)
  ;({ organizationId, connectionId } = seeded)
  template = { batch: uuidv7(), single: uuidv7(), variant: uuidv7() }
  for (let day = 0; day < DAYS; day++) {
    const at = NOW - day * DAY_MS
    const id = idAt(at)
    const bucket = `${id.slice(0, 28)}00000000`
    // Of a batch with the template, and of one without.
    const isTest = day === 4 || day === 6
    batchId = await seedBatch(sql, seeded, isTest ? { abTest: TEST } : {})
    if (isTest) {
      await sql`
        update batch_variants
        set template_id = case position when 0 then ${day === 4 ? template.batch : null}::uuid
          else ${template.variant}::uuid end
        where batch_id = ${batchId}`
    }
    await sql`
      update batches
      set bucket = ${bucket}, status = 'completed',
        template_id = ${day === 4 ? template.batch : null}
      where id = ${batchId}`
    await insert({ day, bucket, prefix: batchRowId(bucket, 0).slice(0, 28), source: 'batch' })
    const start = dayBucket(id)
    await insert({ day, bucket: start, prefix: id.slice(0, 28), source: 'workflow' })
  }
  await days.database.admin`analyze messages, batches`
})
afterAll(() => days.close())

/** Makes an id of another time: `uuidv7` never goes back. */
const idAt = (time: number): Uuid => `${lowestId(time).slice(0, 14)}${uuidv7().slice(14)}`

async function insert(of: { day: number; bucket: Uuid; prefix: string; source: string }) {
  const { day, bucket, prefix, source } = of
  const at = new Date(NOW - day * DAY_MS).toISOString()
  const rows = MAILS / DAYS
  await days.database.sql`
    insert into messages (organization_id, bucket, id, dedupe_key, source, batch_id, connection_id,
      template_id, recipient, state, status, sent_at, created_at, opened_at, clicked_at, bounced_at,
      complained_at, variant)
    select ${organizationId}, ${bucket}, id, id, ${source},
      ${source === 'batch' ? batchId : null}::uuid, ${connectionId},
      case when ${source} = 'workflow' and n % ${RARE} = 1 then ${template.single}::uuid end,
      'reader-' || ${day * rows}::int + n || '@example.com',
      case n % ${RARE} when 6 then 'failed' when 7 then 'skipped' when 8 then 'skipped' else 'sent' end,
      case n % ${RARE} when 6 then 'failed' when 7 then 'suppressed' when 8 then 'opted_out'
        else 'sent' end,
      case when n % ${RARE} not between 6 and 8 then ${at}::timestamptz end, ${at}::timestamptz, case when n % ${RARE} = 2 then now() end,
      case when n % ${RARE} = 3 then now() end, case when n % ${RARE} = 4 then now() end,
      case when n % ${RARE} = 5 then now() end,
      case when ${source === 'batch' && (day === 4 || day === 6)} and n % 3 > 0 then n % 3 - 1 end
    from (
      select n, (${prefix} || lpad(to_hex(n + ${source === 'batch' ? 0 : 100_000}), 8, '0'))::uuid as id
      from generate_series(0, ${rows - 1}) as n
    ) row`
}

const page = (filters: Partial<LogPage>) => ({
  limit: 21,
  oldest: bucketStart(NOW - 60 * DAY_MS),
  ...filters,
})

/** Rows that the statements read of the ledger, by their plans, removed ones included. */
async function rowsRead(
  filters: Partial<LogPage>,
  of = organizationId,
): Promise<[found: number, read: number]> {
  days.asked.length = 0
  const found = await listEmailLogs(days.sql, of, page(filters))
  let most = 0
  for (const { query, parameters } of days.asked.filter((each) =>
    /\bmessages\b/.test(each.query),
  )) {
    const plan = await days.database.sql.unsafe(
      `explain (analyze, timing off) ${query}`,
      parameters as never[],
    )
    for (const line of plan) {
      const text = String(line['queryPlan'] ?? line['QUERY PLAN'])
      const [, rows, loops] = /actual rows=([\d.]+) loops=(\d+)/.exec(text) ?? []
      const removed = /Rows Removed by \w+ ?\w*: (\d+)/.exec(text)?.[1]
      most = Math.max(most, Number(rows ?? 0) * Number(loops ?? 1), Number(removed ?? 0))
    }
  }
  return [found.length, most]
}

describe('a filter reads little more than its page', () => {
  const at = (day: number) => new Date(NOW - day * DAY_MS).toISOString()
  test.each<[string, () => Partial<LogPage>, number]>([
    ['none', () => ({}), 21],
    ['recipient', () => ({ recipient: 'reader-7@example.com' }), 2],
    ['nobody', () => ({ recipient: 'nobody@example.com' }), 0],
    ['batch', () => ({ batchId }), 21],
    ['template of single mail', () => ({ templateId: template.single }), 21],
    ['template of a batch', () => ({ templateId: template.batch }), 21],
    ['template of a variant', () => ({ templateId: template.variant }), 21],
    ['template of nobody', () => ({ templateId: uuidv7() }), 0],
    ['source batch', () => ({ sourceType: 'batch' }), 21],
    ['source workflow', () => ({ sourceType: 'workflow' }), 21],
    ['source that nobody has', () => ({ sourceType: 'confirmation' }), 0],
    ['a time long ago', () => ({ to: at(7.5) }), 21],
    ['a time before all', () => ({ to: at(50) }), 0],
    ['a short time', () => ({ from: at(3.01), to: at(2.99) }), 21],
    ['opened', () => ({ reached: 'opened' }), 21],
    ['clicked', () => ({ reached: 'clicked' }), 21],
    ['bounced', () => ({ reached: 'bounced' }), 21],
    ['complained', () => ({ reached: 'complained' }), 21],
    ['status failed', () => ({ status: 'failed' }), 21],
    ['status suppressed', () => ({ status: 'suppressed' }), 21],
    ['status opted_out', () => ({ status: 'opted_out' }), 21],
    ['status failed, of batches', () => ({ status: 'failed', sourceType: 'batch' }), 20],
    ['present status', () => ({ status: 'complained' }), 0],
  ])('%s', async (_, filters, most) => {
    const [found, read] = await rowsRead(filters())
    expect(found).toBeLessThanOrEqual(21)
    expect(found).toBeGreaterThanOrEqual(Math.min(most, 20))
    // The mails of a day are few here, so that Postgres may sort them.
    expect(read).toBeLessThanOrEqual((2 * MAILS) / DAYS)
  })
})

test('pages of every filter equal a plain walk through all mails', async () => {
  const all = await walk({})
  expect(all.length).toBe(2 * MAILS)
  const of = (test: (log: (typeof all)[number]) => boolean) => all.filter(test).map(({ id }) => id)
  const ids = async (filters: Partial<LogPage>) => (await walk(filters)).map(({ id }) => id)
  expect(await ids({ sourceType: 'batch' })).toEqual(of((log) => log.sourceType === 'batch'))
  expect(await ids({ reached: 'clicked' })).toEqual(of((log) => log.clickedAt !== null))
  for (const status of ['failed', 'suppressed', 'opted_out']) {
    expect(await ids({ status })).toEqual(of((log) => log.status === status))
  }
  for (const templateId of Object.values(template)) {
    const expected = of((log) => log.templateId === templateId)
    expect(expected.length).toBeGreaterThan(20)
    expect(await ids({ templateId })).toEqual(expected)
    expect(await ids({ templateId, sourceType: 'batch' })).toEqual(
      of((log) => log.templateId === templateId && log.sourceType === 'batch'),
    )
  }
  const from = new Date(NOW - 4.5 * DAY_MS).toISOString()
  const to = new Date(NOW - 2.5 * DAY_MS).toISOString()
  expect(await ids({ from, to })).toEqual(
    of(({ createdAt }) => createdAt >= from && createdAt < to),
  )
})

test('a sent mail stays in its place at each step, and a failed one moves', async () => {
  const { sql } = days.database
  const steps = [
    [sql`state = 'claimed', status = 'pending', claim_id = ${uuidv7()}, claimed_at = now()`, 0],
    [sql`status = 'sent', message_id = 'm-1', subject = 'News', sent_at = now()`, 0],
    [sql`status = 'delivered', delivered_at = now()`, 0],
    [sql`state = 'failed', status = 'failed'`, 1],
  ] as const
  for (const [change, expected] of steps) {
    await sql.begin(async (tx) => {
      const [row] = await tx<{ bucket: Uuid; id: Uuid }[]>`
        insert into messages (organization_id, bucket, id, dedupe_key, source, connection_id)
        select organization_id, bucket, gen_random_uuid(), gen_random_uuid(), 'transactional', connection_id
        from messages where source = 'workflow' limit 1
        returning bucket, id`
      const { bucket = '', id = '' } = row ?? {}
      await tx`update messages set ${change} where bucket = ${bucket} and id = ${id}`
      const [counted] = await tx<{ moved: number }[]>`
        select sum(n_tup_upd - n_tup_hot_upd)::int as moved
        from pg_stat_xact_user_tables where relname like 'messages\\_2%'`
      expect(counted?.moved).toBe(expected)
    })
  }
})

async function walk(filters: Partial<LogPage>, of = organizationId) {
  const { limit: _, ...rest } = page(filters)
  const found = []
  for await (const rows of exportEmailLogs(days.database.sql, of, rest)) {
    found.push(...rows)
  }
  return found
}

describe('mail without an outcome', () => {
  /**
   * Recipients of a batch that is being sent. The first are claimed, and some of those in doubt.
   */
  const RECIPIENTS = 500
  const CLAIMED = 30
  const SINGLE = 12
  /** Sent before, on each of some days: more than may be read. */
  const OLDER = 2_000
  let busy: Seeded

  beforeAll(async () => {
    const { sql } = days.database
    busy = await seedOrganization(sql)
    const { organizationId: of } = busy
    for (let day = 2; day < DAYS; day += 3) {
      const start = `${idAt(NOW - day * DAY_MS).slice(0, 28)}00000000`
      await sql`
        insert into messages (organization_id, bucket, id, dedupe_key, source, connection_id,
          recipient, state, status, sent_at)
        select ${of}, ${dayBucket(start)}, id, id, 'workflow', ${busy.connectionId},
          'ada@example.com', 'sent', 'sent', now()
        from (
          select (${start.slice(0, 28)} || lpad(to_hex(n), 8, '0'))::uuid as id
          from generate_series(1, ${OLDER}::int) as n
        ) row`
    }
    await seedContacts(sql, of, RECIPIENTS)
    for (const status of ['cancelled', 'processing']) await sendSome(status)
    for (let n = 0; n < SINGLE; n++) {
      await enqueue(sql, {
        organizationId: of,
        id: uuidv7(),
        source: 'transactional',
        connectionId: busy.connectionId,
        recipient: 'ada@example.com',
        from: 'news@example.com',
        subject: 'News',
        text: 'News',
      })
    }
    await days.database.admin`analyze messages, batches, claims, mail_queue`
  })

  async function sendSome(status: string): Promise<void> {
    const { sql } = days.database
    const { organizationId: of, connectionId: account } = busy
    const id = await seedBatch(sql, busy)
    const run = { organizationId: of, batchId: id, attempt: 1 }
    await freezePage(sql, { ...run, pageSize: 100_000, chunkSize: 1_000 })
    const bucket = (await batchRuns.context(sql, of, id))?.bucket ?? ''
    const claimId = uuidv7()
    const range = { from: batchRowId(bucket, 0), to: batchRowId(bucket, RECIPIENTS) }
    const claim = { ...run, bucket, connectionId: account, claimId, ...range, limit: CLAIMED }
    const { recipients } = await claimRange(sql, claim)
    const results = recipients.slice(0, 20).map((mail, n): Result => {
      if (n < 10) return { id: mail.id, outcome: 'sent', messageId: mail.id, subject: 'News' }
      return { id: mail.id, outcome: 'unknown', error: 'lost', subject: 'News' }
    })
    await recordResults(sql, { organizationId: of, bucket, claimId, batchId: id }, results)
    await sql`update batches set status = ${status} where id = ${id}`
  }

  test.each<[Partial<LogPage>, number]>([
    [{ status: 'pending' }, 21],
    [{ status: 'pending', sourceType: 'transactional' }, 0],
    [{ status: 'queued' }, 21],
    [{ status: 'queued', sourceType: 'transactional' }, SINGLE],
    [{ status: 'queued', sourceType: 'batch' }, 21],
    [{ status: 'queued', from: new Date(NOW - DAY_MS).toISOString() }, 21],
    [{ status: 'queued', to: new Date(NOW - DAY_MS).toISOString() }, 0],
  ])('is found by what else knows of it: %j', async (filters, most) => {
    const [found, read] = await rowsRead(filters, busy.organizationId)
    expect(found).toBe(most)
    expect(read).toBeLessThanOrEqual(RECIPIENTS + 100)
  })

  test('equals a plain walk, page by page', async () => {
    const all = await walk({}, busy.organizationId)
    for (const status of ['queued', 'pending']) {
      const expected = all.filter((log) => log.status === status)
      expect(await walk({ status }, busy.organizationId)).toEqual(expected)
      const few = []
      for (let before: Uuid | undefined; ; ) {
        const filters = page({ status, limit: 7, before })
        const rows = await listEmailLogs(days.sql, busy.organizationId, filters)
        few.push(...rows)
        before = rows.at(-1)?.id
        if (rows.length < 7 || few.length > 20) break
      }
      expect(few).toEqual(expected.slice(0, few.length))
      expect(expected.length).toBeGreaterThanOrEqual(2 * (CLAIMED - 10))
    }
    // Of the cancelled batch only what had been claimed.
    const counts = tally(all.map(({ status }) => status))
    expect(counts).toMatchObject({
      queued: RECIPIENTS - CLAIMED + SINGLE,
      pending: 2 * (CLAIMED - 10),
    })
  })
})

test('mails older than the plan’s retention are not shown, though they are stored', async () => {
  const shown = await walk({ oldest: bucketStart(NOW - 3 * DAY_MS) })
  expect(shown.length).toBe((2 * MAILS * 4) / DAYS)
})
