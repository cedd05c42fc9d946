import type { Uuid } from '../../runtime/ids.ts'
import { type Sql, type Transaction, transact } from '../../store/db/sql.ts'
import * as executions from '../../store/flows/executions.ts'
import * as heldExecutions from '../../store/flows/held-executions.ts'
import type { HeldExecution } from '../../store/flows/held-executions.ts'
import * as outbox from '../../store/platform/outbox.ts'

/** Lost runs in a row without progress, after which no further run is started. */
const MOST_LOST_RUNS = 3

/**
 * Cancels an execution whose run an operator stopped. Returns false if another run has taken it
 * meanwhile.
 */
export const stop = (sql: Sql, held: HeldExecution): Promise<boolean> =>
  transact(sql, async (tx) => {
    if (!(await heldExecutions.lockIfSame(tx, held))) return false
    const ending = { status: 'cancelled', reason: 'stopped_by_operator' } as const
    const { organizationId, id } = held
    return (
      (await executions.end(tx, organizationId, [id], ending, { cancelsRuns: false })).length > 0
    )
  })

/**
 * Starts the next attempt of an execution whose run ended without it. It continues at its position.
 * After the third lost run in a row without progress it fails there, and can be retried by hand.
 * `kept`: another run has taken the execution meanwhile.
 */
export const restart = (sql: Sql, held: HeldExecution): Promise<'restarted' | 'failed' | 'kept'> =>
  transact(sql, async (tx) => {
    if (!(await heldExecutions.lockIfSame(tx, held))) return 'kept'
    const runCount = await heldExecutions.countLostRun(tx, held)
    if (!runCount) return 'kept'
    const { nextAttempt, lostRuns } = runCount
    if (lostRuns >= MOST_LOST_RUNS) {
      await fail(tx, held)
      return 'failed'
    }
    await heldExecutions.toAttempt(tx, held, nextAttempt)
    await enqueueStart(tx, held, nextAttempt)
    return 'restarted'
  })

async function fail(tx: Transaction, held: HeldExecution): Promise<void> {
  const { organizationId, id } = held
  const lost = { reason: 'run_lost', error: `${MOST_LOST_RUNS} runs in a row were lost here` }
  await heldExecutions.failStep(tx, held, lost)
  await heldExecutions.forgetLostRuns(tx, held)
  const ending = { status: 'failed', ...lost } as const
  await executions.end(tx, organizationId, [id], ending, { cancelsRuns: false })
}

/**
 * Starts the same attempt again, since neither its outbox message nor its run exists any more.
 * Returns false if it has begun meanwhile.
 */
export const startAgain = (sql: Sql, held: HeldExecution): Promise<boolean> =>
  transact(sql, async (tx) => {
    if (!(await heldExecutions.lockIfSame(tx, held))) return false
    if (!(await heldExecutions.touchPending(tx, held))) return false
    await enqueueStart(tx, held, held.attempt)
    return true
  })

const enqueueStart = (
  tx: Transaction,
  { organizationId, id: executionId, flowId, contactId }: HeldExecution,
  attempt: number,
) => {
  const payload = { executionId, attempt, flowId, contactId }
  return outbox.put(tx, organizationId, { kind: 'start_execution', payload }, undefined)
}

/** Ends up to `limit` executions of flows that were deleted. Returns how many it ended. */
export async function endOfDeletedFlows(sql: Sql, limit: number): Promise<number> {
  const rows = await heldExecutions.listOfDeletedFlows(sql, limit)
  const byOrganization = new Map<Uuid, Uuid[]>()
  for (const { organizationId, id } of rows) {
    byOrganization.set(organizationId, [...(byOrganization.get(organizationId) ?? []), id])
  }
  const ending = { status: 'cancelled', reason: 'workflow_deleted' } as const
  let ended = 0
  for (const [organizationId, ids] of byOrganization) {
    ended += (await transact(sql, (tx) => executions.end(tx, organizationId, ids, ending))).length
  }
  return ended
}
