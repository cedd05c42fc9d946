import type { Addressed } from '../domain/address.ts'
import { decideStatus, type StatusDecision, type StatusRequest } from '../domain/consent.ts'
import { decideSmsStatus } from '../domain/sms-status.ts'
import type { EmailStatus } from '../domain/status.ts'
import { type Uuid, uuidv7 } from '../ids.ts'
import { insert } from './contact-statements.ts'
import { type ContactValues, findTaken, type Taken } from './contacts.ts'
import * as consent from './consent.ts'
import { fire } from './flow-triggers.ts'
import type { Transaction } from './sql.ts'
import * as subscriptions from './subscriptions.ts'
import * as suppressions from './suppressions.ts'

/** How one contact is written. */
export interface WriteOptions {
  /** How the suppression list knows an address. */
  addressOf: (email: string) => Addressed
  /** The caller vouches that the person wants mail again. */
  resubscribe: boolean
  /** Whether `resubscribe` may lift `complained` and `suppressed`. */
  mayLift: boolean
  /** Of the organization. */
  topicIds: readonly Uuid[]
  requestId?: string | undefined
}

/** A contact that was written. */
export interface Made {
  outcome: 'written'
  id: Uuid
  emailStatusKept: boolean
  smsStatusKept: boolean
  /** What the person was taken back from; null: nothing. */
  resubscribedFrom: EmailStatus | null
  /** Topics that they have still to confirm. */
  pendingTopics: Uuid[]
}

/**
 * - `taken`: another contact has a value that no two have
 * - `heavy`: would lift a complaint or suppression, which this caller may not
 * - `refused`: the contact as it would be breaks a rule
 * - `lost`: others changed what was read before the locks; nothing was written that matters: roll
 *   back and begin again
 */
export type WriteOutcome =
  | Made
  | ({ outcome: 'taken' } & Taken)
  | { outcome: 'heavy' }
  | { outcome: 'refused'; path: string; message: string }
  | { outcome: 'lost' }

const TRIES = 3

/**
 * Makes a contact. A conflict is no error of Postgres, so that the transaction it happens in lives
 * on. Locks its address before anything else.
 */
export async function create(
  tx: Transaction,
  organizationId: Uuid,
  values: ContactValues,
  options: WriteOptions,
): Promise<WriteOutcome> {
  const { email, phone, emailStatus: asked } = values
  const { resubscribe } = options
  const address = email === undefined ? null : options.addressOf(email)
  const writesList = isListWrite(asked, resubscribe)
  const listed = await look(tx, organizationId, address, writesList)
  const request = { current: null, listed, asked, resubscribe }
  const mail = address === null ? NO_MAIL : decideStatus(request)
  if (!options.mayLift && isHeavy(request, mail)) return { outcome: 'heavy' }
  const sms =
    phone === undefined
      ? null
      : decideSmsStatus({ current: null, asked: values.smsStatus ?? undefined, resubscribe })
  // Tried again when the contact that stood in the way is gone by the time it is looked for.
  for (let tries = 1; tries <= TRIES; tries++) {
    const id = uuidv7()
    const isMade = await insert(tx, organizationId, id, {
      ...values,
      emailStatus: mail.status,
      smsStatus: sms?.status ?? null,
      isResubscribed: mail.resubscribed,
    })
    if (!isMade) {
      const taken = await findTaken(tx, organizationId, values)
      if (taken) return { outcome: 'taken', ...taken }
      continue
    }
    await settle(tx, organizationId, { id, address, writesList, before: null, mail }, options)
    const created = { type: 'contact_created', contactId: id } as const
    await fire(tx, organizationId, [created], options.requestId)
    return {
      outcome: 'written',
      id,
      emailStatusKept: mail.kept,
      smsStatusKept: false,
      resubscribedFrom: mail.resubscribed ? (listed ?? null) : null,
      pendingTopics: await add(tx, organizationId, id, options),
    }
  }
  return { outcome: 'lost' }
}

/** A contact without an address has no status. */
export const NO_MAIL = { status: null, kept: false, resubscribed: false } as const
export type MailDecision = StatusDecision | typeof NO_MAIL

/** Whether writing this status can write the suppression list. */
export const isListWrite = (asked: EmailStatus | undefined, resubscribe: boolean): boolean =>
  asked !== undefined && (asked !== 'active' || resubscribe)

/** What the list says of an address, which stays locked; null has no entry. */
export async function look(
  tx: Transaction,
  organizationId: Uuid,
  address: Addressed | null,
  writesList: boolean,
): Promise<suppressions.Reason | undefined> {
  if (address === null) return undefined
  await suppressions.lock(tx, organizationId, [address], writesList ? 'update' : 'share')
  return (await suppressions.lookUp(tx, organizationId, [address]))(address)
}

/** Whether a decision takes back somebody who complained or was suppressed. */
export const isHeavy = ({ current, listed }: StatusRequest, { resubscribed }: MailDecision) =>
  resubscribed &&
  [current, listed].some((status) => status === 'suppressed' || status === 'complained')

interface Settled {
  id: Uuid
  address: Addressed | null
  /** The address is locked so that its entry may be written. */
  writesList: boolean
  before: EmailStatus | null
  mail: MailDecision
}

/** What follows from a written status: the list says the same, and the change is on record. */
export const settle = (
  tx: Transaction,
  organizationId: Uuid,
  { id, address, writesList, before, mail: { status, resubscribed } }: Settled,
  { requestId }: Pick<WriteOptions, 'requestId'>,
) =>
  consent.follow(
    tx,
    organizationId,
    // What came from the list is in the list already.
    [{ contactId: id, address: writesList ? address : null, before, status, resubscribed }],
    'api',
    requestId,
  )

/** Adds topics; answers those that have still to be confirmed. */
export async function add(
  tx: Transaction,
  organizationId: Uuid,
  contactId: Uuid,
  { topicIds, addressOf, resubscribe, requestId }: Omit<WriteOptions, 'mayLift'>,
): Promise<Uuid[]> {
  const outcomes = await subscriptions.subscribe(
    tx,
    organizationId,
    topicIds.map((topicId) => ({ contactId, topicId })),
    { source: 'api', addressOf, willing: resubscribe, requestId },
  )
  return outcomes
    .filter(({ step, status }) => status === 'pending' || step === 'limited')
    .map(({ topicId }) => topicId)
}

/** These topics and no others. The contact's row is locked first. */
export async function replaceTopics(
  tx: Transaction,
  organizationId: Uuid,
  contactId: Uuid,
  options: Omit<WriteOptions, 'mayLift'>,
): Promise<void> {
  const { topicIds, requestId } = options
  const present = await subscriptions.ofContact(tx, organizationId, contactId)
  const leaving = present.filter(
    ({ topicId, status }) => status !== 'unsubscribed' && !topicIds.includes(topicId),
  )
  await subscriptions.unsubscribe(
    tx,
    organizationId,
    leaving.map(({ topicId }) => ({ contactId, topicId })),
    { source: 'api', own: false, requestId },
  )
  await add(tx, organizationId, contactId, options)
}
