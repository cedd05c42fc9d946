import { bucketStart, type Uuid } from '../../runtime/ids.ts'
import { type Sql, type Transaction, transact } from '../../store/db/sql.ts'
import * as mailFigures from '../../store/metrics/mail-figures.ts'
import * as batchReports from '../../store/batches/batch-reports.ts'
import * as linkClicks from '../../store/batches/link-clicks.ts'

const PAGE = 20_000
const ROWS = 1_000
const DAY_MS = 86_400_000

export interface Rebuilt {
  days: number
  mails: number
  corrected: number
}

/**
 * Recounts the figures of metrics and reports from the logs, one day of an organization after the
 * other, and corrects those that differ. Figures of days without logs stay.
 *
 * Safe while others write: a day is counted and compared as of one moment, and the difference is
 * added, so that concurrent counts are kept.
 */
export async function rebuildFigures(
  sql: Sql,
  organizationId?: Uuid,
  pageSize: number = PAGE,
): Promise<Rebuilt> {
  const rebuilt = { days: 0, mails: 0, corrected: 0 }
  for (const date of await mailFigures.listDays(sql)) {
    const time = Date.parse(date)
    const day = { date, from: bucketStart(time), to: bucketStart(time + DAY_MS) }
    const organizations =
      organizationId === undefined
        ? await mailFigures.listOrganizations(sql, day)
        : [organizationId]
    for (const each of organizations) {
      const done = await transact(sql, (tx) => rebuildDay(tx, each, day, pageSize))
      // The day was dropped meanwhile. A count would now find none of its mails.
      if (!done) break
      rebuilt.mails += done.mails
      rebuilt.corrected += done.corrected
    }
    if (organizations.length > 0) rebuilt.days++
  }
  return rebuilt
}

/** Undefined: the mails of the day were deleted. */
async function rebuildDay(
  tx: Transaction,
  organizationId: Uuid,
  day: mailFigures.Day & { date: string },
  pageSize: number,
): Promise<Omit<Rebuilt, 'days'> | undefined> {
  await mailFigures.beginRecount(tx)
  if (!(await mailFigures.isDayKept(tx, day.date))) return undefined
  const differences = new Map<Uuid, mailFigures.KeptFigures>()
  let mails = 0
  for (let after = day.from; ; ) {
    const page = { after, mails: pageSize }
    const last = await mailFigures.findPageEnd(tx, organizationId, day, page)
    if (last === undefined) break
    for (const row of await mailFigures.recount(tx, organizationId, day, { after, last })) {
      add(differences, row, 1)
      mails += row.sent
    }
    after = last
  }
  for (const row of await mailFigures.listKept(tx, organizationId, day)) add(differences, row, -1)
  const wrong = [...differences.values()].filter((row) =>
    mailFigures.FIGURES.some((name) => row[name] !== 0),
  )
  for (let from = 0; from < wrong.length; from += ROWS) {
    await mailFigures.correct(tx, organizationId, wrong.slice(from, from + ROWS))
  }
  const ofBatches = await batchReports.correct(tx, organizationId, day)
  const ofLinks = await linkClicks.correct(tx, organizationId, day)
  return { mails, corrected: wrong.length + ofBatches + ofLinks }
}

function add(
  sums: Map<Uuid, mailFigures.KeptFigures>,
  row: mailFigures.KeptFigures,
  sign: 1 | -1,
): void {
  const sum = sums.get(row.key) ?? { ...row, ...NOTHING }
  for (const name of mailFigures.FIGURES) sum[name] += sign * row[name]
  sums.set(row.key, sum)
}

const NOTHING: mailFigures.Figures = {
  sent: 0,
  delivered: 0,
  bouncedPermanent: 0,
  bouncedTransient: 0,
  bouncedUndetermined: 0,
  complained: 0,
  suppressed: 0,
  opened: 0,
  openedRaw: 0,
  clicked: 0,
  unsubscribed: 0,
  failed: 0,
  bouncedArrived: 0,
}
