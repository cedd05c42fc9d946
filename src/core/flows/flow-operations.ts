import { conflict } from '../../domain/errors.ts'
import type { OperationKind } from '../../domain/flows/flow-operation.ts'
import { type Uuid, uuidv7 } from '../../runtime/ids.ts'
import { type Sql, transact, type Transaction } from '../../store/db/sql.ts'
import * as executions from '../../store/flows/executions.ts'
import * as flowOperations from '../../store/flows/flow-operations.ts'
import type { FlowOperation } from '../../store/flows/flow-operations.ts'
import * as outbox from '../../store/platform/outbox.ts'
import { CANCELLED, retry } from './retry-and-cancel.ts'

const MOST_RUNNING = 10
/**
 * Executions in one transaction: cancelled ones, and retried ones, which are processed one after
 * the other.
 */
const CANCELLED_AT_ONCE = 200
const RETRIED_AT_ONCE = 50
const WAIT_MS = 500
/** Waiting outbox messages above which no executions are started. */
const BACKLOG = 1_000

interface OperationRequest {
  organizationId: Uuid
  flowId: Uuid
  target: Partial<flowOperations.Target> & Pick<flowOperations.Target, 'kind'>
  requestId: string | undefined
}

/**
 * Creates an operation on many executions of a flow, which workers process page by page. Throws a
 * 409 if too many operations of the flow are running.
 */
export async function startOperation(
  tx: Transaction,
  request: OperationRequest,
): Promise<FlowOperation> {
  const { organizationId, flowId, target, requestId } = request
  const running = await flowOperations.countRunning(tx, organizationId, flowId, MOST_RUNNING)
  if (running >= MOST_RUNNING) {
    throw conflict(`${MOST_RUNNING} operations of this workflow are running already`, {
      reason: 'operation_limit',
    })
  }
  const fullTarget = { version: null, stepId: null, failedSince: null, ...target }
  return flowOperations.create(tx, {
    organizationId,
    flowId,
    requestId,
    id: uuidv7(),
    ...fullTarget,
  })
}

/** Processes a page of the operation that is due the longest. Returns false if none is due. */
export const workOnOperation = (sql: Sql, page?: number): Promise<boolean> =>
  transact(sql, async (tx) => {
    const operation = await flowOperations.lockDue(tx)
    if (!operation) return false
    await WORK[operation.kind](tx, operation, page)
    return true
  })

type Work = (
  tx: Transaction,
  operation: flowOperations.DueOperation,
  page: number | undefined,
) => Promise<void>

const WORK: Record<OperationKind, Work> = { cancel: cancelPage, retry: retryPage }

async function cancelPage(
  tx: Transaction,
  operation: flowOperations.DueOperation,
  page = CANCELLED_AT_ONCE,
): Promise<void> {
  const { organizationId, requestId } = operation
  const ids = await flowOperations.listCancellable(tx, operation, page)
  if (ids.length === 0) return finish(tx, operation)
  const options = { requestId: requestId ?? undefined }
  const endedIds = await executions.end(tx, organizationId, ids, CANCELLED, options)
  await flowOperations.noteProgress(tx, operation, { done: endedIds.length, waitMs: 0 })
}

async function retryPage(
  tx: Transaction,
  operation: flowOperations.DueOperation,
  page = RETRIED_AT_ONCE,
): Promise<void> {
  const { organizationId, requestId, version } = operation
  if ((await outbox.countWaiting(tx, BACKLOG)) >= BACKLOG) {
    await flowOperations.noteProgress(tx, operation, { done: 0, waitMs: WAIT_MS })
    return
  }
  const ids = await flowOperations.lockRetryable(tx, operation, page)
  if (ids.length === 0) return finish(tx, operation)
  const progress = { done: 0, skipped: 0, afterId: operation.afterId, waitMs: 0 }
  for (const id of ids) {
    const retried = await retry(
      tx,
      organizationId,
      id,
      requestId ?? undefined,
      version ?? undefined,
    )
    // It goes on here when another execution of the flow is over.
    if (retried?.outcome === 'flow_full') {
      progress.waitMs = WAIT_MS
      break
    }
    if (retried?.outcome === 'retried') progress.done++
    else progress.skipped++
    progress.afterId = id
  }
  await flowOperations.noteProgress(tx, operation, progress)
}

/**
 * Completes the operation if nothing is left. More may appear while older transactions are open.
 */
async function finish(tx: Transaction, operation: flowOperations.DueOperation): Promise<void> {
  if (await flowOperations.complete(tx, operation)) return
  await flowOperations.noteProgress(tx, operation, { done: 0, waitMs: WAIT_MS })
}
