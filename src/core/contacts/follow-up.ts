import { HOOK_PRIORITY } from '../../domain/hooks/hook-event.ts'
import { type Uuid, uuidv7 } from '../../runtime/ids.ts'
import type { ConsentEvent } from '../../store/consent/consent-events.ts'
import type { Transaction } from '../../store/db/sql.ts'
import * as hookFacts from '../../store/hooks/hook-facts.ts'
import { recordConsent, smsConsentKind } from '../consent/consent-events.ts'
import * as consent from '../consent/email-status.ts'
import * as phoneConsent from '../consent/phone-consent.ts'
import * as subscriptions from '../consent/subscriptions.ts'
import { fire } from '../flows/triggers.ts'
import type { Draft } from './draft.ts'
import type { UpsertPlan } from './plan.ts'
import type { Upserted, UpsertOptions, UpsertRow } from './rows.ts'
import { replaceTopics } from './topics.ts'

/**
 * Applies the consequences of written rows: the suppression list, the record of consent, started
 * flows, and added or replaced topics. Returns the confirmations that are still needed.
 *
 * `lost`: new contacts that another request created first.
 */
export async function followUp(
  tx: Transaction,
  organizationId: Uuid,
  plan: UpsertPlan,
  lost: ReadonlySet<Uuid>,
  rows: readonly UpsertRow[],
  options: UpsertOptions,
): Promise<Upserted['pending']> {
  const { addressOf, source, cohort, requestId, startsFlows = true } = options
  const writtenEntries = plan.entries
    .filter(({ contactId }) => !lost.has(contactId))
    .map(({ contactId, email, isWritten, before, status, resubscribedFrom }) => ({
      contactId,
      address: isWritten ? addressOf(email) : null,
      before,
      status,
      resubscribed: resubscribedFrom !== null,
    }))
  if (writtenEntries.length > 0)
    await consent.recordWrittenStatuses(tx, organizationId, writtenEntries, source, requestId)
  const drafts = [...plan.drafts].filter(({ id }) => !lost.has(id))
  const writtenPhones = plan.phoneEntries
    .filter(({ contactId }) => !lost.has(contactId))
    .map(({ phone, status }) => ({ address: addressOf(phone), status }))
  await phoneConsent.recordWritten(tx, organizationId, writtenPhones, source)
  await recordConsent(tx, organizationId, smsConsents(drafts, source), requestId)
  const happened = drafts.map(({ id: contactId, isNew }) => ({
    type: isNew ? ('contact_created' as const) : ('contact_updated' as const),
    contactId,
  }))
  await fire(tx, organizationId, startsFlows ? happened : [], requestId)

  const asking = { source, addressOf, requestId, ...(cohort === undefined ? {} : { cohort }) }
  const movedDrafts = drafts.filter(({ isNew, addressChanged }) => !isNew && addressChanged)
  await subscriptions.applyNewAddress(
    tx,
    organizationId,
    movedDrafts.map(({ id }) => id),
    asking,
  )
  const pending = await writeTopics(tx, organizationId, plan, lost, rows, options)
  const occurredAt = new Date().toISOString()
  await hookFacts.record(
    tx,
    drafts.map(({ id: contactId, isNew }) => ({
      organizationId,
      type: isNew ? 'contact.created' : 'contact.updated',
      occurredAt,
      toldApartBy: uuidv7(),
      contactId,
      priority: source === 'import' ? HOOK_PRIORITY.import : HOOK_PRIORITY.event,
    })),
  )
  return pending
}

/** Proof of consent for text messages, and of its end. */
const smsConsents = (drafts: readonly Draft[], source: UpsertOptions['source']): ConsentEvent[] =>
  drafts.flatMap(({ id: contactId, phone, phoneBefore, smsStatus, smsStatusBefore }) => {
    const kind = smsConsentKind(smsStatus)
    const isNews = smsStatus !== smsStatusBefore || phone !== phoneBefore
    return kind !== undefined && isNews ? [{ contactId, kind, source }] : []
  })

async function writeTopics(
  tx: Transaction,
  organizationId: Uuid,
  plan: UpsertPlan,
  lost: ReadonlySet<Uuid>,
  rows: readonly UpsertRow[],
  { mode = 'upsert', addressOf, source, cohort, requestId }: UpsertOptions,
): Promise<Upserted['pending']> {
  const pending: Upserted['pending'] = []
  const wishes = rows.flatMap(({ index, values: { resubscribe: willing = false }, topicIds }) => {
    const contactId = plan.results.get(index)?.id
    if (contactId == null || lost.has(contactId) || topicIds === undefined) return []
    return [{ contactId, topicIds, willing }]
  })
  if (mode === 'replace') {
    for (const { contactId, topicIds, willing } of wishes) {
      const asking = { topicIds, source, addressOf, requestId, willing }
      await replaceTopics(tx, organizationId, contactId, asking)
    }
    return pending
  }
  for (const willing of [false, true]) {
    const pairs = wishes
      .filter((each) => each.willing === willing)
      .flatMap(({ contactId, topicIds }) => topicIds.map((topicId) => ({ contactId, topicId })))
    const outcomes = await subscriptions.subscribe(tx, organizationId, pairs, {
      source,
      addressOf,
      requestId,
      willing,
      ...(cohort === undefined ? {} : { cohort }),
      inSet: mode === 'upsert',
    })
    for (const { contactId, topicId, step, status } of outcomes) {
      if (status === 'pending' || step === 'limited') pending.push({ contactId, topicId })
    }
  }
  return pending
}
