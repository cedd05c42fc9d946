import { type Static, type TProperties, Type } from 'typebox'
import type { StepType } from '../../domain/flows/flow.ts'
import { DELAY_UNITS } from '../../domain/flows/duration.ts'
import { ENGAGEMENTS } from '../../domain/flows/steps/wait-for-email-engagement.ts'
import { MOST_HEADERS } from '../../domain/flows/steps/webhook.ts'
import { LONGEST_NAME } from '../../domain/text.ts'
import {
  accountNames,
  Address,
  type Cleaned,
  CLEANED_KEYWORD,
  From,
  FromName,
  line,
  oneOf,
  strict,
} from '../common.ts'
import { Condition } from '../audience/condition.ts'
import { STEP_ID, TIME_OF_DAY } from '../patterns.ts'

const LONGEST_URL = 2_048
const LONGEST_SECONDS = 30
/** Same limit as of all other ids. */
const LONGEST_ID = 36

export const StepId = Type.String({
  pattern: STEP_ID,
  examples: ['welcome'],
})
const Branch = line(100)
export const EventName = Type.String({
  minLength: 1,
  maxLength: 255,
  examples: ['order_placed'],
  [CLEANED_KEYWORD]: 'nfc' satisfies Cleaned,
})
const Identity = Type.String({ minLength: 1, maxLength: LONGEST_ID })
const Slug = Type.String({ minLength: 1, maxLength: 100 })
const AMOUNT = { minimum: 1, maximum: 1_000_000 }

const duration = {
  amount: Type.Integer(AMOUNT),
  unit: oneOf(DELAY_UNITS),
}
const Timeout = strict(duration, {
  title: 'Duration',
  description: 'At most 366 days.',
  examples: [{ amount: 3, unit: 'days' }],
})

interface Words {
  title: string
  description: string
}

const step = <const Name extends StepType, Config extends TProperties>(
  type: Name,
  words: Words,
  config: Config,
) => stepOf(type, words, strict(config))

function stepOf<const Name extends StepType, Config extends Type.TSchema>(
  type: Name,
  words: Words,
  config: Config,
) {
  return strict(
    {
      id: StepId,
      type: Type.Unsafe<Name>({ type: 'string', const: type }),
      name: line(LONGEST_NAME),
      config,
      position: Type.Optional(
        strict(
          { x: Type.Number(), y: Type.Number() },
          { description: 'Position in your editor. It has no effect.' },
        ),
      ),
    },
    { ...words },
  )
}

const topic = {
  topicId: Type.Optional(Identity),
  topicSlug: Type.Optional(Slug),
}

const mail = {
  templateId: Type.Optional(Identity),
  subject: Type.Optional(line(998, { description: 'Subject with Liquid.' })),
  html: Type.Optional(Type.String({ minLength: 1, maxLength: 1_000_000 })),
  from: Type.Optional(From('Needed.')),
  fromName: Type.Optional(FromName(LONGEST_NAME)),
  replyTo: Type.Optional(Address()),
  ...accountNames,
  ...topic,
  variables: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { maxProperties: 200 })),
}

const Changes = Type.Record(Type.String(), Type.Unknown(), { maxProperties: 100 })

const delay = Type.Unsafe<
  | { amount: number; unit: (typeof DELAY_UNITS)[number] }
  | { until: { time: string; timezone: string; days?: number } }
>({
  type: 'object',
  description: 'A duration of at most 366 days, or the next time of day.',
  anyOf: [
    strict(duration, { title: 'DelaySpan' }),
    strict(
      {
        until: strict({
          time: Type.String({ pattern: TIME_OF_DAY, examples: ['09:00'] }),
          timezone: Type.String({
            maxLength: 64,
            description:
              '`contact` uses the timezone in the contact’s properties, or UTC. Otherwise an IANA time zone.',
          }),
          days: Type.Optional(
            Type.Integer({
              minimum: 0,
              maximum: 366,
              description: 'Whole days to wait before the time of day.',
            }),
          ),
        }),
      },
      { title: 'DelayUntil' },
    ),
  ],
})

