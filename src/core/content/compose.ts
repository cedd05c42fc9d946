import type { Mailbox } from '../../domain/mailbox.ts'
import type { SingleMailSource } from '../../domain/mails/mail-priority.ts'
import type { Uuid } from '../../runtime/ids.ts'
import { formatAddress, type Header, marketingHeaders } from '../../mail/headers.ts'
import { RenderError } from '../../mail/render.ts'
import { preferencesUrl } from '../../keys/preferences-links.ts'
import { addressHash, type Keyring, signUnsubscribe } from '../../keys/tokens.ts'

/** What differs between the sources of mail. */
const SOURCES: Record<'batch' | SingleMailSource | 'notice', Rules> = {
  batch: { mayLackSubject: true },
  workflow: {},
  transactional: {},
  confirmation: {},
  // RFC 3834: automatic replies are not sent to such mail.
  notice: { headers: [{ name: 'Auto-Submitted', value: 'auto-generated' }] },
}

interface Rules {
  /** Whether a mail goes out whose subject is empty once it is rendered. */
  mayLackSubject?: boolean
  headers?: readonly Header[]
}

/** Whom mail is from. */
export interface Sender {
  /** A text stands in the header as it is. */
  from: Mailbox | string
  /** An address; null: replies go to the sender. */
  replyTo: string | null
}

/** What one mail says, once it is rendered. */
interface Rendered {
  subject: string
  html: string | null
  text: string | null
}

interface Content {
  rendered: Promise<Rendered> | Rendered | undefined
  /** It can be unsubscribed from with one click. */
  isMarketing: boolean
  /** Of its own, besides ours. */
  headers?: readonly Header[]
}

interface Recipient {
  email: string
  /** Needed by marketing mail. */
  unsubscribeUrl?: string | undefined
  /** Of marketing mail: see `listIdOf`. */
  listId?: string | undefined
}

/** One mail to one recipient, as it goes to the provider; only its tags are still missing. */
export interface OutgoingMail extends Rendered {
  from: string
  replyTo: string | null
  to: string
  headers: Header[]
  /** The whole message (RFC 5322), where the provider is not to make it of the parts. */
  raw?: Uint8Array
}

/** Why there is no mail: a stable word, and what is wrong. */
export interface Refusal {
  reason: string
  error: string
}

export type Composed = { mail: OutgoingMail } | { failed: Refusal }

/**
 * Makes the mail to one recipient, whatever its source, or says why there is none. Throws what is
 * no fault of the mail, such as RendererBusy.
 */
export async function compose(
  source: keyof typeof SOURCES,
  sender: Sender,
  { rendered, isMarketing, headers: own = [] }: Content,
  { email, unsubscribeUrl = '', listId }: Recipient,
): Promise<Composed> {
  const { mayLackSubject = false, headers = [] } = SOURCES[source]
  try {
    const said = await rendered
    if (!said) throw new Error('a recipient has a mail')
    if (said.subject === '' && !mayLackSubject) {
      return { failed: { reason: 'bad_subject', error: 'The mail has no subject' } }
    }
    const mailboxes = mailboxesOf(sender)
    if ('reason' in mailboxes) return { failed: mailboxes }
    const oneClick = isMarketing ? marketingHeaders({ unsubscribeUrl, listId }) : []
    return {
      mail: { ...mailboxes, ...said, to: email, headers: [...headers, ...own, ...oneClick] },
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

/** What links are signed with, and what they begin with. */
export interface LinkDeps {
  keyring: Keyring
  publicUrl: string
}

/** Letters, digits and hyphens between dots, as RFC 2919 wants the name of a host. */
const HOST = /^[a-z0-9-]+(?:\.[a-z0-9-]+)*$/i

/**
 * What mail clients group and filter a mail by (List-ID, RFC 2919): the topic, or the organization
 * where the mail has none, below the host of the public URL. It stays when either is renamed.
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

/** The contact that is mailed, and what the mail is part of. */
interface Mailed {
  organizationId: Uuid
  contactId: Uuid
  email: string
  topicId: Uuid | null | undefined
  batchId?: Uuid
  /** Single mail that counts who unsubscribes by it. */
  mailId?: Uuid
}

/**
 * The links by which a contact unsubscribes and chooses topics. They name the person, the address,
 * the mail and the topic; the second is good for a year from `since` (milliseconds since 1970).
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
