import { type Static, Type } from 'typebox'
import { EVENT_WAYS } from '../../domain/accounts/event-ways.ts'
import { CHECK_ERRORS, CONNECTION_WARNINGS } from '../../domain/accounts/verification.ts'
import { ID, Id, line, nullable, oneOf, strict, TIME, Time } from '../common.ts'
import { ACCOUNT_NUMBER, SNS_TOPIC, SQS_QUEUE_URL } from '../patterns.ts'

/** Regions in which the provider sends mail (AWS General Reference, Amazon SES endpoints). */
const SES_REGIONS = [
  'af-south-1',
  'ap-northeast-1',
  'ap-northeast-2',
  'ap-northeast-3',
  'ap-south-1',
  'ap-south-2',
  'ap-southeast-1',
  'ap-southeast-2',
  'ap-southeast-3',
  'ap-southeast-5',
  'ca-central-1',
  'ca-west-1',
  'eu-central-1',
  'eu-central-2',
  'eu-north-1',
  'eu-south-1',
  'eu-west-1',
  'eu-west-2',
  'eu-west-3',
  'il-central-1',
  'me-central-1',
  'me-south-1',
  'sa-east-1',
  'us-east-1',
  'us-east-2',
  'us-gov-east-1',
  'us-gov-west-1',
  'us-west-1',
  'us-west-2',
] as const

const AccountNumber = Type.String({ pattern: ACCOUNT_NUMBER, examples: ['123456789012'] })

export const ConnectionInput = strict(
  {
    accountId: Type.Optional(AccountNumber),
    awsAccountId: Type.Optional({ ...AccountNumber, description: 'Alias of `accountId`.' }),
    region: oneOf(SES_REGIONS),
    name: Type.Optional(line(200)),
    features: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description:
          'Settings of the channels: `email` (on unless false) and `sms` (off unless true). Other fields are stored.',
      }),
    ),
  },
  {
    title: 'ConnectionInput',
    description: '`accountId` or its alias is required.',
    anyOf: [
      { properties: { accountId: AccountNumber }, required: ['accountId'] },
      { properties: { awsAccountId: AccountNumber }, required: ['awsAccountId'] },
    ],
    examples: [{ accountId: '123456789012', region: 'eu-central-1', name: 'Production' }],
  },
)

export const RegisteredConnection = Type.Object(
  {
    success: Type.Literal(true),
    created: Type.Boolean(),
    connectionId: Id,
    externalId: Type.String({ description: 'External id for the trust policy of the role.' }),
    roleArn: Type.String({
      description: 'The role that Letterloom assumes. Create it with this name.',
    }),
    webhookSecret: nullable(
      Type.String({
        description:
          'The webhook secret. It is returned only once, and is null in a replayed response. Earlier secrets work for another 24 hours.',
      }),
    ),
    webhookEndpoint: Type.String(),
  },
  {
    title: 'RegisteredConnection',
    examples: [
      {
        success: true,
        created: true,
        connectionId: ID,
        externalId: '5f0f8ba6-5f6c-4c39-9f43-4f1c5b3d3a55',
        roleArn: 'arn:aws:iam::123456789012:role/letterloom-5f0f8ba6',
        webhookSecret: 'k3J9vX0bq1m4Yt7Zr2Ws8Uf5Ld6Pn0HaCe1Gi3Ko5Mq',
        webhookEndpoint: 'https://mail.example.com/webhooks/ses/123456789012',
      },
    ],
  },
)

const SnsTopicArn = Type.String({
  maxLength: 400,
  pattern: SNS_TOPIC,
  examples: ['arn:aws:sns:eu-central-1:123456789012:mail-events'],
})

const EventQueueUrl = Type.String({
  maxLength: 300,
  pattern: SQS_QUEUE_URL,
  examples: ['https://sqs.eu-central-1.amazonaws.com/123456789012/letterloom-5f0f8ba6-events'],
})

const Warnings = Type.Array(oneOf(CONNECTION_WARNINGS), {
  description:
    'Problems that do not prevent sending. `no_configuration_set`: no mail was accepted with the configuration set of the setup file, so delivery events depend on the identity’s own set. `no_events`: no delivery event has arrived yet. `events_missing`: mail was sent, but no delivery event arrived for 15 minutes. `event_queue_denied`, `event_queue_missing`, `event_queue_throttled`, `event_queue_failed`: the last poll of the queue failed. `events_not_kept`: more delivery events of other programs’ mail arrived today or yesterday than are stored in a day (10,000, or 5 MiB), and the others were ignored.',
})

