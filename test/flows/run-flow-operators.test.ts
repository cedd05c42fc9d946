import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { uuidv7 } from '../../src/runtime/ids.ts'
import * as operations from '../../src/core/flows/retry-and-cancel.ts'
import { transact } from '../../src/store/db/sql.ts'
import { executionWorkflowId } from '../../workflows/contract.ts'
import { until } from '../support/engine.ts'
import { endOf } from '../support/flow-runs.ts'
import { figures, path, seedExecutions, seedFlow } from '../support/flows.ts'
import { failing, operatedRuns, sleeping } from '../support/operated-runs.ts'
import { resetToFirstTask } from '../support/runs.ts'
import { seedContacts } from '../support/seed.ts'
import { expectWarnings } from '../support/worker-log.ts'

expectWarnings(/^Workflow failed runFlow .*failed: (not_a_number|workflow_(deleted|full))$/)

const runs = operatedRuns()
const { seed, row, start, paused, propertiesOf, failedOnce, resumed } = runs

const reset = async (workflowId: string) => {
  const { client } = runs.temporal
  return client.workflow.getHandle(workflowId, await resetToFirstTask(client, workflowId))
}

describe('an execution that failed goes on at the failed step', () => {
  it('when the API retries it', async () => {
    const seeded = await failedOnce()
    await transact(runs.sql, (tx) =>
      operations.retry(tx, runs.organizationId, seeded.executionId, undefined),
    )
    expect(await endOf((await start(seeded, { attempt: 2 })).result())).toEqual({
      status: 'completed',
      reason: null,
    })
    await resumed(seeded, 2)
  })

  it('when an operator starts one like it', async () => {
    const seeded = await failedOnce()
    expect(await endOf((await start(seeded)).result())).toMatchObject({ status: 'completed' })
    await resumed(seeded, 1)
  })

  it('when an operator starts one like it under a name of their own', async () => {
    const seeded = await failedOnce()
    const handle = await start(seeded, { workflowId: `mine-${uuidv7()}` })
    expect(await endOf(handle.result())).toMatchObject({ status: 'completed' })
    await resumed(seeded, 1)
  })

  it('when an operator resets its run to the first task', async () => {
    const seeded = await failedOnce()
    const workflowId = executionWorkflowId(seeded.executionId, 1)
    const handle = await reset(workflowId)
    expect(await handle.result()).toMatchObject({ status: 'completed' })
    await resumed(seeded, 1)
  })

  it('but not when its flow is deleted, whoever starts it', async () => {
    const seeded = await failedOnce()
    await runs.sql`
      update flows set enabled = false, deleted_at = now() where id = ${seeded.flow.flowId}`
    expect(await endOf((await start(seeded)).result())).toBe(
      'The execution failed: workflow_deleted',
    )
    expect(
      await transact(runs.sql, (tx) =>
        operations.retry(tx, runs.organizationId, seeded.executionId, undefined),
      ),
    ).toEqual({ outcome: 'flow_deleted' })
    expect(await row(seeded)).toMatchObject({ status: 'failed', attempt: 1, stepId: 'two' })
    expect(await propertiesOf(seeded)).toEqual({ n: 1, odd: 1 })
    expect(await figures(runs.sql, seeded.flow)).toMatchObject({ failed: 1, live: 0 })
  })

  it('but not beside as many as its flow runs at once', async () => {
    const seeded = await failedOnce()
    const { flowId } = seeded.flow
    await runs.sql`update flows set max_concurrent = 1 where id = ${flowId}`
    const [other = ''] = await seedExecutions(runs.sql, seeded.flow, [seeded.contactId])
    await runs.sql`update executions set status = 'waiting' where id = ${other}`
    expect(await endOf((await start(seeded)).result())).toBe('The execution failed: workflow_full')
    expect(await row(seeded)).toMatchObject({ status: 'failed', attempt: 1, stepId: 'two' })
    await runs.sql`update flows set max_concurrent = 2 where id = ${flowId}`
    expect(await endOf((await start(seeded)).result())).toMatchObject({ status: 'completed' })
  })

  it('and once, when an operator and the API do so at the same moment', async () => {
    const seeded = await failedOnce()
    const operator = start(seeded, { workflowId: `mine-${uuidv7()}` }).then((handle) =>
      endOf(handle.result()),
    )
    const api = transact(runs.sql, (tx) =>
      operations.retry(tx, runs.organizationId, seeded.executionId, undefined),
    ).then(async (outcome) =>
      outcome?.outcome === 'retried'
        ? endOf((await start(seeded, { attempt: 2 })).result())
        : undefined,
    )
    await expect(Promise.all([operator, api])).resolves.toHaveLength(2)
    await until(async () => (await row(seeded)).status === 'completed' || undefined)
    await resumed(seeded, (await row(seeded)).attempt)
  })
})

