import { createHash } from 'node:crypto'
import type { Account } from '../accounts.ts'
import { badRequest, notFound } from '../aws/errors.ts'
import type { SesCall } from './call.ts'
import { readListIdentities } from './wire.ts'

type Identity = Account['identities'][number]

const MAX_PAGE = 1_000

const typeOf = ({ identity }: Identity): string =>
  identity.includes('@') ? 'EMAIL_ADDRESS' : 'DOMAIN'
const statusOf = ({ verified }: Identity): string => (verified ? 'SUCCESS' : 'PENDING')

/** SES v2 ListEmailIdentities, with the filter in a POST body, or as a GET of older clients. */
export function listIdentities({ account, query, body }: SesCall) {
  const input = readListIdentities(body)
  const filter = input.Filter ?? {}
  const size = input.PageSize ?? Number(query.get('PageSize') ?? MAX_PAGE)
  if (!Number.isInteger(size) || size < 0 || size > MAX_PAGE) {
    throw badRequest(`PageSize must be from 0 to ${MAX_PAGE}`)
  }
  const identities = account.identities.filter((each) =>
    Object.entries(filter).every(([key, value]) => {
      if (key === 'IDENTITY_NAME_CONTAINS') return each.identity.includes(value)
      if (key === 'IDENTITY_TYPE') return typeOf(each) === value
      return key === 'VERIFICATION_STATUS' && statusOf(each) === value
    }),
  )
  const { page, token } = paged(identities, size, input.NextToken ?? query.get('NextToken'))
  return {
    EmailIdentities: page.map((each) => ({
      IdentityType: typeOf(each),
      IdentityName: each.identity,
      SendingEnabled: each.verified,
      VerificationStatus: statusOf(each),
    })),
    ...token,
  }
}

/** One page of a list. Its token is the position of the next page. */
export function paged<T>(list: T[], size: number, token: string | null) {
  const from = token === null ? 0 : Number(Buffer.from(token, 'base64url').toString())
  if (!Number.isInteger(from) || from < 0) throw badRequest('The next token is invalid.')
  const to = from + (size || MAX_PAGE)
  return {
    page: list.slice(from, to),
    token: to < list.length ? { NextToken: Buffer.from(String(to)).toString('base64url') } : {},
  }
}

/** SES v2 GetEmailIdentity. */
export function getIdentity({ account }: SesCall, name: string) {
  const identity = account.identities.find((each) => each.identity === name.toLowerCase())
  if (!identity) throw notFound(`Email identity ${name} does not exist.`)
  const isDomain = typeOf(identity) === 'DOMAIN'
  return {
    IdentityType: typeOf(identity),
    FeedbackForwardingStatus: true,
    VerifiedForSendingStatus: identity.verified,
    VerificationStatus: statusOf(identity),
    DkimAttributes: {
      SigningEnabled: isDomain,
      Status: isDomain ? statusOf(identity) : 'NOT_STARTED',
      ...(isDomain ? { Tokens: tokens(name), SigningHostedZone: 'dkim.amazonses.com' } : {}),
      SigningAttributesOrigin: 'AWS_SES',
    },
    MailFromAttributes: {
      BehaviorOnMxFailure: 'USE_DEFAULT_VALUE',
      ...(identity.mailFromDomain === undefined
        ? {}
        : { MailFromDomain: identity.mailFromDomain, MailFromDomainStatus: statusOf(identity) }),
    },
    ...(identity.configurationSet === undefined
      ? {}
      : { ConfigurationSetName: identity.configurationSet }),
    Policies: {},
    Tags: [],
  }
}

const tokens = (name: string): string[] =>
  [1, 2, 3].map((n) => createHash('sha256').update(`${name} ${n}`).digest('hex').slice(0, 32))
