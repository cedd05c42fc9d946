import type { Addressed } from '../../domain/address.ts'
import type { ConsentKind } from '../../domain/consent/consent-event.ts'
import { type EmailStatus, worse } from '../../domain/status.ts'
import type { Uuid } from '../../runtime/ids.ts'
import * as contactStatuses from '../../store/consent/contact-statuses.ts'
import * as suppressions from '../../store/consent/suppressions.ts'
import type { Transaction } from '../../store/db/sql.ts'
import { recordConsent, recordConsentEach } from './consent-events.ts'
import * as subscriptions from './subscriptions.ts'

export interface SuppressionRequest {
  address: Addressed
  status: suppressions.Reason
  source: suppressions.EntrySource
  own?: boolean
  /** Time of a delivery event (ISO 8601). An event before a resubscription is ignored. */
  occurredAt?: string
}

export interface StatusChange {
  contactId: Uuid
  email: string
  before: EmailStatus | null
  status: EmailStatus
}

/**
 * Writes addresses to the suppression list and, in the same transaction, the status of the contacts
 * that have them: `active < unsubscribed < bounced < suppressed < complained`, never downwards, so
 * that events may arrive in any order. A contact that becomes `unsubscribed` is unsubscribed from
 * all topics.
 *
 * Locks the addresses, then the contacts: call it after locking messages and before locking
 * contacts.
 */
export const suppress = (
  tx: Transaction,
  organizationId: Uuid,
  requests: readonly SuppressionRequest[],
  requestId?: string,
): Promise<StatusChange[]> =>
  suppressEach(
    tx,
    requests.map((request) => ({ organizationId, ...request })),
    requestId,
  )

/**
 * The same for addresses of several organizations, each on the list of its own. Two sets lock in
 * one order: addresses and contacts by organization first.
 */
export async function suppressEach(
  tx: Transaction,
  requests: readonly (SuppressionRequest & { organizationId: Uuid })[],
  requestId?: string,
): Promise<StatusChange[]> {
  if (requests.length === 0) return []
  await suppressions.lockEach(tx, requests, 'update')
  const findHolder = await contactStatuses.lockHolders(
    tx,
    requests.flatMap(({ organizationId, address: { text } }) =>
      text === null ? [] : [{ organizationId, email: text }],
    ),
  )
  const heldChanges = requests.map((request) => {
    const { organizationId, address } = request
    return { ...request, holder: findHolder(organizationId, address.text ?? '') }
  })
  const valid = heldChanges.filter(({ holder, occurredAt }) => {
    const resubscribedAt = holder?.resubscribedAt ?? null
    return occurredAt === undefined || resubscribedAt === null || occurredAt > resubscribedAt
  })
  await suppressions.putEach(
    tx,
    valid.map(({ status, ...entry }) => ({ ...entry, reason: status })),
  )
  const worst = new Map<Uuid, HeldChange>()
  for (const { organizationId, holder, status, source, own = false } of valid) {
    if (holder === undefined) continue
    const worstEntry = worst.get(holder.id)
    worst.set(holder.id, {
      organizationId,
      contactId: holder.id,
      email: holder.email,
      before: holder.emailStatus,
      status: worse(worstEntry?.status ?? holder.emailStatus ?? 'active', status),
      source,
      own: own || (worstEntry?.own ?? false),
    })
  }
  const changed = [...worst.values()].filter(({ before, status }) => before !== status)
  await contactStatuses.worsen(tx, changed)
  await unsubscribeFromTopics(tx, [...worst.values()], requestId)
  await recordConsentEach(
    tx,
    changed.map(({ status, ...change }) => ({ ...change, kind: kindOf(status) })),
  )
  return changed.map(({ contactId, email, before, status }) => ({
    contactId,
    email,
    before,
    status,
  }))
}

type HeldChange = StatusChange & {
  organizationId: Uuid
  source: suppressions.EntrySource
  own: boolean
}

/** Unsubscribes contacts that asked for it, or that became `unsubscribed`, from all topics. */
async function unsubscribeFromTopics(
  tx: Transaction,
  heldChanges: readonly HeldChange[],
  requestId: string | undefined,
): Promise<void> {
  const leaving = heldChanges.filter(
    ({ own, before, status }) => own || (status === 'unsubscribed' && before !== status),
  )
  for (const organizationId of new Set(leaving.map((each) => each.organizationId))) {
    const idsOf = (isOwn: boolean) =>
      leaving
        .filter((each) => each.organizationId === organizationId && each.own === isOwn)
        .map(({ contactId }) => contactId)
    await contactStatuses.recordOptOuts(tx, organizationId, idsOf(true))
    const own = { source: 'link', own: true, requestId } as const
    await subscriptions.unsubscribeAll(tx, organizationId, idsOf(true), own)
    const options = { source: 'api', own: false, requestId } as const
    await subscriptions.unsubscribeAll(tx, organizationId, idsOf(false), options)
  }
}

export interface WrittenStatus {
  contactId: Uuid
  address: Addressed | null
  before: EmailStatus | null
  status: EmailStatus | null
  resubscribed: boolean
}

/**
 * Applies the consequences of written statuses: the suppression list gets them, a contact that
 * became `unsubscribed` is unsubscribed from all topics, and the change is recorded. The addresses
 * must be locked for `update` if a status above `active` or a resubscription is written.
 */
export async function recordWrittenStatuses(
  tx: Transaction,
  organizationId: Uuid,
  writtenStatuses: readonly WrittenStatus[],
  source: 'api' | 'import',
  requestId?: string,
): Promise<void> {
  const resubscribed = writtenStatuses.filter((each) => each.resubscribed)
  await suppressions.remove(
    tx,
    organizationId,
    resubscribed.flatMap(({ address }) => address ?? []),
  )
  await suppressions.put(
    tx,
    organizationId,
    writtenStatuses.flatMap(({ address, status }) =>
      address !== null && status !== null && status !== 'active'
        ? [{ address, reason: status, source }]
        : [],
    ),
  )
  const changed = writtenStatuses.filter(
    ({ before, status }) => status !== null && before !== status,
  )
  await subscriptions.unsubscribeAll(
    tx,
    organizationId,
    changed.filter(({ status }) => status === 'unsubscribed').map(({ contactId }) => contactId),
    { source, own: false, requestId },
  )
  const events = [
    ...resubscribed.map(({ contactId }) => ({ contactId, kind: 'resubscribed' as const, source })),
    ...changed.flatMap(({ contactId, status }) =>
      status === null || status === 'active' ? [] : [{ contactId, kind: kindOf(status), source }],
    ),
  ]
  await recordConsent(tx, organizationId, events, requestId)
}

const kindOf = (status: EmailStatus): ConsentKind => (status === 'active' ? 'resubscribed' : status)
