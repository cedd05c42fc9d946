import { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts'
import { type Purpose, sessionPolicy } from '../../src/domain/aws-actions.ts'
import { roleArn } from '../../src/domain/role.ts'
import type { Credentials } from './signature.ts'

/** How we reach a customer's account: one role, assumed with the connection's external id. */
export interface Role {
  organizationId: string
  connectionId: string
  accountId: string
  region: string
  externalId: string
}

const RENEW_BEFORE_MS = 5 * 60_000
const REFUSED_FOR_MS = 30_000
const MAX_CACHED = 2_000

interface Entry {
  credentials: Promise<Credentials>
  until: number
}

/**
 * Assumes roles and keeps the credentials until five minutes before they end; concurrent askers
 * share one call, and a refusal is remembered for half a minute.
 */
export function createRoles() {
  const clients = new Map<string, STSClient>()
  const cache = new Map<string, Entry>()

  const client = (region: string): STSClient => {
    const known = clients.get(region)
    if (known) return known
    const made = new STSClient({
      region,
      maxAttempts: 2,
      requestHandler: { connectionTimeout: 2_000, requestTimeout: 5_000 },
    })
    clients.set(region, made)
    return made
  }

  /**
   * Throws the SDK's error; `AccessDenied` covers a missing role, a wrong trust and a wrong
   * external id.
   */
  const assume = async (role: Role, purpose: Purpose, withExternalId = true) => {
    const { Credentials: made } = await client(role.region).send(
      new AssumeRoleCommand({
        RoleArn: roleArn(role.accountId, role.region, role.externalId),
        RoleSessionName: `letterloom-${role.organizationId}`.slice(0, 64),
        DurationSeconds: 3_600,
        Policy: sessionPolicy(purpose, role),
        ...(withExternalId ? { ExternalId: role.externalId } : {}),
      }),
    )
    if (!made?.AccessKeyId || !made.SecretAccessKey) throw new Error('STS answered no credentials')
    return {
      accessKeyId: made.AccessKeyId,
      secretAccessKey: made.SecretAccessKey,
      sessionToken: made.SessionToken,
      expiresAt: made.Expiration?.getTime() ?? Date.now() + 3_600_000,
    }
  }

  const credentials = (role: Role, purpose: Purpose): Promise<Credentials> => {
    const key = `${role.connectionId} ${role.externalId} ${purpose}`
    const known = cache.get(key)
    if (known && known.until > Date.now()) return known.credentials
    const made = assume(role, purpose)
    const entry: Entry = { until: Date.now() + REFUSED_FOR_MS, credentials: made }
    made.then(
      ({ expiresAt }) => {
        entry.until = expiresAt - RENEW_BEFORE_MS
      },
      // The askers see the refusal; unobserved here it would end the process.
      () => {},
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
    /** After the provider refused them: the next call assumes the role again. */
    forget: (role: Role, purpose: Purpose): void => {
      cache.delete(`${role.connectionId} ${role.externalId} ${purpose}`)
    },
  }
}
export type Roles = ReturnType<typeof createRoles>
