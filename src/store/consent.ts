import type { Addressed } from '../domain/address.ts'
import { EMAIL_STATUSES, type EmailStatus, worse } from '../domain/status.ts'
import { span, type Uuid } from '../ids.ts'
import * as consentEvents from './consent-events.ts'
import type { Transaction } from './sql.ts'
import * as subscriptions from './subscriptions.ts'
import * as suppressions from './suppressions.ts'

export interface Raise {
  address: Addressed
  status: suppressions.Reason
  source: suppressions.EntrySource
  /** The person themselves asked for it, by a link. */
  own?: boolean
  /** Of a delivery event: one from before a resubscription says nothing any more. ISO 8601. */
  occurredAt?: string
}

/** A contact whose status changed. */
export interface Raised {
  contactId: Uuid
  email: string
  before: EmailStatus | null
  status: EmailStatus
}

/**
 * Writes addresses to the suppression list and, in the same transaction, raises the contacts that
 * have them: `active < unsubscribed < bounced < suppressed < complained`, never down, so that any
 * order of arrival gives the same result. Who becomes `unsubscribed` leaves all topics.
 *
 * Locks the addresses, then the contacts: call it after any message is locked, before any contact.
 */
export async function raise(
  tx: Transaction,
  organizationId: Uuid,
  raises: readonly Raise[],
  requestId?: string,
): Promise<Raised[]> {
  if (raises.length === 0) return []
  await suppressions.lock(
    tx,
    organizationId,
    raises.map(({ address }) => address),
    'update',
  )
  const holders = await lockHolders(tx, organizationId, raises)
  const valid = raises.filter(({ address, occurredAt }) => {
    const resubscribedAt = holders.get(address.email ?? '')?.resubscribedAt ?? null
    return occurredAt === undefined || resubscribedAt === null || occurredAt > resubscribedAt
  })
  await suppressions.put(
    tx,
    organizationId,
    valid.map(({ address, status, source }) => ({ address, reason: status, source })),
  )
  const worst = new Map<Uuid, Raised & { source: suppressions.EntrySource; own: boolean }>()
  for (const { address, status, source, own = false } of valid) {
    const holder = holders.get(address.email ?? '')
    if (holder === undefined) continue
    const known = worst.get(holder.id)
    worst.set(holder.id, {
      contactId: holder.id,
      email: holder.email,
      before: holder.emailStatus,
      status: worse(known?.status ?? holder.emailStatus ?? 'active', status),
      source,
      own: own || (known?.own ?? false),
    })
  }
  const changed = [...worst.values()].filter(({ before, status }) => before !== status)
  await writeStatuses(tx, organizationId, changed)
  const own = [...worst.values()].filter((each) => each.own).map(({ contactId }) => contactId)
  await markLeft(tx, organizationId, own)
  await subscriptions.unsubscribeAll(tx, organizationId, own, {
    source: 'link',
    own: true,
    requestId,
  })
  const others = changed.filter((each) => each.status === 'unsubscribed' && !each.own)
  await subscriptions.unsubscribeAll(
    tx,
    organizationId,
    others.map(({ contactId }) => contactId),
    { source: 'api', own: false, requestId },
  )
  await consentEvents.record(
    tx,
    organizationId,
    changed.map(({ contactId, status, source }) => ({ contactId, kind: kindOf(status), source })),
    requestId,
  )
  return changed.map(({ contactId, email, before, status }) => ({
    contactId,
    email,
    before,
    status,
  }))
}

/** A status that a caller wrote into a contact. */
export interface Written {
  contactId: Uuid
  /** Null: a contact without an address has no status. */
  address: Addressed | null
  before: EmailStatus | null
  status: EmailStatus | null
  resubscribed: boolean
}

/**
 * What follows from statuses that were written into contacts: the list says the same, who became
 * `unsubscribed` leaves all topics, and the change is on record. The addresses are locked for
 * `update` wherever a status above `active` or a resubscription is written.
 */
