import type { Role } from '../../domain/access/access.ts'
import type { Uuid } from '../../runtime/ids.ts'
import type { Executor } from '../db/sql.ts'

export interface LiveSession {
  organizationId: Uuid
  id: Uuid
  userId: Uuid
  role: Role
  lastSeenAt: string
  expiresAt: string
}

/**
 * Returns the session with this hash, unless it was revoked or its person left. The caller checks
 * its expiry. Cross-tenant: the token itself names its person.
 */
export async function findLive(sql: Executor, hash: Buffer): Promise<LiveSession | undefined> {
  const [session] = await sql<LiveSession[]>`
    select organization_id, id, user_id, role, last_seen_at, expires_at
    from live_session(${hash})`
  return session
}

/** Records use at `at`. The caller does so once a minute. */
export const touch = (
  sql: Executor,
  { organizationId, id }: Pick<LiveSession, 'organizationId' | 'id'>,
  at: string,
) => sql`
  update sessions
  set last_seen_at = greatest(last_seen_at, ${at}::timestamptz)
  where organization_id = ${organizationId} and id = ${id}`

export interface LoginQuestion {
  email: string
  account: Buffer
  since: string
}

export interface LoginLookup {
  userId: Uuid | null
  name: string | null
  passwordHash: string | null
  failures: number
}

export async function lookUp(
  sql: Executor,
  { email, account, since }: LoginQuestion,
): Promise<LoginLookup> {
  const [loginLookup] = await sql<LoginLookup[]>`
    select user_id, name, password_hash, failures
    from login_lookup(${email}, ${account}, ${since})`
  if (!loginLookup) throw new Error('a look-up of a login returned no row')
  return loginLookup
}

/** Counts a failure of the address, even if nobody has it. Cross-tenant. */
export const noteFailure = (
  sql: Executor,
  { account, at, since }: { account: Buffer; at: string; since: string },
) => sql`select note_login_failure(${account}, ${at}, ${since})`

export const forgetFailures = (sql: Executor, account: Buffer) =>
  sql`select forget_login_failures(${account})`

export interface Membership {
  id: Uuid
  name: string
  role: Role
}

/** Lists a person's organizations in the order in which they joined. Cross-tenant. */
export const listOrganizations = (sql: Executor, userId: Uuid) => sql<Membership[]>`
  select id, name, role
  from person_organizations(${userId})`

interface Opening {
  userId: Uuid
  organizationId: Uuid
  passwordHash: string
  id: Uuid
  hash: Buffer
  at: string
  expiresAt: string
  /** Sessions without use since then have ended. */
  idleSince: string
}

/**
 * Opens a session and deletes the person's ended ones. False: the password was changed meanwhile,
 * or the person is no longer a member. Cross-tenant.
 */
export async function open(sql: Executor, opening: Opening): Promise<boolean> {
  const { userId, organizationId, passwordHash, id, hash, at, expiresAt, idleSince } = opening
  const [row] = await sql<{ opened: boolean }[]>`
    select open_session(${userId}, ${organizationId}, ${passwordHash}, ${id}, ${hash}, ${at},
      ${expiresAt}, ${idleSince}) as opened`
  return row?.opened === true
}

interface Switch {
  from: Uuid
  organizationId: Uuid
  id: Uuid
  hash: Buffer
  at: string
}

/**
 * Ends one session and opens another for the same person in another organization. Returns its
 * expiry, which stays the same. Undefined: not a member there, or ended already. Cross-tenant.
 */
export async function switchTo(sql: Executor, change: Switch): Promise<string | undefined> {
  const { from, organizationId, id, hash, at } = change
  const [row] = await sql<{ expiresAt: string | null }[]>`
    select switch_session(${from}, ${organizationId}, ${id}, ${hash}, ${at}) as expires_at`
  return row?.expiresAt ?? undefined
}

export interface ListedSession {
  id: Uuid
  organizationId: Uuid
  organizationName: string
  createdAt: string
  lastSeenAt: string
  expiresAt: string
}

interface Listing {
  at: string
  idleSince: string
  before: Uuid | undefined
  limit: number
}

/** Lists a person's live sessions in all organizations, newest first. Cross-tenant. */
export const list = (sql: Executor, userId: Uuid, { at, idleSince, before, limit }: Listing) => sql<
  ListedSession[]
>`
  select id, organization_id, organization_name, created_at, last_seen_at, expires_at
  from person_sessions(${userId}, ${at}, ${idleSince}, ${before ?? null}, ${limit})`

interface Ending {
  at: string
  /** Ends this session. Absent: all of them. */
  only?: Uuid
  /** Keeps this session. */
  keep?: Uuid
}

/** Ends sessions of a person in any organization. Returns the number of live ones. Cross-tenant. */
export async function end(
  sql: Executor,
  userId: Uuid,
  { at, only, keep }: Ending,
): Promise<number> {
  const [row] = await sql<{ ended: number }[]>`
    select end_sessions(${userId}, ${only ?? null}, ${keep ?? null}, ${at}) as ended`
  return row?.ended ?? 0
}

/**
 * Counts a person's sessions in one organization that ended at this time. `only`: this one alone.
 */
export async function countEnded(
  sql: Executor,
  {
    organizationId,
    userId,
    at,
    only = null,
  }: { organizationId: Uuid; userId: Uuid; at: string; only?: Uuid | null },
): Promise<number> {
  const [row] = await sql<{ ended: number }[]>`
    select count(*) as ended
    from sessions
    where organization_id = ${organizationId}
      and user_id = ${userId}
      and revoked_at = ${at}
      and (${only}::uuid is null or id = ${only})`
  return row?.ended ?? 0
}

interface PasswordChange {
  userId: Uuid
  verifiedHash: string
  newHash: string
  keep: Uuid
  at: string
}

export async function changePassword(sql: Executor, change: PasswordChange): Promise<boolean> {
  const { userId, verifiedHash, newHash, keep, at } = change
  const [row] = await sql<{ changed: boolean }[]>`
    select change_password(${userId}, ${verifiedHash}, ${newHash}, ${keep}, ${at}) as changed`
  return row?.changed === true
}
