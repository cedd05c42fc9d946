import { compose, type LinkDeps, linksOf } from '../../src/core/content/compose.ts'
import { tagsOf } from '../../src/domain/sending/ses-event.ts'
import { timeOf } from '../../src/ids.ts'
import type { MergeData } from '../../src/mail/render.ts'
import { processRenderer, type Renderer, RendererBusy } from '../../src/mail/renderer.ts'
import type { Context, VariableMapping } from '../../src/store/sending/batch-runs.ts'
import type { Recipient } from '../../src/store/sending/messages.ts'
import { type Job, jobOf } from '../calls.ts'

export interface BatchContentDeps extends LinkDeps {
  /** The process's own when absent. */
  renderer?: Renderer
}

interface BatchOf {
  organizationId: string
  batchId: string
  batch: Context
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
  return ({ organizationId, batchId, batch }: BatchOf): BatchMails => {
    const { bucket, contentId, subject, contentHtml: html, contentText: text, replyTo } = batch
    const key = `${contentId} ${subject}`
    const template = { key, content: { subject, html, text }, marketing: true }
    const sender = { from: { address: batch.fromAddress, name: batch.fromName }, replyTo }

    const dataOf = (recipient: Recipient) => {
      const { email, contactId } = recipient
      const mailed = { organizationId, contactId, email, topicId: batch.topicId, batchId }
      return {
        contact: { ...recipient, id: contactId },
        organization: { name: batch.organizationName },
        ...linksOf(deps, mailed, timeOf(bucket)),
        variables: variables(batch.variableMappings, recipient),
      }
    }

    return (recipients, by) => {
      const data = recipients.map(dataOf)
      const rendered = renderer.mails(template, data, { owner: key, by })
      return recipients.map(async ({ id, email }, index) => {
        const recipient = { email, unsubscribeUrl: data[index]?.unsubscribeUrl }
        try {
          const content = { rendered: rendered[index], isMarketing: true }
          const made = await compose('batch', sender, content, recipient)
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

/** Values of the batch's own variables: fixed texts, or fields of the contact. */
function variables(
  mappings: readonly VariableMapping[],
  recipient: Recipient,
): NonNullable<MergeData['variables']> {
  return Object.fromEntries(
    mappings.map(({ variableName, source }) => [
      variableName,
      source.type === 'static' ? source.value : field(recipient, source.field),
    ]),
  )
}

function field(recipient: Recipient, name: string): unknown {
  const property = /^properties\.(.+)$/.exec(name)?.[1]
  if (property !== undefined) return recipient.properties[property] ?? null
  return Object.hasOwn(recipient, name) ? Reflect.get(recipient, name) : null
}
