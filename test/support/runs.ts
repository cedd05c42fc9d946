import { randomUUID } from 'node:crypto'
import { type Client, WorkflowNotFoundError } from '@temporalio/client'
import { until } from './engine.ts'

/** Makes Temporal lose everything about a workflow id. */
export async function forgetRuns(client: Client, workflowId: string): Promise<void> {
  const { namespace } = client.options
  await client.workflowService.deleteWorkflowExecution({
    namespace,
    workflowExecution: { workflowId },
  })
  await until(async () => (await statusOf(client, workflowId)) === undefined)
}

/** Status of the newest run of a workflow id. Undefined: there is none. */
export async function statusOf(client: Client, workflowId: string): Promise<string | undefined> {
  try {
    return (await client.workflow.getHandle(workflowId).describe()).status.name
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined
    throw error
  }
}

/** Resets a run to the first event, as an operator does. Returns the new run's id. */
export async function resetToFirstTask(client: Client, workflowId: string): Promise<string> {
  const { runId } = await client.workflow.getHandle(workflowId).describe()
  const reset = await client.workflowService.resetWorkflowExecution({
    namespace: client.options.namespace,
    workflowExecution: { workflowId, runId },
    workflowTaskFinishEventId: 4 as never,
    requestId: randomUUID(),
    reason: 'an operator pressed reset',
  })
  return reset.runId
}

/** Waits for the list, which lags behind. */
export const listed = (client: Client, workflowId: string, status: string) =>
  until(async () => {
    const query = `WorkflowId = '${workflowId}' and ExecutionStatus = '${status}'`
    const { count } = await client.workflow.count(query)
    return count > 0
  })
