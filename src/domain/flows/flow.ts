import { SEGMENT_FAILURES } from '../audience/audience.ts'
import type { Condition } from '../audience/condition.ts'
import type { Step } from './steps/index.ts'

export type Trigger =
  /** `filter` reads `event.properties.<path>` and the contact. */
  | { type: 'event'; name: string; filter?: Condition }
  | { type: 'contact_created' }
  | { type: 'contact_updated' }
  | { type: 'segment_entry'; segmentId: string }
  | { type: 'segment_exit'; segmentId: string }
  /** Without `topicId`: any topic. */
  | { type: 'topic_subscribed'; topicId?: string }
  | { type: 'topic_unsubscribed'; topicId?: string }
  /** Without `segmentId`: all contacts. `timezone` is an IANA name. */
  | { type: 'schedule'; cron: string; timezone: string; segmentId?: string }
  | { type: 'api' }

export const TRIGGER_TYPES = [
  'event',
  'contact_created',
  'contact_updated',
  'segment_entry',
  'segment_exit',
  'topic_subscribed',
  'topic_unsubscribed',
  'schedule',
  'api',
] as const satisfies readonly Trigger['type'][]
export type TriggerType = Trigger['type']

/** Returns the object of a trigger, besides its type. Null: any, or its type needs none. */
export function triggerKey(trigger: Trigger): string | null {
  const { name, topicId, segmentId } = { name: null, topicId: null, segmentId: null, ...trigger }
  return name ?? topicId ?? segmentId
}

export const SCHEDULE_FAILURES = [...SEGMENT_FAILURES, 'stopped_by_operator'] as const
export type ScheduleFailure = (typeof SCHEDULE_FAILURES)[number]

export type { MailingType, Step, StepOf, StepType } from './steps/index.ts'

/** Followed after `from` if it ended with `branch`. Without a branch: always. */
export interface Transition {
  from: string
  to: string
  branch?: string
}

export interface Settings {
  /** False: a contact enters once, ever. */
  allowReentry: boolean
  /** Seconds since the contact's last start. */
  reentryDelaySeconds: number
  /** Limit of unfinished executions of the flow. Null: unlimited. */
  maxConcurrentExecutions: number | null
  /** Seconds since the end of the contact's last execution, which must have ended. */
  contactCooldownSeconds: number
  exitOn: { events: string[]; condition?: Condition }
}

/** A version of a flow in stored form, with names and aliases of the wire resolved. */
export interface Definition {
  trigger: Trigger
  /** Id of the first step. */
  entry: string
  steps: Step[]
  transitions: Transition[]
  settings: Settings
}

/** Limit of visits of one step in one execution, after which the execution fails. */
export const MOST_VISITS = 1_000

/** Returns the step after one that ended with `branch`. Undefined: the flow ends. */
export function nextStep(
  { transitions }: Pick<Definition, 'transitions'>,
  from: string,
  branch: string | null,
): string | undefined {
  const leaving = transitions.filter((transition) => transition.from === from)
  const namedTransition = leaving.find((transition) => transition.branch === (branch ?? undefined))
  return (namedTransition ?? leaving.find((transition) => transition.branch === undefined))?.to
}
