import { randomUUID } from 'node:crypto'
import { type Client, ScheduleOverlapPolicy } from '@temporalio/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Trigger } from '../../src/domain/flows/flow.ts'
import type { Uuid } from '../../src/runtime/ids.ts'
import { syncSchedule } from '../../src/loops/flow-schedules.ts'
import { startOutboxRelay } from '../../src/loops/outbox-relay.ts'
import { compareSchedules, startScheduleKeeper } from '../../src/loops/schedule-keeper.ts'
import * as outbox from '../../src/store/platform/outbox.ts'
import { CONTROL_QUEUE, flowScheduleId, RETENTION_ID, SWEEP_ID } from '../../workflows/contract.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { openNamespace, until } from '../support/engine.ts'
import { changeTrigger, seedTriggered } from '../support/scheduled-flows.ts'
import { seedOrganization } from '../support/seed.ts'

const MORNING: Trigger = { type: 'schedule', cron: '0 9 * * mon', timezone: 'Europe/Madrid' }
const EVENING: Trigger = { type: 'schedule', cron: '30 18 1,15 * *', timezone: 'UTC' }
const HOUR_MS = 3_600_000
const quiet = () => {}
const log = { info: quiet, warn: quiet, error: quiet }

let database: TestDatabase
let closeTemporal: () => Promise<void>
let temporal: Client
let organizationId: Uuid
const deps = () => ({ sql: database.sql, temporal, log })

beforeAll(async () => {
  database = await createDatabase()
  ;({ client: temporal, close: closeTemporal } = await openNamespace())
  ;({ organizationId } = await seedOrganization(database.sql))
})
afterAll(async () => {
  await closeTemporal()
  await database.drop()
})

const handle = (flowId: Uuid) => temporal.schedule.getHandle(flowScheduleId(flowId))
const describe = (flowId: Uuid) => handle(flowId).describe()
const isThere = (flowId: Uuid) =>
  describe(flowId).then(
    () => true,
    () => false,
  )
const disable = (flowId: Uuid) => database.sql`
  update flows set enabled = false where id = ${flowId}`
const seedScheduled = (trigger = MORNING) => seedTriggered(database.sql, organizationId, trigger)

/** All that the server says of when and what, whoever made it. */
async function whatItDoes(flowId: Uuid) {
  const { spec, action, policies, state } = await describe(flowId)
  return { spec, action, policies, state }
}

test('a flow with a schedule has one in Temporal: its moments, its time zone, one run at a time', async () => {
  const flowId = await seedScheduled()
  expect(await syncSchedule(deps(), flowId)).toBe('created')
  const { spec, policies, action, state, info } = await describe(flowId)
  expect(policies).toEqual({
    overlap: ScheduleOverlapPolicy.SKIP,
    catchupWindow: HOUR_MS,
    pauseOnFailure: false,
  })
  expect(action).toMatchObject({
    workflowType: 'fireSchedule',
    workflowId: `fire/${flowId}`,
    taskQueue: CONTROL_QUEUE,
    args: [{ organizationId, flowId }],
  })
  expect(state.paused).toBe(false)
  expect(spec.timezone).toBe('Europe/Madrid')
  const next = info.nextActionTimes.slice(0, 3).map((time) =>
    new Intl.DateTimeFormat('en-GB', {
      timeZone: 'Europe/Madrid',
      weekday: 'short',
      hour: '2-digit',
      minute: '2-digit',
    }).format(time),
  )
  expect(next).toEqual(['Mon 09:00', 'Mon 09:00', 'Mon 09:00'])
})

test('days of the month and of the week that are both restricted match either', async () => {
  const flowId = await seedScheduled({ ...MORNING, cron: '0 9 13 * fri', timezone: 'UTC' })
  await syncSchedule(deps(), flowId)
  const { info } = await describe(flowId)
  const days = info.nextActionTimes.map((time) => [
    time.getUTCDate() === 13,
    time.getUTCDay() === 5,
  ])
  expect(days.length).toBeGreaterThan(4)
  expect(days.filter(([isThirteenth, isFriday]) => !isThirteenth && !isFriday)).toEqual([])
  expect(
    days.filter(([isThirteenth, isFriday]) => isFriday && !isThirteenth).length,
  ).toBeGreaterThan(2)
})

