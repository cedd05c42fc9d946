import type { Mailbox } from '../../domain/mailbox.ts'
import type { SingleMailSource } from '../../domain/mails/mail-priority.ts'
import type { Uuid } from '../../runtime/ids.ts'
import { formatAddress, type Header, marketingHeaders } from '../../mail/headers.ts'
import { RenderError } from '../../mail/render.ts'
import { preferencesUrl } from '../../keys/preferences-links.ts'
import { addressHash, type Keyring, signUnsubscribe } from '../../keys/tokens.ts'

/** Differences between the sources of mail. */
const SOURCES: Record<'batch' | SingleMailSource | 'notice', Rules> = {
  batch: { mayLackSubject: true },
  workflow: {},
  transactional: {},
  confirmation: {},
  // RFC 3834: automatic replies are not sent to such mail.
  notice: { headers: [{ name: 'Auto-Submitted', value: 'auto-generated' }] },
}

interface Rules {
  /** Mail may be sent with a subject that is empty after rendering. */
  mayLackSubject?: boolean
  headers?: readonly Header[]
}

export interface Sender {
  /** A text is used as the header's value. */
  from: Mailbox | string
  /** Null: replies go to the sender. */
  replyTo: string | null
}

interface Rendered {
  subject: string
  html: string | null
  text: string | null
}

interface Content {
  rendered: Promise<Rendered> | Rendered | undefined
  isMarketing: boolean
  headers?: readonly Header[]
}

interface Recipient {
  email: string
  /** Required for marketing mail. */
  unsubscribeUrl?: string | undefined
  listId?: string | undefined
}

/** A mail to one recipient, as the provider gets it, without tags. */
export interface OutgoingMail extends Rendered {
  from: string
  replyTo: string | null
  to: string
  headers: Header[]
  /** The whole message (RFC 5322), if the provider does not assemble it. */
  raw?: Uint8Array
}

export interface Refusal {
  reason: string
  error: string
}

export type Composed = { mail: OutgoingMail } | { failed: Refusal }

/**
 * Composes the mail to one recipient for any source, or returns the reason why there is none.
 * Errors that are not the mail's fault, such as RendererBusy, are thrown.
 */
export async function compose(
  source: keyof typeof SOURCES,
  sender: Sender,
  { rendered, isMarketing, headers: own = [] }: Content,
  { email, unsubscribeUrl = '', listId }: Recipient,
): Promise<Composed> {
  const { mayLackSubject = false, headers = [] } = SOURCES[source]
  try {
    const renderedMail = await rendered
    if (!renderedMail) throw new Error('a recipient has a mail')
    if (renderedMail.subject === '' && !mayLackSubject) {
      return { failed: { reason: 'bad_subject', error: 'The mail has no subject' } }
    }
    const mailboxes = mailboxesOf(sender)
    if ('reason' in mailboxes) return { failed: mailboxes }
    const oneClick = isMarketing ? marketingHeaders({ unsubscribeUrl, listId }) : []
    return {
      mail: {
        ...mailboxes,
        ...renderedMail,
        to: email,
        headers: [...headers, ...own, ...oneClick],
      },
    }
  } catch (error) {
    if (!(error instanceof RenderError)) throw error
    return { failed: { reason: error.reason, error: error.message } }
  }
}

function mailboxesOf({ from, replyTo }: Sender): Pick<OutgoingMail, 'from' | 'replyTo'> | Refusal {
  try {
    return {
      from: typeof from === 'string' ? from : formatAddress(from.address, from.name),
      replyTo: replyTo === null ? null : formatAddress(replyTo),
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return { reason: 'bad_sender', error: error.message }
  }
}

export interface LinkDeps {
  keyring: Keyring
  publicUrl: string
}

/** Letters, digits and hyphens between dots: the form of a host in RFC 2919. */
const HOST = /^[a-z0-9-]+(?:\.[a-z0-9-]+)*$/i

/**
 * Returns the List-ID (RFC 2919) by which mail clients group and filter mail: the topic, or the
 * organization if the mail has none, below the host of the public URL. It stays when either is
 * renamed.
 */
export function listIdOf(
  publicUrl: string,
  { organizationId, topicId }: Pick<Mailed, 'organizationId' | 'topicId'>,
): string {
  const { hostname } = new URL(publicUrl)
  // RFC 2919, 3: what has no name of its own.
  const host = HOST.test(hostname) ? hostname : 'localhost'
  return `${topicId ?? organizationId}.${host}`
}

interface Mailed {
  organizationId: Uuid
  contactId: Uuid
  email: string
  topicId: Uuid | null | undefined
  batchId?: Uuid
  mailId?: Uuid
}

/**
 * Returns the links by which a contact unsubscribes and chooses topics. They identify the person,
 * the address, the mail and the topic. The second expires a year after `since` (milliseconds since
 * 1970).
 */
export function linksOf(
  { keyring, publicUrl }: LinkDeps,
  { email, topicId, ...ids }: Mailed,
  since: number,
) {
  const hash = addressHash(ids.organizationId, email)
  const link = { ...ids, addressHash: hash, ...(topicId ? { topicId } : {}) }
  return {
    unsubscribeUrl: `${publicUrl}/unsubscribe/${signUnsubscribe(keyring, link)}`,
    preferencesUrl: preferencesUrl(keyring, publicUrl, link, since),
  }
}
