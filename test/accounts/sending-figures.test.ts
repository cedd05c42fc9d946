import { afterAll, beforeAll, expect, it } from 'vitest'
import { bucketStart, uuidv7 } from '../../src/runtime/ids.ts'
import * as sendingFigures from '../../src/core/accounts/sending-figures.ts'
import { type LedgerDays, openLedgerDays } from '../support/ledger-days.ts'
import { seedOrganization } from '../support/seed.ts'

const ROWS = 30_000

let database: LedgerDays['database']
let sql: LedgerDays['sql']
let asked: LedgerDays['asked']
let close: LedgerDays['close']

beforeAll(async () => {
  ;({ database, sql, asked, close } = await openLedgerDays('sending-figures'))
})
afterAll(() => close())

it('reads of a big day no more than its latest mails, and of ninety partitions the one it names', async () => {
  const { organizationId, connectionId } = await seedOrganization(database.sql)
  const now = Date.now()
  const ids = Array.from({ length: ROWS }, () => uuidv7(now - 1_000))
  // The older two thirds bounced: whoever read all of them would find it out.
  await database.sql`
    insert into messages (organization_id, bucket, id, dedupe_key, source, connection_id, state,
      status, sent_at, bounced_at, bounce_type)
    select ${organizationId}, ${bucketStart(now - 1_000)}, id, id, 'transactional', ${connectionId},
      'sent', 'sent', now(), now(), case when n <= ${(ROWS * 2) / 3} then 'Permanent' end
    from unnest(${ids}::uuid[]) with ordinality as given (id, n)`

  asked.length = 0
  const figures = await sendingFigures.ofLastWeek(sql, { organizationId, connectionId }, now)
  expect(figures).toEqual({ sent: 10_000, delivered: 0, permanentBounces: 0, complaints: 0 })
  const statements = asked.filter(({ query }) => /\bmessages\b/.test(query))
  expect(statements).toHaveLength(8)
  for (const { query, parameters } of statements) {
    const plan = await database.sql.unsafe(
      `explain (analyze, timing off) ${query}`,
      parameters as never[],
    )
    const text = plan.map((line) => String(line['queryPlan'] ?? line['QUERY PLAN'])).join('\n')
    expect(new Set(text.match(/\bmessages_\d{8}\b/g)).size, text).toBe(1)
    const rows = [...text.matchAll(/actual rows=([\d.]+)/g)].map(([, count]) => Number(count))
    expect(Math.max(...rows), text).toBeLessThanOrEqual(10_000)
    expect(text).not.toMatch(/Seq Scan/)
  }
})
