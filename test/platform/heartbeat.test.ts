import { setTimeout as sleep } from 'node:timers/promises'
import { Context } from '@temporalio/activity'
import { MockActivityEnvironment } from '@temporalio/testing'
import { DefaultLogger } from '@temporalio/worker'
import { expect, test, vi } from 'vitest'
import { withHeartbeat } from '../../activities/with-heartbeat.ts'

const TIMEOUT_MS = 120

function environment(more: { heartbeatTimeoutMs?: number } = { heartbeatTimeoutMs: TIMEOUT_MS }) {
  // It warns of an activity that fails, and one is to.
  const logger = new DefaultLogger('ERROR')
  const activity = new MockActivityEnvironment(more, { logger })
  const beats: number[] = []
  activity.on('heartbeat', () => beats.push(performance.now()))
  return { activity, beats }
}

const wait = (ms: number) => async () => {
  await Context.current().sleep(ms)
  return 'done'
}

test('an activity beats three times within its timeout', async () => {
  const { activity, beats } = environment()
  expect(await activity.run(() => withHeartbeat(wait(4 * TIMEOUT_MS)))).toBe('done')
  // Eleven on an idle machine; a busy one may miss most.
  expect(beats.length).toBeGreaterThanOrEqual(2)
  expect(beats.length).toBeLessThanOrEqual(12)
})

test('an activity that is soon done beats never: its timeout counts from its start', async () => {
  const { activity, beats } = environment()
  await activity.run(() => withHeartbeat(wait(1)))
  expect(beats).toEqual([])
})

test('it beats although nobody gave it a timeout: beats are how it hears of a cancel', async () => {
  vi.useFakeTimers()
  try {
    const { activity, beats } = environment({})
    const running = activity.run(() => withHeartbeat(wait(10_000)))
    await vi.advanceTimersByTimeAsync(10_000)
    await running
    expect(beats).toHaveLength(3)
  } finally {
    vi.useRealTimers()
  }
})

test.each([
  ['what it did', async () => 'done', 'done'],
  ['why it failed', async () => Promise.reject(new Error('refused')), 'refused'],
])('it says %s, and beats no more', async (_what, work, expected) => {
  const { activity, beats } = environment()
  const said = await activity
    .run(() => withHeartbeat<string>(work))
    .catch((error: unknown) => (error as Error).message)
  expect(said).toBe(expected)
  const count = beats.length
  await sleep(2 * TIMEOUT_MS)
  expect(beats).toHaveLength(count)
})

test('a cancel ends what waits, and the beats', async () => {
  const { activity, beats } = environment()
  const running = activity.run(() => withHeartbeat(wait(60_000)))
  activity.cancel('CANCELLED')
  await expect(running).rejects.toThrow('CANCELLED')
  const count = beats.length
  await sleep(2 * TIMEOUT_MS)
  expect(beats).toHaveLength(count)
})
