import type { Audience } from '../../domain/audience/audience.ts'
import { mailBrand } from '../../domain/content/brand.ts'
import { refuse } from '../../domain/errors.ts'
import { monthOf, monthStart } from '../../domain/metrics/prices.ts'
import { masked } from '../../domain/privacy/mask.ts'
import { batchQuota, costOf, durationSeconds } from '../../domain/batches/estimate.ts'
import { isUuid, type Uuid } from '../../runtime/ids.ts'
import type { Renderer } from '../../mail/renderer.ts'
import type { Contact } from '../../schemas/contacts/contact.ts'
import type { BatchPreview, BatchPreviewInput } from '../../schemas/batches/batch-preview.ts'
import { findBrand } from '../../store/access/organizations.ts'
import * as audiences from '../../store/audience/audience.ts'
import * as contents from '../../store/content/contents.ts'
import { type Sql, transact, type Transaction } from '../../store/db/sql.ts'
import type { BatchValues } from '../../store/batches/batch-changes.ts'
import {
  countSentSince,
  findLimits,
  type SendingLimits,
} from '../../store/batches/batch-estimates.ts'
import { requireInTime } from '../audience/members.ts'
import { deadLinks, showMail } from '../content/show-mail.ts'
import { resolveAudience } from './batch-audience.ts'
import type { BatchContent } from './batch-content.ts'
import { variablesOf } from '../content/batch-variables.ts'
import { type BatchContext, resolveBatch } from './prepare-batch.ts'

interface Deps {
  sql: Sql
  searchSql: Sql
  renderer: Renderer
  publicUrl: string
  /** The caller may see contacts. Other callers get masked addresses. */
  maySeeContacts: boolean
}

/** Audience of a batch whose segments cannot be evaluated: it would fail. */
const NOBODY: Audience = [{ type: 'contacts', contactIds: [] }]

/**
 * Previews a batch: its recipients, one of its mails, its duration and its price. Stores and sends
 * nothing. Throws the errors that creating it would throw.
 */
export async function previewBatch(
  deps: Deps,
  organizationId: Uuid,
  { sampleContactId, ...input }: BatchPreviewInput,
  context: BatchContext,
): Promise<BatchPreview> {
  const now = new Date(context.now).toISOString()
  const resolvedBatch = await transact(deps.sql, async (tx) => {
    const { values, newContents, warnings } = await resolveBatch(tx, organizationId, input, context)
    const versions = await Promise.all(
      newContents.map((content) => versionContent(tx, organizationId, content)),
    )
    const resolved = await resolveAudience(tx, organizationId, values, now)
    const audience = 'unusable' in resolved ? NOBODY : resolved.audience
    const brand = await findBrand(tx, organizationId)
    const { connectionId } = values
    const limits = await findLimits(tx, organizationId, connectionId)
    const since = new Date(monthStart(monthOf(context.now))).toISOString()
    const sent = await countSentSince(tx, organizationId, { connectionId, since })
    if (!brand) throw new Error('a batch has an organization')
    return {
      values,
      warnings,
      versions,
      brand,
      limits,
      sent,
      audience,
    }
  })
  const { values, audience, limits, sent, warnings } = resolvedBatch
  const { pricingPlan } = limits
  const counts = await countByStatus(deps.searchSql, organizationId, audience)
  const recipients = counts.find(({ reason }) => reason === 'active')?.count ?? 0
  const sample = await sampleOf(deps.searchSql, organizationId, audience, sampleContactId)
  const contact = sample && !deps.maySeeContacts ? masked(sample) : sample
  const renderedMails = contact ? await renderAll(deps, organizationId, resolvedBatch, contact) : []
  return {
    recipients,
    skipped: counts.filter(({ reason }) => reason !== 'active'),
    ...(renderedMails[0] ?? { sample: null, checks: [] }),
    variants: values.abTest
      ? values.abTest.variants.map(({ name }, position) => ({
          name,
          ...(renderedMails[position] ?? { sample: null, checks: [] }),
        }))
      : null,
    estimate: estimateOf(recipients, values, limits),
    cost: costOf(recipients, { pricingPlan, month: monthOf(context.now), sent }),
    ...(warnings.length === 0 ? {} : { warnings }),
  }
}

/** Counts the audience by the reason why contacts may not be mailed. */
function countByStatus(searchSql: Sql, organizationId: Uuid, audience: Audience) {
  const otherCriteria = audience.filter(({ type }) => type !== 'mailable')
  const wholeAudience: Audience = [{ type: 'all' }, ...otherCriteria]
  const counting = audiences.countByStatus(searchSql, organizationId, wholeAudience)
  return requireInTime('audienceType', counting)
}

async function sampleOf(
  searchSql: Sql,
  organizationId: Uuid,
  audience: Audience,
  id: string | undefined,
): Promise<Contact | undefined> {
  const sampleAudience: Audience =
    id === undefined ? audience : [{ type: 'contacts', contactIds: [id].filter(isUuid) }]
  const listing = audiences.list(searchSql, organizationId, sampleAudience, { limit: 1 })
  const [contact] = await requireInTime('audienceType', listing)
  if (!contact && id !== undefined) refuse('sampleContactId', 'names no contact')
  return contact
}

/** Renders the mail of each version for one contact. */
async function renderAll(
  { renderer, publicUrl }: Deps,
  organizationId: Uuid,
  {
    values,
    versions,
    brand,
  }: { values: BatchValues; versions: readonly VersionContent[]; brand: Brand },
  contact: Contact,
): Promise<PreviewFields[]> {
  const data = {
    contact,
    organization: mailBrand(brand),
    ...deadLinks(publicUrl),
    variables: variablesOf(values.variableMappings, contact),
  }
  const previews: PreviewFields[] = []
  for (const { contentId, ...content } of versions) {
    // A subject of the batch's own goes with a template's content.
    const key = `${organizationId} ${contentId} ${content.subject}`
    const template = { key, content, marketing: true }
    const { checks, ...mail } = await showMail(renderer, template, data, organizationId)
    previews.push({ sample: { contactId: contact.id, email: contact.email, ...mail }, checks })
  }
  return previews
}

type PreviewFields = Pick<BatchPreview, 'sample' | 'checks'>

interface VersionContent {
  contentId: Uuid
  subject: string
  html: string
  text: string
}

async function versionContent(
  tx: Transaction,
  organizationId: Uuid,
  { id: contentId, subject, inline }: BatchContent,
): Promise<VersionContent> {
  const content = inline ?? (await contents.find(tx, organizationId, contentId))
  if (!content) throw new Error('a batch has its content')
  return { contentId, subject, html: content.html, text: content.text }
}

type Brand = NonNullable<Awaited<ReturnType<typeof findBrand>>>

function estimateOf(
  recipients: number,
  { throttlePerSecond }: BatchValues,
  { maxSendRate, max24Hour: quota, sentLast24Hours }: SendingLimits,
): BatchPreview['estimate'] {
  if (maxSendRate === null) return null
  const perSecond = Math.min(maxSendRate, throttlePerSecond ?? maxSendRate)
  const limits = { perSecond, ...batchQuota(quota, sentLast24Hours) }
  return {
    perSecond,
    remainingToday: limits.remainingToday,
    durationSeconds: perSecond > 0 ? durationSeconds(recipients, limits) : null,
  }
}
