import { refusalOf } from '../../domain/access/ownership.ts'
import { type AppError, conflict, notFound, refuse } from '../../domain/errors.ts'
import { type PhoneReason, phoneReasonIn } from '../../domain/consent/sms-status.ts'
import { reasonOf } from '../../domain/consent/phone-consent.ts'
import { CANCELLED, keptUntil, timeProblem } from '../../domain/mails/single-mail.ts'
import { LONGEST_UNITS, MOST_PARTS, partsOf } from '../../domain/mails/text-parts.ts'
import { toUtc } from '../../domain/times.ts'
import { addressed } from '../../keys/addresses.ts'
import type { Keyring } from '../../keys/tokens.ts'
import { isUuid, type Uuid, uuidv7 } from '../../runtime/ids.ts'
import type { Text, TextAccepted, TextInput, TextLog } from '../../schemas/mails/text.ts'
import { isElsewhere } from '../../store/access/organizations.ts'
import * as phoneConsents from '../../store/consent/phone-consents.ts'
import * as namedContacts from '../../store/contacts/named-contacts.ts'
import type { Executor, Transaction } from '../../store/db/sql.ts'
import { enqueueText } from '../../store/mails/enqueue-text.ts'
import * as singleTexts from '../../store/mails/single-texts.ts'
import * as transactionalMails from '../../store/mails/transactional-mails.ts'
import { toE164 } from '../../text/phones.ts'
import { type Actor, recordAudit } from '../access/audit.ts'
import { requireAccount } from '../accounts/resolve-sender.ts'
import { openText, sealText } from './text-content.ts'

/** Reason of a text that is not sent to a number on the list. */
export const REFUSALS: Readonly<Record<PhoneReason, 'opted_out' | 'invalid_number'>> = {
  opted_out: 'opted_out',
  invalid: 'invalid_number',
}

/**
 * Accepts a text for one number. A number on the list is refused here already, which the answer
 * tells; the claim looks again. Throws a 400 for a text that cannot be sent.
 */
export async function acceptText(
  tx: Transaction,
  organizationId: Uuid,
  input: TextInput,
  { keyring, now }: { keyring: Keyring; now: number },
): Promise<TextAccepted> {
  const recipient = requirePhone('to', input.to)
  const { parts } = requireParts(input.body)
  const { scheduledFor, retainBody = true, senderId: sender } = input
  const sendAt = scheduledFor === undefined ? now : timeOf(scheduledFor, now)
  const { id: connectionId, smsEnabled } = await requireAccount(tx, organizationId, input)
  if (!smsEnabled) {
    const message = 'is an account that does not send text messages: register it with features.sms'
    refuse('cloudAccountId', message, 'sms_not_enabled')
  }
  const address = addressed(keyring, organizationId, recipient)
  const consentOf = await phoneConsents.lookUp(tx, [{ organizationId, address }])
  const contact = await namedContacts.findByPhone(tx, organizationId, recipient)
  // Contacts opted out before there was a list of numbers, and are on it from their next change.
  const listed = reasonOf(consentOf(address)) ?? phoneReasonIn(contact?.smsStatus ?? null)
  const refused = listed === undefined ? null : REFUSALS[listed]
  const id = uuidv7()
  await enqueueText(tx, {
    organizationId,
    id,
    connectionId,
    contactId: contact?.id ?? null,
    recipient,
    sender,
    parts,
    sendAt: scheduledFor === undefined ? null : new Date(sendAt).toISOString(),
    refused,
  })
  const isKept = refused === null
  const keptTime = keptUntil(Math.max(sendAt, now), retainBody)
  await transactionalMails.insertAll(tx, organizationId, [
    {
      id,
      tags: [],
      retainBody,
      sealed: isKept ? await sealText(keyring, organizationId, id, input.body) : null,
      sealedUntil: isKept ? new Date(keptTime).toISOString() : null,
    },
  ])
  return { id, parts, status: acceptedStatus(refused, sendAt > now) }
}

const acceptedStatus = (
  refused: 'opted_out' | 'invalid_number' | null,
  isLater: boolean,
): TextAccepted['status'] => {
  if (refused !== null) return refused === 'opted_out' ? 'opted_out' : 'suppressed'
  return isLater ? 'scheduled' : 'queued'
}

/** Returns a number in E.164. Throws a 400 that names the field. */
export const requirePhone = (path: string, text: string): string =>
  toE164(text) ?? refuse(path, 'must be a telephone number with its country code')

