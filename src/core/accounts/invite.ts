import type { Role } from '../../domain/access/access.ts'
import {
  INVITATION_MS,
  INVITATION_WINDOW_MS,
  invitationWaitMs,
} from '../../domain/access/invitation.ts'
import { AppError, conflict } from '../../domain/errors.ts'
import { type Uuid, uuidv7 } from '../../ids.ts'
import * as invitations from '../../store/access/invitations.ts'
import * as members from '../../store/access/members.ts'
import * as notices from '../../store/accounts/notices.ts'
import type { Transaction } from '../../store/db/sql.ts'

interface Inviting {
  email: string
  role: Role
  name: string | null
  invitedBy: Uuid
  /** Milliseconds since 1970. */
  now: number
}

/**
 * Invites somebody by mail, with the organization locked. Nothing is looked up of people who are no
 * members here, so that neither the answer nor its time tells whether the address has an account.
 */
export async function invite(
  tx: Transaction,
  organizationId: Uuid,
  { email, role, name, invitedBy, now }: Inviting,
): Promise<invitations.OpenInvitation> {
  if (await members.hasAddress(tx, organizationId, email)) {
    throw conflict('This person is a member already', { reason: 'already_member' })
  }
  const at = new Date(now).toISOString()
  const known = await invitations.findTo(tx, organizationId, email)
  if (known && Date.parse(known.expiresAt) > now) {
    throw conflict('This address is invited already; the invitation can be sent again', {
      reason: 'already_invited',
    })
  }
  if (known) await invitations.revoke(tx, { organizationId, id: known.id, at })
  await requireMail(tx, organizationId, email, now)
  const expiresAt = new Date(now + INVITATION_MS).toISOString()
  const id = uuidv7()
  const made = { organizationId, id, email, role, name, invitedBy, at, expiresAt }
  const invitation = await invitations.create(tx, made)
  await mail(tx, organizationId, invitation, at)
  return invitation
}

/** Mails another link, for seven days from now; the earlier ones stop working. */
export async function inviteAgain(
  tx: Transaction,
  organizationId: Uuid,
  { id, email }: { id: Uuid; email: string },
  now: number,
): Promise<invitations.OpenInvitation | undefined> {
  await requireMail(tx, organizationId, email, now)
  const expiresAt = new Date(now + INVITATION_MS).toISOString()
  const renewed = await invitations.renew(tx, { organizationId, id, expiresAt })
  if (renewed) await mail(tx, organizationId, renewed, new Date(now).toISOString())
  return renewed
}

async function requireMail(
  tx: Transaction,
  organizationId: Uuid,
  email: string,
  now: number,
): Promise<void> {
  const since = new Date(now - INVITATION_WINDOW_MS).toISOString()
  const mailed = await notices.countInvitations(tx, { organizationId, email, since })
  const waitMs = invitationWaitMs(mailed, now)
  if (waitMs === 0) return
  throw new AppError('RATE_LIMITED', 'Too many invitations were mailed in the last 24 hours', {
    reason: 'too_many_invitations',
    headers: { 'retry-after': String(Math.ceil(waitMs / 1_000)) },
  })
}

const mail = (
  tx: Transaction,
  organizationId: Uuid,
  { id, generation, role, expiresAt }: invitations.OpenInvitation,
  at: string,
) =>
  notices.put(tx, {
    organizationId,
    kind: 'invitation',
    subject: id,
    period: String(generation),
    data: { invitationId: id, generation, role, expiresAt },
    at,
  })
