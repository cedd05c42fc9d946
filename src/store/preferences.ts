import type { Addressed } from '../domain/address.ts'
import type { EmailStatus } from '../domain/status.ts'
import type { SubscriptionStatus, SubscriptionStep } from '../domain/subscription.ts'
import type { Uuid } from '../ids.ts'
import { type Executor, type Sql, type Transaction, transact } from './sql.ts'
import * as subscriptions from './subscriptions.ts'
import * as suppressions from './suppressions.ts'
import { takeBack } from './taking-back.ts'

/** Topics that a page shows. */
const MOST_SHOWN = 500
/** Tries when the contact gets another address while it chooses. */
const MOST_TRIES = 5
const MAY_ADD: readonly (EmailStatus | null)[] = ['active', 'unsubscribed']

/** A topic that people may see, and where one contact stands with it; null: nowhere. */
export interface Preference {
  topicId: Uuid
  name: string
  description: string | null
  status: SubscriptionStatus | null
}

/** The public topics in the order of their names. */
export const list = (sql: Executor, organizationId: Uuid, contactId: Uuid) => sql<Preference[]>`
  select t.id as topic_id, t.name, t.description, s.status
  from topics t
  left join subscriptions s on s.organization_id = t.organization_id and s.topic_id = t.id
    and s.contact_id = ${contactId}
  where t.organization_id = ${organizationId} and t.public
  order by t.name, t.id
  limit ${MOST_SHOWN}`

interface Person {
  email: string | null
  emailStatus: EmailStatus | null
}

export async function findPerson(
  sql: Executor,
  organizationId: Uuid,
  contactId: Uuid,
): Promise<Person | undefined> {
  const [person] = await sql<Person[]>`
    select email, email_status
    from contacts
    where organization_id = ${organizationId} and id = ${contactId}`
  return person
}

/** Whether somebody with this status may be given topics by a page of their own. */
export const mayAdd = (status: EmailStatus | null): boolean => MAY_ADD.includes(status)

export interface Choice {
  contactId: Uuid
  /** The address that was mailed. */
  mailed: Addressed
  addressOf: (email: string) => Addressed
  /** The public topics that the person wants from now on; others are not known here. */
  wanted: readonly string[]
  requestId?: string | undefined
  /** ISO 8601, of the audit. */
  at: string
}

/** What became of a choice: names of topics. */
export interface Chosen {
  left: string[]
  subscribed: string[]
  /** A confirmation was mailed, and counts once it is confirmed. */
  asked: string[]
  /** Was not added: the day's confirmation mails are used up. */
  limited: string[]
  /** Was not added: the address is not the contact's any more, or takes no mail. */
  refused: string[]
}

/**
 * Sets the public topics of a contact to what the person chose by their preferences link. Taking
 * away is always possible; adding only while the address that was mailed is the contact's and is
 * mailable, since a mail may have been handed on.
 *
 * Who left all mail and chooses a topic here that asks for no confirmation is back: it is their own
 * word, as good as the one by which they left. Where a confirmation is asked for only that counts.
 */
export async function choose(sql: Sql, organizationId: Uuid, choice: Choice): Promise<Chosen> {
  for (let attempt = 1; ; attempt++) {
    const { email } = (await findPerson(sql, organizationId, choice.contactId)) ?? { email: null }
    const chosen = await transact(sql, (tx) => chooseAs(tx, organizationId, choice, email))
    if (chosen !== undefined) return chosen
    if (attempt === MOST_TRIES) throw new Error('the contact gets one address after the other')
  }
}

/** Undefined, with nothing done, when the contact's address is not `email` any more. */
async function chooseAs(
  tx: Transaction,
  organizationId: Uuid,
  choice: Choice,
  email: string | null,
): Promise<Chosen | undefined> {
  const { contactId, mailed, addressOf, wanted, requestId } = choice
  const own = email === null ? null : addressOf(email)
  const addresses = own === null ? [] : [own]
  await suppressions.lock(tx, organizationId, addresses, 'update')
  const person = await lockPerson(tx, organizationId, contactId)
  if ((person?.email ?? null) !== email) return undefined

  const topics = await list(tx, organizationId, contactId)
  const has = ({ status }: Preference) => status === 'subscribed' || status === 'pending'
  const leaving = topics.filter((topic) => has(topic) && !wanted.includes(topic.topicId))
  const adding = topics.filter((topic) => !has(topic) && wanted.includes(topic.topicId))
  const pairs = (of: readonly Preference[]) => of.map(({ topicId }) => ({ contactId, topicId }))
  const options = { source: 'preferences', own: true, addressOf, requestId } as const
  await subscriptions.unsubscribe(tx, organizationId, pairs(leaving), options)

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
  const named = (...steps: SubscriptionStep[]): string[] => {
    const ids = outcomes.filter(({ step }) => steps.includes(step)).map(({ topicId }) => topicId)
    return adding.filter(({ topicId }) => ids.includes(topicId)).map(({ name }) => name)
  }
  const subscribed = named('subscribe')
  if (subscribed.length > 0 && own !== null) {
    const { at } = choice
    const back = { contactId, address: own, source: 'preferences', requestId, at } as const
    await takeBack(tx, organizationId, back)
  }
  return {
    left: leaving.map(({ name }) => name),
    subscribed,
    asked: named('ask'),
    limited: named('limited', 'kept', 'none'),
    refused: allowed ? [] : adding.map(({ name }) => name),
  }
}

async function lockPerson(
  tx: Transaction,
  organizationId: Uuid,
  contactId: Uuid,
): Promise<Person | undefined> {
  const [person] = await tx<Person[]>`
    select email, email_status
    from contacts
    where organization_id = ${organizationId} and id = ${contactId}
    for no key update`
  return person
}
