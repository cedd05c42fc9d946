import { SESSION_IDLE_MS, SESSION_MOST_MS } from '../../domain/access/login.ts'
import { conflict } from '../../domain/errors.ts'
import { isUuid, type Uuid, uuidv7 } from '../../runtime/ids.ts'
import * as sessions from '../../store/access/sessions.ts'
import type { Transaction } from '../../store/db/sql.ts'
import { newSessionToken } from '../../keys/tokens.ts'
import { type Actor, recordAudit, timeOf } from './audit.ts'

/** A signed-in person. Only they have sessions. */
export type PersonalActor = Actor & { identity: { kind: 'user'; id: Uuid } }

export interface NewSession {
  token: string
  expiresAt: string
}

interface Login {
  passwordHash: string
  /** Keyed hash of the address, under which failures are counted. */
  account: Buffer
}

/**
 * Opens a session and forgets the failures of the address. Undefined: the password was changed
 * meanwhile, or the person is no longer a member.
 */
export async function openSession(
  tx: Transaction,
  organizationId: Uuid,
  { passwordHash, account }: Login,
  actor: PersonalActor,
): Promise<NewSession | undefined> {
  const { token, hash } = newSessionToken()
  const id = uuidv7()
  const expiresAt = new Date(actor.now + SESSION_MOST_MS).toISOString()
  const isOpen = await sessions.open(tx, {
    userId: actor.identity.id,
    organizationId,
    passwordHash,
    id,
    hash,
    at: timeOf(actor),
    expiresAt,
    idleSince: new Date(actor.now - SESSION_IDLE_MS).toISOString(),
  })
  if (!isOpen) return undefined
  await sessions.forgetFailures(tx, account)
  await recordLogin(tx, organizationId, id, actor)
  return { token, expiresAt }
}

/**
 * Ends a session and opens one for the same person in another organization, with the same expiry.
 * Throws a 409 if the session has ended meanwhile.
 */
export async function switchSession(
  tx: Transaction,
  organizationId: Uuid,
  from: Uuid,
  actor: PersonalActor,
): Promise<NewSession> {
  const { token, hash } = newSessionToken()
  const id = uuidv7()
  const change = { from, organizationId, id, hash, at: timeOf(actor) }
  const expiresAt = await sessions.switchTo(tx, change)
  if (expiresAt === undefined) throw conflict('This session has ended')
  // The audit must not tell that the person comes from another organization.
  await recordLogin(tx, organizationId, id, actor)
  return { token, expiresAt }
}

/**
 * Ends one of the person's sessions in any organization. Returns false if there is no such live
 * session. Each organization's audit has its own sessions only.
 */
export async function endSession(
  tx: Transaction,
  organizationId: Uuid,
  id: string,
  actor: PersonalActor,
): Promise<boolean> {
  if (!isUuid(id)) return false
  const userId = actor.identity.id
  const at = timeOf(actor)
  if ((await sessions.end(tx, userId, { at, only: id })) === 0) return false
  if ((await sessions.countEnded(tx, { organizationId, userId, at, only: id })) > 0) {
    const subject = { kind: 'session', id }
    await recordAudit(tx, organizationId, actor, { action: 'session.ended', subject })
  }
  return true
}

/** Ends all other sessions of the person in every organization. Returns their number. */
export async function endOtherSessions(
  tx: Transaction,
  organizationId: Uuid,
  keep: Uuid,
  actor: PersonalActor,
): Promise<number> {
  const userId = actor.identity.id
  const at = timeOf(actor)
  const endedCount = await sessions.end(tx, userId, { at, keep })
  const count = await sessions.countEnded(tx, { organizationId, userId, at })
  if (count === 0) return endedCount
  await recordAudit(tx, organizationId, actor, {
    action: 'session.ended',
    subject: { kind: 'user', id: userId },
    detail: { count },
  })
  return endedCount
}

interface PasswordChange {
  verifiedHash: string
  newHash: string
  keep: Uuid
}

/**
 * Changes the person's password and ends their other sessions. Throws a 409 if it was changed
 * meanwhile.
 */
export async function changePassword(
  tx: Transaction,
  organizationId: Uuid,
  { verifiedHash, newHash, keep }: PasswordChange,
  actor: PersonalActor,
): Promise<void> {
  const userId = actor.identity.id
  const change = { userId, verifiedHash, newHash, keep, at: timeOf(actor) }
  if (!(await sessions.changePassword(tx, change))) {
    throw conflict('The password was changed in the meantime. Log in again.')
  }
  const subject = { kind: 'user', id: userId }
  await recordAudit(tx, organizationId, actor, { action: 'password.changed', subject })
}

const recordLogin = (tx: Transaction, organizationId: Uuid, id: Uuid, actor: PersonalActor) =>
  recordAudit(tx, organizationId, actor, {
    action: 'login.succeeded',
    subject: { kind: 'session', id },
  })