describe('an execution that lives', () => {
  it('is left alone by a run of another name', async () => {
    const seeded = await seed(sleeping)
    const handle = await start(seeded)
    await paused(seeded)
    const stranger = await start(seeded, { workflowId: `mine-${uuidv7()}` })
    expect(await endOf(stranger.result())).toMatchObject({ status: 'left' })
    expect(await row(seeded)).toMatchObject({ status: 'paused' })
    await handle.terminate()
  })

  it('is taken over by a reset of its run, which sleeps what is left', async () => {
    const seeded = await seed(sleeping)
    const first = await start(seeded)
    await paused(seeded)
    const [before] = await runs.sql`
      select fence_run_id from executions where id = ${seeded.executionId}`
    expect(before).toEqual({ fenceRunId: first.firstExecutionRunId })
    const handle = await reset(first.workflowId)
    await until(async () => {
      const [held] = await runs.sql`
        select from executions
        where id = ${seeded.executionId} and fence_run_id <> ${first.firstExecutionRunId}`
      return held
    })
    const due = () => runs.sql<{ dueAt: string }[]>`
      select due_at from execution_steps where execution_id = ${seeded.executionId}`
    expect(Date.parse((await due())[0]?.dueAt ?? '')).toBeGreaterThan(Date.now() + 86_000_000)
    // Again where the run that has just begun writes when it is to wake after this does.
    await until(async () => {
      await runs.sql`
        update execution_steps set due_at = now() - interval '1 second'
        where execution_id = ${seeded.executionId} and step_id = 'wait'`
      await handle.signal('wake').catch(() => {})
      return (await row(seeded)).status === 'completed' || undefined
    })
    expect(await handle.result()).toMatchObject({ status: 'completed' })
    expect(await path(runs.sql, seeded.executionId)).toEqual(['wait completed', 'one completed'])
    expect(await propertiesOf(seeded)).toEqual({ n: 1 })
  })

  it('sleeps on when it is woken before its time', async () => {
    const seeded = await seed(sleeping)
    const handle = await start(seeded)
    await paused(seeded)
    for (let wake = 0; wake < 5; wake++) await handle.signal('wake')
    await sleep(300)
    expect(await row(seeded)).toMatchObject({ status: 'paused', stepId: 'wait', visit: 1 })
    expect(await path(runs.sql, seeded.executionId)).toEqual(['wait executing'])
    await handle.terminate()
  })
})

