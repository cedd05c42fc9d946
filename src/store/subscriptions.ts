import type { Addressed } from '../domain/address.ts'
import {
  decideSubscription,
  type SubscriptionFacts,
  type SubscriptionStatus,
  type SubscriptionStep,
} from '../domain/subscription.ts'
import type { Uuid } from '../ids.ts'
import * as confirmationMails from './confirmation-mails.ts'
import * as consentEvents from './consent-events.ts'
import type { ConsentSource } from './consent-events.ts'
import { topicsLeft } from './execution-exits.ts'
import * as outbox from './outbox.ts'
import type { Executor, Transaction } from './sql.ts'
import * as departures from './topic-departures.ts'

/** A contact and a topic of the organization. */
export interface Pair {
  contactId: Uuid
  topicId: Uuid
}

export interface SubscribeOptions {
  source: ConsentSource
  /** How an address is known where confirmation mails are counted. */
  addressOf: (email: string) => Addressed
  /** The person asks themselves, or the caller vouches that they want it again. */
  willing?: boolean
  /** The contacts are many, as a tool sends them every night: nobody is asked again for it. */
  inSet?: boolean
  /** The cohort workflow that asks for these confirmations instead of one workflow each. */
  cohort?: Uuid
  requestId?: string | undefined
}

export interface Outcome extends Pair {
  step: SubscriptionStep
  /** Where they stand now; null: nowhere, a confirmation mail was not allowed. */
  status: SubscriptionStatus | null
}

interface Row extends Pair {
  email: string | null
  emailStatus: string | null
  emailLeftAt: string | null
  doubleOptIn: boolean
  status: SubscriptionStatus | null
  generation: number | null
  cohort: Uuid | null
  confirmedAt: string | null
  leftAt: string | null
  mailedAt: string | null
  now: string
}

/**
 * Subscribes contacts to topics, in a handful of statements whatever their number: at once, or
 * after a confirmation where the topic wants one. Contacts and topics that do not exist are left
 * out.
 */
export async function subscribe(
  tx: Transaction,
  organizationId: Uuid,
  pairs: readonly Pair[],
  options: SubscribeOptions,
): Promise<Outcome[]> {
  if (pairs.length === 0) return []
  const rows = await lockPairs(tx, organizationId, pairs)
  const addresses = new Map(
    rows.flatMap(({ email }) =>
      email === null ? [] : [[email, options.addressOf(email)] as const],
    ),
  )
  const asking = rows.filter(({ doubleOptIn, status }) => doubleOptIn && status !== 'subscribed')
  const mailed = await confirmationMails.countToday(
    tx,
    organizationId,
    asking.flatMap(({ email }) => addresses.get(email ?? '') ?? []),
  )
  const departed = await departures.lookUp(
    tx,
    organizationId,
    rows.filter(({ status }) => status === null).flatMap((row) => withAddress(row, addresses)),
  )
  const decided = rows.map((row) => {
    const address = addresses.get(row.email ?? '')
    const leftAt = address ? departed({ topicId: row.topicId, address }) : null
    const step = decideSubscription({
      ...facts({ ...row, leftAt: row.leftAt ?? leftAt }),
      mailsToday: address ? mailed.get(address) : 0,
      willing: options.willing ?? false,
      inSet: options.inSet ?? false,
    })
    if (step === 'ask' && address) mailed.add(address)
    return { row, step, address }
  })
  const subscribed = decided.filter(({ step }) => step === 'subscribe').map(({ row }) => row)
  const asked = decided.flatMap(({ row, step, address }) =>
    step === 'ask' && address ? [{ row, address }] : [],
  )
  await write(tx, organizationId, subscribed, 'subscribed')
  if (options.willing === true) {
    const returned = subscribed.flatMap((row) => withAddress(row, addresses))
    await departures.forget(tx, organizationId, returned)
  }
  await ask(tx, organizationId, asked, options)
  const happened = consentEvents.ofTopics(subscribed, 'subscribed', options.source)
  await consentEvents.record(tx, organizationId, happened, options.requestId)
  return decided.map(({ row: { contactId, topicId, status }, step }) => ({
    contactId,
    topicId,
    step,
    status: step === 'subscribe' ? 'subscribed' : step === 'ask' ? 'pending' : status,
  }))
}

/** A pair with its contact's address; none when it has no address. */
function withAddress(
  { topicId, email }: Row,
  addresses: ReadonlyMap<string, Addressed>,
): departures.Departure[] {
  const address = addresses.get(email ?? '')
  return address ? [{ topicId, address }] : []
}

interface LeaveOptions {
  source: ConsentSource
  /** The person themselves: what they confirmed before is void, and no tool takes them back. */
  own: boolean
  /** With it their address is remembered as well: who is deleted and comes back has left still. */
  addressOf?: (email: string) => Addressed
  requestId?: string | undefined
}

/** Ends subscriptions. Answers those that were subscribed until now. */
export async function unsubscribe(
  tx: Transaction,
  organizationId: Uuid,
  pairs: readonly Pair[],
  options: LeaveOptions,
): Promise<Pair[]> {
  if (pairs.length === 0) return []
  const rows = await lockPairs(tx, organizationId, pairs)
  return end(tx, organizationId, rows, options)
}