export const FlowStep = Type.Union(
  [
    step(
      'send_email',
      {
        title: 'SendEmailStep',
        description:
          '`templateId`, or `subject` and `html`, is required. Contacts who cannot be mailed are skipped, and the execution continues.',
      },
      mail,
    ),
    step(
      'send_sms',
      {
        title: 'SendSmsStep',
        description: 'Requires an SMS transport. Without one, the workflow cannot be enabled.',
      },
      { body: Type.String({ minLength: 1, maxLength: 1_600 }) },
    ),
    stepOf(
      'delay',
      { title: 'DelayStep', description: 'The execution is `paused` until the delay ends.' },
      delay,
    ),
    step(
      'condition',
      { title: 'ConditionStep', description: 'Branches: `yes` and `no`.' },
      { condition: Condition },
    ),
    step(
      'split',
      {
        title: 'SplitStep',
        description: 'Branches: the names. An execution always takes the same branch.',
      },
      {
        branches: Type.Array(
          strict({
            name: Branch,
            weight: Type.Number({ minimum: 0.001, maximum: 1_000_000 }),
          }),
          { minItems: 2, maxItems: 20 },
        ),
      },
    ),
    step(
      'wait_for_event',
      {
        title: 'WaitForEventStep',
        description:
          'Branches: `yes` and `timeout`. Takes the earliest event since the last delay or wait before it, or since the start of the execution, that no other wait took. Otherwise it waits for the next one. Other steps take no time, so events that arrive while they run count. Values in `filter` are Liquid with `contact`, `trigger` and `event`, rendered when the wait begins: `{"field": "event.properties.cartId", "operator": "equals", "value": "{{ trigger.data.cartId }}"}`.',
      },
      {
        eventName: EventName,
        filter: Type.Optional(Condition),
        timeout: Timeout,
      },
    ),
    step(
      'wait_for_email_engagement',
      {
        title: 'WaitForEmailEngagementStep',
        description:
          'Branches: the `events` and `timeout`. Earlier engagements with the mail count.',
      },
      {
        stepId: StepId,
        events: Type.Array(oneOf(ENGAGEMENTS), { minItems: 1, maxItems: ENGAGEMENTS.length }),
        timeout: Timeout,
      },
    ),
    step(
      'update_contact',
      {
        title: 'UpdateContactStep',
        description:
          'Fields are `firstName`, `lastName` …, and `properties.<key>`. Texts in `set`, `append` and `remove` are Liquid with `contact`, `trigger` and `event`. A single output keeps its type (`{{ trigger.data.total }}` is a number). An output without a value and a `default` fails the step (`missing_value`).',
      },
      {
        set: Type.Optional(Changes),
        unset: Type.Optional(Type.Array(line(300), { maxItems: 100 })),
        increment: Type.Optional(Type.Record(Type.String(), Type.Number(), { maxProperties: 100 })),
        append: Type.Optional(Changes),
        remove: Type.Optional(Changes),
      },
    ),
    step(
      'subscribe_topic',
      {
        title: 'SubscribeTopicStep',
        description: 'A topic with double opt-in sends a confirmation email.',
      },
      topic,
    ),
    step(
      'unsubscribe_topic',
      {
        title: 'UnsubscribeTopicStep',
        description: 'Also ends an execution that this topic started.',
      },
      topic,
    ),
    step(
      'webhook',
      {
        title: 'WebhookStep',
        description:
          'Branches: `success` and `failure`. Without a `failure` branch, a call that fails permanently fails the execution. Requests are signed as in Standard Webhooks.',
      },
      {
        url: Type.String({ minLength: 1, maxLength: LONGEST_URL }),
        method: oneOf(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
        headers: Type.Optional(
          Type.Record(Type.String(), Type.String({ maxLength: 4_096 }), {
            maxProperties: MOST_HEADERS,
            description:
              'Write-only. Values are returned as `***`. Send `***` to keep a value, as long as `url` has the same scheme, host and port.',
          }),
        ),
        body: Type.Optional(Type.String({ maxLength: 60_000, description: 'Body with Liquid.' })),
        timeoutSeconds: Type.Optional(Type.Integer({ minimum: 1, maximum: LONGEST_SECONDS })),
      },
    ),
    step(
      'exit',
      { title: 'ExitStep', description: 'Ends the execution. No step can follow it.' },
      {
        outcome: oneOf(['completed', 'cancelled', 'failed']),
        reason: Type.Optional(line(255)),
      },
    ),
  ],
  { title: 'FlowStep', type: 'object' },
)
export type FlowStep = Static<typeof FlowStep>

export const FlowTransition = strict(
  {
    from: StepId,
    to: StepId,
    branch: Type.Optional(Branch),
  },
  { title: 'FlowTransition', examples: [{ from: 'trigger', to: 'welcome' }] },
)

export const FlowTransitionInput = strict(
  {
    from: Type.Optional(StepId),
    fromStepId: Type.Optional({ ...StepId, description: 'Alias of `from`.' }),
    to: Type.Optional(StepId),
    toStepId: Type.Optional({ ...StepId, description: 'Alias of `to`.' }),
    branch: Type.Optional(Branch),
    condition: Type.Optional(
      Type.Union([Branch, strict({ branch: Branch }, { title: 'BranchCondition' })], {
        description: 'Alias of `branch`.',
      }),
    ),
    id: Type.Optional(Type.Unknown({ description: 'Ignored.' })),
  },
  {
    title: 'FlowTransitionInput',
    description:
      '`from` is a step or `trigger`. Without a transition from the trigger, the first step of the list comes first. Transitions of a step with branches must name a branch. Without a next step, the execution is completed.',
    examples: [{ from: 'trigger', to: 'welcome' }],
  },
)
export type FlowTransitionInput = Static<typeof FlowTransitionInput>
