import { type Static, Type } from 'typebox'
import { HOOK_EVENT_TYPES, HOOK_SOURCES, MOST_IN_FLIGHT } from '../../domain/hooks/hook-event.ts'
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
} from '../common.ts'

const LONGEST_URL = 2_048
const LONGEST_DESCRIPTION = 200

const eventTypes = Type.Array(oneOf(HOOK_EVENT_TYPES), {
  minItems: 1,
  maxItems: HOOK_EVENT_TYPES.length,
  uniqueItems: true,
  description: 'Types of the events that the endpoint receives. There is no word for all.',
})
const sources = nullable(
  Type.Array(oneOf(HOOK_SOURCES), {
    minItems: 1,
    maxItems: HOOK_SOURCES.length,
    uniqueItems: true,
    description:
      'Receives `email.*` events of mail from these sources only. Null: from any source.',
  }),
)
const maxInFlight = Type.Integer({
  minimum: 1,
  maximum: MOST_IN_FLIGHT,
  description:
    'Calls that may be under way at once. With 1, events arrive mostly in order, but a retry comes later than its successors.',
})

const endpoint = {
  id: Id,
  url: Type.String(),
  description: nullable(Type.String()),
  eventTypes: Type.Array(oneOf(HOOK_EVENT_TYPES)),
  sources: nullable(Type.Array(oneOf(HOOK_SOURCES))),
  maxInFlight,
  enabled: Type.Boolean(),
  disabledReason: nullable(
    Type.String({
      description:
        '`requested`: disabled by a caller. `failing`: no call succeeded for 72 hours. `gone`: it answered 410.',
    }),
  ),
  disabledAt: nullable(Time),
  failingSince: nullable({
    ...Time,
    description: 'Time of the first failed call since the last one that succeeded.',
  }),
  lastSuccessAt: nullable(Time),
  nextTryAt: nullable({
    ...Time,
    description: 'While calls keep failing, the endpoint is not called before this time.',
  }),
  pending: Type.Integer({
    minimum: 0,
    description: 'Deliveries that wait, counted up to 10,000.',
  }),
  last24Hours: Type.Object({ delivered: Count, failedCalls: Count }),
  createdAt: Time,
  updatedAt: Time,
}

const EXAMPLE = {
  id: ID,
  url: 'https://shop.example.com/letterloom',
  description: 'Shop',
  eventTypes: ['email.bounced', 'contact.unsubscribed'],
  sources: null,
  maxInFlight: 10,
  enabled: true,
  disabledReason: null,
  disabledAt: null,
  failingSince: null,
  lastSuccessAt: TIME,
  nextTryAt: null,
  pending: 0,
  last24Hours: { delivered: 1_204, failedCalls: 0 },
  createdAt: TIME,
  updatedAt: TIME,
}

export const HookEndpoint = Type.Object(endpoint, {
  title: 'WebhookEndpoint',
  examples: [EXAMPLE],
})
export type HookEndpoint = Static<typeof HookEndpoint>

const secret = nullable(
  Type.String({
    description:
      'Verifies the signature of each call (Standard Webhooks). It is returned only once, and is null in a replayed response.',
    examples: ['whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDazNvb2xtbG9v'],
  }),
)
const EXAMPLE_SECRET = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDazNvb2xtbG9v'

export const NewHookEndpoint = Type.Object(
  { ...endpoint, secret },
  { title: 'NewWebhookEndpoint', examples: [{ ...EXAMPLE, secret: EXAMPLE_SECRET }] },
)

const url = Type.String({
  minLength: 1,
  maxLength: LONGEST_URL,
  description:
    'Address of the receiver. It must begin with `https://` and be on the public internet.',
  examples: ['https://shop.example.com/letterloom'],
})

export const HookEndpointInput = strict(
  {
    url,
    description: Type.Optional(nullable(line(LONGEST_DESCRIPTION))),
    eventTypes,
    sources: Type.Optional(sources),
    maxInFlight: Type.Optional(maxInFlight),
  },
  {
    title: 'WebhookEndpointInput',
    examples: [
      {
        url: 'https://shop.example.com/letterloom',
        description: 'Shop',
        eventTypes: ['email.bounced'],
      },
    ],
  },
)
export type HookEndpointInput = Static<typeof HookEndpointInput>

const CHANGEABLE = ['url', 'description', 'eventTypes', 'sources', 'maxInFlight', 'enabled']

/** Read-only fields are accepted and ignored, so that a client can send back what it read. */
export const HookEndpointPatch = strict(
  {
    url: Type.Optional(url),
    description: Type.Optional(nullable(line(LONGEST_DESCRIPTION))),
    eventTypes: Type.Optional(eventTypes),
    sources: Type.Optional(sources),
    maxInFlight: Type.Optional(maxInFlight),
    enabled: Type.Optional(Type.Boolean()),
    held: Type.Optional(
      oneOf(['send', 'drop'] as const, {
        description:
          'What happens to events that were held while the endpoint was disabled, when `enabled` becomes true. Defaults to `send`.',
      }),
    ),
    ...Object.fromEntries(
      Object.keys(endpoint)
        .filter((name) => !CHANGEABLE.includes(name))
        .map((name) => [name, Type.Optional(Type.Unknown({ description: 'Ignored.' }))]),
    ),
  },
  { title: 'WebhookEndpointPatch', examples: [{ enabled: true, held: 'drop' }] },
)
export type HookEndpointPatch = Partial<HookEndpointInput> & {
  enabled?: boolean
  held?: 'send' | 'drop'
}

export const HookEndpointListQuery = strict({ limit: limit(20, 100), cursor: Cursor })

export const HookEndpointList = Type.Object(
  { data: Type.Array(HookEndpoint), nextCursor: NextCursor },
  { title: 'WebhookEndpointList', examples: [{ data: [EXAMPLE], nextCursor: null }] },
)

export const HookSecret = Type.Object(
  { success: Type.Literal(true), secret, previousSecretUntil: Time },
  {
    title: 'WebhookSecret',
    examples: [{ success: true, secret: EXAMPLE_SECRET, previousSecretUntil: TIME }],
  },
)
