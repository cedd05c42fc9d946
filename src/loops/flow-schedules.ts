import { isDeepStrictEqual } from 'node:util'
import {
  type CalendarSpec,
  type Client,
  DAYS_OF_WEEK,
  MONTHS,
  ScheduleAlreadyRunning,
  type ScheduleDescription,
  type ScheduleHandle,
  ScheduleNotFoundError,
  type ScheduleOptions,
  ScheduleOverlapPolicy,
} from '@temporalio/client'
import {
  CONTROL_QUEUE,
  type FireScheduleInput,
  fireWorkflowId,
  flowScheduleId,
} from '../../workflows/contract.ts'
import { type Calendar, calendarsOf, type Span } from '../domain/flows/cron.ts'
import type { Uuid } from '../runtime/ids.ts'
import * as flowSchedules from '../store/flows/schedules.ts'
import type { Sql } from '../store/db/sql.ts'

/** Age above which a missed moment is not made up for. */
const CATCH_UP_MS = 3_600_000
/** Limit of changes of a flow while its schedule is being written. */
const TURNS = 20

type WantedSchedule = ReturnType<typeof scheduleOf>

/** Whether runs name their organization as their key of fairness (`TEMPORAL_FAIRNESS`). */
export interface Fairness {
  isFair?: boolean
}

export type Change = 'kept' | 'created' | 'changed' | 'deleted'

/**
 * Synchronizes a flow's schedule in Temporal with the flow: it exists and runs if the flow is
 * enabled and has a schedule, otherwise it does not exist. A correct schedule is not touched, since
 * Temporal does not start a moment that was due just before an update.
 *
 * After each write the flow is read again, so that of two processes with different versions the
 * later version wins.
 */
export async function syncSchedule(
  { sql, temporal, isFair = true }: { sql: Sql; temporal: Client } & Fairness,
  flowId: Uuid,
): Promise<Change> {
  const handle = temporal.schedule.getHandle(flowScheduleId(flowId))
  let change: Change = 'kept'
  for (let turn = 0; turn < TURNS; turn++) {
    const flow = await flowSchedules.find(sql, flowId)
    const writeOutcome = await write({ temporal, isFair }, handle, flow)
    if (writeOutcome === 'kept') return change
    change = writeOutcome
  }
  throw new Error('the flow changes faster than its schedule')
}

async function write(
  { temporal, isFair }: { temporal: Client; isFair: boolean },
  handle: ScheduleHandle,
  flow: flowSchedules.ScheduledFlow | undefined,
): Promise<Change> {
  const description = await ifThere(() => handle.describe())
  if (flow === undefined) {
    if (description === undefined) return 'kept'
    await ifThere(() => handle.delete())
    return 'deleted'
  }
  const wantedSchedule = scheduleOf(flow, isFair)
  if (description === undefined) return create(temporal, flow, wantedSchedule)
  if (isAsWanted(description, wantedSchedule)) return 'kept'
  await ifThere(() => handle.update(() => ({ ...wantedSchedule, state: { paused: false } })))
  return 'changed'
}

async function create(
  temporal: Client,
  { organizationId, flowId }: flowSchedules.ScheduledFlow,
  wantedSchedule: WantedSchedule,
): Promise<Change> {
  try {
    await temporal.schedule.create({
      scheduleId: flowScheduleId(flowId),
      ...wantedSchedule,
      searchAttributes: {
        OrganizationId: [organizationId],
        FlowId: [flowId],
        Kind: ['schedule'],
      },
    })
  } catch (error) {
    // Somebody else made it meanwhile: it is looked at again.
    if (!(error instanceof ScheduleAlreadyRunning)) throw error
  }
  return 'created'
}

