import { type Static, Type } from 'typebox'
import { ID, Id, line, nullable, oneOf, strict, TIME, Time } from './common.ts'

/** Where the provider sends mail (AWS General Reference, Amazon SES endpoints). */
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

const AccountNumber = Type.String({ pattern: '^[0-9]{12}$', examples: ['123456789012'] })

export const ConnectionInput = strict(
  {
    accountId: Type.Optional(AccountNumber),
    awsAccountId: Type.Optional({ ...AccountNumber, description: 'Another name of `accountId`.' }),
    region: oneOf(SES_REGIONS),
    name: Type.Optional(line(200)),
    features: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: '`email` (on unless false) and `sms` (off unless true); others are kept.',
      }),
    ),
  },
  {
    title: 'ConnectionInput',
    description: '`accountId` is required, under one of its names.',
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
    externalId: Type.String({ description: 'For the trust policy of the role.' }),
    roleArn: Type.String({ description: 'The role that we assume; create it under this name.' }),
    webhookSecret: nullable(
      Type.String({
        description: 'Shown only here, null in a replay. The one before works for 24 h.',
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

export const Connection = Type.Object(
  {
    id: Id,
    accountId: Type.String(),
    name: nullable(Type.String()),
    region: Type.String(),
    emailEnabled: Type.Boolean(),
    smsEnabled: Type.Boolean(),
    isVerified: Type.Boolean(),
    verificationError: nullable(Type.String()),
    webhookConnected: Type.Boolean(),
    lastVerifiedAt: nullable(Time),
    lastEventReceivedAt: nullable(Time),
    disconnectedAt: nullable(Time),
    createdAt: Time,
  },
  { title: 'Connection' },
)
export type Connection = Static<typeof Connection>

export const ConnectionList = Type.Object(
  { connections: Type.Array(Connection) },
  {
    title: 'ConnectionList',
    examples: [
      {
        connections: [
          {
            id: ID,
            accountId: '123456789012',
            name: 'Production',
            region: 'eu-central-1',
            emailEnabled: true,
            smsEnabled: false,
            isVerified: true,
            verificationError: null,
            webhookConnected: true,
            lastVerifiedAt: TIME,
            lastEventReceivedAt: TIME,
            disconnectedAt: null,
            createdAt: TIME,
          },
        ],
      },
    ],
  },
)
