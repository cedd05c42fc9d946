import { type Uuid, uuidv7 } from '../../runtime/ids.ts'
import type { InvitationLink } from '../../keys/invitation-links.ts'
import * as invitations from '../../store/access/invitations.ts'
import * as members from '../../store/access/members.ts'
import * as organizations from '../../store/access/organizations.ts'
import type { Executor, Transaction } from '../../store/db/sql.ts'
import { LONGEST_NAME } from '../../domain/text.ts'
import { addressHash, equal } from '../../keys/tokens.ts'
import { type Actor, recordAudit } from './audit.ts'

/** Returns the invitation of a link if it can be accepted. `now` is in milliseconds. */
export async function findInvited(
  sql: Executor,
  link: InvitationLink,
  now: number,
): Promise<invitations.OpenInvitation | undefined> {
  const { organizationId, invitationId, generation } = link
  const invitation = await invitations.find(sql, organizationId, invitationId)
  const works =
    invitation?.generation === generation &&
    Date.parse(invitation.expiresAt) > now &&
    equal(addressHash(organizationId, invitation.email), link.addressHash)
  return works ? invitation : undefined
}

interface Acceptance {
  /** The hash that the password was verified against, or a new one. */
  verifiedHash: string | null
  newHash: string | null
  name: string | undefined
  requestId: string
  now: number
}

/**
 * Makes the person with the invited address a member. `over`: the invitation was accepted, revoked
 * or replaced meanwhile. `changed`: the account has changed since it was read, or has no password
 * and belongs to another organization. A member keeps their role.
 */
export async function acceptInvitation(
  tx: Transaction,
  link: InvitationLink,
  { verifiedHash, newHash, name, requestId, now }: Acceptance,
): Promise<'accepted' | 'over' | 'changed'> {
  const { organizationId } = link
  const at = new Date(now).toISOString()
  // Inviting, revoking and removing take this lock, too, so only one of two who accept finds it
  // open.
  await organizations.lock(tx, organizationId)
  const invitation = await findInvited(tx, link, now)
  if (!invitation) return 'over'
  const { id, email, role } = invitation
  const called = name ?? invitation.name ?? email.slice(0, LONGEST_NAME)
  const person = { id: uuidv7(), email, name: called, verifiedHash, newHash, at }
  const userId: Uuid | undefined = await invitations.personAccepting(tx, person)
  if (userId === undefined) return 'changed'
  await members.add(tx, { organizationId, userId, role, givenName: null })
  await invitations.accept(tx, { organizationId, id, at })
  const actor: Actor = { identity: { kind: 'user', id: userId }, requestId, now }
  await recordAudit(tx, organizationId, actor, {
    action: 'invitation.accepted',
    subject: { kind: 'invitation', id },
    detail: { role },
  })
  return 'accepted'
}
