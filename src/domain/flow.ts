import type { Condition } from './condition.ts'

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

export const DELAY_UNITS = ['minutes', 'hours', 'days', 'weeks'] as const
export interface Duration {
  amount: number
  unit: (typeof DELAY_UNITS)[number]
}

/** The next `time` of day in `timezone`, after so many whole `days`. */
export interface LocalTime {
  /** `HH:MM`. */
  time: string
  /** `contact`: the one in the contact's properties, else UTC. */
  timezone: string
  days?: number
}

export const ENGAGEMENTS = ['opened', 'clicked', 'bounced'] as const
export type Engagement = (typeof ENGAGEMENTS)[number]

interface Configs {
  send_email: {
    templateId?: string
    subject?: string
    html?: string
    from?: string
    fromName?: string
    replyTo?: string
    cloudAccountId?: string
    topicId?: string
    variables?: Record<string, unknown>
  }
  send_sms: { body: string }
  delay: Duration | { until: LocalTime }
  condition: { condition: Condition }
  split: { branches: { name: string; weight: number }[] }
  wait_for_event: { eventName: string; filter?: Condition; timeout: Duration }
  wait_for_email_engagement: { stepId: string; events: Engagement[]; timeout: Duration }
  /** Of fields that say nothing about consent, and of `properties.<key>`. */
  update_contact: {
    set?: Record<string, unknown>
    unset?: string[]
    increment?: Record<string, number>
    append?: Record<string, unknown>
    remove?: Record<string, unknown>
  }
  subscribe_topic: { topicId: string }
  unsubscribe_topic: { topicId: string }
  webhook: {
    url: string
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
    /** Values are sealed elsewhere (`flow_headers`); here each is `***`. */
    headers?: Record<string, string>
    /** Liquid. */
    body?: string
    timeoutSeconds?: number
  }
  exit: { outcome: 'completed' | 'cancelled' | 'failed'; reason?: string }
}

export type StepType = keyof Configs
export type StepOf<Type extends StepType> = {
  id: string
  type: Type
  name: string
  config: Configs[Type]
  position?: { x: number; y: number }
}
/** One step of a flow. */
export type Step = { [Type in StepType]: StepOf<Type> }[StepType]

/** Taken after `from` when it ended with `branch`; without one, whatever it ended with. */
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

/** One version of a flow, as it is stored: names and aliases of the wire are settled by then. */
export interface Definition {
  trigger: Trigger
  /** The step that comes first. */
  entry: string
  steps: Step[]
  transitions: Transition[]
  settings: Settings
}

/** A step is entered so often by one execution at most; then the execution fails. */
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
