import type { Role } from '../../domain/access/access.ts'
import type { Uuid } from '../../runtime/ids.ts'
import type { Executor } from '../db/sql.ts'

export interface LiveSession {
  organizationId: Uuid
  id: Uuid
  userId: Uuid
  /** What the person is in the session's organization now. */
  role: Role
  lastSeenAt: string
  expiresAt: string
}

/**
 * The session with this hash, unless it was revoked or its person left; whether its time is over is
 * the caller's to say. Cross-tenant: the token itself says whose it is.
 */
export async function findLive(sql: Executor, hash: Buffer): Promise<LiveSession | undefined> {
  const [session] = await sql<LiveSession[]>`
    select organization_id, id, user_id, role, last_seen_at, expires_at
    from live_session(${hash})`
  return session
}

/** Notes that it was used at `at`; the caller does so once a minute. */
export const touch = (
  sql: Executor,
  { organizationId, id }: Pick<LiveSession, 'organizationId' | 'id'>,
  at: string,
) => sql`
  update sessions
  set last_seen_at = greatest(last_seen_at, ${at}::timestamptz)
  where organization_id = ${organizationId} and id = ${id}`

/** What somebody who logs in is looked up by: an address; a keyed hash of it for the failures. */
export interface Asked {
  email: string
  account: Buffer
  /** Failures before this are forgotten. */
  since: string
}

export interface LoginLookup {
  userId: Uuid | null
  name: string | null
  passwordHash: string | null
  failures: number
}

/** The person with this address, if any, and how often somebody failed to be them. Cross-tenant. */
export async function lookUp(
  sql: Executor,
  { email, account, since }: Asked,
): Promise<LoginLookup> {
  const [found] = await sql<LoginLookup[]>`
    select user_id, name, password_hash, failures
    from login_lookup(${email}, ${account}, ${since})`
  if (!found) throw new Error('a look-up of a login returned no row')
  return found
}

/** Counts a failure of the address, also of one that nobody has. Cross-tenant. */
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

/** The organizations a person is a member of, in the order they joined them. Cross-tenant. */
export const listOrganizations = (sql: Executor, userId: Uuid) => sql<Membership[]>`
  select id, name, role
  from person_organizations(${userId})`

interface Opening {
  userId: Uuid
  organizationId: Uuid
  /** The stored hash that the password was verified against. */
  passwordHash: string
  id: Uuid
  hash: Buffer
  at: string
  expiresAt: string
  /** Sessions not used since then have ended. */
  idleSince: string
}

/**
 * Opens a session; the person's ended ones go. False when the password was changed meanwhile, or
 * the person is not a member any more. Cross-tenant.
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
 * Ends one session and opens another for the same person in another organization, until the same
 * time, which it answers. Undefined: no member there, or ended already. Cross-tenant.
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

/** A person's live sessions in all organizations, newest first. Cross-tenant. */
export const list = (sql: Executor, userId: Uuid, { at, idleSince, before, limit }: Listing) => sql<
  ListedSession[]
>`
  select id, organization_id, organization_name, created_at, last_seen_at, expires_at
  from person_sessions(${userId}, ${at}, ${idleSince}, ${before ?? null}, ${limit})`

interface Ending {
  at: string
  /** This one; else all … */
  only?: Uuid
  /** … but this one. */
  keep?: Uuid
}

/** Ends sessions of a person in any organization; returns how many were live. Cross-tenant. */
export async function end(
  sql: Executor,
  userId: Uuid,
  { at, only, keep }: Ending,
): Promise<number> {
  const [row] = await sql<{ ended: number }[]>`
    select end_sessions(${userId}, ${only ?? null}, ${keep ?? null}, ${at}) as ended`
  return row?.ended ?? 0
}

/** How many of a person's sessions in one organization ended at this time: `only` this one. */
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
  /** The one session that goes on. */
  keep: Uuid
  at: string
}

/** False when the password was changed meanwhile. Cross-tenant. */
export async function changePassword(sql: Executor, change: PasswordChange): Promise<boolean> {
  const { userId, verifiedHash, newHash, keep, at } = change
  const [row] = await sql<{ changed: boolean }[]>`
    select change_password(${userId}, ${verifiedHash}, ${newHash}, ${keep}, ${at}) as changed`
  return row?.changed === true
}
