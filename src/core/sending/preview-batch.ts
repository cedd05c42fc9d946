import type { Audience } from '../../domain/audience/audience.ts'
import { mailBrand } from '../../domain/content/brand.ts'
import { refuse } from '../../domain/errors.ts'
import { monthOf, monthStart } from '../../domain/metrics/prices.ts'
import { costOf, durationSeconds } from '../../domain/sending/estimate.ts'
import { isUuid, type Uuid } from '../../ids.ts'
import type { Renderer } from '../../mail/renderer.ts'
import type { Contact } from '../../schemas/contacts/contact.ts'
import type { BatchPreview, BatchPreviewInput } from '../../schemas/sending/batch-preview.ts'
import { findBrand } from '../../store/access/organizations.ts'
import * as audiences from '../../store/audience/audience.ts'
import * as contents from '../../store/content/contents.ts'
import { type Sql, transact } from '../../store/db/sql.ts'
import type { BatchValues } from '../../store/sending/batch-changes.ts'
import {
  countSentSince,
  findLimits,
  type SendingLimits,
} from '../../store/sending/batch-estimates.ts'
import { requireInTime } from '../audience/members.ts'
import { deadLinks, showMail } from '../content/show-mail.ts'
import { resolveAudience } from './batch-audience.ts'
import { variablesOf } from './batch-variables.ts'
import { type BatchContext, resolveBatch } from './prepare-batch.ts'

interface Deps {
  sql: Sql
  searchSql: Sql
  renderer: Renderer
  publicUrl: string
}

/** A batch of which it cannot be said whom it means fails. */
const NOBODY: Audience = [{ type: 'contacts', contactIds: [] }]

/**
 * What a batch would do: whom it would mail, one of its mails, how long it takes and what it costs.
 * Nothing is kept, and nothing sent. Throws as creating it would.
 */
export async function previewBatch(
  deps: Deps,
  organizationId: Uuid,
  { sampleContactId, ...input }: BatchPreviewInput,
  context: BatchContext,
): Promise<BatchPreview> {
  const now = new Date(context.now).toISOString()
  const found = await transact(deps.sql, async (tx) => {
    const { values, made, warnings } = await resolveBatch(tx, organizationId, input, context)
    const [first] = made
    const said = first?.inline ?? (await contents.find(tx, organizationId, values.contentId))
    const resolved = await resolveAudience(tx, organizationId, values, now)
    const audience = 'unusable' in resolved ? NOBODY : resolved.audience
    const brand = await findBrand(tx, organizationId)
    const { connectionId } = values
    const limits = await findLimits(tx, organizationId, connectionId)
    const since = new Date(monthStart(monthOf(context.now))).toISOString()
    const sent = await countSentSince(tx, organizationId, { connectionId, since })
    if (!said || !brand) throw new Error('a batch has its content, and an organization')
    return {
      values,
      warnings,
      said,
      brand,
      limits,
      sent,
      audience,
    }
  })
  const { values, audience, limits, sent, warnings } = found
  const { pricingPlan } = limits
  const counts = await countMeant(deps.searchSql, organizationId, audience)
  const recipients = counts.find(({ reason }) => reason === 'active')?.count ?? 0
  const contact = await sampleOf(deps.searchSql, organizationId, audience, sampleContactId)
  return {
    recipients,
    skipped: counts.filter(({ reason }) => reason !== 'active'),
    ...(contact
      ? await render(deps, organizationId, found, contact)
      : { sample: null, checks: [] }),
    estimate: estimateOf(recipients, values, limits),
    cost: costOf(recipients, { pricingPlan, month: monthOf(context.now), sent }),
    ...(warnings.length === 0 ? {} : { warnings }),
  }
}

/** All who are meant, by why they may not be mailed, if so. */
function countMeant(searchSql: Sql, organizationId: Uuid, audience: Audience) {
  const others = audience.filter(({ type }) => type !== 'mailable')
  const meant: Audience = [{ type: 'all' }, ...others]
  const counting = audiences.countByStatus(searchSql, organizationId, meant)
  return requireInTime('audienceType', counting)
}

async function sampleOf(
  searchSql: Sql,
  organizationId: Uuid,
  audience: Audience,
  id: string | undefined,
): Promise<Contact | undefined> {
  const wanted: Audience =
    id === undefined ? audience : [{ type: 'contacts', contactIds: [id].filter(isUuid) }]
  const listing = audiences.list(searchSql, organizationId, wanted, { limit: 1 })
  const [contact] = await requireInTime('audienceType', listing)
  if (!contact && id !== undefined) refuse('sampleContactId', 'names no contact')
  return contact
}

async function render(
  { renderer, publicUrl }: Deps,
  organizationId: Uuid,
  { values, said, brand }: { values: BatchValues; said: Said; brand: Brand },
  contact: Contact,
): Promise<Pick<BatchPreview, 'sample' | 'checks'>> {
  const { subject } = values
  const content = { subject, html: said.html, text: said.text }
  // A subject of the batch's own goes with a template's content.
  const key = `${organizationId} ${values.contentId} ${subject}`
  const data = {
    contact,
    organization: mailBrand(brand),
    ...deadLinks(publicUrl),
    variables: variablesOf(values.variableMappings, contact),
  }
  const template = { key, content, marketing: true }
  const { checks, ...mail } = await showMail(renderer, template, data, organizationId)
  return { sample: { contactId: contact.id, email: contact.email, ...mail }, checks }
}

interface Said {
  html: string
  text: string
}
type Brand = NonNullable<Awaited<ReturnType<typeof findBrand>>>

function estimateOf(
  recipients: number,
  { throttlePerSecond }: BatchValues,
  { maxSendRate, max24Hour: quota, sentLast24Hours }: SendingLimits,
): BatchPreview['estimate'] {
  if (maxSendRate === null) return null
  // SES says -1 where there is none.
  const max24Hour = quota === null || quota < 0 ? null : quota
  const perSecond = Math.min(maxSendRate, throttlePerSecond ?? maxSendRate)
  const remainingToday =
    max24Hour === null || sentLast24Hours === null
      ? null
      : Math.max(0, Math.floor(max24Hour - sentLast24Hours))
  const limits = { perSecond, remainingToday, max24Hour }
  return {
    perSecond,
    remainingToday,
    durationSeconds: perSecond > 0 ? durationSeconds(recipients, limits) : null,
  }
}
