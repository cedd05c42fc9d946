import { type Static, Type } from 'typebox'
import { RECORD_PURPOSES, RECORD_STATES, RECORD_TYPES } from '../../domain/accounts/dns-records.ts'
import { LONGEST_IDENTITY } from '../../domain/accounts/identity.ts'
import { ID, Id, nullable, oneOf, strict } from '../common.ts'
import { ApiError } from '../error.ts'

export const CloudAccountId = Type.String({
  minLength: 1,
  maxLength: 36,
  description: 'The `id` of a connection.',
  examples: [ID],
})

export const DomainQuery = strict({
  cloudAccountId: Type.Optional({
    ...CloudAccountId,
    description:
      'The `id` of a connection, or the 12 digits of an AWS account that has exactly one connection. Without it, all accounts are used.',
  }),
  awsAccountId: Type.Optional({
    ...CloudAccountId,
    description: 'Alias of `cloudAccountId`.',
  }),
})

export const DomainParams = strict({
  identity: Type.String({
    minLength: 1,
    maxLength: LONGEST_IDENTITY,
    description: 'A domain or an email address.',
    examples: ['example.com'],
  }),
})

const identityType = nullable(
  Type.String({ description: '`DOMAIN`, `EMAIL_ADDRESS` or `MANAGED_DOMAIN`.' }),
)
const verificationStatus = nullable(
  Type.String({
    description: '`PENDING`, `SUCCESS`, `FAILED`, `TEMPORARY_FAILURE` or `NOT_STARTED`.',
  }),
)

const DomainListItem = Type.Object(
  {
    identity: Type.String(),
    identityType,
    sendingEnabled: nullable(Type.Boolean()),
    verificationStatus,
    cloudAccountId: Id,
    region: Type.String(),
  },
  { title: 'SendingIdentityListItem' },
)

const AskedAccount = Type.Object(
  {
    id: Id,
    accountId: Type.String(),
    region: Type.String(),
    reachable: Type.Boolean({
      description:
        '`false` if the account did not answer in time. Its identities are then missing in `data`.',
    }),
  },
  { title: 'AskedAccount' },
)

export const DomainList = Type.Object(
  { data: Type.Array(DomainListItem), accounts: Type.Array(AskedAccount) },
  {
    title: 'SendingIdentityList',
    examples: [
      {
        data: [
          {
            identity: 'example.com',
            identityType: 'DOMAIN',
            sendingEnabled: true,
            verificationStatus: 'SUCCESS',
            cloudAccountId: ID,
            region: 'eu-central-1',
          },
        ],
        accounts: [{ id: ID, accountId: '123456789012', region: 'eu-central-1', reachable: true }],
      },
    ],
  },
)

const DnsRecord = Type.Object(
  {
    purpose: oneOf(RECORD_PURPOSES),
    type: oneOf(RECORD_TYPES),
    name: Type.String(),
    value: Type.String({ description: 'Value to set. For DMARC it is a suggestion.' }),
    state: oneOf(RECORD_STATES, {
      description: '`unknown`: DNS did not answer in time.',
    }),
    found: Type.Array(Type.String(), { description: 'Values found instead.' }),
  },
  { title: 'DnsRecord' },
)

const described = {
  identity: Type.String(),
  identityType,
  verifiedForSending: Type.Boolean(),
  verificationStatus,
  dkim: nullable(
    Type.Object({
      status: nullable(Type.String()),
      signingAttributesOrigin: nullable(Type.String()),
      tokens: Type.Array(Type.String()),
    }),
  ),
  mailFromDomain: nullable(Type.Object({ domain: Type.String(), status: nullable(Type.String()) })),
  feedbackForwarding: Type.Boolean(),
  configurationSet: nullable(Type.String()),
  dnsRecords: Type.Array(DnsRecord, {
    description:
      'Records to set in the zone of the domain, and their present state. Empty for an email address.',
  }),
}

const StoredIdentity = Type.Object(described)
export type StoredIdentity = Static<typeof StoredIdentity>

export const Domain = Type.Object(
  {
    ...described,
    cloudAccountId: Id,
    region: Type.String(),
    unreachableAccountIds: Type.Array(Id, {
      description: 'Accounts that were asked before this one and did not answer.',
    }),
  },
  {
    title: 'SendingIdentity',
    examples: [
      {
        identity: 'example.com',
        identityType: 'DOMAIN',
        verifiedForSending: true,
        verificationStatus: 'SUCCESS',
        dkim: {
          status: 'SUCCESS',
          signingAttributesOrigin: 'AWS_SES',
          tokens: ['4xq3h7m2k5'],
        },
        mailFromDomain: { domain: 'bounce.example.com', status: 'SUCCESS' },
        feedbackForwarding: true,
        configurationSet: null,
        dnsRecords: [
          {
            purpose: 'dkim',
            type: 'CNAME',
            name: '4xq3h7m2k5._domainkey.example.com',
            value: '4xq3h7m2k5.dkim.amazonses.com',
            state: 'found',
            found: ['4xq3h7m2k5.dkim.amazonses.com'],
          },
        ],
        cloudAccountId: ID,
        region: 'eu-central-1',
        unreachableAccountIds: [],
      },
    ],
  },
)

/** Body of the identity's 503: a message of its own, and the fields of every error. */
export const DomainUnavailable = Type.Object(
  {
    ...ApiError.properties,
    message: Type.String({ description: 'Same text as `error`.' }),
  },
  {
    title: 'SendingIdentityUnavailable',
    examples: [
      {
        error: 'None of the connected accounts can be reached',
        message: 'None of the connected accounts can be reached',
        code: 'INTERNAL_ERROR',
        requestId: ID,
        reason: 'accounts_unreachable',
      },
    ],
  },
)
