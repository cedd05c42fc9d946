import * as batchRuns from '../../store/batches/batch-runs.ts'
import * as executions from '../../store/flows/executions.ts'
import * as heldExecutions from '../../store/flows/held-executions.ts'
import * as ledgerBeats from '../../store/platform/ledger-beats.ts'
import * as restored from '../../store/delivery/restored.ts'
import { type Sql, transact } from '../../store/db/sql.ts'

/** The reason that batches, executions and mails have, of which a restore forgot what was sent. */
export const RESTORED = 'restored'
const WHY = {
  reason: RESTORED,
  error: 'The database was restored from a backup, so it is not known whether this was sent',
}
const PAGE = 500

/**
 * Fails all that may have gone on between the backup and the restore, and whose mail would be sent
 * a second time: batches, executions and single mails. Events that come still prove what was sent.
 * What is not proven waits for somebody to resume or retry it. Does nothing if there was no
 * restore, or if it is done.
 */
export async function markRestored(sql: Sql): Promise<void> {
  const restore = await ledgerBeats.findRestore(sql)
  if (!restore || restore.heldAt === null || restore.markedAt !== null) return
  const { restoredAt } = restore
  await eachPage(
    () => restored.listBatches(sql, restoredAt, PAGE),
    (batch) => batchRuns.fail(sql, batch, RESTORED),
  )
  await eachPage(
    () => restored.listExecutions(sql, restoredAt, PAGE),
    (execution) =>
      transact(sql, async (tx) => {
        if (!(await heldExecutions.lockIfSame(tx, execution))) return
        await heldExecutions.failStep(tx, execution, WHY)
        const { organizationId, id } = execution
        await executions.end(tx, organizationId, [id], { status: 'failed', ...WHY })
      }),
  )
  await eachPage(
    () => restored.listMails(sql, restoredAt, PAGE),
    ({ id, ...place }) => restored.failMails(sql, { ...place, ids: [id] }, WHY),
  )
  await ledgerBeats.recordMarked(sql, restore)
}

/** Each page is listed anew: what was worked on is not in the next one. */
async function eachPage<Row>(
  list: () => PromiseLike<Row[]>,
  act: (row: Row) => PromiseLike<unknown>,
): Promise<void> {
  for (;;) {
    const rows = await list()
    for (const row of rows) await act(row)
    if (rows.length < PAGE) return
  }
}

type CheckOutcome =
  /** Events are awaited until then. */
  | 'waiting'
  /** No event came, so nothing is proven, and nothing is released. */
  | 'no_events'
  | 'released'
  | 'nothing_held'

interface RestoreCheck extends restored.RestoreReport {
  outcome: CheckOutcome
  restoredAt: string | null
  lostSince: string | null
  awaitedUntil: string | null
}

const AWAITED_MS = 24 * 3_600_000
const NOTHING = { batches: [], executions: 0, mails: 0, events: 0 }

/**
 * Says what a restore has left uncertain, and ends its hold once events were awaited for long
 * enough: for a day, or until `until`. Without any event it ends it only where `isWithoutEvents`.
 */
export async function checkRestore(
  sql: Sql,
  { until, isWithoutEvents, now }: { until?: Date; isWithoutEvents: boolean; now: number },
): Promise<RestoreCheck> {
  await markRestored(sql)
  const restore = await ledgerBeats.findRestore(sql)
  if (!restore) {
    const never = { restoredAt: null, lostSince: null, awaitedUntil: null }
    return { outcome: 'nothing_held', ...never, ...NOTHING }
  }
  const { restoredAt, lostSince, heldAt } = restore
  const awaited = until ?? new Date(Date.parse(restoredAt) + AWAITED_MS)
  const report = await restored.reportOf(sql, { restoredAt, reason: RESTORED })
  const check = { restoredAt, lostSince, awaitedUntil: awaited.toISOString(), ...report }
  if (heldAt === null) return { outcome: 'nothing_held', ...check }
  const isUncertain = report.batches.length + report.executions + report.mails > 0
  if (now < awaited.getTime()) return { outcome: 'waiting', ...check }
  if (isUncertain && report.events === 0 && !isWithoutEvents) {
    return { outcome: 'no_events', ...check }
  }
  const isEnded = await ledgerBeats.endHold(sql, restore)
  return { outcome: isEnded ? 'released' : 'waiting', ...check }
}
