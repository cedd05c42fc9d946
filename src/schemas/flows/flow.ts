import { type Static, Type } from 'typebox'
import { SCHEDULE_FAILURES, TRIGGER_TYPES } from '../../domain/flows/flow.ts'
import { LONGEST_NAME } from '../../domain/text.ts'
import { Condition } from '../audience/condition.ts'
import {
  Count,
  Cursor,
  ID,
  Id,
  limit,
  line,
  NextCursor,
  nullable,
  oneOf,
  strict,
  TIME,
  Time,
  warnings,
} from '../common.ts'
import { FlowOperation } from './flow-operation.ts'
import { EventName, FlowStep, FlowTransition, FlowTransitionInput } from './flow-steps.ts'
import { SLUG } from '../patterns.ts'

const MOST_STEPS = 200
const MOST_TRANSITIONS = 1_000
const MOST_EXIT_EVENTS = 50
const MOST_SECONDS = 366 * 86_400

export const Slug = Type.String({ pattern: SLUG, examples: ['welcome'] })
export const Name = line(LONGEST_NAME)
export const Description = Type.String({ maxLength: 1_000 })
export const TriggerType = oneOf(TRIGGER_TYPES)

const SegmentId = Type.String({
  maxLength: 36,
  description:
    'For `segment_…`: required. For `schedule`: starts only the segment’s members at that time. Without it, every contact is started.',
})

const triggerConfig = {
  eventName: Type.Optional({ ...EventName, description: 'For `event`: required.' }),
  filter: Type.Optional(Condition),
  topicId: Type.Optional(
    Type.String({
      maxLength: 36,
      description:
        'For `topic_…`. Without it, any topic. If steps of workflows change one topic of a contact repeatedly, a workflow starts at most once a minute.',
    }),
  ),
  segmentId: Type.Optional(SegmentId),
  cron: Type.Optional(
    Type.String({
      maxLength: 200,
      description:
        'For `schedule`: minute, hour, day of the month, month, day of the week, as in crontab(5). If both days are restricted, either may match. A day that begins with `*` is not restricted. Without `allowReentry`, a schedule starts each contact only once (warning `starts_once`).',
      examples: ['0 9 * * mon'],
    }),
  ),
  timezone: Type.Optional(
    Type.String({ maxLength: 64, description: 'For `schedule`: an IANA zone. Default UTC.' }),
  ),
}

export const TriggerConfig = strict(triggerConfig, {
  title: 'TriggerConfig',
  examples: [{ eventName: 'signed_up' }],
})
const TriggerConfigInput = strict(
  {
    ...triggerConfig,
    name: Type.Optional({ ...EventName, description: 'Alias of `eventName`.' }),
    topicSlug: Type.Optional(
      Type.String({ maxLength: 100, description: 'Alternative to `topicId`.' }),
    ),
  },
  { title: 'TriggerConfigInput', examples: [{ eventName: 'signed_up' }] },
)

const Seconds = Type.Integer({ minimum: 0, maximum: MOST_SECONDS })
const settings = {
  allowReentry: Type.Boolean({ description: 'If `false`, a contact enters only once.' }),
  reentryDelaySeconds: { ...Seconds, description: 'Minimum time since the contact’s last start.' },
  maxConcurrentExecutions: nullable(
    Type.Integer({
      minimum: 1,
      maximum: 1_000_000,
      description: 'Limit of unfinished executions of all contacts. Null: unlimited.',
    }),
  ),
  contactCooldownSeconds: { ...Seconds, description: 'Minimum time since the contact’s last end.' },
  exitOn: strict(
    {
      events: Type.Optional(Type.Array(EventName, { maxItems: MOST_EXIT_EVENTS })),
      condition: Type.Optional(Condition),
    },
    {
      description: 'What ends executions: events at once, conditions when they reach a step.',
    },
  ),
}
export const EXAMPLE_SETTINGS = {
  allowReentry: false,
  reentryDelaySeconds: 0,
  maxConcurrentExecutions: null,
  contactCooldownSeconds: 0,
  exitOn: { events: ['unsubscribed'] },
}
export const FlowSettings = strict(settings, {
  title: 'FlowSettings',
  examples: [EXAMPLE_SETTINGS],
})
const FlowSettingsInput = strict(Type.Partial(FlowSettings).properties, {
  title: 'FlowSettingsInput',
  examples: [{ allowReentry: true, reentryDelaySeconds: 86_400 }],
})