/** Ends all subscriptions of contacts whose rows are locked. */
export async function unsubscribeAll(
  tx: Transaction,
  organizationId: Uuid,
  contactIds: readonly Uuid[],
  options: LeaveOptions,
): Promise<Pair[]> {
  if (contactIds.length === 0) return []
  const pairs = await tx<Pair[]>`
    select contact_id, topic_id
    from subscriptions
    where organization_id = ${organizationId} and contact_id = any(${[...contactIds]}::uuid[])`
  return unsubscribe(tx, organizationId, pairs, options)
}

/**
 * Contacts that have another address now: what was confirmed was confirmed by somebody else's
 * mailbox. Topics with double opt-in go back to `pending` and the new address is asked.
 */
export async function readdress(
  tx: Transaction,
  organizationId: Uuid,
  contactIds: readonly Uuid[],
  options: SubscribeOptions,
): Promise<void> {
  if (contactIds.length === 0) return
  const pairs = await tx<Pair[]>`
    update subscriptions
    set confirmed_at = null
    where organization_id = ${organizationId} and contact_id = any(${[...contactIds]}::uuid[])
    returning contact_id, topic_id`
  const rows = await lockPairs(tx, organizationId, pairs)
  const open = rows.filter(({ doubleOptIn, status }) => doubleOptIn && status !== 'unsubscribed')
  const addressed = open.flatMap((row) =>
    row.email !== null && facts(row).mailable
      ? [{ row, address: options.addressOf(row.email) }]
      : [],
  )
  const mailed = await confirmationMails.countToday(
    tx,
    organizationId,
    addressed.map(({ address }) => address),
  )
  const asked = addressed.filter(({ address }) => mailed.takeOne(address))
  const silent = open.filter((row) => !asked.some((each) => each.row === row))
  // Over the day's limit, or without an address, nobody is mailed now, and nobody who did not
  // confirm is subscribed either: the reminder asks, or after thirty days it is over.
  await write(tx, organizationId, silent, 'pending', { mails: 1 })
  await outbox.putAll(
    tx,
    organizationId,
    [...superseded(silent), ...starting(silent)],
    options.requestId,
  )
  await ask(tx, organizationId, asked, options)
}

/** Topics of one contact, as a contact carries them. */
export const ofContact = (sql: Executor, organizationId: Uuid, contactId: Uuid) => sql<
  {
    topicId: Uuid
    topicSlug: string
    topicName: string
    status: SubscriptionStatus
    subscribedAt: string | null
  }[]
>`
  select s.topic_id, t.slug as topic_slug, t.name as topic_name, s.status, s.subscribed_at
  from subscriptions s
  join topics t on t.organization_id = s.organization_id and t.id = s.topic_id
  where s.organization_id = ${organizationId} and s.contact_id = ${contactId}
  order by s.topic_id`

/** Facts of each pair, with the contacts locked in the order of their ids. */
async function lockPairs(
  tx: Transaction,
  organizationId: Uuid,
  pairs: readonly Pair[],
): Promise<Row[]> {
  if (pairs.length === 0) return []
  // Statements of their own: what the second one sees is as new as the lock.
  await tx`
    select id
    from contacts
    where organization_id = ${organizationId}
      and id = any(${[...new Set(pairs.map(({ contactId }) => contactId))]}::uuid[])
    order by id
    for no key update`
  return tx<Row[]>`
    select wanted.contact_id, wanted.topic_id, c.email, c.email_status, c.email_left_at,
      t.double_opt_in, s.status, s.generation, s.cohort, s.confirmed_at, s.left_at, s.mailed_at,
      clock_timestamp()::timestamptz(3) as now
    from (
      select distinct contact_id, topic_id
      from unnest(
        ${pairs.map(({ contactId }) => contactId)}::uuid[],
        ${pairs.map(({ topicId }) => topicId)}::uuid[]
      ) as pair (contact_id, topic_id)
    ) wanted
    join contacts c on c.organization_id = ${organizationId} and c.id = wanted.contact_id
    join topics t on t.organization_id = ${organizationId} and t.id = wanted.topic_id
    left join subscriptions s on s.organization_id = ${organizationId}
      and s.contact_id = wanted.contact_id and s.topic_id = wanted.topic_id
    order by wanted.contact_id, wanted.topic_id`
}

const at = (time: string | null): number | null => (time === null ? null : Date.parse(time))

const facts = (row: Row): Omit<SubscriptionFacts, 'mailsToday' | 'willing' | 'inSet'> => ({
  doubleOptIn: row.doubleOptIn,
  status: row.status,
  confirmedAt: at(row.confirmedAt),
  leftAt: at(row.leftAt),
  leftAllAt: at(row.emailLeftAt),
  mailedAt: at(row.mailedAt),
  mailable: row.email !== null && ['active', 'unsubscribed'].includes(row.emailStatus ?? ''),
  now: Date.parse(row.now),
})

