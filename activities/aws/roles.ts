import { AssumeRoleCommand, STSClient, type STSClientConfig } from '@aws-sdk/client-sts'
import { PURPOSES, type Purpose, sessionPolicy } from '../../src/domain/accounts/aws-actions.ts'
import { type IamRole, roleArn } from '../../src/domain/accounts/iam-role.ts'
import { isDenied } from './failures.ts'
import type { Credentials } from './signature.ts'

export interface Connected {
  id: string
  /** Milliseconds since the last successful verification. Null: it is not verified. */
  verifiedAgoMs: number | null
}

const SESSION_SECONDS = 3_600
const RENEW_BEFORE_MS = 5 * 60_000
/** A role that refuses us is not asked for this long. After a failed call the wait is shorter. */
const REFUSED_FOR_MS = 30_000
const FAILED_FOR_MS = 2_000
/** Longer than a call with its one repetition takes. */
const ASKING_FOR_MS = 30_000
/** Smaller clock differences to AWS do no harm. */
const WRONG_MS = 30_000
const TELL_AGAIN_MS = 10 * 60_000
const MAX_CACHED = 2_000
const MAX_CLIENTS = 50

const PATIENCE = { connectionTimeout: 2_000, requestTimeout: 5_000, throwOnRequestTimeout: true }

interface Options {
  now?: () => number
  log?: { warn: (fields: object, message: string) => void }
  requestHandler?: NonNullable<STSClientConfig['requestHandler']>
}

interface Entry {
  connectionId: string
  credentials: Promise<Credentials>
  /** Expiry by the clock of this process. */
  until: number
  refusedAt: number | undefined
}

/**
 * Assumes roles and caches the credentials of each connection and purpose until five minutes before
 * they expire. Concurrent callers share one call, and a refusal is cached for half a minute. The
 * endpoint is that of the connection's region: credentials of one partition (aws, aws-cn,
 * aws-us-gov) are useless in another.
 */
export function createRoles({ now = Date.now, log, requestHandler = PATIENCE }: Options = {}) {
  const clients = new Map<string, STSClient>()
  const cache = new Map<string, Entry>()
  let toldAt = Number.NEGATIVE_INFINITY

  const client = (region: string): STSClient => {
    const cachedClient = clients.get(region)
    if (cachedClient) return cachedClient
    if (clients.size >= MAX_CLIENTS) clients.clear()
    const newClient = new STSClient({
      region,
      maxAttempts: 2,
      requestHandler,
    })
    clients.set(region, newClient)
    return newClient
  }

  /**
   * Throws the SDK's error. `AccessDenied` covers a missing role, a wrong trust and a wrong
   * external id.
   */
  const assume = async (iamRole: IamRole, purpose: Purpose, { withExternalId = true } = {}) => {
    const sts = client(iamRole.region)
    const { Credentials: credentials } = await sts.send(
      new AssumeRoleCommand({
        RoleArn: roleArn(iamRole.accountId, iamRole.region, iamRole.externalId),
        RoleSessionName: `letterloom-${iamRole.organizationId}`.slice(0, 64),
        DurationSeconds: SESSION_SECONDS,
        Policy: sessionPolicy(purpose, iamRole),
        ...(withExternalId ? { ExternalId: iamRole.externalId } : {}),
      }),
    )
    if (!credentials?.AccessKeyId || !credentials.SecretAccessKey)
      throw new Error('STS returned no credentials')
    if (credentials.Expiration)
      tellClock(credentials.Expiration.getTime() - SESSION_SECONDS * 1_000)
    return {
      accessKeyId: credentials.AccessKeyId,
      secretAccessKey: credentials.SecretAccessKey,
      sessionToken: credentials.SessionToken,
      // The clock difference that the SDK has measured so far.
      clockAheadMs: sts.config.systemClockOffset,
      expiresAt: credentials.Expiration?.getTime() ?? now() + SESSION_SECONDS * 1_000,
    }
  }

  /** Logs that our clock is wrong. Credentials contain the time at which AWS made them. */
  function tellClock(awsNow: number): void {
    const aheadMs = now() - awsNow
    if (Math.abs(aheadMs) <= WRONG_MS || performance.now() - toldAt < TELL_AGAIN_MS) return
    toldAt = performance.now()
    log?.warn({ aheadSeconds: Math.round(aheadMs / 1_000) }, 'our clock differs from that of AWS')
  }

  const credentials = (iamRole: IamRole, purpose: Purpose): Promise<Credentials> => {
    const key = keyOf(iamRole, purpose)
    const cachedEntry = cache.get(key)
    if (cachedEntry && cachedEntry.until > now()) return cachedEntry.credentials
    const newCredentials = assume(iamRole, purpose)
    const entry: Entry = {
      connectionId: iamRole.connectionId,
      credentials: newCredentials,
      until: now() + ASKING_FOR_MS,
      refusedAt: undefined,
    }
    newCredentials.then(
      ({ expiresAt }) => {
        entry.until = expiresAt - RENEW_BEFORE_MS
      },
      // The callers see the refusal. An unobserved rejection here would end the process.
      (error: unknown) => {
        entry.refusedAt = now()
        entry.until = now() + (isDenied(error) ? REFUSED_FOR_MS : FAILED_FOR_MS)
      },
    )
    cache.delete(key)
    cache.set(key, entry)
    for (const oldest of cache.keys()) {
      if (cache.size <= MAX_CACHED) break
      cache.delete(oldest)
    }
    return entry.credentials
  }

  return {
    assume,
    credentials,

    /** Drops credentials that the provider refused. The next call assumes the role again. */
    forget: (iamRole: IamRole, purpose: Purpose): void => {
      cache.delete(keyOf(iamRole, purpose))
    },

    forgetRefusals: (iamRole: IamRole): void => {
      for (const purpose of PURPOSES) {
        const key = keyOf(iamRole, purpose)
        if (cache.get(key)?.refusedAt !== undefined) cache.delete(key)
      }
    },

    connectionIds: (): string[] => [
      ...new Set([...cache.values()].map(({ connectionId }) => connectionId)),
    ],

    /**
     * Drops entries of the asked connections that are no longer connected, and refusals older than
     * the last successful verification.
     */
    keep: (askedIds: readonly string[], connected: readonly Connected[]): void => {
      const verified = new Map(connected.map(({ id, verifiedAgoMs }) => [id, verifiedAgoMs]))
      const about = new Set(askedIds)
      for (const [key, { connectionId, refusedAt }] of cache) {
        if (!about.has(connectionId)) continue
        const agoMs = verified.get(connectionId)
        const isOutdated =
          refusedAt !== undefined && typeof agoMs === 'number' && now() - agoMs > refusedAt
        if (agoMs === undefined || isOutdated) cache.delete(key)
      }
    },
  }
}
export type Roles = ReturnType<typeof createRoles>

const keyOf = ({ connectionId, externalId }: IamRole, purpose: Purpose): string =>
  `${connectionId} ${externalId} ${purpose}`
