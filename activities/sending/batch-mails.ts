import {
  BATCH_TAG,
  MESSAGE_TAG,
  messageTag,
  ORGANIZATION_TAG,
} from '../../src/domain/sending/ses-event.ts'
import { timeOf } from '../../src/ids.ts'
import { formatAddress } from '../../src/mail/headers.ts'
import { marketingHeaders } from '../../src/mail/headers.ts'
import { type MergeData, type RenderedMail, RenderError } from '../../src/mail/render.ts'
import { processRenderer, type Renderer, RendererBusy } from '../../src/mail/renderer.ts'
import type { Context, VariableMapping } from '../../src/store/sending/batch-runs.ts'
import type { Recipient } from '../../src/store/sending/messages.ts'
import { preferencesUrl } from '../../src/preferences-links.ts'
import { addressHash, type Keyring, signUnsubscribe } from '../../src/tokens.ts'
import type { Job } from '../calls.ts'

export interface BatchContentDeps {
  keyring: Keyring
  /** Links in mails are made of it. */
  publicUrl: string
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
export function batchMails({ keyring, publicUrl, renderer = processRenderer() }: BatchContentDeps) {
  return ({ organizationId, batchId, batch }: BatchOf): BatchMails => {
    const { contentId, subject, contentHtml: html, contentText: text } = batch
    const key = `${contentId} ${subject}`
    const template = { key, content: { subject, html, text }, marketing: true }
    const from = formatAddress(batch.fromAddress, batch.fromName)

    const dataOf = (recipient: Recipient): MergeData & { unsubscribeUrl: string } => {
      const { email, contactId } = recipient
      const link = {
        organizationId,
        contactId,
        batchId,
        addressHash: addressHash(organizationId, email),
        ...(batch.topicId === null ? {} : { topicId: batch.topicId }),
      }
      return {
        contact: { ...recipient, id: contactId },
        organization: { name: batch.organizationName },
        unsubscribeUrl: `${publicUrl}/unsubscribe/${signUnsubscribe(keyring, link)}`,
        preferencesUrl: preferencesUrl(keyring, publicUrl, link, timeOf(batch.bucket)),
        variables: variables(batch.variableMappings, recipient),
      }
    }

    const mailOf = ({ id, email }: Recipient, made: RenderedMail, unsubscribeUrl: string): Job => ({
      id,
      mail: {
        from,
        replyTo: batch.replyTo,
        to: email,
        ...made,
        headers: marketingHeaders({ unsubscribeUrl }),
        tags: [
          { name: MESSAGE_TAG, value: messageTag(batch.bucket, id) },
          { name: BATCH_TAG, value: batchId },
          { name: ORGANIZATION_TAG, value: organizationId },
        ],
      },
    })

    return (recipients, by) => {
      const data = recipients.map(dataOf)
      const made = renderer.mails(template, data, { owner: key, by })
      return recipients.map(async (recipient, index) => {
        const { unsubscribeUrl = '' } = data[index] ?? {}
        try {
          const mail = await made[index]
          return mail && mailOf(recipient, mail, unsubscribeUrl)
        } catch (error) {
          if (error instanceof RendererBusy) return undefined
          // One recipient's mail cannot be made; the others' can, and the claim must not be lost.
          const reason = error instanceof RenderError ? error.reason : 'render_failed'
          const message = error instanceof Error ? error.message : ''
          return { id: recipient.id, failed: { reason, error: message } }
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
