import { type Client, WorkflowFailedError } from '@temporalio/client'
import { Worker, type WorkerOptions } from '@temporalio/worker'
import { inject } from 'vitest'
import { createFlowActivities, type FlowDeps } from '../../activities/flows.ts'
import { type Uuid, uuidv7 } from '../../src/ids.ts'
import { executionWorkflowId } from '../../workflows/contract.ts'
import type { Ending, runFlow } from '../../workflows/run-flow.ts'
import type { TestTemporal } from './temporal.ts'

export type FlowActivities = ReturnType<typeof createFlowActivities>

interface Run {
  organizationId: Uuid
  executionId: Uuid
}

/** A worker of a queue of its own that runs executions. */
export async function startFlowWorker(
  temporal: TestTemporal,
  deps: FlowDeps,
  {
    changes = () => ({}),
    taskQueue = `flows-${uuidv7()}`,
    ...options
  }: {
    /** What is done in place of some activities. */
    changes?: (activities: FlowActivities) => Partial<FlowActivities>
    taskQueue?: string
  } & Partial<Pick<WorkerOptions, 'maxCachedWorkflows'>> = {},
) {
  const activities = createFlowActivities(deps)
  const worker = await Worker.create({
    connection: temporal.native,
    taskQueue,
    workflowBundle: { codePath: inject('workflowBundle') },
    activities: { ...activities, ...changes(activities) },
    shutdownForceTime: '5s',
    ...options,
  })
  const running = worker.run()
  return {
    taskQueue,
    start: (
      { organizationId, executionId }: Run,
      { attempt = 1, workflowId = executionWorkflowId(executionId, attempt) } = {},
    ) => startRun(temporal.client, taskQueue, { organizationId, executionId }, workflowId),
    stop: async () => {
      worker.shutdown()
      await running
    },
  }
}

export type FlowWorker = Awaited<ReturnType<typeof startFlowWorker>>

const startRun = (client: Client, taskQueue: string, run: Run, workflowId: string) =>
  client.workflow.start<typeof runFlow>('runFlow', { workflowId, taskQueue, args: [run] })

/** What a run answers, or the words of its failure. */
export async function endOf(result: Promise<Ending>): Promise<Ending | string> {
  try {
    return await result
  } catch (error) {
    if (!(error instanceof WorkflowFailedError)) throw error
    return error.cause?.message ?? error.message
  }
}
