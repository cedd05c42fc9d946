import {
  compose,
  type LinkDeps,
  linksOf,
  listIdOf,
  type Sender,
} from '../../src/core/content/compose.ts'
import { variablesOf } from '../../src/core/content/batch-variables.ts'
import { mailBrand } from '../../src/domain/content/brand.ts'
import { tagsOf } from '../../src/domain/delivery/ses-event.ts'
import { timeOf } from '../../src/runtime/ids.ts'
import type { MergeData, RenderedMail } from '../../src/mail/render.ts'
import type { MailTemplate } from '../../src/mail/works.ts'
import { processRenderer, type Renderer, RendererBusy } from '../../src/mail/renderer.ts'
import type { VariantContent } from '../../src/store/batches/batch-variants.ts'
import type { Context } from '../../src/store/batches/batch-runs.ts'
import type { Recipient } from '../../src/store/delivery/claim-range.ts'
import { type Job, jobOf } from '../calls.ts'

export interface BatchContentDeps extends LinkDeps {
  /** The process's own when absent. */
  renderer?: Renderer
}

interface BatchOf {
  organizationId: string
  batchId: string
  batch: Context
  /** Different content of each variant of a test. */
  variants?: readonly VariantContent[]
}

/** One version of a batch's content. */
interface Version {
  template: MailTemplate & { key: string }
  sender: Sender
}

/**
 * Makes the mails of one claim, or tells of each why it cannot be made; `undefined`: there was no
 * time left for it before `by`, on `performance.now()`'s scale.
 */
export type BatchMails = (
  recipients: readonly Recipient[],
  by: number,
) => Promise<Job | undefined>[]

/** Makes one mail per recipient of a batch, each with its own unsubscribe link. */
export function batchMails({ renderer = processRenderer(), ...deps }: BatchContentDeps) {
  return ({ organizationId, batchId, batch, variants = [] }: BatchOf): BatchMails => {
    const { bucket } = batch
    const own = versionOf(batch, batch)
    const versions = variants.map((variant) => versionOf(batch, variant))
    const versionFor = ({ variant }: Recipient) =>
      (variant === null ? undefined : versions[variant]) ?? own

    const organization = mailBrand(batch.brand)
    const listId = listIdOf(deps.publicUrl, { organizationId, topicId: batch.topicId })

    const dataOf = (recipient: Recipient) => {
      const { variant: _, ...contact } = recipient
      const { email, contactId } = contact
      const mailed = { organizationId, contactId, email, topicId: batch.topicId, batchId }
      return {
        contact: { ...contact, id: contactId },
        organization,
        ...linksOf(deps, mailed, timeOf(bucket)),
        variables: variablesOf(batch.variableMappings, contact),
      }
    }

    return (recipients, by) => {
      const mails = recipients.map((recipient) => ({
        recipient,
        version: versionFor(recipient),
        data: dataOf(recipient),
      }))
      const rendered = renderAll(renderer, mails, { organization: organizationId, by })
      return mails.map(async (mail) => {
        const { recipient, version, data } = mail
        const { id, email } = recipient
        const { unsubscribeUrl } = data
        try {
          const content = { rendered: rendered.get(mail), isMarketing: true }
          const to = { email, unsubscribeUrl, listId }
          const made = await compose('batch', version.sender, content, to)
          return jobOf(id, made, tagsOf({ organizationId, bucket, id, batchId }))
        } catch (error) {
          if (error instanceof RendererBusy) return undefined
          // One recipient's mail cannot be made; the others' can, and the claim must not be lost.
          const message = error instanceof Error ? error.message : ''
          return { id, failed: { reason: 'render_failed', error: message } }
        }
      })
    }
  }
}

/** Renders mails of several versions, those of one together. */
function renderAll<Mail extends { version: Version; data: MergeData }>(
  renderer: Renderer,
  mails: readonly Mail[],
  call: { organization: string; by: number },
): Map<Mail, Promise<RenderedMail> | undefined> {
  const rendered = new Map<Mail, Promise<RenderedMail> | undefined>()
  for (const version of new Set(mails.map((mail) => mail.version))) {
    const { template } = version
    const same = mails.filter((mail) => mail.version === version)
    const data = same.map((mail) => mail.data)
    const made = renderer.mails(template, data, { ...call, content: template.key })
    for (const [n, mail] of same.entries()) rendered.set(mail, made[n])
  }
  return rendered
}

function versionOf(
  { fromAddress, replyTo }: Context,
  { contentId, subject, contentHtml: html, contentText: text, fromName }: ContentFields,
): Version {
  return {
    template: { key: `${contentId} ${subject}`, content: { subject, html, text }, marketing: true },
    sender: { from: { address: fromAddress, name: fromName }, replyTo },
  }
}

type ContentFields = Omit<VariantContent, 'position'>