function requireParts(body: string): { parts: number } {
  const { encoding, parts, isTooLong } = partsOf(body)
  if (!isTooLong && parts <= MOST_PARTS) return { parts }
  const limit = LONGEST_UNITS[encoding]
  const why = encoding === 'gsm' ? '' : ', since it has a character that is not in the GSM alphabet'
  return refuse('body', `must have at most ${limit} characters${why}`, 'too_long')
}

function timeOf(scheduledFor: string, now: number): number {
  const utc =
    toUtc(scheduledFor) ?? refuse('scheduledFor', 'must be a time between the years 1 and 9999')
  const time = Date.parse(utc)
  const problem = timeProblem(time, now)
  return problem === undefined ? time : refuse('scheduledFor', problem)
}

/** Returns a text. Throws a 403 or 404 if the organization has none with this id. */
export async function requireText(sql: Executor, organizationId: Uuid, id: string): Promise<Text> {
  const text = isUuid(id) ? await singleTexts.find(sql, organizationId, id) : undefined
  // Texts and single mails are of one table.
  if (!text) throw refusalOf('text', await isElsewhere(sql, 'email', organizationId, id))
  return textView(text)
}

/** Returns the body of a text and audits the read. Throws a 404 if it is no longer stored. */
export async function readTextBody(
  sql: Executor,
  organizationId: Uuid,
  { id: name, keyring }: { id: string; keyring: Keyring },
  actor: Actor,
): Promise<{ body: string }> {
  const { id } = await requireText(sql, organizationId, name)
  const sealed = await transactionalMails.findSealed(sql, organizationId, id)
  const body = sealed && openText(keyring, organizationId, id, sealed)
  if (body === undefined) throw notFound('The body of this text')
  const subject = { kind: 'sms', id }
  await recordAudit(sql, organizationId, actor, { action: 'sms.read', subject })
  return { body }
}

/** Reschedules a waiting text. Throws a 409 if it no longer waits. */
export async function rescheduleText(
  tx: Transaction,
  organizationId: Uuid,
  { id: name, scheduledFor }: { id: string; scheduledFor: string },
  now: number,
): Promise<Text> {
  const time = timeOf(scheduledFor, now)
  const { id, bodyKeptUntil } = await requireText(tx, organizationId, name)
  const isMoved = await singleTexts.reschedule(tx, organizationId, id, {
    sendAt: new Date(time).toISOString(),
    sealedUntil: new Date(keptUntil(time, bodyKeptUntil !== null)).toISOString(),
  })
  const text = await requireText(tx, organizationId, id)
  if (!isMoved) throw notWaiting(text, 'rescheduled')
  return text
}

/** Cancels a waiting text and deletes its body. Throws a 409 if it no longer waits. */
export async function cancelText(tx: Transaction, organizationId: Uuid, id: string): Promise<Text> {
  const isCancelled = isUuid(id) && (await singleTexts.cancel(tx, organizationId, id))
  const text = await requireText(tx, organizationId, id)
  if (!isCancelled) throw notWaiting(text, 'cancelled')
  return text
}

const notWaiting = ({ status }: Text, action: string): AppError =>
  conflict(`A ${status} text cannot be ${action}`, { reason: 'sms_not_waiting' })

/** Lists texts as logs show them, newest first. */
export async function listTextLogs(
  sql: Executor,
  organizationId: Uuid,
  page: singleTexts.TextLogPage,
): Promise<TextLog[]> {
  const rows = await singleTexts.listLogs(sql, organizationId, page)
  return rows.map(({ state, status, sender, connectionId, claimedAt: _claimedAt, ...row }) => ({
    ...row,
    status: isOpen(state) ? 'pending' : status,
    senderId: sender,
    cloudAccountId: connectionId,
  }))
}

const isOpen = (state: singleTexts.SingleText['state']): boolean =>
  state === 'claimed' || state === 'unknown'

/** Returns a text as the API shows it. */
function textView(stored: singleTexts.SingleText): Text {
  const { state, recipient, sender, connectionId, sendAt, isDue, bodyUntil, ...rest } = stored
  const { claimedAt, ...fields } = rest
  return {
    ...fields,
    status: statusOf(stored),
    to: recipient,
    senderId: sender,
    cloudAccountId: connectionId,
    scheduledFor: state === 'queued' && !isDue ? sendAt : null,
    bodyKeptUntil: bodyUntil,
    waitingForOutcome: state === 'unknown' && claimedAt !== null ? { since: claimedAt } : null,
  }
}

function statusOf({ state, status, reason, isDue }: singleTexts.SingleText): Text['status'] {
  if (isOpen(state)) return 'pending'
  if (state === 'queued' && !isDue) return 'scheduled'
  return state === 'skipped' && reason === CANCELLED ? 'cancelled' : status
}
