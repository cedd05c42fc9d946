import { randomUUID } from 'node:crypto'
import { type Client, WorkflowNotFoundError } from '@temporalio/client'
import { until } from './engine.ts'

/** Temporal loses all it knows of a workflow id. */
export async function forgetRuns(client: Client, workflowId: string): Promise<void> {
  const { namespace } = client.options
  await client.workflowService.deleteWorkflowExecution({
    namespace,
    workflowExecution: { workflowId },
  })
  await until(async () => (await statusOf(client, workflowId)) === undefined)
}

/** Of the newest run of a workflow id; undefined: there is none. */
export async function statusOf(client: Client, workflowId: string): Promise<string | undefined> {
  try {
    return (await client.workflow.getHandle(workflowId).describe()).status.name
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined
    throw error
  }
}

/** What an operator does by "Reset" to the first event of the list. Returns the new run's id. */
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

/** What is listed follows what happens with some delay. */
export const listed = (client: Client, workflowId: string, status: string) =>
  until(async () => {
    const query = `WorkflowId = '${workflowId}' and ExecutionStatus = '${status}'`
    const { count } = await client.workflow.count(query)
    return count > 0
  })
