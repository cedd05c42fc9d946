import type { Role } from '../../domain/access/access.ts'
import type { Uuid } from '../../runtime/ids.ts'
import type { Invitation } from '../../schemas/access/invitation.ts'
import type { Executor, Sql, Transaction } from '../db/sql.ts'

// An invitation is open until it is accepted or revoked. An expired one stays open: it can be sent
// again until it is deleted.

const CLOSED_KEPT = '1 day'
const EXPIRED_KEPT = '7 days'
const MOST_DELETED = 1_000

export type OpenInvitation = Invitation & { generation: number }

const isOpen = (sql: Executor) => sql`accepted_at is null and revoked_at is null`

const columns = (sql: Executor) => sql`
  id, email, role, name, invited_by, created_at, expires_at`

export const list = (
  sql: Executor,
  organizationId: Uuid,
  { before, limit }: { before: Uuid | undefined; limit: number },
) => sql<Invitation[]>`
  select ${columns(sql)}
  from invitations
  where organization_id = ${organizationId} and ${isOpen(sql)}
    ${before === undefined ? sql`` : sql`and id < ${before}`}
  order by id desc
  limit ${limit}`

export async function find(
  sql: Executor,
  organizationId: Uuid,
  id: Uuid,
): Promise<OpenInvitation | undefined> {
  const [invitation] = await sql<OpenInvitation[]>`
    select ${columns(sql)}, generation
    from invitations
    where organization_id = ${organizationId} and id = ${id} and ${isOpen(sql)}`
  return invitation
}

export async function findTo(
  sql: Executor,
  organizationId: Uuid,
  email: string,
): Promise<OpenInvitation | undefined> {
  const [invitation] = await sql<OpenInvitation[]>`
    select ${columns(sql)}, generation
    from invitations
    where organization_id = ${organizationId} and email = ${email} and ${isOpen(sql)}`
  return invitation
}

interface NewInvitation {
  organizationId: Uuid
  id: Uuid
  email: string
  role: Role
  name: string | null
  invitedBy: Uuid | null
  at: string
  expiresAt: string
}

export async function create(tx: Transaction, invitation: NewInvitation): Promise<OpenInvitation> {
  const { organizationId, id, email, role, name, invitedBy, at, expiresAt } = invitation
  const [row] = await tx<OpenInvitation[]>`
    insert into invitations (organization_id, id, email, role, name, invited_by, created_at,
      expires_at)
    values (${organizationId}, ${id}, ${email}, ${role}, ${name}, ${invitedBy}, ${at},
      ${expiresAt})
    returning ${columns(tx)}, generation`
  if (!row) throw new Error('an insert returned no row')
  return row
}

/** Creates a new link. Earlier links stop working. */
export async function renew(
  tx: Transaction,
  { organizationId, id, expiresAt }: { organizationId: Uuid; id: Uuid; expiresAt: string },
): Promise<OpenInvitation | undefined> {
  const [row] = await tx<OpenInvitation[]>`
    update invitations
    set generation = generation + 1, expires_at = ${expiresAt}
    where organization_id = ${organizationId} and id = ${id} and ${isOpen(tx)}
    returning ${columns(tx)}, generation`
  return row
}

interface Closing {
  organizationId: Uuid
  id: Uuid
  at: string
}

export async function accept(
  tx: Transaction,
  { organizationId, id, at }: Closing,
): Promise<boolean> {
  const { count } = await tx`
    update invitations
    set accepted_at = ${at}
    where organization_id = ${organizationId} and id = ${id} and ${isOpen(tx)}`
  return count > 0
}

export async function revoke(
  tx: Transaction,
  { organizationId, id, at }: Closing,
): Promise<boolean> {
  const { count } = await tx`
    update invitations
    set revoked_at = ${at}
    where organization_id = ${organizationId} and id = ${id} and ${isOpen(tx)}`
  return count > 0
}

/** Revokes open invitations by a member for one of these roles. Returns their ids. */
export async function revokeMadeBy(
  tx: Transaction,
  {
    organizationId,
    userId,
    roles,
    at,
  }: { organizationId: Uuid; userId: Uuid; roles: readonly Role[]; at: string },
): Promise<Uuid[]> {
  const rows = await tx<{ id: Uuid }[]>`
    update invitations
    set revoked_at = ${at}
    where organization_id = ${organizationId}
      and invited_by = ${userId}
      and role = any(${[...roles]}::text[])
      and ${isOpen(tx)}
    returning id`
  return rows.map(({ id }) => id)
}

interface Accepting {
  id: Uuid
  email: string
  name: string
  /** Stored hash that the password was verified against. Null: the person had none. */
  verifiedHash: string | null
  /** Hash for a person without a password. Null: they have one. */
  newHash: string | null
  at: string
}

/**
 * Returns the accepting person, new or existing. Undefined: the account has changed, or has no
 * password and is a member elsewhere. Cross-tenant.
 */
export async function personAccepting(tx: Transaction, who: Accepting): Promise<Uuid | undefined> {
  const { id, email, name, verifiedHash, newHash, at } = who
  const [row] = await tx<{ id: Uuid | null }[]>`
    select person_accepting(${id}, ${email}, ${name}, ${verifiedHash}, ${newHash}, ${at}) as id`
  return row?.id ?? undefined
}

/**
 * Runs as letterloom_worker. Deletes invitations that were accepted or revoked a day ago, whose
 * emails no limit counts any more, and those that expired a week ago, with their notices. Returns
 * their number.
 */
export async function deleteOld(sql: Sql): Promise<number> {
  const [row] = await sql<{ deleted: number }[]>`
    with gone as (
      delete from invitations
      where (organization_id, id) in (
        select organization_id, id
        from invitations
        where accepted_at < now() - ${CLOSED_KEPT}::interval
          or revoked_at < now() - ${CLOSED_KEPT}::interval
          or expires_at < now() - ${EXPIRED_KEPT}::interval
        limit ${MOST_DELETED})
      returning organization_id, id
    ), silenced as (
      delete from notices n
      using gone
      where n.organization_id = gone.organization_id
        and n.kind = 'invitation'
        and n.subject = gone.id::text
    )
    select count(*) as deleted
    from gone`
  return row?.deleted ?? 0
}
