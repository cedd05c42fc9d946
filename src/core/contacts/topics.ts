import type { Addressed } from '../../domain/address.ts'
import type { Uuid } from '../../runtime/ids.ts'
import * as removals from '../../store/contacts/removals.ts'
import { listOfContact } from '../../store/consent/subscriptions.ts'
import type { Transaction } from '../../store/db/sql.ts'
import * as subscriptions from '../consent/subscriptions.ts'

export interface TopicChanges {
  topicIds: readonly Uuid[]
  source: 'api' | 'import'
  addressOf: (email: string) => Addressed
  willing: boolean
  requestId?: string | undefined
}

/**
 * Locks a contact and replaces its topics. Concurrent calls run one after the other. Returns false
 * if the contact does not exist.
 */
export async function setTopics(
  tx: Transaction,
  organizationId: Uuid,
  contactId: Uuid,
  changes: TopicChanges,
): Promise<boolean> {
  const lockedContact = await removals.lockNamed(tx, organizationId, contactId)
  if (lockedContact) await replaceTopics(tx, organizationId, contactId, changes)
  return lockedContact !== undefined
}

export async function replaceTopics(
  tx: Transaction,
  organizationId: Uuid,
  contactId: Uuid,
  { topicIds, willing, ...shared }: TopicChanges,
): Promise<void> {
  const present = await listOfContact(tx, organizationId, contactId)
  const leaving = present.filter(
    ({ topicId, status }) => status !== 'unsubscribed' && !topicIds.includes(topicId),
  )
  const { source, requestId } = shared
  await subscriptions.unsubscribe(
    tx,
    organizationId,
    leaving.map(({ topicId }) => ({ contactId, topicId })),
    { source, own: false, requestId },
  )
  await subscriptions.subscribe(
    tx,
    organizationId,
    topicIds.map((topicId) => ({ contactId, topicId })),
    { ...shared, willing },
  )
}
