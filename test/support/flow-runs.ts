import { Client, WorkflowFailedError } from '@temporalio/client'
import { Worker, type WorkerOptions } from '@temporalio/worker'
import { inject } from 'vitest'
import { createFlowActivities, type FlowDeps } from '../../activities/flows/flows.ts'
import { type Uuid, uuidv7 } from '../../src/runtime/ids.ts'
import { executionWorkflowId, WEBHOOK_QUEUE } from '../../workflows/contract.ts'
import type { Ending, runFlow } from '../../workflows/run-flow.ts'
import type { TestTemporal } from './temporal.ts'
import './worker-log.ts'

export type FlowActivities = ReturnType<typeof createFlowActivities>

interface Run {
  organizationId: Uuid
  executionId: Uuid
}

/** A worker of its own queue that runs executions. */
export async function startFlowWorker(
  temporal: TestTemporal,
  deps: FlowDeps,
  {
    changes = () => ({}),
    taskQueue = `flows-${uuidv7()}`,
    namespace,
    ...options
  }: {
    /** Replacements of some activities. */
    changes?: (activities: FlowActivities) => Partial<FlowActivities>
    taskQueue?: string
    /** If set, webhook steps are called, too. */
    namespace?: string
  } & Partial<Pick<WorkerOptions, 'maxCachedWorkflows'>> = {},
) {
  const activities = createFlowActivities(deps)
  const shared = {
    connection: temporal.native,
    activities: { ...activities, ...changes(activities) },
    // Only of what hangs: on a busy machine the last tasks end late.
    shutdownForceTime: '60s',
    ...(namespace === undefined ? {} : { namespace }),
    ...options,
  } as const
  const workers = [
    await Worker.create({
      ...shared,
      taskQueue,
      workflowBundle: { codePath: inject('workflowBundle') },
    }),
  ]
  if (namespace !== undefined) {
    workers.push(await Worker.create({ ...shared, taskQueue: WEBHOOK_QUEUE }))
  }
  const running = workers.map((worker) => worker.run())
  const client = new Client({ connection: temporal.connection, namespace: namespace ?? 'default' })
  return {
    taskQueue,
    start: (
      { organizationId, executionId }: Run,
      { attempt = 1, workflowId = executionWorkflowId(executionId, attempt) } = {},
    ) => startRun(client, taskQueue, { organizationId, executionId }, workflowId),
    stop: async () => {
      for (const worker of workers) worker.shutdown()
      await Promise.all(running)
    },
  }
}

export type FlowWorker = Awaited<ReturnType<typeof startFlowWorker>>

const startRun = (client: Client, taskQueue: string, run: Run, workflowId: string) =>
  client.workflow.start<typeof runFlow>('runFlow', { workflowId, taskQueue, args: [run] })

/** Result of a run, or the message of its failure. */
export async function endOf(result: Promise<Ending>): Promise<Ending | string> {
  try {
    return await result
  } catch (error) {
    if (!(error instanceof WorkflowFailedError)) throw error
    return error.cause?.message ?? error.message
  }
}
