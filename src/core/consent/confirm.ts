import type { Addressed } from '../../domain/address.ts'
import { confirmationState, type ConfirmationState } from '../../domain/consent/subscription.ts'
import type { Uuid } from '../../runtime/ids.ts'
import * as confirmations from '../../store/consent/confirmations.ts'
import * as contactStatuses from '../../store/consent/contact-statuses.ts'
import * as suppressions from '../../store/consent/suppressions.ts'
import * as optOuts from '../../store/consent/topic-opt-outs.ts'
import type { Executor, Transaction } from '../../store/db/sql.ts'
import * as outbox from '../../store/platform/outbox.ts'
import type { ConfirmationKey } from '../../store/platform/outbox.ts'
import { recordConsent } from './consent-events.ts'
import { resubscribe } from './resubscribe.ts'

export interface ConfirmationLink extends ConfirmationKey {
  isMailed: (email: string) => boolean
}

export interface Confirmation {
  state: ConfirmationState
  topicName: string
  organizationName: string
}

/** Returns the confirmation of a link. Undefined: its contact or topic is gone. */
export async function find(
  sql: Executor,
  organizationId: Uuid,
  link: ConfirmationLink,
): Promise<Confirmation | undefined> {
  const row = await confirmations.find(sql, organizationId, link)
  return row && { ...row, state: stateOf(row, link) }
}

interface ConfirmOptions {
  address: Addressed
  requestId: string
  at: string
}

/**
 * Subscribes the contact of a link if its confirmation is still awaited. A person who unsubscribed
 * from all mail is resubscribed. A bounce, suppression or complaint stays.
 *
 * Locks the address, then the contact, so that the later of a person's last two clicks holds.
 */
export async function confirm(
  tx: Transaction,
  organizationId: Uuid,
  link: ConfirmationLink,
  options: ConfirmOptions,
): Promise<Confirmation | undefined> {
  const { contactId, topicId, generation } = link
  await suppressions.lock(tx, organizationId, [options.address], 'update')
  await contactStatuses.lock(tx, organizationId, contactId)
  const row = await confirmations.find(tx, organizationId, link)
  if (!row) return undefined
  const state = stateOf(row, link)
  if (state !== 'awaited') return { ...row, state }
  await confirmations.confirm(tx, organizationId, link)
  await optOuts.forget(tx, organizationId, [{ topicId, address: options.address }])
  await contactStatuses.markVerified(tx, organizationId, contactId)
  const subscribed = { contactId, topicId, kind: 'subscribed', source: 'confirmation' } as const
  await recordConsent(tx, organizationId, [subscribed], options.requestId)
  if (row.emailStatus === 'unsubscribed') {
    await resubscribe(tx, organizationId, { ...options, contactId, source: 'confirmation' })
  }
  if (row.cohort === null) {
    const endMessage = {
      kind: 'end_confirmation',
      payload: { contactId, topicId, generation },
    } as const
    await outbox.put(tx, organizationId, endMessage, options.requestId)
  }
  return { ...row, state: 'confirmed' }
}

const stateOf = (
  row: confirmations.Confirmation,
  { generation, isMailed }: ConfirmationLink,
): ConfirmationState =>
  confirmationState({
    status: row.status,
    generation: row.generation,
    isConfirmed: row.confirmedAt !== null,
    linkGeneration: generation,
    isMailed: row.email !== null && isMailed(row.email),
  })
