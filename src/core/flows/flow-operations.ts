import { conflict } from '../../domain/errors.ts'
import type { OperationKind } from '../../domain/flows/flow-operation.ts'
import { type Uuid, uuidv7 } from '../../ids.ts'
import { type Sql, transact, type Transaction } from '../../store/db/sql.ts'
import * as executions from '../../store/flows/executions.ts'
import * as flowOperations from '../../store/flows/flow-operations.ts'
import type { FlowOperation } from '../../store/flows/flow-operations.ts'
import { CANCELLED } from './retry-and-cancel.ts'

/** Operations of one flow at a time. */
const MOST_RUNNING = 10
/** Executions of one page, which is one transaction. */
const PAGE = 200
/** Until an operation is looked at again that has found nothing more, and is not completed yet. */
const WAIT_MS = 500

interface Asked {
  organizationId: Uuid
  flowId: Uuid
  kind: OperationKind
  requestId: string | undefined
}

/**
 * Notes what is to be done to many executions of a flow: workers do it, page by page. 409 while too
 * many operations of the flow are running.
 */
export async function startOperation(tx: Transaction, asked: Asked): Promise<FlowOperation> {
  const { organizationId, flowId } = asked
  const running = await flowOperations.countRunning(tx, organizationId, flowId, MOST_RUNNING)
  if (running >= MOST_RUNNING) {
    throw conflict(`${MOST_RUNNING} operations of this workflow are running already`, {
      reason: 'operation_limit',
    })
  }
  return flowOperations.create(tx, { ...asked, id: uuidv7() })
}

/** Does a page of the operation that is due the longest. False: none is due. */
export const workOnOperation = (sql: Sql, page = PAGE): Promise<boolean> =>
  transact(sql, async (tx) => {
    const operation = await flowOperations.lockDue(tx)
    if (!operation) return false
    const { organizationId, requestId } = operation
    const ids = await flowOperations.listCancellable(tx, operation, page)
    const options = { requestId: requestId ?? undefined }
    const ended = await executions.end(tx, organizationId, ids, CANCELLED, options)
    if (ids.length === 0 && (await flowOperations.complete(tx, operation))) return true
    const waitMs = ids.length === 0 ? WAIT_MS : 0
    await flowOperations.noteProgress(tx, operation, { done: ended.length, waitMs })
    return true
  })
