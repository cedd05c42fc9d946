import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '@temporalio/client'
import { ScheduleOverlapPolicy } from '@temporalio/client'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ensureSweepSchedule } from '../../src/loops/sweep-schedule.ts'
import { SWEEP_ID } from '../../workflows/contract.ts'
import { until } from '../support/engine.ts'
import { startSweepEngine } from '../support/sweep-engine.ts'

const HOUR_MS = 3_600_000

let engine: Awaited<ReturnType<typeof startSweepEngine>>
let client: Client
/** Sweeps that have begun, those under way, and what holds them. */
let begun = 0
let underWay = 0
let mostUnderWay = 0
let held: Promise<unknown> = Promise.resolve()

beforeAll(async () => {
  engine = await startSweepEngine({
    listAccounts: async () => {
      begun++
      mostUnderWay = Math.max(mostUnderWay, ++underWay)
      await held
      underWay--
      return []
    },
  })
  client = engine.client
})
afterAll(() => engine.stop())

const handle = () => client.schedule.getHandle(SWEEP_ID)
const schedules = async (): Promise<string[]> => {
  const ids = []
  for await (const { scheduleId } of client.schedule.list()) ids.push(scheduleId)
  return ids
}

it('two boots at once make one schedule: hourly, with jitter, skipping an hour that is taken', async () => {
  await Promise.all([1, 2, 3, 4].map(() => ensureSweepSchedule(client)))
  expect(await until(async () => (await schedules()).length > 0 && schedules())).toEqual([SWEEP_ID])
  const { spec, policies, action } = await handle().describe()
  expect(spec.intervals).toMatchObject([{ every: HOUR_MS }])
  expect(spec.jitter).toBe(300_000)
  expect(policies.overlap).toBe(ScheduleOverlapPolicy.SKIP)
  expect(policies.catchupWindow).toBe(600_000)
  expect(action).toMatchObject({ workflowType: 'sweepHealth', workflowId: SWEEP_ID })
  expect(begun).toBe(0)
})

it('every hour that passes has exactly one sweep', async () => {
  const end = new Date(Math.floor(Date.now() / HOUR_MS) * HOUR_MS - 1)
  const start = new Date(end.getTime() - 24 * HOUR_MS)
  await ensureSweepSchedule(client, { everyMs: HOUR_MS, jitterMs: 0 })
  // The hour may be full just now: what is made up for is made all the same.
  await handle().pause()
  // A day of the schedule's own plan, made up for at once.
  await handle().backfill({ start, end, overlap: ScheduleOverlapPolicy.BUFFER_ALL })
  await until(async () => begun >= 24)
  await sleep(1_000)
  expect(begun).toBe(24)
  expect(mostUnderWay).toBe(1)
  const { info } = await handle().describe()
  expect(info.numActionsTaken).toBe(24)
  await handle().unpause()
})

it('while a sweep is under way the next ones are skipped, and a later boot changes nothing about it', async () => {
  begun = 0
  mostUnderWay = 0
  let release = (): void => {}
  held = new Promise<void>((resolve) => (release = resolve))
  await ensureSweepSchedule(client, { everyMs: 1_000, jitterMs: 0 })
  const skipped = async () => (await handle().describe()).info.numActionsSkippedOverlap
  await until(async () => begun === 1 && (await skipped()) >= 2)
  await ensureSweepSchedule(client, { everyMs: 1_000, jitterMs: 0 })
  await sleep(2_500)
  expect(begun).toBe(1)
  release()
  await until(async () => begun >= 3)
  expect(mostUnderWay).toBe(1)
})

it('a schedule that an operator paused stays paused over a boot', async () => {
  await handle().pause('the provider is down')
  await Promise.all([ensureSweepSchedule(client), ensureSweepSchedule(client)])
  const { state, spec } = await handle().describe()
  expect(state).toMatchObject({ paused: true, note: 'the provider is down' })
  expect(spec.intervals).toMatchObject([{ every: HOUR_MS }])
  expect(await schedules()).toEqual([SWEEP_ID])
})