function scheduleOf(
  { organizationId, flowId, trigger }: flowSchedules.ScheduledFlow,
  isFair: boolean,
) {
  const calendars = calendarsOf(trigger.cron)
  if (calendars === undefined) throw new Error(`flow ${flowId} has no schedule that can be read`)
  const input: FireScheduleInput = { organizationId, flowId }
  // The SDK's type of the action lacks a priority; the SDK passes it on.
  const priority = isFair ? { fairnessKey: organizationId } : {}
  const schedule = {
    spec: { calendars: calendars.map(calendarSpecOf), timezone: trigger.timezone },
    policies: {
      overlap: ScheduleOverlapPolicy.SKIP,
      catchupWindow: CATCH_UP_MS,
      pauseOnFailure: false,
    },
    action: {
      type: 'startWorkflow',
      workflowType: 'fireSchedule',
      workflowId: fireWorkflowId(flowId),
      taskQueue: CONTROL_QUEUE,
      args: [input],
      staticSummary: `Start flow ${flowId} by its schedule`,
      searchAttributes: {
        OrganizationId: [organizationId],
        FlowId: [flowId],
        Kind: ['schedule'],
      },
    },
  } satisfies Pick<ScheduleOptions, 'spec' | 'action' | 'policies'>
  return { ...schedule, action: { ...schedule.action, priority } }
}

/** Sets every field, as the server returns them, so that the two can be compared. */
const calendarSpecOf = (calendar: Calendar): CalendarSpec => ({
  second: [{ start: 0, end: 0, step: 1 }],
  minute: calendar.minute,
  hour: calendar.hour,
  dayOfMonth: calendar.dayOfMonth,
  month: calendar.month.map((span) => named(span, (month) => MONTHS[month - 1])),
  dayOfWeek: calendar.dayOfWeek.map((span) => named(span, (day) => DAYS_OF_WEEK[day])),
})

function named<Name>({ start, end, step }: Span, nameOf: (value: number) => Name | undefined) {
  const [first, last] = [nameOf(start), nameOf(end)]
  if (first === undefined || last === undefined) throw new RangeError(`no name for ${start}-${end}`)
  return { start: first, end: last, step }
}

function isAsWanted(
  description: ScheduleDescription,
  { spec, policies, action }: WantedSchedule,
): boolean {
  const {
    calendars = [],
    intervals = [],
    skip = [],
    startAt,
    endAt,
    jitter,
    timezone,
  } = description.spec
  const {
    workflowType,
    workflowId,
    taskQueue,
    args,
    workflowExecutionTimeout,
    workflowRunTimeout,
    workflowTaskTimeout,
    retry,
    priority,
  } = description.action
  return isDeepStrictEqual(
    {
      calendars: calendars.map(({ second, minute, hour, dayOfMonth, month, dayOfWeek, year }) => ({
        second,
        minute,
        hour,
        dayOfMonth,
        month,
        dayOfWeek,
        years: year.length,
      })),
      others: [intervals.length, skip.length, startAt, endAt, jitter ?? 0],
      timezone: timezone ?? '',
      policies: description.policies,
      action: { workflowType, workflowId, taskQueue, args },
      limits: [workflowExecutionTimeout, workflowRunTimeout, workflowTaskTimeout].map(
        (limit) => limit ?? 0,
      ),
      isRetried: retry !== undefined,
      fairnessKey: priority?.fairnessKey ?? '',
      isPaused: description.state.paused,
      remaining: description.raw.schedule?.state?.limitedActions ?? false,
    },
    {
      calendars: spec.calendars?.map((fields) => ({ ...fields, years: 0 })),
      others: [0, 0, undefined, undefined, 0],
      timezone: spec.timezone,
      policies,
      action: {
        workflowType: action.workflowType,
        workflowId: action.workflowId,
        taskQueue: action.taskQueue,
        args: action.args,
      },
      limits: [0, 0, 0],
      isRetried: false,
      fairnessKey: action.priority.fairnessKey ?? '',
      isPaused: false,
      remaining: false,
    },
  )
}

async function ifThere<T>(act: () => Promise<T>): Promise<T | undefined> {
  try {
    return await act()
  } catch (error) {
    if (error instanceof ScheduleNotFoundError) return undefined
    throw error
  }
}
