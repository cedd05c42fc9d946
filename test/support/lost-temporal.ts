import type { Client } from '@temporalio/client'

/** Makes Temporal lose all its data. Returns the types of the lost workflows. */
export async function loseEverything(temporal: Client): Promise<Set<string>> {
  const types = new Set<string>()
  const { namespace } = temporal.options
  for await (const { workflowId, type } of temporal.workflow.list()) {
    types.add(type)
    await temporal.workflowService
      .deleteWorkflowExecution({ namespace, workflowExecution: { workflowId } })
      .catch(() => {})
  }
  for await (const { scheduleId } of temporal.schedule.list()) {
    await temporal.schedule.getHandle(scheduleId).delete()
  }
  return types
}
