import { type AppError, conflict, notFound, refuse } from '../../domain/errors.ts'
import { CANCELLED, keptUntil, timeProblem } from '../../domain/mails/single-mail.ts'
import { toUtc } from '../../domain/times.ts'
import { isUuid, type Uuid } from '../../runtime/ids.ts'
import type { Email, EmailBody } from '../../schemas/mails/email.ts'
import type { Executor, Transaction } from '../../store/db/sql.ts'
import * as transactionalMails from '../../store/mails/transactional-mails.ts'
import type { Keyring } from '../../keys/tokens.ts'
import { type Actor, recordAudit } from '../access/audit.ts'
import { missing } from '../access/ownership.ts'
import { bodyView, openContent } from '../content/mail-content.ts'

/** Returns a single mail. Throws a 403 or 404 if the organization has none with this id. */
export async function requireMail(sql: Executor, organizationId: Uuid, id: string): Promise<Email> {
  const mail = isUuid(id) ? await transactionalMails.find(sql, organizationId, id) : undefined
  if (!mail) throw await missing(sql, 'email', organizationId, id)
  return emailView(mail)
}

/** Returns the content of a mail and audits the read. Throws a 404 if it is no longer stored. */
export async function readMailBody(
  sql: Executor,
  organizationId: Uuid,
  { id: name, keyring }: { id: string; keyring: Keyring },
  actor: Actor,
): Promise<EmailBody> {
  const { id } = await requireMail(sql, organizationId, name)
  const sealed = await transactionalMails.findSealed(sql, organizationId, id)
  const content = sealed && openContent(keyring, organizationId, id, sealed)
  if (!content) throw notFound('The body of this email')
  const subject = { kind: 'email', id }
  await recordAudit(sql, organizationId, actor, { action: 'email.read', subject })
  return bodyView(content)
}

/** Reschedules a waiting mail. Throws a 409 if it no longer waits. */
export async function rescheduleMail(
  tx: Transaction,
  organizationId: Uuid,
  { id: name, scheduledFor }: { id: string; scheduledFor: string },
  { now }: Actor,
): Promise<Email> {
  const time = timeOf(scheduledFor, now)
  const { id, bodyKeptUntil } = await requireMail(tx, organizationId, name)
  const isMoved = await transactionalMails.reschedule(tx, organizationId, id, {
    sendAt: new Date(time).toISOString(),
    sealedUntil: new Date(keptUntil(time, bodyKeptUntil !== null)).toISOString(),
  })
  const mail = await requireMail(tx, organizationId, id)
  if (!isMoved) throw notWaiting(mail, 'rescheduled')
  return mail
}

/** Cancels a waiting mail and deletes its content. Throws a 409 if it no longer waits. */
export async function cancelMail(
  tx: Transaction,
  organizationId: Uuid,
  id: string,
): Promise<Email> {
  const isCancelled = isUuid(id) && (await transactionalMails.cancel(tx, organizationId, id))
  const mail = await requireMail(tx, organizationId, id)
  if (!isCancelled) throw notWaiting(mail, 'cancelled')
  return mail
}

function timeOf(scheduledFor: string, now: number): number {
  const utc =
    toUtc(scheduledFor) ?? refuse('scheduledFor', 'must be a time between the years 1 and 9999')
  const time = Date.parse(utc)
  const problem = timeProblem(time, now)
  return problem === undefined ? time : refuse('scheduledFor', problem)
}

const notWaiting = ({ status }: Email, done: string): AppError =>
  conflict(`A ${status} mail cannot be ${done}`, { reason: 'email_not_waiting' })

/** Returns a single mail as the API shows it. */
function emailView(stored: transactionalMails.TransactionalMail): Email {
  const { state, status, reason, recipient, connectionId, sendAt, isDue, bodyUntil } = stored
  const { claimedAt, ...rest } = stored
  return {
    ...rest,
    status: statusOf(state, status, { reason, isDue }),
    to: recipient,
    cloudAccountId: connectionId,
    scheduledFor: state === 'queued' && !isDue ? sendAt : null,
    bodyKeptUntil: bodyUntil,
    waitingForOutcome: state === 'unknown' && claimedAt !== null ? { since: claimedAt } : null,
  }
}

function statusOf(
  state: transactionalMails.TransactionalMail['state'],
  status: Email['status'],
  { reason, isDue }: Pick<transactionalMails.TransactionalMail, 'reason' | 'isDue'>,
): Email['status'] {
  if (state === 'claimed' || state === 'unknown') return 'pending'
  if (state === 'queued' && !isDue) return 'scheduled'
  return state === 'skipped' && reason === CANCELLED ? 'cancelled' : status
}
