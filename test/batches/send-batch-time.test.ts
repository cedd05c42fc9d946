import { randomUUID } from 'node:crypto'
import { Client, Connection } from '@temporalio/client'
import { NativeConnection, Worker } from '@temporalio/worker'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import type { ControlActivities, SendActivities } from '../../activities/index.ts'
import { BATCH_FAILED, type BatchReport } from '../../src/domain/batches/batch.ts'
import { CONTROL_QUEUE, SEND_QUEUE, type SendPlan, WAKE_SIGNAL } from '../../workflows/contract.ts'
import type { sendBatch } from '../../workflows/send-batch.ts'
import { newNamespace, until } from '../support/engine.ts'
import { sized } from '../support/size.ts'
import { type TimeSkipping, timeSkipping } from '../support/temporal.ts'
import { expectWarnings } from '../support/worker-log.ts'

expectWarnings(/^Workflow failed sendBatch .*account_suspended$/)

const DAY_MS = 86_400_000
const QUARTER_MS = DAY_MS / 4
/**
 * Chunks of a batch whose history is too long for one run. With few chunks their long results make
 * it so: the server counts bytes as well as events.
 */
const CHUNKS = sized(200, 1_500)
const PADDING = 'x'.repeat(sized(30_000, 0))
const run = { organizationId: 'o', batchId: 'b', attempt: 1 }

type Fakes = Pick<
  ControlActivities,
  'beginBatch' | 'freezeAudience' | 'completeBatch' | 'decideTest' | 'failBatch' | 'reportBatch'
> &
  Pick<SendActivities, 'sendChunk'>

const plan = (more: Partial<SendPlan> = {}): SendPlan => ({
  total: 30,
  chunkSize: 10,
  window: 2,
  passMs: 30_000,
  ...more,
})

const report = (status: BatchReport['status'], reason: string | null = null): BatchReport => ({
  status,
  reason,
  frozen: 30,
  sent: 30,
  failed: 0,
  skipped: 0,
  cancelled: 0,
  unknown: 0,
})

const fakes = (more: Partial<Fakes> = {}): Fakes => ({
  beginBatch: async () => ({ kind: 'go' }),
  freezeAudience: async () => ({ plan: plan() }),
  completeBatch: async () => true,
  decideTest: async () => ({ kind: 'decided' }),
  failBatch: async () => {},
  reportBatch: async () => report('completed'),
  sendChunk: async () => ({ kind: 'done' }),
  ...more,
})

interface Place {
  client: Client
  native: NativeConnection
  namespace: string
  workers: Awaited<ReturnType<typeof startWorkers>>
}

/** Workers of both queues; each test says by `give` what their activities do. */
async function startWorkers({ native, namespace }: Omit<Place, 'workers'>) {
  let given = fakes()
  const activities: Fakes = {
    beginBatch: (...args) => given.beginBatch(...args),
    freezeAudience: (...args) => given.freezeAudience(...args),
    completeBatch: (...args) => given.completeBatch(...args),
    decideTest: (...args) => given.decideTest(...args),
    failBatch: (...args) => given.failBatch(...args),
    reportBatch: (...args) => given.reportBatch(...args),
    sendChunk: (...args) => given.sendChunk(...args),
  }
  const shared = { connection: native, namespace, activities }
  const workers = [
    await Worker.create({
      ...shared,
      taskQueue: CONTROL_QUEUE,
      workflowBundle: { codePath: inject('workflowBundle') },
    }),
    await Worker.create({ ...shared, taskQueue: SEND_QUEUE }),
  ]
  const runs = workers.map((worker) => worker.run())
  return {
    give: (next: Fakes): void => void (given = next),
    stop: async (): Promise<void> => {
      for (const worker of workers) worker.shutdown()
      await Promise.all(runs)
    },
  }
}

/** Runs `act` while the workers have these activities. */
async function withActivities<T>({ workers }: Place, activities: Fakes, act: () => Promise<T>) {
  workers.give(activities)
  return act()
}

const start = ({ client }: Place) =>
  client.workflow.start<typeof sendBatch>('sendBatch', {
    workflowId: `batch/${randomUUID()}/1`,
    taskQueue: CONTROL_QUEUE,
    args: [run],
  })

