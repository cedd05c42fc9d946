import { recordTroubles } from '../../src/core/batches/batch-breaker.ts'
import { RENDER_TIMEOUT, type Trip } from '../../src/domain/batches/breaker.ts'
import type { Run } from '../../src/store/batches/batch-runs.ts'
import type { Result } from '../../src/store/delivery/record-results.ts'
import type { Sql } from '../../src/store/db/sql.ts'
import type { Verdict } from '../calls.ts'
import { writeWithRetry } from '../write-with-retry.ts'

/**
 * Counts the troubles of a claim once its results are written. Returns the reason if the batch
 * failed for it. A worker that is lost in between leaves one claim uncounted, whose rows are tried
 * again.
 */
export async function countTroubles(
  sql: Sql,
  run: Run,
  results: readonly Result[],
  { senderRefused }: Verdict,
): Promise<Trip | undefined> {
  const claim = {
    senderRefusals: senderRefused.size,
    renderTimeouts: results.filter(isRenderTimeout).length,
    isAnySent: results.some(({ outcome }) => outcome === 'sent'),
  }
  if (claim.senderRefusals + claim.renderTimeouts === 0) return undefined
  return writeWithRetry(() => recordTroubles(sql, run, claim))
}

const isRenderTimeout = (result: Result): boolean =>
  result.outcome === 'failed' && result.reason === RENDER_TIMEOUT
