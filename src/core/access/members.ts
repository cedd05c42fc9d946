import type { Role } from '../../domain/access/access.ts'
import { rolesBeyond } from '../../domain/access/invitation.ts'
import { conflict, notFound } from '../../domain/errors.ts'
import { isUuid, type Uuid } from '../../runtime/ids.ts'
import type { Member } from '../../schemas/access/member.ts'
import * as invitations from '../../store/access/invitations.ts'
import * as members from '../../store/access/members.ts'
import type { Transaction } from '../../store/db/sql.ts'
import { type Actor, recordAudit, timeOf } from './audit.ts'
import { lockMembers } from './managing.ts'

interface Membership {
  userId: Uuid
  role: Role
}

export async function setMember(
  tx: Transaction,
  organizationId: Uuid,
  { userId, role }: Membership,
  actor: Actor,
): Promise<void> {
  const requireManaging = await lockMembers(tx, organizationId, actor)
  const member = await members.find(tx, organizationId, userId)
  if (member) {
    await changeRole(tx, organizationId, { userId, role }, actor)
  } else {
    requireManaging(role)
    await addMember(tx, organizationId, { userId, role }, actor)
  }
}

export async function addMember(
  tx: Transaction,
  organizationId: Uuid,
  { userId, role }: Membership,
  actor: Actor,
): Promise<void> {
  await members.add(tx, { organizationId, userId, role, givenName: null })
  await recordAudit(tx, organizationId, actor, {
    action: 'member.added',
    subject: { kind: 'user', id: userId },
    detail: { role },
  })
}

/**
 * Changes a member's role. Their sessions in the organization end, and their open invitations
 * beyond the new role are revoked. Throws a 409 (`last_owner`) for the last owner.
 */
export async function changeRole(
  tx: Transaction,
  organizationId: Uuid,
  { userId, role }: { userId: string; role: Role },
  actor: Actor,
): Promise<Member> {
  const requireManaging = await lockMembers(tx, organizationId, actor)
  const member = await requireMember(tx, organizationId, userId)
  if (member.role === role) return member
  requireManaging(member.role)
  requireManaging(role)
  await requireAnotherOwner(tx, organizationId, member)
  await members.setRole(tx, { organizationId, userId: member.id, role, at: timeOf(actor) })
  await recordAudit(tx, organizationId, actor, {
    action: 'member.role_changed',
    subject: { kind: 'user', id: member.id },
    detail: { from: member.role, to: role },
  })
  await revokeInvitations(tx, organizationId, { userId: member.id, role }, actor)
  return { ...member, role }
}

export async function removeMember(
  tx: Transaction,
  organizationId: Uuid,
  userId: string,
  actor: Actor,
): Promise<void> {
  const requireManaging = await lockMembers(tx, organizationId, actor)
  const member = await requireMember(tx, organizationId, userId)
  requireManaging(member.role)
  await requireAnotherOwner(tx, organizationId, member)
  await members.remove(tx, organizationId, member.id)
  await recordAudit(tx, organizationId, actor, {
    action: 'member.removed',
    subject: { kind: 'user', id: member.id },
    detail: { role: member.role },
  })
  await revokeInvitations(tx, organizationId, { userId: member.id, role: undefined }, actor)
}

/**
 * Revokes a member's open invitations that this role may not make. Undefined: no longer a member.
 * Otherwise they could return by one of them.
 */
async function revokeInvitations(
  tx: Transaction,
  organizationId: Uuid,
  { userId, role }: { userId: Uuid; role: Role | undefined },
  actor: Actor,
): Promise<void> {
  const at = timeOf(actor)
  const roles = rolesBeyond(role)
  for (const id of await invitations.revokeMadeBy(tx, { organizationId, userId, roles, at })) {
    const subject = { kind: 'invitation', id }
    await recordAudit(tx, organizationId, actor, { action: 'invitation.revoked', subject })
  }
}

async function requireAnotherOwner(
  tx: Transaction,
  organizationId: Uuid,
  { role }: Member,
): Promise<void> {
  if (role !== 'owner' || (await members.countOwners(tx, organizationId)) > 1) return
  throw conflict(
    'The last owner cannot be removed or changed. Make another member an owner first.',
    {
      reason: 'last_owner',
    },
  )
}

async function requireMember(tx: Transaction, organizationId: Uuid, id: string): Promise<Member> {
  const member = isUuid(id) ? await members.find(tx, organizationId, id) : undefined
  if (!member) throw notFound('Member')
  return member
}
