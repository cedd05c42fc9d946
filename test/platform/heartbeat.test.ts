import { setTimeout as sleep } from 'node:timers/promises'
import { Context } from '@temporalio/activity'
import { MockActivityEnvironment } from '@temporalio/testing'
import { DefaultLogger } from '@temporalio/worker'
import { expect, test } from 'vitest'
import { withHeartbeat } from '../../activities/with-heartbeat.ts'

const TIMEOUT_MS = 120

function environment(heartbeatTimeoutMs: number | undefined = TIMEOUT_MS) {
  // It warns of an activity that fails, and one is to.
  const logger = new DefaultLogger('ERROR')
  const activity = new MockActivityEnvironment({ heartbeatTimeoutMs }, { logger })
  const beats: number[] = []
  activity.on('heartbeat', () => beats.push(performance.now()))
  return { activity, beats }
}

const wait = (ms: number) => async () => {
  await Context.current().sleep(ms)
  return 'done'
}

test('an activity beats at once, and three times within its timeout', async () => {
  const { activity, beats } = environment()
  expect(await activity.run(() => withHeartbeat(wait(4 * TIMEOUT_MS)))).toBe('done')
  // Twelve on an idle machine; a busy one may miss most, and never the first.
  expect(beats.length).toBeGreaterThanOrEqual(2)
  expect(beats.length).toBeLessThanOrEqual(13)
})

test('it beats although nobody gave it a timeout: beats are how it hears of a cancel', async () => {
  const { activity, beats } = environment(undefined)
  await activity.run(() => withHeartbeat(wait(10)))
  expect(beats).toHaveLength(1)
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
