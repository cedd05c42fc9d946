import type { Addressed } from '../../domain/address.ts'
import type { SubscriptionStep } from '../../domain/consent/subscription.ts'
import type { EmailStatus } from '../../domain/status.ts'
import type { Uuid } from '../../runtime/ids.ts'
import * as mailUnsubscribes from '../../store/consent/mail-unsubscribes.ts'
import * as contactStatuses from '../../store/consent/contact-statuses.ts'
import * as suppressions from '../../store/consent/suppressions.ts'
import * as topics from '../../store/consent/topics.ts'
import type { PublicTopic } from '../../store/consent/topics.ts'
import { type Executor, type Sql, type Transaction, transact } from '../../store/db/sql.ts'
import * as phoneConsent from './phone-consent.ts'
import { resubscribe } from './resubscribe.ts'
import * as subscriptions from './subscriptions.ts'

const MOST_SHOWN = 500
const MOST_TRIES = 5
const MAY_ADD: readonly (EmailStatus | null)[] = ['active', 'unsubscribed']

export const list = (sql: Executor, organizationId: Uuid, contactId: Uuid) =>
  topics.listPublic(sql, organizationId, { contactId, limit: MOST_SHOWN })

/** Returns whether a person with this status may add topics by their preferences link. */
export const mayAdd = (status: EmailStatus | null): boolean => MAY_ADD.includes(status)

export interface Choice {
  contactId: Uuid
  mailed: Addressed
  /** The batch or single mail that contained the link. Unsubscribing counts for it. */
  batchId?: Uuid | undefined
  mailId?: Uuid | undefined
  addressOf: (email: string) => Addressed
  wantedTopicIds: readonly string[]
  requestId?: string | undefined
  /** ISO 8601, for the audit. */
  at: string
}

export interface Chosen {
  unsubscribed: string[]
  subscribed: string[]
  /** A confirmation email was sent. The person is subscribed after confirming it. */
  asked: string[]
  /** Not added: the day's confirmation emails are used up. */
  limited: string[]
  /** Not added: the contact's address has changed, or the address takes no mail. */
  refused: string[]
}

/**
 * Sets the public topics of a contact to the person's choice on their preferences page. Topics can
 * always be removed. They can be added only if the mailed address is still the contact's and is
 * mailable, since an email may have been forwarded.
 *
 * A person who unsubscribed from all mail and chooses a topic without double opt-in is
 * resubscribed, as both are their own decision. With double opt-in the confirmation does that.
 */
export async function choose(sql: Sql, organizationId: Uuid, choice: Choice): Promise<Chosen> {
  for (let attempt = 1; ; attempt++) {
    const { email } = (await contactStatuses.find(sql, organizationId, choice.contactId)) ?? {
      email: null,
    }
    const chosen = await transact(sql, (tx) => chooseAs(tx, organizationId, choice, email))
    if (chosen !== undefined) return chosen
    if (attempt === MOST_TRIES)
      throw new Error('the address of the contact changed during each try')
  }
}

async function chooseAs(
  tx: Transaction,
  organizationId: Uuid,
  choice: Choice,
  email: string | null,
): Promise<Chosen | undefined> {
  const { contactId, mailed, addressOf, wantedTopicIds, requestId } = choice
  const mail = await mailUnsubscribes.lockMail(tx, organizationId, choice)
  const own = email === null ? null : addressOf(email)
  const addresses = own === null ? [] : [own]
  await suppressions.lock(tx, organizationId, addresses, 'update')
  const person = await contactStatuses.lock(tx, organizationId, contactId)
  if ((person?.email ?? null) !== email) return undefined

  const shownTopics = await list(tx, organizationId, contactId)
  const has = ({ status }: PublicTopic) => status === 'subscribed' || status === 'pending'
  const removing = shownTopics.filter(
    (topic) => has(topic) && !wantedTopicIds.includes(topic.topicId),
  )
  const adding = shownTopics.filter(
    (topic) => !has(topic) && wantedTopicIds.includes(topic.topicId),
  )
  const pairs = (of: readonly PublicTopic[]) => of.map(({ topicId }) => ({ contactId, topicId }))
  const options = { source: 'preferences', own: true, addressOf, requestId } as const
  const ended = await subscriptions.unsubscribe(tx, organizationId, pairs(removing), options)

  const listed = (await suppressions.lookUp(tx, organizationId, addresses))(own ?? mailed)
  const isTheirs = own !== null && own.keys[0].key === mailed.keys[0].key
  const allowed =
    isTheirs &&
    mayAdd(person?.emailStatus ?? null) &&
    mayAdd(listed ?? 'active') &&
    adding.length > 0
  const outcomes = allowed
    ? await subscriptions.subscribe(tx, organizationId, pairs(adding), {
        source: 'preferences',
        addressOf,
        willing: true,
        requestId,
      })
    : []
  const namesOf = (...steps: SubscriptionStep[]): string[] => {
    const ids = outcomes.filter(({ step }) => steps.includes(step)).map(({ topicId }) => topicId)
    return adding.filter(({ topicId }) => ids.includes(topicId)).map(({ name }) => name)
  }
  const subscribed = namesOf('subscribe')
  if (subscribed.length > 0 && own !== null) {
    const { at } = choice
    const resubscription = {
      contactId,
      address: own,
      source: 'preferences',
      requestId,
      at,
    } as const
    await resubscribe(tx, organizationId, resubscription)
  }
  if (ended.length > 0 && mail) await mailUnsubscribes.markMail(tx, organizationId, mail)
  return {
    unsubscribed: removing.map(({ name }) => name),
    subscribed,
    asked: namesOf('ask'),
    limited: namesOf('limited', 'kept', 'none'),
    refused: allowed ? [] : adding.map(({ name }) => name),
  }
}

export interface TextsChoice {
  contactId: Uuid
  mailed: Addressed
  addressOf: (text: string) => Addressed
  wantsTexts: boolean
}

/**
 * Opts a contact's number in or out of text messages, by the link in a mail. Out is always
 * possible; in only if the mailed address is still the contact's, since an email may have been
 * forwarded. Returns the number; null: nothing was changed.
 */
export async function chooseTexts(
  sql: Sql,
  organizationId: Uuid,
  { contactId, mailed, addressOf, wantsTexts }: TextsChoice,
): Promise<string | null> {
  for (let attempt = 1; attempt <= MOST_TRIES; attempt++) {
    const { phone } = (await contactStatuses.find(sql, organizationId, contactId)) ?? NOBODY
    if (phone === null) return null
    const chosen = await transact(sql, async (tx) => {
      await suppressions.lock(tx, organizationId, [addressOf(phone)], 'update')
      const person = await contactStatuses.lock(tx, organizationId, contactId)
      if (person?.phone !== phone) return undefined
      const isTheirs =
        person.email !== null && addressOf(person.email).keys[0].key === mailed.keys[0].key
      if (wantsTexts && (!isTheirs || person.smsStatus === 'invalid')) return null
      const status = wantsTexts ? 'opted_in' : 'opted_out'
      await phoneConsent.writeChoice(tx, organizationId, addressOf(phone), status)
      return phone
    })
    if (chosen !== undefined) return chosen
  }
  throw new Error('the number of the contact changed during each try')
}

const NOBODY = { phone: null }
