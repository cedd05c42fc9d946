import { Client, Connection } from '@temporalio/client'
import { NativeConnection, Worker } from '@temporalio/worker'
import { inject } from 'vitest'
import type {
  ControlActivities,
  HealthActivities,
  NoticeActivities,
} from '../../activities/index.ts'
import { CONTROL_QUEUE, MAIL_QUEUE, PROVIDER_QUEUE } from '../../workflows/contract.ts'
import { newNamespace } from './engine.ts'
import './worker-log.ts'

/** Workers for the sweep, the notices and retention, in their own namespace. */
export async function startSweepEngine(
  activities: Partial<
    HealthActivities &
      NoticeActivities &
      Pick<
        ControlActivities,
        'verifyConnection' | 'dropOldDays' | 'deleteOldRows' | 'deleteMailReferences'
      >
  >,
) {
  const address = inject('temporalAddress')
  const connection = await Connection.connect({ address })
  const namespace = await newNamespace(connection)
  const native = await NativeConnection.connect({ address })
  const shared = { connection: native, namespace, shutdownForceTime: '5s' as const }
  const workers = [
    await Worker.create({
      ...shared,
      taskQueue: CONTROL_QUEUE,
      workflowBundle: { codePath: inject('workflowBundle') },
      activities,
    }),
    await Worker.create({
      ...shared,
      taskQueue: PROVIDER_QUEUE,
      activities,
      maxConcurrentActivityTaskExecutions: 50,
    }),
    await Worker.create({ ...shared, taskQueue: MAIL_QUEUE, activities }),
  ]
  const runs = workers.map((worker) => worker.run())
  return {
    client: new Client({ connection, namespace }),
    stop: async (): Promise<void> => {
      for (const worker of workers) worker.shutdown()
      await Promise.all(runs)
      await native.close()
      await connection.close()
    },
  }
}
