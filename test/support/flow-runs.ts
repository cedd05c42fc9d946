import { type Client, WorkflowFailedError } from '@temporalio/client'
import { Worker } from '@temporalio/worker'
import { inject } from 'vitest'
import { createFlowActivities, type FlowDeps } from '../../activities/flows.ts'
import { type Uuid, uuidv7 } from '../../src/ids.ts'
import { executionWorkflowId } from '../../workflows/contract.ts'
import type { Ending, runFlow } from '../../workflows/run-flow.ts'
import type { TestTemporal } from './temporal.ts'

type Activities = ReturnType<typeof createFlowActivities>

export interface FlowWorker {
  taskQueue: string
  activities: Activities
  start: (
    execution: { organizationId: Uuid; executionId: Uuid },
    more?: { attempt?: number; workflowId?: string },
  ) => Promise<Awaited<ReturnType<typeof startRun>>>
}

/** Runs `act` while a worker of a queue of its own runs executions. */
export async function withFlowWorker<T>(
  temporal: TestTemporal,
  deps: FlowDeps,
  act: (worker: FlowWorker) => Promise<T>,
  changes: (activities: Activities) => Partial<Activities> = () => ({}),
): Promise<T> {
  const taskQueue = `flows-${uuidv7()}`
  const made = createFlowActivities(deps)
  const activities = { ...made, ...changes(made) }
  const worker = await Worker.create({
    connection: temporal.native,
    taskQueue,
    workflowBundle: { codePath: inject('workflowBundle') },
    activities,
  })
  return worker.runUntil(() =>
    act({
      taskQueue,
      activities,
      start: ({ organizationId, executionId }, { attempt = 1, workflowId } = {}) =>
        startRun(temporal.client, taskQueue, {
          organizationId,
          executionId,
          workflowId: workflowId ?? executionWorkflowId(executionId, attempt),
        }),
    }),
  )
}

const startRun = (
  client: Client,
  taskQueue: string,
  run: { organizationId: Uuid; executionId: Uuid; workflowId: string },
) =>
  client.workflow.start<typeof runFlow>('runFlow', {
    workflowId: run.workflowId,
    taskQueue,
    args: [{ organizationId: run.organizationId, executionId: run.executionId }],
  })

/** What a run answers, or the words of its failure. */
export async function endOf(result: Promise<Ending>): Promise<Ending | string> {
  try {
    return await result
  } catch (error) {
    if (!(error instanceof WorkflowFailedError)) throw error
    return error.cause?.message ?? error.message
  }
}