describe('while days pass', () => {
  let time: TimeSkipping
  let place: Place

  beforeAll(async () => {
    time = await timeSkipping()
    const here = { client: time.client, native: time.native, namespace: 'default' }
    place = { ...here, workers: await startWorkers(here) }
  })
  afterAll(async () => {
    await place.workers.stop()
    await time.close()
  })

  it('a batch scheduled a month ahead starts then, not before', async () => {
    const due = (await time.now()).getTime() + 30 * DAY_MS
    const begun: number[] = []
    const activities = fakes({
      beginBatch: async () => {
        const now = (await time.now()).getTime()
        begun.push(now)
        return now < due ? { kind: 'wait', until: due } : { kind: 'go' }
      },
    })
    await withActivities(place, activities, async () => time.result(await start(place)))
    expect(begun).toHaveLength(2)
    expect(begun[1]).toBeGreaterThanOrEqual(due)
    expect(begun[1]).toBeLessThan(due + DAY_MS)
  })

  it('a batch paused for a week mails nobody meanwhile, and goes on when it is resumed', async () => {
    const tried: number[] = []
    let isPaused = true
    const activities = fakes({
      sendChunk: async () => {
        tried.push((await time.now()).getTime())
        return isPaused ? { kind: 'held' } : { kind: 'done' }
      },
    })
    await withActivities(place, activities, async () => {
      const handle = await start(place)
      await time.skip(7 * DAY_MS)
      isPaused = false
      const resumedAt = (await time.now()).getTime()
      await handle.signal(WAKE_SIGNAL)
      expect(await time.result(handle)).toEqual(report('completed'))
      // At once, not when it would have looked by itself.
      const later = tried.filter((at) => at >= resumedAt)
      expect(later).toHaveLength(3)
      expect(Math.max(...later) - resumedAt).toBeLessThan(3_600_000)
      expect(tried.length).toBeLessThan(7 * 24)
    })
  }, 360_000)

  it('a batch that is rescheduled while it waits starts at its new time', async () => {
    const createdAt = (await time.now()).getTime()
    let due = createdAt + 30 * DAY_MS
    const begun: number[] = []
    const activities = fakes({
      beginBatch: async () => {
        const now = (await time.now()).getTime()
        begun.push(now)
        return now < due ? { kind: 'wait', until: due } : { kind: 'go' }
      },
    })
    await withActivities(place, activities, async () => {
      const handle = await start(place)
      await time.skip(DAY_MS)
      due = createdAt + 2 * DAY_MS
      await handle.signal(WAKE_SIGNAL)
      await time.result(handle)
    })
    expect(begun).toHaveLength(3)
    expect(begun[2]).toBeGreaterThanOrEqual(createdAt + 2 * DAY_MS)
    expect(begun[2]).toBeLessThan(createdAt + 3 * DAY_MS)
  })

  it('a batch of three local times sends each part at its time while rests of earlier parts go on', async () => {
    const noon = (await time.now()).getTime() + DAY_MS
    const tried: [number, number][] = []
    const parts = [
      { from: 0, to: 15, sendAt: noon },
      { from: 15, to: 20, sendAt: noon + DAY_MS / 4 },
      { from: 20, to: 30, sendAt: noon + DAY_MS },
    ]
    const activities = fakes({
      freezeAudience: async () => ({ plan: plan({ parts }) }),
      sendChunk: async ({ from }) => {
        const hours = Math.floor(((await time.now()).getTime() - noon) / 3_600_000)
        const isFirst = tried.every(([before]) => before !== from)
        tried.push([from, hours])
        return from === 10 && isFirst ? { kind: 'waiting' } : { kind: 'done' }
      },
    })
    await withActivities(place, activities, async () => time.result(await start(place)))
    expect(tried.toSorted(([a, x], [b, y]) => x - y || a - b)).toEqual([
      [0, 0],
      [10, 0],
      [10, 0],
      [15, 6],
      [20, 24],
    ])
  })

  it('a run that is woken between two parts tries earlier parts again, since rows may be of a backup', async () => {
    const tried: number[] = []
    const now = (await time.now()).getTime()
    const parts = [
      { from: 0, to: 10, sendAt: 0 },
      { from: 10, to: 20, sendAt: now + DAY_MS },
    ]
    let isRestored = false
    const activities = fakes({
      freezeAudience: async () => ({ plan: plan({ parts }) }),
      sendChunk: async ({ from }) => {
        tried.push(from)
        // After the backup it takes two tries.
        const isLeft = isRestored && tried.length < 3
        return isLeft ? { kind: 'waiting' } : { kind: 'done' }
      },
    })
    await withActivities(place, activities, async () => {
      const handle = await start(place)
      await until(async () => tried.length === 1)
      isRestored = true
      await handle.signal(WAKE_SIGNAL)
      await until(async () => tried.length >= 2)
      expect(Number(await time.now()) - now).toBeLessThan(DAY_MS / 2)
      await time.result(handle)
    })
    expect(tried).toEqual([0, 0, 0, 10])
  })

  it('a test waits three days for its decision, or for a person, and then sends the rest', async () => {
    const tried: [number, number][] = []
    const parts = [
      { from: 0, to: 15, sendAt: 0, isTest: true as const },
      { from: 15, to: 30, sendAt: 0 },
    ]
    for (const byHand of [false, true]) {
      const startedAt = (await time.now()).getTime()
      const decideAt = startedAt + 3 * DAY_MS
      let isChosen = false
      tried.length = 0
      const activities = fakes({
        freezeAudience: async () => ({ plan: plan({ parts, passMs: QUARTER_MS }) }),
        decideTest: async () => {
          const isDue = (await time.now()).getTime() >= decideAt
          if (isChosen || (isDue && !byHand)) return { kind: 'decided' }
          return byHand ? { kind: 'wait' } : { kind: 'wait', until: decideAt }
        },
        sendChunk: async ({ from }) => {
          const quarter = Math.floor(((await time.now()).getTime() - startedAt) / QUARTER_MS)
          tried.push([from, quarter])
          // One mail of the share is in doubt for half a day: the decision does not wait for it.
          return from === 10 && quarter < 2 ? { kind: 'waiting' } : { kind: 'done' }
        },
      })
      await withActivities(place, activities, async () => {
        const handle = await start(place)
        if (byHand) {
          await time.skip(2 * DAY_MS)
          isChosen = true
          await handle.signal(WAKE_SIGNAL)
        }
        await time.result(handle)
      })
      const later = byHand ? 8 : 12
      expect(tried.toSorted(([a, x], [b, y]) => x - y || a - b)).toEqual([
        [0, 0],
        [10, 0],
        [10, 1],
        [10, 2],
        [15, later],
        [25, later],
      ])
    }
  })

  it('an account paused for six hours holds nobody, and its batch goes on', async () => {
    const tried: { from: number; at: number }[] = []
    const startedAt = (await time.now()).getTime()
    const resumeAt = startedAt + DAY_MS / 4
    const activities = fakes({
      sendChunk: async ({ from }) => {
        const at = (await time.now()).getTime()
        tried.push({ from, at })
        return at < resumeAt
          ? { kind: 'paused', resumeAt, reason: 'daily_quota' }
          : { kind: 'done' }
      },
    })
    await withActivities(place, activities, async () => time.result(await start(place)))
    const later = tried.filter(({ at }) => at >= resumeAt).map(({ from }) => from)
    expect(later.toSorted((a, b) => a - b)).toEqual([0, 10, 20])
  })

  it('chunks with rows in doubt are tried again in passes until none is left', async () => {
    let tries = 0
    const activities = fakes({
      sendChunk: async ({ from }) => {
        if (from !== 10) return { kind: 'done' }
        tries++
        return tries < 5 ? { kind: 'waiting' } : { kind: 'done' }
      },
    })
    const before = (await time.now()).getTime()
    await withActivities(place, activities, async () => time.result(await start(place)))
    expect(tries).toBe(5)
    expect((await time.now()).getTime() - before).toBeGreaterThanOrEqual(4 * 30_000)
  })

  it('an account that can send no more fails the batch with the reason', async () => {
    const failed: string[] = []
    const activities = fakes({
      sendChunk: async () => ({ kind: 'unavailable', reason: 'account_suspended' }),
      failBatch: async (_, reason) => {
        failed.push(reason)
      },
      completeBatch: () => Promise.reject(new Error('must not be asked')),
      reportBatch: async () => report('failed', 'account_suspended'),
    })
    const ends = withActivities(place, activities, async () => time.result(await start(place)))
    await expect(ends).rejects.toMatchObject({
      cause: {
        message: 'The batch failed: account_suspended',
        type: BATCH_FAILED,
        details: [report('failed', 'account_suspended')],
      },
    })
    expect(failed).toEqual(['account_suspended'])
  })
})

