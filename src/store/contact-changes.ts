import { isDeepStrictEqual } from 'node:util'
import { decideStatus } from '../domain/consent.ts'
import { mergeProperties, refuseProperties } from '../domain/properties.ts'
import { decideSmsStatus, type SmsStatus } from '../domain/sms-status.ts'
import { type EmailStatus, worse } from '../domain/status.ts'
import type { Uuid } from '../ids.ts'
import { type ContactColumns, lockOne, peekEmail, update } from './contact-statements.ts'
import {
  add,
  isHeavy,
  isListWrite,
  look,
  NO_MAIL,
  replaceTopics,
  settle,
  type WriteOptions,
  type WriteOutcome,
} from './contact-writes.ts'
import { findTaken } from './contacts.ts'
import { fire } from './flow-triggers.ts'
import { hasState, type Transaction, UNIQUE_VIOLATION } from './sql.ts'
import * as subscriptions from './subscriptions.ts'

type Plain = Omit<ContactColumns, 'emailStatus' | 'smsStatus' | 'properties'>

/**
 * What is to change: undefined stays, null is cleared. Statuses are asked for, see `decideStatus`.
 */
export type ContactChanges = { [field in keyof Plain]?: Plain[field] | undefined } & {
  properties?: Record<string, unknown> | null | undefined
  emailStatus?: EmailStatus | undefined
  smsStatus?: SmsStatus | undefined
}

export interface ChangeOptions extends Omit<WriteOptions, 'topicIds'> {
  /** `replace`: properties and topics are these and no others; `merge`: they are added. */
  mode: 'merge' | 'replace'
  /** Undefined: nothing is said about topics. */
  topicIds: readonly Uuid[] | undefined
}

const PLAIN = [
  'externalId',
  'email',
  'phone',
  'firstName',
  'lastName',
  'company',
  'jobTitle',
  'preferredChannel',
] as const

/**
 * Changes a contact. Locks the address it will have, then its row, then reads: of a change and an
 * unsubscribing at the same moment the second always knows of the first.
 */
export async function change(
  tx: Transaction,
  organizationId: Uuid,
  id: Uuid,
  changes: ContactChanges,
  options: ChangeOptions,
): Promise<WriteOutcome> {
  const { addressOf, resubscribe, requestId } = options
  const { emailStatus: asked } = changes
  const known = await peekEmail(tx, organizationId, id)
  if (!known) return { outcome: 'lost' }
  const email = changes.email === undefined ? known.email : changes.email
  const address = email === null ? null : addressOf(email)
  const writesList = isListWrite(asked, resubscribe)
  const isLooked = asked !== undefined || email !== known.email
  const listed = isLooked ? await look(tx, organizationId, address, writesList) : undefined

  const before = await lockOne(tx, organizationId, id)
  // Another address than the one that is locked.
  if (!before || before.email !== known.email) return { outcome: 'lost' }
  const draft = drafted(before, changes, options.mode)
  if (draft.email === null && draft.phone === null) {
    return { outcome: 'refused', path: 'email', message: 'or phone must remain' }
  }
  const fault = changes.properties === undefined ? undefined : refuseProperties(draft.properties)
  if (fault !== undefined) return { outcome: 'refused', path: 'properties', message: fault }

  const addressChanged = draft.email !== before.email
  const current = addressChanged ? null : before.emailStatus
  const request = { current, listed, asked, resubscribe }
  const mail = address === null ? NO_MAIL : decideStatus(request)
  if (!options.mayLift && isHeavy(request, mail)) return { outcome: 'heavy' }
  const sms = smsOf(before, draft, changes.smsStatus, resubscribe)
  const after = { ...draft, emailStatus: mail.status, smsStatus: sms.status }

  if (Object.values(changes).some((value) => value !== undefined)) {
    const isResubscribed = mail.resubscribed
    const write = () =>
      tx.savepoint((inner) =>
        update(inner, organizationId, id, before, { ...after, isResubscribed }),
      )
    const taken = await untilTaken(write, () => findTaken(tx, organizationId, draft, id))
    if (taken !== undefined) return taken
  }
  await settle(
    tx,
    organizationId,
    { id, address, writesList, before: before.emailStatus, mail },
    options,
  )
  if (!isDeepStrictEqual({ ...before }, after)) {
    const updated = { type: 'contact_updated', contactId: id } as const
    await fire(tx, organizationId, [updated], requestId)
  }
  const asking = { source: 'api', addressOf, willing: resubscribe, requestId } as const
  if (addressChanged) await subscriptions.readdress(tx, organizationId, [id], asking)
  const { topicIds } = options
  let pendingTopics: Uuid[] = []
  if (topicIds !== undefined) {
    const wishes = { ...options, topicIds }
    if (options.mode === 'replace') await replaceTopics(tx, organizationId, id, wishes)
    else pendingTopics = await add(tx, organizationId, id, wishes)
  }
  return {
    outcome: 'written',
    id,
    emailStatusKept: mail.kept,
    smsStatusKept: sms.kept,
    resubscribedFrom: mail.resubscribed ? worse(current ?? 'active', listed ?? 'active') : null,
    pendingTopics,
  }
}

/** The contact as it would be, apart from its statuses. */
function drafted(
  before: ContactColumns,
  changes: ContactChanges,
  mode: ChangeOptions['mode'],
): ContactColumns {
  const given = Object.fromEntries(
    PLAIN.flatMap((field) => (changes[field] === undefined ? [] : [[field, changes[field]]])),
  )
  return { ...before, ...given, properties: propertiesOf(before, changes.properties, mode) }
}

function propertiesOf(
  { properties }: ContactColumns,
  given: ContactChanges['properties'],
  mode: ChangeOptions['mode'],
): Record<string, unknown> {
  if (given === undefined) return properties
  if (given === null) return {}
  return mode === 'replace' ? given : mergeProperties(properties, given)
}

/** A new number begins anew; what was said of the old one was said by who has it. */
function smsOf(
  before: ContactColumns,
  draft: ContactColumns,
  asked: SmsStatus | undefined,
  resubscribe: boolean,
): { status: SmsStatus | null; kept: boolean } {
  if (draft.phone === null) return { status: null, kept: false }
  const current = draft.phone === before.phone ? before.smsStatus : null
  return decideSmsStatus({ current, asked, resubscribe })
}

/** What stands in the way of a write, which is undone then; undefined when nothing did. */
async function untilTaken(
  write: () => Promise<unknown>,
  whose: () => ReturnType<typeof findTaken>,
): Promise<WriteOutcome | undefined> {
  try {
    await write()
    return undefined
  } catch (error) {
    if (!hasState(error, UNIQUE_VIOLATION)) throw error
    const taken = await whose()
    return taken ? { outcome: 'taken', ...taken } : { outcome: 'lost' }
  }
}