test('a correct schedule is not touched, and a change reaches it', async () => {
  const flowId = await seedScheduled()
  await syncSchedule(deps(), flowId)
  expect(await syncSchedule(deps(), flowId)).toBe('kept')
  expect((await describe(flowId)).info.lastUpdatedAt).toBeUndefined()
  await changeTrigger(database.sql, organizationId, flowId, EVENING)
  expect(await syncSchedule(deps(), flowId)).toBe('changed')
  expect((await describe(flowId)).spec).toMatchObject({
    timezone: 'UTC',
    calendars: [{ minute: [{ start: 30, end: 30 }], hour: [{ start: 18, end: 18 }] }],
  })
  expect(await syncSchedule(deps(), flowId)).toBe('kept')
})

test('its runs name the organization as their key of fairness, or none where that is off', async () => {
  const flowId = await seedScheduled()
  const keyOf = async () => (await describe(flowId)).action.priority?.fairnessKey ?? ''
  await syncSchedule(deps(), flowId)
  expect(await keyOf()).toBe(organizationId)
  expect(await syncSchedule({ ...deps(), isFair: false }, flowId)).toBe('changed')
  expect(await keyOf()).toBe('')
  expect(await syncSchedule({ ...deps(), isFair: false }, flowId)).toBe('kept')
})

test('a flow that is disabled, deleted or started otherwise has none; enabled again it has one', async () => {
  const [disabled, deleted, otherwise] = [
    await seedScheduled(),
    await seedScheduled(),
    await seedScheduled(),
  ]
  for (const flowId of [disabled, deleted, otherwise]) await syncSchedule(deps(), flowId)
  await disable(disabled)
  await database.sql`update flows set enabled = false, deleted_at = now() where id = ${deleted}`
  await changeTrigger(database.sql, organizationId, otherwise, { type: 'api' })
  for (const flowId of [disabled, deleted, otherwise]) {
    expect(await syncSchedule(deps(), flowId)).toBe('deleted')
    expect(await isThere(flowId)).toBe(false)
    expect(await syncSchedule(deps(), flowId)).toBe('kept')
  }
  await database.sql`update flows set enabled = true where id = ${disabled}`
  expect(await syncSchedule(deps(), disabled)).toBe('created')
})

test('the relay carries out the outbox message, once each however often it is written', async () => {
  const flowId = await seedScheduled()
  for (let again = 0; again < 5; again++) {
    await outbox.put(
      database.sql,
      organizationId,
      { kind: 'sync_schedule', payload: { flowId } },
      undefined,
    )
  }
  const relay = startOutboxRelay(deps())
  const waiting = () => outbox.countWaiting(database.sql, 10)
  await until(async () => (await waiting()) === 0)
  await relay.stop()
  expect(await isThere(flowId)).toBe(true)
  const [failed] = await database.sql`select last_error from outbox where last_error is not null`
  expect(failed).toBeUndefined()
})

test('concurrent changes and comparisons leave the newest version', async () => {
  const flowId = await seedScheduled()
  const crons = Array.from({ length: 12 }, (_, hour) => `15 ${hour} * * *`)
  const sync = () => syncSchedule(deps(), flowId)
  const syncs = [sync(), sync(), sync()]
  for (const cron of crons) {
    await changeTrigger(database.sql, organizationId, flowId, { ...EVENING, cron })
    syncs.push(sync())
  }
  // One that is under way may still write what it read long ago, and looks again then.
  const ends = await Promise.allSettled(syncs)
  // As the outbox does with one that gave up; else nobody comes after them.
  if (ends.some(({ status }) => status === 'rejected')) await sync()
  expect((await describe(flowId)).spec.calendars).toMatchObject([
    { hour: [{ start: 11, end: 11 }] },
  ])
})

