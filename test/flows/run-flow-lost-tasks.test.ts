import { setTimeout as sleep } from 'node:timers/promises'
import { Context } from '@temporalio/activity'
import { expect, it } from 'vitest'
import { executionWorkflowId } from '../../workflows/contract.ts'
import { until } from '../support/engine.ts'
import { endOf } from '../support/flow-runs.ts'
import { figures, path } from '../support/flows.ts'
import { failing, operatedRuns, sleeping } from '../support/operated-runs.ts'
import { expectWarnings } from '../support/worker-log.ts'

expectWarnings(/^Workflow failed runFlow .*The step "two" failed: not_a_number$/)

const runs = operatedRuns()
const { seed, start, paused, propertiesOf, putRight } = runs

it('one that failed after its run continued as new goes on when an operator starts one like it', async () => {
  const seeded = await seed(
    { steps: [...sleeping.steps.slice(0, 1), ...failing.steps] },
    { odd: 'word' },
  )
  const first = await start(seeded)
  await paused(seeded)
  const { workflowId } = first
  const newest = runs.temporal.client.workflow.getHandle(workflowId)
  // Temporal suggests a new run for a history of 4 MB as well as for one of thousands of events.
  const large = 'x'.repeat(500_000)
  const isRenewed = async () => (await newest.describe()).runId !== first.firstExecutionRunId
  while (!(await isRenewed())) {
    const { historyLength } = await newest.describe()
    await newest.signal('wake', large)
    // The signal and its task. A signal that comes during a task would keep the run from ending.
    const isDone = async () => (await newest.describe()).historyLength >= historyLength + 4
    await until(async () => (await isRenewed()) || (await isDone()))
  }
  await runs.sql`
    update execution_steps set due_at = now() - interval '1 second'
    where execution_id = ${seeded.executionId}`
  await newest.signal('wake')
  expect(await endOf(newest.result())).toBe('The step "two" failed: not_a_number')
  await putRight(seeded)

  const { events } = await newest.fetchHistory()
  const input = events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads ?? []
  const args = input.map(({ data }) => JSON.parse(Buffer.from(data ?? []).toString()))
  const like = { workflowId, taskQueue: runs.worker.taskQueue, args }
  expect(await runs.temporal.client.workflow.execute('runFlow', like)).toMatchObject({
    status: 'completed',
  })
  expect(await propertiesOf(seeded)).toEqual({ n: 2, odd: 2 })
})

it('one that failed stays so when the task of the run that it failed in is lost and comes again', async () => {
  const seeded = await seed(failing, { odd: 'word' })
  await runs.worker.stop()
  await runs.startWorker({
    // The first task does all of its local activities, and nobody hears of it.
    changes: ({ beginExecution, runStep }) => ({
      beginExecution: async (key) => {
        const { fence, move } = await beginExecution(key)
        let next = move
        while (next.do === 'step') {
          const { stepId, visit } = next
          next = await runStep({ ...key, fence, stepId, visit })
        }
        return beginExecution(key)
      },
    }),
  })
  expect(await endOf((await start(seeded)).result())).toBe('The step "two" failed: not_a_number')
  expect(await path(runs.sql, seeded.executionId)).toEqual(['one completed', 'two failed'])
  await runs.worker.stop()
  await runs.startWorker()
})

it('one that is cancelled during its local first step lets it end, and no task fails', async () => {
  const seeded = await seed(sleeping)
  const { executionId } = seeded
  let isRunning = false
  let wasCancelled: boolean | undefined
  await runs.worker.stop()
  await runs.startWorker({
    changes: ({ beginExecution }) => ({
      beginExecution: async (key) => {
        const begun = await beginExecution(key)
        isRunning = true
        // At four fifths of the task's time it is completed, and the next one tells of the
        // cancellation.
        await sleep(6_500)
        wasCancelled = Context.current().cancellationSignal.aborted
        return begun
      },
    }),
  })
  const handle = await runs.temporal.client.workflow.start('runFlow', {
    workflowId: executionWorkflowId(executionId, 1),
    taskQueue: runs.worker.taskQueue,
    workflowTaskTimeout: '5s',
    args: [{ organizationId: runs.organizationId, executionId }],
  })
  await until(() => Promise.resolve(isRunning))
  await handle.cancel()
  await expect(handle.result()).rejects.toThrow('cancelled')
  // A cancellation that meets the end of a local activity fails the task.
  expect(wasCancelled).toBe(false)
  expect(await runs.row(seeded)).toMatchObject({ status: 'cancelled', stepId: 'wait' })
  expect(await path(runs.sql, executionId)).toEqual(['wait skipped'])
  expect(await figures(runs.sql, seeded.flow)).toMatchObject({ cancelled: 1, live: 0 })
  await runs.worker.stop()
  await runs.startWorker()
})