describe('a long batch', () => {
  it('continues as new, with every chunk tried and none forgotten', async () => {
    const address = inject('temporalAddress')
    const connection = await Connection.connect({ address })
    const native = await NativeConnection.connect({ address })
    const namespace = await newNamespace(connection)
    const client = new Client({ connection, namespace })
    const workers = await startWorkers({ client, native, namespace })
    const place: Place = { client, native, namespace, workers }
    const tries = new Map<number, number>()
    const activities = fakes({
      freezeAudience: async () => ({
        plan: plan({ total: CHUNKS * 10, window: 8, passMs: 200 }),
      }),
      sendChunk: async ({ from }) => {
        const count = (tries.get(from) ?? 0) + 1
        tries.set(from, count)
        const answer = from % 500 === 0 && count === 1 ? 'waiting' : 'done'
        return Object.assign({ kind: answer } as const, { padding: PADDING })
      },
    })
    const runs = await withActivities(place, activities, async () => {
      const handle = await start(place)
      expect(await handle.result()).toEqual(report('completed'))
      const query = `WorkflowId = "${handle.workflowId}"`
      // What is listed may be older than the result.
      return until(async () => {
        const found: string[] = []
        for await (const each of client.workflow.list({ query })) found.push(each.status.name)
        return found.length > 1 && !found.includes('RUNNING') && found
      })
    })
    await workers.stop()
    await native.close()
    await connection.close()
    expect(runs.toSorted()).toEqual(['COMPLETED', 'CONTINUED_AS_NEW'])
    expect(tries.size).toBe(CHUNKS)
    expect([...tries.values()].filter((count) => count === 2)).toHaveLength(CHUNKS / 50)
  }, 360_000)
})