test('schedules that were deleted, paused, changed or added by hand are corrected after the hour', async () => {
  await compareSchedules(deps())
  const names = ['deleted', 'paused', 'moved', 'limited', 'redirected', 'kept'] as const
  const flows = new Map<string, Uuid>()
  for (const name of names) {
    const flowId = await seedScheduled()
    flows.set(name, flowId)
    await syncSchedule(deps(), flowId)
  }
  const of = (name: (typeof names)[number]): Uuid => flows.get(name) ?? ''
  const right = Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await whatItDoes(of(name))] as const)),
  )
  // A flow whose promise was lost with a crash, one that was deleted, and one of nobody.
  const neverMade = await seedScheduled()
  const stray = await seedScheduled()
  await syncSchedule(deps(), stray)
  await disable(stray)
  const foreign = randomUUID()

  await handle(of('deleted')).delete()
  await handle(of('paused')).pause('by hand')
  const change = (name: (typeof names)[number], more: object) =>
    handle(of(name)).update((found) => ({ ...found, ...more }))
  await change('moved', { spec: { calendars: [{ hour: 3 }], jitter: 60_000 } })
  await change('limited', { state: { remainingActions: 1 } })
  const { action } = await describe(of('redirected'))
  await change('redirected', { action: { ...action, args: [{ organizationId, flowId: foreign }] } })
  await temporal.schedule.create({
    scheduleId: flowScheduleId(foreign),
    spec: { calendars: [{ hour: 4 }] },
    action,
  })
  await temporal.schedule.create({
    scheduleId: 'backup',
    spec: { calendars: [{ hour: 4 }] },
    action,
  })
  const listed = async () => {
    const ids = new Set<string>()
    for await (const { scheduleId } of temporal.schedule.list()) ids.add(scheduleId)
    return ids
  }
  await until(
    async () => (await listed()).has('backup') && (await listed()).has(flowScheduleId(foreign)),
  )

  let now = Date.now()
  const rounds: number[] = []
  const keeper = startScheduleKeeper({ ...deps(), now: () => (rounds.push(now), now), lookMs: 50 })
  try {
    await until(() => isThere(neverMade))
    await until(async () => !(await isThere(foreign)) && !(await isThere(stray)))
    for (const name of names) {
      await until(async () => (await isThere(of(name))) && !(await describe(of(name))).state.paused)
      const { spec, action, policies } = await whatItDoes(of(name))
      expect({ spec, action, policies }, name).toMatchObject({
        spec: right[name]?.spec,
        policies: right[name]?.policies,
        action: { args: right[name]?.action.args },
      })
    }
    expect((await describe(of('limited'))).state.remainingActions ?? 0).toBe(0)
    expect((await describe(of('limited'))).raw.schedule?.state?.limitedActions).toBeFalsy()
    expect((await describe(of('kept'))).info.lastUpdatedAt).toBeUndefined()
    expect((await temporal.schedule.getHandle('backup').describe()).scheduleId).toBe('backup')

    // Within the hour nobody looks; after it somebody does.
    const seen = rounds.length
    await handle(of('kept')).pause('by hand again')
    now += HOUR_MS - 60_000
    await until(async () => rounds.length > seen + 5)
    expect((await describe(of('kept'))).state.paused).toBe(true)
    now += 60_000
    await until(async () => !(await describe(of('kept'))).state.paused)
  } finally {
    await keeper.stop()
  }
  expect(await compareSchedules(deps())).toMatchObject({ created: 0, changed: 0, failed: 0 })
})

test('schedules of ours are there within a look, and bring back those that were lost with them', async () => {
  const flowId = await seedScheduled()
  const own = [RETENTION_ID, SWEEP_ID].map((id) => temporal.schedule.getHandle(id))
  const ownThere = async () =>
    (await Promise.all(own.map((each) => each.describe().catch(() => undefined)))).every(Boolean)
  // Its hour never comes.
  const now = Date.now()
  const rounds = [0, 0]
  const keepers = rounds.map((_, keeper) => {
    const tell = () => ((rounds[keeper] = (rounds[keeper] ?? 0) + 1), now)
    return startScheduleKeeper({ ...deps(), now: tell, lookMs: 50 })
  })
  try {
    await until(async () => (await isThere(flowId)) && (await ownThere()))
    // Both have settled: one in its first round would make ours and not look again.
    await until(async () => rounds.every((count) => count > 1))
    await own[1]?.pause('the provider is down')
    await handle(flowId).delete()
    await own[0]?.delete()
    await until(async () => (await isThere(flowId)) && (await ownThere()))
    // What an operator paused and nobody lost stays paused.
    expect((await own[1]?.describe())?.state.paused).toBe(true)
    await own[1]?.delete()
    await until(ownThere)
  } finally {
    await Promise.all(keepers.map((keeper) => keeper.stop()))
    await Promise.all(own.map((each) => each.delete()))
  }
})

test('two comparisons at once make each schedule once', async () => {
  const flowIds = await Promise.all([1, 2, 3, 4].map(() => seedScheduled()))
  await Promise.all([compareSchedules(deps()), compareSchedules(deps()), compareSchedules(deps())])
  for (const flowId of flowIds) {
    expect(await isThere(flowId)).toBe(true)
    expect((await describe(flowId)).info.lastUpdatedAt).toBeUndefined()
  }
})