const connection = {
  id: Id,
  accountId: Type.String(),
  name: nullable(Type.String()),
  region: Type.String(),
  emailEnabled: Type.Boolean(),
  smsEnabled: Type.Boolean(),
  isVerified: Type.Boolean(),
  verificationError: nullable(Type.String()),
  warnings: Warnings,
  webhookConnected: Type.Boolean(),
  snsTopicArn: nullable(Type.String()),
  eventQueueUrl: nullable(Type.String()),
  lastVerifiedAt: nullable(Time),
  lastEventReceivedAt: nullable(Time),
  disconnectedAt: nullable(Time),
  createdAt: Time,
}

const EXAMPLE = {
  id: ID,
  accountId: '123456789012',
  name: 'Production',
  region: 'eu-central-1',
  emailEnabled: true,
  smsEnabled: false,
  isVerified: true,
  verificationError: null,
  warnings: [],
  webhookConnected: true,
  snsTopicArn: null,
  eventQueueUrl: null,
  lastVerifiedAt: TIME,
  lastEventReceivedAt: TIME,
  disconnectedAt: null,
  createdAt: TIME,
}

export const Connection = Type.Object(connection, { title: 'Connection', examples: [EXAMPLE] })
export type Connection = Static<typeof Connection>

export const ConnectionList = Type.Object(
  { connections: Type.Array(Connection) },
  { title: 'ConnectionList', examples: [{ connections: [EXAMPLE] }] },
)

const changeable = {
  name: Type.Optional(nullable(line(200))),
  snsTopicArn: Type.Optional(
    nullable({
      ...SnsTopicArn,
      description:
        'SNS topic of the account and region whose notifications are accepted. Null if there is none.',
    }),
  ),
  eventQueueUrl: Type.Optional(
    nullable({
      ...EventQueueUrl,
      description:
        'SQS queue of the account and region from which delivery events are read. Null if there is none.',
    }),
  ),
}

/** Read-only fields are accepted and ignored, so that a client can send back what it read. */
export const ConnectionPatch = strict(
  {
    ...changeable,
    ...Object.fromEntries(
      Object.keys(connection)
        .filter((name) => !(name in changeable))
        .map((name) => [name, Type.Optional(Type.Unknown({ description: 'Ignored.' }))]),
    ),
  },
  { title: 'ConnectionPatch', examples: [{ name: 'Production, Frankfurt' }] },
)

const SETUP_FORMATS = ['cloudformation', 'terraform'] as const
export type SetupFormat = (typeof SETUP_FORMATS)[number]

export const SetupQuery = strict({
  format: oneOf(SETUP_FORMATS, { description: 'Tool that the file is made for.' }),
  events: Type.Optional(
    oneOf(EVENT_WAYS, {
      default: 'queue',
      description:
        'How delivery events are delivered: `queue`, which Letterloom polls, or `webhook`, which EventBridge calls.',
    }),
  ),
})

export const ConnectionVerification = Type.Object(
  {
    isVerified: Type.Boolean({ description: '`true` if mail is sent through the account.' }),
    verificationError: nullable(Type.String()),
    warnings: Warnings,
    checkedAt: Time,
    checks: Type.Array(
      Type.Object({
        name: Type.String({
          description: '`role`, `external_id`, or the name of an action in IAM.',
        }),
        ok: Type.Boolean(),
        error: Type.Optional(oneOf(CHECK_ERRORS)),
      }),
    ),
  },
  {
    title: 'ConnectionVerification',
    examples: [
      {
        isVerified: true,
        verificationError: null,
        warnings: ['no_events'],
        checkedAt: TIME,
        checks: [
          { name: 'role', ok: true },
          { name: 'external_id', ok: true },
          { name: 'ses:SendEmail', ok: true },
          { name: 'cloudwatch:GetMetricData', ok: false, error: 'denied' },
        ],
      },
    ],
  },
)
export type ConnectionVerification = Static<typeof ConnectionVerification>
