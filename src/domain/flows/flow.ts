import { SEGMENT_FAILURES } from '../audience/audience.ts'
import type { Condition } from '../audience/condition.ts'
import type { Step } from './steps/index.ts'

/** What starts executions of a flow. */
export type Trigger =
  /** `filter` is about `event.properties.<path>` and the contact. */
  | { type: 'event'; name: string; filter?: Condition }
  | { type: 'contact_created' }
  | { type: 'contact_updated' }
  | { type: 'segment_entry'; segmentId: string }
  | { type: 'segment_exit'; segmentId: string }
  /** Any topic without `topicId`. */
  | { type: 'topic_subscribed'; topicId?: string }
  | { type: 'topic_unsubscribed'; topicId?: string }
  /** For every contact without `segmentId`. `timezone` is of IANA. */
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

/** What a trigger is about, beside its type; null: anything, or its type needs no more. */
export function triggerKey(trigger: Trigger): string | null {
  const { name, topicId, segmentId } = { name: null, topicId: null, segmentId: null, ...trigger }
  return name ?? topicId ?? segmentId
}

/** Why a moment of a schedule did not start all whom it means. */
export const SCHEDULE_FAILURES = [...SEGMENT_FAILURES, 'stopped_by_operator'] as const
export type ScheduleFailure = (typeof SCHEDULE_FAILURES)[number]

export type { MailingType, Step, StepOf, StepType } from './steps/index.ts'

/** Followed after `from` when it ended with `branch`; without one, whatever it ended with. */
export interface Transition {
  from: string
  to: string
  branch?: string
}

export interface Settings {
  /** Without it a contact enters once, ever. */
  allowReentry: boolean
  /** Since the contact's last start. */
  reentryDelaySeconds: number
  /** Unfinished executions of the flow; null: any number. */
  maxConcurrentExecutions: number | null
  /** Since the end of the contact's last execution, which must have ended. */
  contactCooldownSeconds: number
  /** What ends executions. */
  exitOn: { events: string[]; condition?: Condition }
}

/** One version of a flow, as it is stored: names and aliases of the wire are resolved. */
export interface Definition {
  trigger: Trigger
  /** The step that comes first. */
  entry: string
  steps: Step[]
  transitions: Transition[]
  settings: Settings
}

/** How often one execution may enter a step at most; then the execution fails. */
export const MOST_VISITS = 1_000

/** What comes after a step that ended with `branch`; undefined: the end. */
export function nextStep(
  { transitions }: Pick<Definition, 'transitions'>,
  from: string,
  branch: string | null,
): string | undefined {
  const leaving = transitions.filter((transition) => transition.from === from)
  const named = leaving.find((transition) => transition.branch === (branch ?? undefined))
  return (named ?? leaving.find((transition) => transition.branch === undefined))?.to
}