/** `pending`, with the mail that asks, and the workflow that reminds and gives up. */
async function ask(
  tx: Transaction,
  organizationId: Uuid,
  asked: readonly { row: Row; address: Addressed }[],
  { source, cohort, requestId }: SubscribeOptions,
): Promise<void> {
  const rows = asked.map(({ row }) => row)
  await write(tx, organizationId, rows, 'pending', { isMailed: true, cohort })
  await confirmationMails.record(
    tx,
    organizationId,
    asked.map(({ address }) => address),
  )
  await outbox.putAll(
    tx,
    organizationId,
    [...superseded(rows), ...(cohort === undefined ? starting(rows) : [])],
    requestId,
  )
  const happened = consentEvents.ofTopics(rows, 'requested', source)
  await consentEvents.record(tx, organizationId, happened, requestId)
}

/** The workflows that wait for confirmations which are awaited from now on. */
const starting = (rows: readonly Row[]) =>
  rows.map(({ contactId, topicId, generation }) => ({
    kind: 'start_confirmation' as const,
    payload: { contactId, topicId, generation: (generation ?? 0) + 1 },
  }))

/** The workflows that waited for confirmations which are no longer awaited. */
const superseded = (rows: readonly Row[]) =>
  rows.flatMap(({ contactId, topicId, status, generation, cohort }) =>
    status === 'pending' && generation !== null && cohort === null
      ? [{ kind: 'end_confirmation' as const, payload: { contactId, topicId, generation } }]
      : [],
  )

async function end(
  tx: Transaction,
  organizationId: Uuid,
  rows: readonly Row[],
  { source, own, addressOf, requestId }: LeaveOptions,
): Promise<Pair[]> {
  const ending = rows.filter(({ status }) => status === 'subscribed' || status === 'pending')
  await write(tx, organizationId, ending, 'unsubscribed')
  if (own) await markLeft(tx, organizationId, rows)
  if (own && addressOf) {
    const left = rows.flatMap(({ topicId, email }) =>
      email === null ? [] : [{ topicId, address: addressOf(email) }],
    )
    await departures.record(tx, organizationId, left)
  }
  await outbox.putAll(tx, organizationId, superseded(ending), requestId)
  await topicsLeft(tx, organizationId, ending, requestId)
  const left = ending
    .filter(({ status }) => status === 'subscribed')
    .map(({ contactId, topicId }) => ({ contactId, topicId }))
  const happened = consentEvents.ofTopics(left, 'unsubscribed', source)
  await consentEvents.record(tx, organizationId, happened, requestId)
  return left
}

interface Asking {
  /** The first mail is decided now. */
  isMailed?: boolean
  /** Mails that are not to be made any more: 1 begins with the reminder. */
  mails?: 0 | 1
  cohort?: Uuid | undefined
}

/** A new status and a new generation; the contacts are locked, so nobody else writes these rows. */
async function write(
  tx: Transaction,
  organizationId: Uuid,
  rows: readonly Row[],
  status: SubscriptionStatus,
  { isMailed = false, mails = 0, cohort }: Asking = {},
): Promise<void> {
  if (rows.length === 0) return
  await tx`
    insert into subscriptions as s (organization_id, contact_id, topic_id, status, cohort,
      requested_at, mailed_at, subscribed_at)
    select ${organizationId}, contact_id, topic_id, ${status}, ${cohort ?? null}::uuid,
      case when ${status} = 'pending' then clock_timestamp() end,
      case when ${isMailed} then clock_timestamp() end,
      case when ${status} = 'subscribed' then clock_timestamp() end
    from unnest(
      ${rows.map(({ contactId }) => contactId)}::uuid[],
      ${rows.map(({ topicId }) => topicId)}::uuid[]
    ) as row (contact_id, topic_id)
    order by contact_id, topic_id
    on conflict (organization_id, contact_id, topic_id) do update
    set status = excluded.status,
      generation = s.generation + 1,
      cohort = excluded.cohort,
      requested_at = coalesce(excluded.requested_at, s.requested_at),
      mailed_at = coalesce(excluded.mailed_at, s.mailed_at),
      mails = ${mails},
      mail_id = null,
      subscribed_at = coalesce(excluded.subscribed_at, s.subscribed_at),
      left_at = case when excluded.status = 'subscribed' then null else s.left_at end,
      updated_at = greatest(s.updated_at, clock_timestamp())`
}

/** The person's own word: remembered also where they were not subscribed. */
const markLeft = (tx: Transaction, organizationId: Uuid, rows: readonly Row[]) => tx`
  insert into subscriptions as s (organization_id, contact_id, topic_id, status, left_at)
  select ${organizationId}, contact_id, topic_id, 'unsubscribed', clock_timestamp()
  from unnest(
    ${rows.map(({ contactId }) => contactId)}::uuid[],
    ${rows.map(({ topicId }) => topicId)}::uuid[]
  ) as row (contact_id, topic_id)
  order by contact_id, topic_id
  on conflict (organization_id, contact_id, topic_id) do update
  set left_at = excluded.left_at`