const stats = Type.Object(
  {
    started: Count,
    completed: Count,
    failed: Count,
    cancelled: Count,
    dropped: { ...Count, description: 'Not admitted, or above `maxConcurrentExecutions`.' },
    live: { ...Count, description: 'Unfinished executions.' },
  },
  { title: 'FlowStats' },
)

const scheduleFailure = Type.Object(
  {
    scheduledFor: { ...Time, description: 'The scheduled time.' },
    reason: oneOf(SCHEDULE_FAILURES),
  },
  {
    title: 'ScheduleFailure',
    description:
      'The latest scheduled time at which not everybody was started, because its segment could not be evaluated or an operator stopped it. Null if none failed since the last success.',
  },
)

const summary = {
  id: Id,
  slug: Type.String(),
  name: Type.String(),
  description: nullable(Type.String()),
  enabled: Type.Boolean(),
  version: Type.Integer({
    minimum: 1,
    description: 'The newest version. New executions use it, running ones keep theirs.',
  }),
  triggerType: TriggerType,
  stats,
  createdAt: Time,
  updatedAt: Time,
  pushedAt: nullable({ ...Time, description: 'When the workflow was last pushed. Null: never.' }),
  scheduleFailure: nullable(scheduleFailure),
}

const EXAMPLE_STEPS = [
  {
    id: 'welcome',
    type: 'send_email',
    name: 'Welcome',
    config: {
      from: 'hello@example.com',
      subject: 'Welcome, {{ contact.firstName | default: "there" }}',
      html: '<p>Good to have you.</p>',
    },
  },
  {
    id: 'wait',
    type: 'wait_for_event',
    name: 'First order?',
    config: { eventName: 'order_placed', timeout: { amount: 3, unit: 'days' } },
  },
  { id: 'done', type: 'exit', name: 'Bought', config: { outcome: 'completed' } },
]
const EXAMPLE_TRANSITIONS = [
  { from: 'trigger', to: 'welcome' },
  { from: 'welcome', to: 'wait' },
  { from: 'wait', to: 'done', branch: 'yes' },
]
export const EXAMPLE_INPUT = {
  name: 'Welcome',
  triggerType: 'event',
  triggerConfig: { eventName: 'signed_up' },
  steps: EXAMPLE_STEPS,
  transitions: EXAMPLE_TRANSITIONS,
}
const EXAMPLE_SUMMARY = {
  id: ID,
  slug: 'welcome',
  name: 'Welcome',
  description: null,
  enabled: true,
  version: 1,
  triggerType: 'event',
  stats: { started: 812, completed: 700, failed: 1, cancelled: 11, dropped: 4, live: 100 },
  createdAt: TIME,
  updatedAt: TIME,
  pushedAt: null,
  scheduleFailure: null,
}
const EXAMPLE = {
  ...EXAMPLE_SUMMARY,
  triggerConfig: { eventName: 'signed_up' },
  steps: EXAMPLE_STEPS,
  transitions: EXAMPLE_TRANSITIONS,
  settings: EXAMPLE_SETTINGS,
}

export const FlowSummary = Type.Object(summary, {
  title: 'WorkflowSummary',
  examples: [EXAMPLE_SUMMARY],
})
export type FlowSummary = Static<typeof FlowSummary>

const wholeFields = {
  ...summary,
  triggerConfig: TriggerConfig,
  steps: Type.Array(FlowStep),
  transitions: Type.Array(FlowTransition),
  settings: FlowSettings,
}

export const Flow = Type.Object(wholeFields, { title: 'Workflow', examples: [EXAMPLE] })
export type Flow = Static<typeof Flow>

export const ChangedFlow = Type.Object(
  { ...wholeFields, ...warnings },
  { title: 'ChangedWorkflow', examples: [{ ...EXAMPLE }] },
)

export const DisableInput = nullable(
  strict(
    {
      running: Type.Optional(
        oneOf(['continue', 'cancel'], {
          description: 'What to do with unfinished executions. By default, they continue.',
        }),
      ),
    },
    { title: 'DisableInput', examples: [{ running: 'cancel' }] },
  ),
)