describe('an execution that is cancelled', () => {
  const closed = async (handle: Awaited<ReturnType<typeof start>>) => {
    await expect(handle.result()).rejects.toThrow('cancelled')
    return handle.describe()
  }

  it('by an operator in the Temporal UI is over here as well', async () => {
    const seeded = await seed(sleeping)
    const handle = await start(seeded)
    await paused(seeded)
    await handle.cancel()
    const { status, searchAttributes } = await closed(handle)
    expect(status.name).toBe('CANCELLED')
    expect(searchAttributes['AppStatus']).toEqual(['cancelled'])
    expect(await row(seeded)).toMatchObject({
      status: 'cancelled',
      reason: 'stopped_by_operator',
    })
    expect(await path(runs.sql, seeded.executionId)).toEqual(['wait skipped'])
    expect(await figures(runs.sql, seeded.flow)).toMatchObject({ cancelled: 1, live: 0 })
  })

  it('by the API keeps its reason, and its run ends', async () => {
    const seeded = await seed(sleeping)
    const handle = await start(seeded)
    await paused(seeded)
    await transact(runs.sql, (tx) =>
      operations.cancel(tx, runs.organizationId, seeded.executionId, undefined),
    )
    await handle.cancel()
    expect((await closed(handle)).status.name).toBe('CANCELLED')
    expect(await row(seeded)).toMatchObject({ status: 'cancelled', reason: 'cancelled_by_api' })
    expect(await figures(runs.sql, seeded.flow)).toMatchObject({ cancelled: 1, live: 0 })
  })

  it('by the API before it began does nothing when it begins', async () => {
    const seeded = await seed(failing)
    await transact(runs.sql, (tx) =>
      operations.cancel(tx, runs.organizationId, seeded.executionId, undefined),
    )
    expect(await endOf((await start(seeded)).result())).toEqual({
      status: 'cancelled',
      reason: 'cancelled_by_api',
    })
    expect(await path(runs.sql, seeded.executionId)).toEqual([])
    expect(await propertiesOf(seeded)).toEqual({})
  })

  it('by an operator before it began is over', async () => {
    const seeded = await seed(failing)
    await runs.worker.stop()
    const handle = await start(seeded)
    await handle.cancel()
    await runs.startWorker()
    expect((await closed(handle)).status.name).toBe('CANCELLED')
    const { status } = await row(seeded)
    // The cancellation may come after the first task has done everything.
    expect(['cancelled', 'completed']).toContain(status)
    expect(await figures(runs.sql, seeded.flow)).toMatchObject({ live: 0, [status]: 1 })
  })

  it('by both while it completes has one end, a hundred times', async () => {
    const flow = await seedFlow(runs.sql, runs.organizationId, {
      steps: [{ id: 'one', type: 'update_contact', config: { increment: { 'properties.n': 1 } } }],
    })
    const contactIds = await seedContacts(runs.sql, runs.organizationId, 100)
    const ids = await seedExecutions(runs.sql, flow, contactIds)
    const race = async (executionId: string, index: number): Promise<void> => {
      const handle = await runs.worker.start({ organizationId: runs.organizationId, executionId })
      await sleep(index % 40)
      if (index % 2 === 0) {
        await transact(runs.sql, (tx) =>
          operations.cancel(tx, runs.organizationId, executionId, undefined),
        )
      }
      await handle.cancel().catch(() => {})
      await handle.result().catch(() => {})
    }
    for (let from = 0; from < ids.length; from += 10) {
      await Promise.all(ids.slice(from, from + 10).map(race))
    }
    const ends = await runs.sql<{ status: string; count: number; written: number }[]>`
      select e.status, count(*)::int as count,
        sum(coalesce((c.properties ->> 'n')::int, 0))::int as written
      from executions e
      join contacts c on c.id = e.contact_id
      where e.flow_id = ${flow.flowId}
      group by e.status
      order by e.status`
    const of = (status: string) => ends.find((end) => end.status === status)
    expect(ends.map(({ status }) => status)).not.toContain('active')
    // Completed: its one step was done; each once at most.
    expect(of('completed')?.written ?? 0).toBe(of('completed')?.count ?? 0)
    expect(of('cancelled')?.written ?? 0).toBe(0)
    expect((of('completed')?.count ?? 0) + (of('cancelled')?.count ?? 0)).toBe(ids.length)
    expect(await figures(runs.sql, flow)).toMatchObject({
      started: ids.length,
      completed: of('completed')?.count ?? 0,
      cancelled: of('cancelled')?.count ?? 0,
      failed: 0,
      live: 0,
    })
  })
})
