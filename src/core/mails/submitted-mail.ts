import { createHash } from 'node:crypto'
import { badRequest } from '../../domain/errors.ts'
import type { Mailbox } from '../../domain/mailbox.ts'
import { isRefusedHeader, MOST_HEADERS } from '../../domain/mails/custom-headers.ts'
import { cleanLine } from '../../domain/text.ts'
import type { Uuid } from '../../runtime/ids.ts'
import { headerProblem, type Header } from '../../mail/headers.ts'
import type { Message } from '../../mail/message.ts'
import type { EmailInput } from '../../schemas/mails/email.ts'

/** Headers with which programs control us. They are not sent on. */
const OURS = 'x-letterloom-'
const KEY_HEADER = `${OURS}idempotency-key`
const ACCOUNT_HEADER = `${OURS}account`
/** Servers that a message may have passed. A message that passed more goes in a circle. */
const MOST_HOPS = 50
/** Encrypted mail would arrive as files that its recipient cannot open. */
const ENCRYPTED = /^\s*(?:multipart\/encrypted|application\/(?:x-)?pkcs7-mime)\b/i
/** Text of a message without one: single mail needs one. */
const EMPTY_TEXT = '\n'

/** A message as input of single mail, for each of its recipients. */
interface SubmittedMail {
  input: Omit<EmailInput, 'to'>
  /** Key from the sender. Undefined: the message is recognized by its content. */
  idempotencyKey: string | undefined
  /** Distinguishes two messages with the same content. Undefined: nothing does. */
  identity: string | undefined
}

/**
 * Returns a message as input of single mail, which checks its limits.
 *
 * It leaves out To, Cc and Bcc (each recipient gets a mail of their own), the names of Reply-To,
 * and headers that single mail refuses, that occur twice, or that cannot be sent.
 */
export function submittedMail(message: Message): SubmittedMail {
  const { headers, html, text, subject, attachments } = message
  const find = (name: string) =>
    headers.find((header) => header.name.toLowerCase() === name)?.value.trim()
  if (headers.filter(({ name }) => name.toLowerCase() === 'received').length > MOST_HOPS) {
    throw refusal('headers', `pass more than ${MOST_HOPS} servers: the mail goes in a circle`)
  }
  if (ENCRYPTED.test(find('content-type') ?? '')) {
    throw refusal('body', 'is encrypted (S/MIME, OpenPGP), and cannot be taken apart')
  }
  const from = oneOf(message.from, 'from')
  const replyTo = message.replyTo.length === 0 ? undefined : oneOf(message.replyTo, 'replyTo')
  const account = find(ACCOUNT_HEADER)
  return {
    input: {
      from: from.address,
      ...(from.name === null ? {} : { fromName: cleanLine(from.name) }),
      ...(replyTo === undefined ? {} : { replyTo: replyTo.address }),
      ...(subject === undefined ? {} : { subject: cleanLine(subject) }),
      ...(html === undefined ? {} : { html }),
      ...(text === undefined ? (html === undefined ? { text: EMPTY_TEXT } : {}) : { text }),
      headers: carriedHeaders(headers),
      ...(attachments.length === 0 ? {} : { attachments: attachments.map(cleanFile) }),
      ...(account === undefined ? {} : { cloudAccountId: account }),
    },
    idempotencyKey: find(KEY_HEADER),
    identity: find('message-id') ?? find('date'),
  }
}

const refusal = (path: string, message: string) =>
  badRequest(`The ${path} ${message}`, [{ path, message }])

function oneOf(mailboxes: readonly Mailbox[], path: string): Mailbox {
  const [first, ...furtherMailboxes] = mailboxes
  if (first === undefined)
    throw badRequest(`${path} is required`, [{ path, message: 'is required' }])
  const message = 'must be one address'
  if (furtherMailboxes.length > 0) throw badRequest(`${path} ${message}`, [{ path, message }])
  return first
}

const cleanFile = <T extends { filename: string }>(file: T): T => ({
  ...file,
  filename: cleanLine(file.filename),
})

/** Returns the first header of each name, up to the limit of a mail. */
function carriedHeaders(headers: readonly Header[]): Record<string, string> {
  const carried = new Map<string, Header>()
  for (const { name, value } of headers) {
    const key = name.toLowerCase()
    // Long ones are folded, by some programs with tabs.
    const header = { name, value: value.replaceAll('\t', ' ').trim() }
    if (isRefusedHeader(name) || key.startsWith(OURS) || carried.has(key)) continue
    if (header.value === '' || headerProblem(header) !== undefined) continue
    if (carried.size < MOST_HEADERS) carried.set(key, header)
  }
  return Object.fromEntries([...carried.values()].map(({ name, value }) => [name, value]))
}

/**
 * Returns the key under which a mail to one recipient is accepted once a day, from the key of its
 * sender or from the message itself. Undefined: a repetition cannot be told from a new mail.
 */
export function keyOf(
  { idempotencyKey, identity }: Pick<SubmittedMail, 'idempotencyKey' | 'identity'>,
  { keyId, digest }: { keyId: Uuid; digest: Buffer },
  recipient: string,
): string | undefined {
  if (idempotencyKey !== undefined) return hashed('given', idempotencyKey, recipient)
  if (identity === undefined) return undefined
  return hashed('message', keyId, identity, recipient, digest.toString('base64'))
}

const hashed = (...parts: string[]): string =>
  `smtp ${createHash('sha256').update(JSON.stringify(parts)).digest('base64url')}`
