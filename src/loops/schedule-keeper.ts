import type { Client } from '@temporalio/client'
import { flowIdOfSchedule, RETENTION_ID, SWEEP_ID } from '../../workflows/contract.ts'
import type { Uuid } from '../runtime/ids.ts'
import * as flowSchedules from '../store/flows/schedules.ts'
import type { Sql } from '../store/db/sql.ts'
import { isThere } from './ensure-schedule.ts'
import { type Change, type Fairness, syncSchedule } from './flow-schedules.ts'
import { type Log, startLoop } from './loop.ts'
import { ensureRetentionSchedule } from './retention-schedule.ts'
import { ensureSweepSchedule } from './sweep-schedule.ts'

const EVERY_MS = 3_600_000
/** Interval of checks whether a comparison is due, and whether our own schedules exist. */
const LOOK_MS = 20_000
/** Interval after a failed comparison. */
const AGAIN_MS = 600_000
const PAGE = 200
const WINDOW = 5

interface Deps extends Fairness {
  sql: Sql
  temporal: Client
  log: Log
}

interface KeeperOptions extends Deps {
  /** Milliseconds. */
  now?: () => number
  lookMs?: number
}

/**
 * Creates our own schedules, and compares all others in Temporal with all flows, at its start and
 * then hourly. A schedule that was deleted, paused or changed by hand, or missed by a crash, is
 * corrected within an hour. If one of ours is gone, Temporal's data is, too, and it does both at
 * once. Several processes may do so at the same time, since a correct schedule is not touched.
 */
export function startScheduleKeeper(options: KeeperOptions) {
  const { now = Date.now, lookMs = LOOK_MS, ...deps } = options
  let dueAt = 0
  let isSettled = false
  return startLoop({
    name: 'schedule-keeper',
    idleMs: lookMs,
    log: deps.log,
    round: async () => {
      const startedAt = now()
      const isLost = !(await areOwnThere(deps.temporal))
      if (isLost || startedAt >= dueAt) {
        const { failed } = await compareSchedules(deps)
        dueAt = startedAt + (failed > 0 ? AGAIN_MS : EVERY_MS)
      }
      // Last: until they are there any worker compares, so that one that dies here is no loss.
      if (isLost || !isSettled) {
        await ensureRetentionSchedule(deps.temporal)
        await ensureSweepSchedule(deps.temporal)
        isSettled = true
      }
      return false
    },
  })
}

const areOwnThere = async (temporal: Client): Promise<boolean> =>
  (await isThere(temporal, RETENTION_ID)) && (await isThere(temporal, SWEEP_ID))

export async function compareSchedules(deps: Deps): Promise<Record<Change | 'failed', number>> {
  const counts = { kept: 0, created: 0, changed: 0, deleted: 0, failed: 0 }
  // A listing may be a moment old: each flow is read by itself before its schedule is deleted.
  let page: Uuid[] = []
  for await (const { scheduleId } of deps.temporal.schedule.list({ pageSize: PAGE })) {
    const flowId = flowIdOfSchedule(scheduleId)
    if (flowId !== undefined) page.push(flowId)
    if (page.length === PAGE) page = await syncStrays(page)
  }
  await syncStrays(page)
  let after: Uuid | null = null
  for (;;) {
    const flows: flowSchedules.ScheduledFlow[] = await flowSchedules.list(deps.sql, after, PAGE)
    await sync(flows.map(({ flowId }) => flowId))
    after = flows.at(-1)?.flowId ?? after
    if (flows.length < PAGE) break
  }
  const { kept, ...changes } = counts
  if (Object.values(changes).some((count) => count > 0)) {
    deps.log.warn({ kept, ...changes }, 'schedules corrected')
  }
  return counts

  async function syncStrays(flowIds: Uuid[]): Promise<Uuid[]> {
    const scheduledIds = await flowSchedules.filter(deps.sql, flowIds)
    await sync(flowIds.filter((flowId) => !scheduledIds.has(flowId)))
    return []
  }

  async function sync(flowIds: Uuid[]): Promise<void> {
    const waiting = flowIds.values()
    const workers = Array.from({ length: WINDOW }, async () => {
      for (const flowId of waiting) counts[await syncOne(flowId)]++
    })
    await Promise.all(workers)
  }

  async function syncOne(flowId: Uuid): Promise<Change | 'failed'> {
    try {
      return await syncSchedule(deps, flowId)
    } catch (error) {
      deps.log.error({ flowId, err: error }, 'schedule could not be compared')
      return 'failed'
    }
  }
}
