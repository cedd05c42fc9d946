import { refuse } from '../../domain/errors.ts'
import {
  type Dimension,
  dimensionsOf,
  type Granularity,
  KEYS,
  type Range,
  rangeOf,
  requireTimezone,
} from '../../domain/metrics/metrics-query.ts'
import { QUARTER_MS, shiftsOf } from '../../domain/metrics/zone-shifts.ts'
import { BOT_LIST_VERSION } from '../../domain/delivery/bots.ts'
import type { Uuid } from '../../runtime/ids.ts'
import type { EmailMetrics, MetricsRow } from '../../schemas/metrics/email-metrics.ts'
import type { Executor } from '../../store/db/sql.ts'
import * as mailFigures from '../../store/metrics/mail-figures.ts'
import { mailRates } from './mail-rates.ts'

/** Queries with more rows are refused. */
const MOST_ROWS = 10_000

export interface MetricsRequest extends mailFigures.Filters {
  start?: string | undefined
  end?: string | undefined
  timezone: string
  granularity: Granularity
  dimensions?: string | undefined
}

/**
 * Counts the fate of mails that were sent within a range, by the requested dimensions. All figures
 * refer to mails sent in the range, whenever they were delivered or opened, so no rate exceeds 1.
 */
export async function emailMetrics(
  sql: Executor,
  organizationId: Uuid,
  request: MetricsRequest,
  now: number,
): Promise<EmailMetrics> {
  const timezone = requireTimezone(request.timezone)
  const dimensions = dimensionsOf(request.dimensions)
  const range = rangeOf(request, timezone, now)
  const keptRange = await keptWithin(sql, organizationId, range)
  const rows = await mailFigures.read(sql, organizationId, {
    ...request,
    dimensions,
    shifts: keptRange ? shiftsOf(timezone, keptRange.from, keptRange.to) : [],
    rates: keptRange ? await mailRates(sql, organizationId, keptRange) : [],
    limit: MOST_ROWS,
  })
  const [total, ...otherRows] = rows
  if (!total) throw new Error('a sum has a row')
  if (otherRows.length > MOST_ROWS) {
    const message = `would give more than ${MOST_ROWS.toLocaleString('en')} rows: ask for a shorter time, a coarser granularity or fewer dimensions`
    refuse('dimensions', message, 'too_many_rows')
  }
  const data = dimensions.length === 0 ? [] : otherRows
  return {
    object: 'metrics',
    totals: shown(total, []),
    data: data.map((row) => shown(row, dimensions)),
    meta: {
      start: new Date(range.start).toISOString(),
      end: new Date(range.end).toISOString(),
      timezone,
      granularity: request.granularity,
      dimensions,
      botListVersion: BOT_LIST_VERSION,
    },
  }
}

/** Returns the part of a range that has figures, since a range may span a hundred years. */
async function keptWithin(
  sql: Executor,
  organizationId: Uuid,
  { start, end }: Range,
): Promise<{ from: number; to: number } | undefined> {
  const { first, last } = await mailFigures.findSpan(sql, organizationId)
  if (first === null || last === null) return undefined
  const from = Math.max(start, Date.parse(first))
  const to = Math.min(end, Date.parse(last) + QUARTER_MS)
  return from < to ? { from, to } : undefined
}

/** Rounds to a billionth of a dollar, which removes noise of the arithmetic. */
const rounded = (usd: number): number => Math.round(usd * 1e9) / 1e9

function shown(row: mailFigures.Row, dimensions: readonly Dimension[]): MetricsRow {
  const { sent, delivered, complained, suppressed, opened, openedRaw, clicked } = row
  const { bouncedPermanent, bouncedTransient, bouncedUndetermined, unsubscribed, failed } = row
  const bounced = bouncedPermanent + bouncedTransient + bouncedUndetermined - row.bouncedArrived
  const keys = dimensions.map((name) => [KEYS[name], row[KEYS[name]] ?? null] as const)
  return {
    ...Object.fromEntries(keys),
    sent,
    delivered,
    bounced,
    bouncedPermanent,
    bouncedTransient,
    bouncedUndetermined,
    complained,
    suppressed,
    opened,
    openedRaw,
    clicked,
    unsubscribed,
    failed,
    costUsd: row.costUsd === null ? null : rounded(row.costUsd),
  }
}
