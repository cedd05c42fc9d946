import { ApplicationFailure } from '@temporalio/activity'
import { Worker } from '@temporalio/worker'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { uuidv7 } from '../../src/runtime/ids.ts'
import { IMPORT_QUEUE, importWorkflowId } from '../../workflows/contract.ts'
import type { importContacts } from '../../workflows/import-contacts.ts'
import { type TimeSkipping, timeSkipping } from '../support/temporal.ts'
import { expectWarnings } from '../support/worker-log.ts'

expectWarnings(/^Activity failed importPages .*the worker is gone$/)

/** Failures before this one made a retry wait for half a minute. */
const LOST = 15

let time: TimeSkipping
beforeAll(async () => {
  time = await timeSkipping()
})
afterAll(() => time.close())

it('an import whose workers are lost one after the other goes on a second after each', async () => {
  let tries = 0
  const shared = { connection: time.native }
  const workers = [
    await Worker.create({
      ...shared,
      taskQueue: time.taskQueue,
      workflowBundle: { codePath: inject('workflowBundle') },
    }),
    await Worker.create({
      ...shared,
      taskQueue: IMPORT_QUEUE,
      activities: {
        beginImport: async () => 'running',
        importPages: async () => {
          if (++tries <= LOST) throw ApplicationFailure.create({ message: 'the worker is gone' })
          return true
        },
      },
    }),
  ]
  const running = workers.map((worker) => worker.run())
  const startedAt = Number(await time.now())
  const importId = uuidv7()
  const handle = await time.client.workflow.start<typeof importContacts>('importContacts', {
    workflowId: importWorkflowId(importId),
    taskQueue: time.taskQueue,
    args: [{ organizationId: uuidv7(), importId }],
  })
  await time.result(handle)
  const seconds = (Number(await time.closedAt(handle)) - startedAt) / 1_000
  for (const worker of workers) worker.shutdown()
  await Promise.all(running)
  expect(tries).toBe(LOST + 1)
  // It was 261 seconds before.
  expect(seconds).toBeLessThan(60)
})