export async function follow(
  tx: Transaction,
  organizationId: Uuid,
  written: readonly Written[],
  source: 'api' | 'import',
  requestId?: string,
): Promise<void> {
  const back = written.filter(({ resubscribed }) => resubscribed)
  await suppressions.remove(
    tx,
    organizationId,
    back.flatMap(({ address }) => address ?? []),
  )
  await suppressions.put(
    tx,
    organizationId,
    written.flatMap(({ address, status }) =>
      address !== null && status !== null && status !== 'active'
        ? [{ address, reason: status, source }]
        : [],
    ),
  )
  const worse = written.filter(({ before, status }) => status !== null && before !== status)
  await subscriptions.unsubscribeAll(
    tx,
    organizationId,
    worse.filter(({ status }) => status === 'unsubscribed').map(({ contactId }) => contactId),
    { source, own: false, requestId },
  )
  const events = [
    ...back.map(({ contactId }) => ({ contactId, kind: 'resubscribed' as const, source })),
    ...worse.flatMap(({ contactId, status }) =>
      status === null || status === 'active' ? [] : [{ contactId, kind: kindOf(status), source }],
    ),
  ]
  await consentEvents.record(tx, organizationId, events, requestId)
}

const kindOf = (status: EmailStatus): consentEvents.ConsentKind =>
  status === 'active' ? 'resubscribed' : status

interface Holder {
  id: Uuid
  email: string
  emailStatus: EmailStatus | null
  resubscribedAt: string | null
}

/** Those who have the addresses, locked in the order of their ids; by address. */
async function lockHolders(
  tx: Transaction,
  organizationId: Uuid,
  raises: readonly Raise[],
): Promise<Map<string, Holder>> {
  const emails = raises.flatMap(({ address }) => address.email ?? [])
  if (emails.length === 0) return new Map()
  // One look and one lock each: a young table has no statistics, and a join could read it all.
  const rows = await tx<Holder[]>`
    select held.*
    from (
      select (
        select c.id
        from contacts c
        where c.organization_id = ${organizationId} and c.email = wanted.email
      ) as id
      from unnest(${emails}::text[]) as wanted (email)
      order by 1
    ) found
    cross join lateral (
      select id, email, email_status, resubscribed_at
      from contacts
      where organization_id = ${organizationId} and id = found.id
      for no key update
    ) held`
  return new Map(rows.map((holder) => [holder.email, holder]))
}

const STATUSES = [...EMAIL_STATUSES]

async function writeStatuses(
  tx: Transaction,
  organizationId: Uuid,
  changed: readonly Raised[],
): Promise<void> {
  if (changed.length === 0) return
  const [first, last] = span(changed.map(({ contactId }) => contactId))
  const reached = (status: EmailStatus, column: string) => tx`
    case when given.status = ${status} then now() else c.${tx(column)} end`
  await tx`
    update contacts c
    set email_status = given.status,
      email_status_changed_at = now(),
      email_unsubscribed_at = ${reached('unsubscribed', 'email_unsubscribed_at')},
      email_bounced_at = ${reached('bounced', 'email_bounced_at')},
      email_suppressed_at = ${reached('suppressed', 'email_suppressed_at')},
      email_complained_at = ${reached('complained', 'email_complained_at')},
      updated_at = greatest(c.updated_at, now())
    from unnest(
      ${changed.map(({ contactId }) => contactId)}::uuid[],
      ${changed.map(({ status }) => status)}::text[]
    ) as given (id, status)
    where c.organization_id = ${organizationId} and c.id between ${first} and ${last}
      and c.id = given.id
      and array_position(${STATUSES}::text[], given.status)
        > array_position(${STATUSES}::text[], coalesce(c.email_status, 'active'))`
}

async function markLeft(
  tx: Transaction,
  organizationId: Uuid,
  contactIds: readonly Uuid[],
): Promise<void> {
  if (contactIds.length === 0) return
  const [first, last] = span(contactIds)
  await tx`
    update contacts
    set email_left_at = clock_timestamp(), updated_at = greatest(updated_at, clock_timestamp())
    where organization_id = ${organizationId} and id between ${first} and ${last}
      and id = any(${[...contactIds]}::uuid[])`
}
