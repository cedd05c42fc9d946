import type { Uuid } from '../../ids.ts'
import type { Transaction } from '../../store/db/sql.ts'
import * as executionRuns from '../../store/flows/runs.ts'
import * as slots from '../../store/flows/slots.ts'

/** Why a failed execution stays failed: its flow is deleted, or all slots of it are in use. */
interface Refused {
  refused: 'deleted' | 'full'
}

/**
 * `failed → pending`, where its flow has a slot (`maxConcurrentExecutions`): its own was free when
 * it failed. The execution's row is locked. The flow's is locked after it, the other way round than
 * where slots are allocated, which cannot deadlock: there only pending executions are locked.
 */
export async function reopen(
  tx: Transaction,
  key: executionRuns.ExecutionKey,
  flowId: Uuid,
  options: { isNewAttempt: boolean },
): Promise<executionRuns.Reopened | Refused> {
  const { organizationId } = key
  const flow = await slots.lockLimit(tx, organizationId, flowId)
  if (!flow || flow.isDeleted) return { refused: 'deleted' }
  const { limit } = flow
  const used = limit === null ? 0 : await slots.countUsed(tx, organizationId, flowId, limit)
  if (limit !== null && used >= limit) return { refused: 'full' }
  return executionRuns.reopen(tx, key, options)
}
