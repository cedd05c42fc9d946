import type { Addressed } from '../../domain/address.ts'
import type { ConsentKind } from '../../domain/consent/consent-event.ts'
import { type EmailStatus, worse } from '../../domain/status.ts'
import type { Uuid } from '../../runtime/ids.ts'
import * as contactStatuses from '../../store/consent/contact-statuses.ts'
import * as suppressions from '../../store/consent/suppressions.ts'
import type { Transaction } from '../../store/db/sql.ts'
import { recordConsent } from './consent-events.ts'
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
export async function suppress(
  tx: Transaction,
  organizationId: Uuid,
  requests: readonly SuppressionRequest[],
  requestId?: string,
): Promise<StatusChange[]> {
  if (requests.length === 0) return []
  await suppressions.lock(
    tx,
    organizationId,
    requests.map(({ address }) => address),
    'update',
  )
  const holders = await contactStatuses.lockHolders(
    tx,
    organizationId,
    requests.flatMap(({ address }) => address.email ?? []),
  )
  const valid = requests.filter(({ address, occurredAt }) => {
    const resubscribedAt = holders.get(address.email ?? '')?.resubscribedAt ?? null
    return occurredAt === undefined || resubscribedAt === null || occurredAt > resubscribedAt
  })
  await suppressions.put(
    tx,
    organizationId,
    valid.map(({ address, status, source }) => ({ address, reason: status, source })),
  )
  const worst = new Map<Uuid, StatusChange & { source: suppressions.EntrySource; own: boolean }>()
  for (const { address, status, source, own = false } of valid) {
    const holder = holders.get(address.email ?? '')
    if (holder === undefined) continue
    const worstEntry = worst.get(holder.id)
    worst.set(holder.id, {
      contactId: holder.id,
      email: holder.email,
      before: holder.emailStatus,
      status: worse(worstEntry?.status ?? holder.emailStatus ?? 'active', status),
      source,
      own: own || (worstEntry?.own ?? false),
    })
  }
  const changed = [...worst.values()].filter(({ before, status }) => before !== status)
  await contactStatuses.worsen(tx, organizationId, changed)
  const own = [...worst.values()].filter((each) => each.own).map(({ contactId }) => contactId)
  await contactStatuses.recordOptOuts(tx, organizationId, own)
  await subscriptions.unsubscribeAll(tx, organizationId, own, {
    source: 'link',
    own: true,
    requestId,
  })
  const otherChanges = changed.filter((each) => each.status === 'unsubscribed' && !each.own)
  await subscriptions.unsubscribeAll(
    tx,
    organizationId,
    otherChanges.map(({ contactId }) => contactId),
    { source: 'api', own: false, requestId },
  )
  await recordConsent(
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
