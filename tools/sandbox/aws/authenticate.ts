import { timingSafeEqual } from 'node:crypto'
import { allows, arnOf, type Credentials, type CredentialStore } from '../credentials.ts'
import type { Deps } from '../deps.ts'
import type { Settings } from '../settings.ts'
import { denied, refusal } from './errors.ts'
import {
  type Claim,
  checkAge,
  checkSignature,
  mismatch,
  readClaim,
  type SignedRequest,
} from './signature.ts'

export interface Caller {
  credentials: Credentials
  account: string
  region: string
  claim: Claim
}

/** Region in a host such as `email.eu-west-1.amazonaws.com`. The loopback address has none. */
const HOST = /^[a-z]+\.([a-z0-9-]+)\.(?:api\.aws|amazonaws\.com(?:\.cn)?)$/

/** IAM is global in a partition and expects this region of each. */
const IAM_REGIONS = ['us-east-1', 'us-gov-west-1', 'cn-north-1']

/**
 * Returns the signer of the request, or AWS' refusal. `service` is the called one: a signature for
 * another service or region is invalid.
 */
export function authenticate(
  request: SignedRequest,
  service: string,
  { credentials: store, settings }: { credentials: CredentialStore; settings: Settings },
): Caller {
  const claim = readClaim(request.headers)
  if (claim.service !== service) {
    throw mismatch(`Credential should be scoped to correct service: '${service}'. `)
  }
  const hostRegion = HOST.exec(request.headers.host ?? '')?.[1]
  const isRight =
    service === 'iam'
      ? IAM_REGIONS.includes(claim.region)
      : claim.region === (hostRegion ?? claim.region)
  if (!isRight) {
    throw mismatch(`Credential should be scoped to a valid region, not '${claim.region}'. `)
  }
  checkAge(claim, settings)
  const credentials = store.find(claim.accessKeyId)
  const token = request.headers['x-amz-security-token']
  if (!credentials || !sameToken(credentials.session?.token ?? '', token)) {
    throw refusal(
      403,
      'UnrecognizedClientException',
      'The security token included in the request is invalid.',
    )
  }
  checkSignature(request, claim, credentials.secretAccessKey)
  if (credentials.session && credentials.session.expiresAt <= Date.now()) {
    throw refusal(
      403,
      'ExpiredTokenException',
      'The security token included in the request is expired',
    )
  }
  return { credentials, account: credentials.account, region: claim.region, claim }
}

function sameToken(expectedToken: string, sentToken: string | string[] | undefined): boolean {
  const one = Buffer.from(expectedToken)
  const other = Buffer.from(typeof sentToken === 'string' ? sentToken : '')
  return one.length === other.length && timingSafeEqual(one, other)
}

/** Refuses actions that the session policy does not allow or the role lacks. */
export function authorize(
  { accounts }: Pick<Deps, 'accounts'>,
  { credentials, account }: Caller,
  action: string,
): void {
  const { session } = credentials
  const role = session === null ? undefined : accounts.role(account, session.role)
  const isLacking = role?.lacks?.includes(action) ?? false
  if (allows(credentials, action) && !isLacking) return
  const kind = isLacking ? 'identity-based' : 'session'
  throw denied(
    `User: ${arnOf(credentials)} is not authorized to perform: ${action} because no ${kind} policy allows the ${action} action`,
  )
}
