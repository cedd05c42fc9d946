import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { arnOf, OPERATOR_ACCOUNT } from '../credentials.ts'
import { happens } from '../faults.ts'
import type { QueryAction } from './query.ts'
import { denied, refusal } from './errors.ts'
import { allowedActions } from './policy.ts'

const ROLE_ARN =
  /^arn:aws(?:-cn|-us-gov)?:iam::(\d{12}):role\/(?:[\w+=,.@/-]*\/)?([\w+=,.@-]{1,64})$/
const SESSION_NAME = /^[\w+=,.@-]{2,64}$/
const EXTERNAL_ID = /^[\w+=,.@:/-]{2,1224}$/
const MIN_SECONDS = 900
const MAX_SECONDS = 43_200
const DEFAULT_SECONDS = 3_600
const MAX_POLICY = 2_048

/**
 * STS AssumeRole. A missing role, a wrong trust and a wrong external id give the same refusal, so
 * that strangers learn nothing.
 */
const assumeRole: QueryAction = async (deps, caller, parameters) => {
  const arn = parameters.get('RoleArn') ?? ''
  const name = parameters.get('RoleSessionName') ?? ''
  const externalId = parameters.get('ExternalId')
  const policy = parameters.get('Policy')
  const seconds = Number(parameters.get('DurationSeconds') ?? DEFAULT_SECONDS)
  const [, account = '', roleName = ''] = ROLE_ARN.exec(arn) ?? []
  if (account === '') throw invalid(`${arn} is invalid`)
  if (!SESSION_NAME.test(name)) throw invalid(`Value '${name}' at 'roleSessionName' is invalid`)
  if (externalId !== null && !EXTERNAL_ID.test(externalId)) {
    throw invalid("Value at 'externalId' is invalid")
  }
  if (!Number.isInteger(seconds) || seconds < MIN_SECONDS || seconds > MAX_SECONDS) {
    throw invalid(`Value '${seconds}' at 'durationSeconds' is not from 900 to 43200`)
  }
  if (policy !== null && policy.length > MAX_POLICY) {
    throw refusal(400, 'PackedPolicyTooLarge', 'The session policy is too large')
  }
  const actions = policy === null ? null : allowedActions(policy)

  deps.calls.note(account, 'sts:AssumeRole')
  const faults = deps.faults.of(account)
  if (faults.assumeRoleLatencyMs > 0) await sleep(faults.assumeRoleLatencyMs)
  if (happens(faults.assumeRoleThrottlePercent)) {
    throw refusal(400, 'Throttling', 'Rate exceeded')
  }
  const role = deps.accounts.role(account, roleName)
  const trusted =
    role !== undefined &&
    caller.account === OPERATOR_ACCOUNT &&
    !faults.denyAssumeRole &&
    (role.externalId === null || role.externalId === externalId)
  if (!trusted) {
    throw denied(
      `User: ${arnOf(caller.credentials)} is not authorized to perform: sts:AssumeRole on resource: ${arn}`,
    )
  }
  const expiresAt = Date.now() + Math.min(seconds * 1_000, deps.settings.sessionMaxMs)
  const issuedCredentials = await deps.credentials.issue({
    account,
    role: roleName,
    name,
    actions,
    expiresAt,
  })
  const assumed = `arn:aws:sts::${account}:assumed-role/${roleName}/${name}`
  return {
    AssumedRoleUser: { AssumedRoleId: `${roleId(account, roleName)}:${name}`, Arn: assumed },
    Credentials: {
      AccessKeyId: issuedCredentials.accessKeyId,
      SecretAccessKey: issuedCredentials.secretAccessKey,
      SessionToken: issuedCredentials.session.token,
      Expiration: new Date(expiresAt).toISOString(),
    },
    ...(policy === null ? {} : { PackedPolicySize: Math.ceil((policy.length / MAX_POLICY) * 100) }),
  }
}

/** STS GetCallerIdentity, which cannot be forbidden. */
const getCallerIdentity: QueryAction = (_deps, { credentials, account }) => ({
  Arn: arnOf(credentials),
  UserId: credentials.session
    ? `${roleId(account, credentials.session.role)}:${credentials.session.name}`
    : 'AIDALETTERLOOMSANDBOX',
  Account: account,
})

export const STS_ACTIONS: Record<string, QueryAction> = {
  AssumeRole: assumeRole,
  GetCallerIdentity: getCallerIdentity,
}

const invalid = (message: string) => refusal(400, 'ValidationError', message)

const roleId = (account: string, role: string): string =>
  `AROA${createHash('sha256').update(`${account}/${role}`).digest('hex').slice(0, 16).toUpperCase()}`
