import { BATCH_TAG, MESSAGE_TAG, messageTag, ORGANIZATION_TAG } from '../src/domain/ses-event.ts'
import { timeOf } from '../src/ids.ts'
import { formatAddress } from '../src/mail/headers.ts'
import { marketingHeaders } from '../src/mail/headers.ts'
import { type MergeData, RenderError, renderer } from '../src/mail/render.ts'
import type { Context, VariableMapping } from '../src/store/batch-runs.ts'
import type { Recipient } from '../src/store/messages.ts'
import { preferencesUrl } from '../src/preferences-links.ts'
import { addressHash, type Keyring, signUnsubscribe } from '../src/tokens.ts'
import type { Job } from './calls.ts'

export interface BatchContentDeps {
  keyring: Keyring
  /** Links in mails are made of it. */
  publicUrl: string
}

interface BatchOf {
  organizationId: string
  batchId: string
  batch: Context
}

/** Makes the mail of one recipient of a batch, or tells why it cannot be made. */
export type BatchMails = (recipient: Recipient) => Job

/** Parsed contents kept per process; parsing costs as much as hundreds of mails. */
const MAX_PARSED = 50

/**
 * Parses each content once, then makes one mail per recipient, each with its own unsubscribe link.
 */
export function batchMails({ keyring, publicUrl }: BatchContentDeps) {
  const parsed = new Map<string, ReturnType<typeof renderer>>()

  const parse = (batch: Context): ReturnType<typeof renderer> => {
    const key = `${batch.contentId} ${batch.subject}`
    const known = parsed.get(key)
    if (known) return known
    const { subject, contentHtml: html, contentText: text } = batch
    const made = renderer({ subject, html, text }, { marketing: true })
    const [oldest] = parsed.keys()
    if (parsed.size >= MAX_PARSED && oldest !== undefined) parsed.delete(oldest)
    parsed.set(key, made)
    return made
  }

  return ({ organizationId, batchId, batch }: BatchOf): BatchMails => {
    const render = parse(batch)
    const from = formatAddress(batch.fromAddress, batch.fromName)
    return (recipient) => {
      const { id, email, contactId } = recipient
      const link = {
        organizationId,
        contactId,
        batchId,
        addressHash: addressHash(organizationId, email),
        ...(batch.topicId === null ? {} : { topicId: batch.topicId }),
      }
      const unsubscribeUrl = `${publicUrl}/unsubscribe/${signUnsubscribe(keyring, link)}`
      try {
        const { subject, html, text } = patiently(() =>
          render({
            contact: { ...recipient, id: contactId },
            organization: { name: batch.organizationName },
            unsubscribeUrl,
            preferencesUrl: preferencesUrl(keyring, publicUrl, link, timeOf(batch.bucket)),
            variables: variables(batch.variableMappings, recipient),
          }),
        )
        return {
          id,
          mail: {
            from,
            replyTo: batch.replyTo,
            to: email,
            subject,
            html,
            text,
            headers: marketingHeaders({ unsubscribeUrl }),
            tags: [
              { name: MESSAGE_TAG, value: messageTag(batch.bucket, id) },
              { name: BATCH_TAG, value: batchId },
              { name: ORGANIZATION_TAG, value: organizationId },
            ],
          },
        }
      } catch (error) {
        // One recipient's mail cannot be made; the others' can, and the claim must not be lost.
        const reason = error instanceof RenderError ? error.reason : 'render_failed'
        return { id, failed: { reason, error: error instanceof Error ? error.message : '' } }
      }
    }
  }
}

const RENDER_TRIES = 3

/**
 * Renders again what took too long: the limit is one of wall-clock time, and a process that was
 * stopped or starved for a moment says nothing about the template.
 */
export function patiently<T>(render: () => T): T {
  for (let attempt = 1; ; attempt++) {
    try {
      return render()
    } catch (error) {
      const slow = error instanceof RenderError && error.reason === 'too_slow'
      if (!slow || attempt === RENDER_TRIES) throw error
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
