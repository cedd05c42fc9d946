import type { Addressed } from '../domain/address.ts'
import { confirmationStanding, type ConfirmationStanding } from '../domain/subscription.ts'
import type { Uuid } from '../ids.ts'
import * as consentEvents from './consent-events.ts'
import * as outbox from './outbox.ts'
import type { ConfirmationKey } from './outbox.ts'
import type { Executor, Transaction } from './sql.ts'
import * as suppressions from './suppressions.ts'
import * as departures from './topic-departures.ts'
import { takeBack } from './taking-back.ts'

/** What a link says that somebody opened. */
export interface Opened extends ConfirmationKey {
  /** Whether this is the address that was mailed. */
  isMailed: (email: string) => boolean
}

export interface Confirmation {
  standing: ConfirmationStanding
  topicName: string
  organizationName: string
}

interface Row {
  topicName: string
  organizationName: string
  email: string | null
  emailStatus: string | null
  status: 'pending' | 'subscribed' | 'unsubscribed'
  generation: number
  cohort: Uuid | null
  confirmedAt: string | null
}

/** Where the confirmation of a link stands; undefined when its contact or topic is gone. */
export async function look(
  sql: Executor,
  organizationId: Uuid,
  opened: Opened,
): Promise<Confirmation | undefined> {
  const row = await find(sql, organizationId, opened)
  return row && { ...row, standing: standingOf(row, opened) }
}

interface ConfirmOptions {
  /** The address in the link. */
  address: Addressed
  requestId: string
  /** ISO 8601, of the audit. */
  at: string
}

/**
 * Confirms, if that is still awaited: subscribed from now on. Who had left all mail by themselves
 * takes that back by it; a bounce, suppression or complaint stays.
 *
 * Locks the address, then the contact, so that of a person's last two clicks the later one holds.
 */
export async function confirm(
  tx: Transaction,
  organizationId: Uuid,
  opened: Opened,
  options: ConfirmOptions,
): Promise<Confirmation | undefined> {
  const { contactId, topicId, generation } = opened
  await suppressions.lock(tx, organizationId, [options.address], 'update')
  await tx`
    select
    from contacts
    where organization_id = ${organizationId} and id = ${contactId}
    for no key update`
  const row = await find(tx, organizationId, opened)
  if (!row) return undefined
  const standing = standingOf(row, opened)
  if (standing !== 'awaited') return { ...row, standing }
  await tx`
    update subscriptions
    set status = 'subscribed',
      generation = generation + 1,
      cohort = null,
      confirmed_at = clock_timestamp(),
      subscribed_at = clock_timestamp(),
      left_at = null,
      updated_at = greatest(updated_at, clock_timestamp())
    where organization_id = ${organizationId} and contact_id = ${contactId}
      and topic_id = ${topicId} and generation = ${generation} and status = 'pending'`
  await departures.forget(tx, organizationId, [{ topicId, address: options.address }])
  await tx`
    update contacts
    set email_verified_at = coalesce(email_verified_at, clock_timestamp()),
      updated_at = greatest(updated_at, clock_timestamp())
    where organization_id = ${organizationId} and id = ${contactId}`
  const subscribed = { contactId, topicId, kind: 'subscribed', source: 'confirmation' } as const
  await consentEvents.record(tx, organizationId, [subscribed], options.requestId)
  if (row.emailStatus === 'unsubscribed') {
    await takeBack(tx, organizationId, { ...options, contactId, source: 'confirmation' })
  }
  if (row.cohort === null) {
    const ended = { kind: 'end_confirmation', payload: { contactId, topicId, generation } } as const
    await outbox.put(tx, organizationId, ended, options.requestId)
  }
  return { ...row, standing: 'confirmed' }
}

async function find(
  sql: Executor,
  organizationId: Uuid,
  { contactId, topicId }: ConfirmationKey,
): Promise<Row | undefined> {
  const [row] = await sql<Row[]>`
    select t.name as topic_name, o.name as organization_name, c.email, c.email_status, s.status,
      s.generation, s.cohort, s.confirmed_at
    from subscriptions s
    join contacts c on c.organization_id = s.organization_id and c.id = s.contact_id
    join topics t on t.organization_id = s.organization_id and t.id = s.topic_id
    join organizations o on o.id = s.organization_id
    where s.organization_id = ${organizationId} and s.contact_id = ${contactId}
      and s.topic_id = ${topicId}`
  return row
}

const standingOf = (row: Row, { generation, isMailed }: Opened): ConfirmationStanding =>
  confirmationStanding({
    status: row.status,
    generation: row.generation,
    isConfirmed: row.confirmedAt !== null,
    asked: generation,
    isMailed: row.email !== null && isMailed(row.email),
  })
