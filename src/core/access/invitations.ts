import type { Role } from '../../domain/access/access.ts'
import {
  INVITATION_MS,
  INVITATION_WINDOW_MS,
  invitationWaitMs,
} from '../../domain/access/invitation.ts'
import { AppError, conflict } from '../../domain/errors.ts'
import { normalAddress } from '../../domain/text.ts'
import { isUuid, type Uuid, uuidv7 } from '../../runtime/ids.ts'
import * as invitations from '../../store/access/invitations.ts'
import * as members from '../../store/access/members.ts'
import * as notices from '../../store/accounts/notices.ts'
import type { Executor, Transaction } from '../../store/db/sql.ts'
import { type Actor, recordAudit, timeOf } from './audit.ts'
import { lockMembers } from './managing.ts'
import { missing } from './ownership.ts'

interface Invitee {
  email: string
  role: Role
  name?: string | null | undefined
}

/** Invitations are sent like notices. Without notices, the operator adds people. */
export interface Mailing {
  sendsNotices: boolean
}

/**
 * Invites a person by email. People who are not members are not looked up, so that neither the
 * answer nor its time reveals whether the address has an account. Throws a 409 (`already_member`,
 * `already_invited`, `no_notice_sender`) or a 429 (`too_many_invitations`).
 */
export async function inviteByMail(
  tx: Transaction,
  organizationId: Uuid,
  invitee: Invitee,
  actor: Actor,
  mailing: Mailing,
): Promise<invitations.OpenInvitation> {
  const requireManaging = await lockMembers(tx, organizationId, actor)
  requireManaging(invitee.role)
  requireMail(mailing)
  const email = normalAddress(invitee.email)
  await refuseMember(tx, organizationId, email)
  const earlierInvitation = await invitations.findTo(tx, organizationId, email)
  if (earlierInvitation && Date.parse(earlierInvitation.expiresAt) > actor.now) {
    throw conflict('This address is already invited. Resend the invitation instead.', {
      reason: 'already_invited',
    })
  }
  await requireMailsLeft(tx, organizationId, email, actor.now)
  const invitation = await replaceInvitation(
    tx,
    organizationId,
    earlierInvitation,
    { ...invitee, email },
    actor,
  )
  await putMail(tx, organizationId, invitation, actor)
  return invitation
}

/**
 * Invites a person without an email: the caller passes the link on. An open invitation to the
 * address is revoked. Throws a 409 (`already_member`).
 */
export async function inviteByLink(
  tx: Transaction,
  organizationId: Uuid,
  invitee: Invitee,
  actor: Actor,
): Promise<invitations.OpenInvitation> {
  const requireManaging = await lockMembers(tx, organizationId, actor)
  requireManaging(invitee.role)
  const email = normalAddress(invitee.email)
  await refuseMember(tx, organizationId, email)
  const earlierInvitation = await invitations.findTo(tx, organizationId, email)
  return replaceInvitation(tx, organizationId, earlierInvitation, { ...invitee, email }, actor)
}

/** Sends an invitation again. Its new link works for seven days, earlier links stop working. */
export async function resendInvitation(
  tx: Transaction,
  organizationId: Uuid,
  id: string,
  actor: Actor,
  mailing: Mailing,
): Promise<invitations.OpenInvitation> {
  const requireManaging = await lockMembers(tx, organizationId, actor)
  const invitation = await requireInvitation(tx, organizationId, id)
  requireManaging(invitation.role)
  requireMail(mailing)
  await requireMailsLeft(tx, organizationId, invitation.email, actor.now)
  const renewal = { organizationId, id: invitation.id, expiresAt: expiryOf(actor) }
  const renewed = await invitations.renew(tx, renewal)
  if (!renewed) throw conflict('This invitation is no longer open')
  await putMail(tx, organizationId, renewed, actor)
  const subject = { kind: 'invitation', id: invitation.id }
  await recordAudit(tx, organizationId, actor, { action: 'invitation.resent', subject })
  return renewed
}

export async function revokeInvitation(
  tx: Transaction,
  organizationId: Uuid,
  id: string,
  actor: Actor,
): Promise<void> {
  const requireManaging = await lockMembers(tx, organizationId, actor)
  const invitation = await requireInvitation(tx, organizationId, id)
  requireManaging(invitation.role)
  await revoke(tx, organizationId, invitation, actor)
}

export async function requireInvitation(
  sql: Executor,
  organizationId: Uuid,
  id: string,
): Promise<invitations.OpenInvitation> {
  const invitation = isUuid(id) ? await invitations.find(sql, organizationId, id) : undefined
  if (!invitation) throw await missing(sql, 'invitation', organizationId, id)
  return invitation
}

async function replaceInvitation(
  tx: Transaction,
  organizationId: Uuid,
  earlier: invitations.OpenInvitation | undefined,
  { email, role, name = null }: Invitee,
  actor: Actor,
): Promise<invitations.OpenInvitation> {
  if (earlier) await revoke(tx, organizationId, earlier, actor)
  const invitation = await invitations.create(tx, {
    organizationId,
    id: uuidv7(),
    email,
    role,
    name,
    invitedBy: actor.identity.kind === 'user' ? actor.identity.id : null,
    at: timeOf(actor),
    expiresAt: expiryOf(actor),
  })
  await recordAudit(tx, organizationId, actor, {
    action: 'invitation.created',
    subject: { kind: 'invitation', id: invitation.id },
    detail: { role },
  })
  return invitation
}

async function revoke(
  tx: Transaction,
  organizationId: Uuid,
  { id, role }: invitations.OpenInvitation,
  actor: Actor,
): Promise<void> {
  await invitations.revoke(tx, { organizationId, id, at: timeOf(actor) })
  await recordAudit(tx, organizationId, actor, {
    action: 'invitation.revoked',
    subject: { kind: 'invitation', id },
    detail: { role },
  })
}

const expiryOf = ({ now }: Actor): string => new Date(now + INVITATION_MS).toISOString()

async function refuseMember(tx: Transaction, organizationId: Uuid, email: string): Promise<void> {
  if (!(await members.hasAddress(tx, organizationId, email))) return
  throw conflict('This person is already a member', { reason: 'already_member' })
}

function requireMail({ sendsNotices }: Mailing): void {
  if (sendsNotices) return
  throw conflict(
    'This installation does not send invitations (NOTICE_FROM is not set). Ask the operator to add the person (letterloom user invite)',
    { reason: 'no_notice_sender' },
  )
}

async function requireMailsLeft(
  tx: Transaction,
  organizationId: Uuid,
  email: string,
  now: number,
): Promise<void> {
  const since = new Date(now - INVITATION_WINDOW_MS).toISOString()
  const mailed = await notices.countInvitations(tx, { organizationId, email, since })
  const waitMs = invitationWaitMs(mailed, now)
  if (waitMs === 0) return
  throw new AppError(
    'RATE_LIMITED',
    'Too many invitations in the last 24 hours. Try again later.',
    {
      reason: 'too_many_invitations',
      retryAfterSeconds: Math.ceil(waitMs / 1_000),
    },
  )
}

const putMail = (
  tx: Transaction,
  organizationId: Uuid,
  { id, generation, role, expiresAt }: invitations.OpenInvitation,
  actor: Actor,
) =>
  notices.put(tx, {
    organizationId,
    kind: 'invitation',
    subject: id,
    period: String(generation),
    data: { invitationId: id, generation, role, expiresAt },
    at: timeOf(actor),
  })