export const DisabledFlow = Type.Object(
  {
    ...wholeFields,
    ...warnings,
    // Cancels its executions; absent: they go on.
    operation: Type.Optional(FlowOperation),
  },
  {
    title: 'DisabledWorkflow',
    examples: [{ ...EXAMPLE, enabled: false }],
  },
)

export const CreatedFlow = Type.Object(
  {
    ...wholeFields,
    webhookSecret: nullable(
      Type.String({
        description:
          'Secret that signs webhooks (Standard Webhooks). It is returned only once, and is null in a replayed response.',
      }),
    ),
    ...warnings,
  },
  {
    title: 'CreatedWorkflow',
    examples: [{ ...EXAMPLE, webhookSecret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' }],
  },
)

export const definition = {
  triggerType: TriggerType,
  triggerConfig: Type.Optional(TriggerConfigInput),
  steps: Type.Array(FlowStep, { minItems: 1, maxItems: MOST_STEPS }),
  transitions: Type.Optional(Type.Array(FlowTransitionInput, { maxItems: MOST_TRANSITIONS })),
  settings: Type.Optional(FlowSettingsInput),
}

export const FlowInput = strict(
  {
    name: Name,
    slug: Type.Optional(Slug),
    description: Type.Optional(nullable(Description)),
    enabled: Type.Optional(Type.Boolean({ description: 'Defaults to `false`.' })),
    ...definition,
  },
  { title: 'WorkflowInput', examples: [EXAMPLE_INPUT] },
)
export type FlowInput = Static<typeof FlowInput>

const Ignored = Type.Optional(Type.Unknown({ description: 'Ignored.' }))

/** Read-only fields are accepted and ignored, so that one can read, edit and patch a workflow. */
export const FlowPatch = strict(
  {
    ...Type.Partial(FlowInput).properties,
    ifUnmodifiedSince: Type.Optional({
      ...Time,
      description:
        'The `updatedAt` of the version that you read. If the workflow has changed since, the request fails with 409.',
    }),
    id: Ignored,
    version: Ignored,
    stats: Ignored,
    createdAt: Ignored,
    updatedAt: Ignored,
    pushedAt: Ignored,
    scheduleFailure: Ignored,
    warnings: Ignored,
    operation: Ignored,
  },
  { title: 'WorkflowPatch', examples: [{ name: 'Welcome, all' }] },
)
export type FlowPatch = Static<typeof FlowPatch>

export type FlowDefinitionInput = Pick<FlowInput, keyof typeof definition>

export const FlowListQuery = strict({
  limit: limit(20, 100),
  cursor: Cursor,
  search: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: 'Part of the name or slug.' }),
  ),
  enabled: Type.Optional(oneOf(['true', 'false'], { description: 'Filters by this state.' })),
  triggerType: Type.Optional({ ...TriggerType, description: 'Filters by trigger.' }),
})

export const FlowList = Type.Object(
  { data: Type.Array(FlowSummary), nextCursor: NextCursor },
  { title: 'WorkflowList', examples: [{ data: [EXAMPLE_SUMMARY], nextCursor: null }] },
)

export const FlowVersionQuery = strict({
  version: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 2_147_483_647,
      description: 'Version of the workflow. Defaults to the newest.',
    }),
  ),
})

export const FlowVersionListQuery = strict({ limit: limit(20, 100), cursor: Cursor })

export const FlowVersionList = Type.Object(
  {
    data: Type.Array(
      Type.Object(
        { version: Type.Integer({ minimum: 1 }), createdAt: Time },
        { title: 'WorkflowVersion' },
      ),
    ),
    nextCursor: NextCursor,
  },
  {
    title: 'WorkflowVersionList',
    examples: [{ data: [{ version: 1, createdAt: TIME }], nextCursor: null }],
  },
)

export const FlowSecret = Type.Object(
  {
    success: Type.Literal(true),
    webhookSecret: nullable(
      Type.String({
        description:
          'The new signing secret. It is returned only once, and is null in a replayed response.',
      }),
    ),
    previousSecretUntil: {
      ...Time,
      description: 'Until this time, webhooks are also signed with the previous secret.',
    },
  },
  {
    title: 'WorkflowSecret',
    examples: [
      {
        success: true,
        webhookSecret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
        previousSecretUntil: TIME,
      },
    ],
  },
)
