import { acceptOnce, type KeyedMail } from '../../src/core/mails/accept-once.ts'
import { type PreparedMail, prepareMails } from '../../src/core/mails/prepare-mails.ts'
import { keyOf, submittedMail } from '../../src/core/mails/submitted-mail.ts'
import { AppError, badRequest, sentence } from '../../src/domain/errors.ts'
import type { Uuid } from '../../src/runtime/ids.ts'
import { digestOf, hasFalseEnd, type Message, UnreadableMessage } from '../../src/mail/message.ts'
import type { Renderer } from '../../src/mail/renderer.ts'
import { type EmailAccepted, EmailInput } from '../../src/schemas/mails/email.ts'
import { CONTENT_ID, IDEMPOTENCY_KEY, MEDIA_TYPE } from '../../src/schemas/patterns.ts'
import { transact } from '../../src/store/db/sql.ts'
import { type Keyring, sha256 } from '../../src/keys/tokens.ts'
import type { Caller } from '../caller.ts'
import { refuseUnstorable } from '../http/bodies.ts'
import { inputChecker } from '../http/validation.ts'
import type { SmtpLimits } from './limits.ts'

export interface SubmitDeps {
  keyring: Keyring
  publicUrl: string
  renderer: Renderer
  readMessage: (bytes: Uint8Array) => Promise<Message>
  now: () => number
  limits: SmtpLimits
}

type File = NonNullable<EmailInput['attachments']>[number]

interface Submission {
  caller: Caller
  keyId: Uuid
  recipients: readonly string[]
  bytes: Buffer
}

const check = inputChecker(EmailInput)
const KEY = new RegExp(IDEMPOTENCY_KEY)
const TYPE = new RegExp(MEDIA_TYPE)
const ID = new RegExp(CONTENT_ID)

/**
 * Stores one message as a single mail to each recipient, all of them or none. Throws the same
 * refusals as the API.
 */
export async function submit(
  submission: Submission,
  { keyring, publicUrl, renderer, readMessage, now, limits }: SubmitDeps,
): Promise<EmailAccepted[]> {
  const { caller, keyId, recipients, bytes } = submission
  const { organizationId, sql } = caller
  const most = Math.max(1, Math.floor(limits.storedBytes / bytes.length))
  if (recipients.length > most) {
    throw refusal('to', `must not be more than ${most} with a message of ${bytes.length} bytes`)
  }
  if (hasFalseEnd(bytes)) {
    throw refusal('body', 'has a line of one dot between bare line feeds or carriage returns')
  }
  const mail = submittedMail(await readMessage(bytes).catch(refuseUnreadable))
  if (mail.idempotencyKey !== undefined && !KEY.test(mail.idempotencyKey)) {
    throw refusal(
      'X-Letterloom-Idempotency-Key',
      'must be 1 to 255 printable ASCII characters, without a blank at its ends',
    )
  }
  const attachments = mail.input.attachments?.map(fitting)
  const input = { ...mail.input, ...(attachments === undefined ? {} : { attachments }) }
  const inputs = recipients.map((to): EmailInput => checked({ ...input, to }))
  const making = { keyring, publicUrl, renderer, now: now() }
  const prepared = await prepareAll(inputs, (some) =>
    prepareMails(sql, organizationId, some, making),
  )
  const digest = digestOf(bytes)
  // A program that tries again with its key makes the message anew: its date is another one.
  const fingerprint =
    mail.idempotencyKey === undefined ? digest : sha256(JSON.stringify(mail.input))
  const keyed = prepared.map(
    (each): KeyedMail => ({
      mail: each,
      key: keyOf(mail, { keyId, digest }, each.mail.to),
      fingerprint,
    }),
  )
  return transact(sql, (tx) => acceptOnce(tx, organizationId, keyed, making))
}

/** Removes types and ids of files that single mail does not take. They matter to programs only. */
const fitting = ({ contentType = '', contentId = '', ...file }: File): File => ({
  ...file,
  ...(TYPE.test(contentType) ? { contentType } : {}),
  ...(ID.test(contentId) ? { contentId } : {}),
})

const refusal = (path: string, message: string): AppError =>
  badRequest(`${path} ${message}`, [{ path, message }])

function refuseUnreadable(error: unknown): never {
  if (error instanceof UnreadableMessage) throw refusal('body', `is unreadable: ${error.message}`)
  throw error
}

function checked(input: EmailInput): EmailInput {
  refuseUnstorable(input, true)
  const { details } = check(input)
  if (details) throw new AppError('VALIDATION_FAILED', sentence(details), { details })
  return input
}

/** Prepares the first mail alone, and the others with its text part, which is the same for all. */
async function prepareAll(
  inputs: readonly EmailInput[],
  prepare: (some: readonly EmailInput[]) => Promise<(PreparedMail | AppError)[]>,
): Promise<PreparedMail[]> {
  const [first, ...otherInputs] = inputs
  const [firstMail] = first === undefined ? [] : await prepare([first])
  if (firstMail === undefined || firstMail instanceof AppError)
    throw firstMail ?? new Error('nobody is mailed')
  if (otherInputs.length === 0) return [firstMail]
  const { text } = firstMail.mail
  const same = otherInputs.map((input) => (text === null ? input : { ...input, text }))
  const rest = await prepare(same)
  return [firstMail, ...rest.map(unwrap)]
}

function unwrap(mail: PreparedMail | AppError): PreparedMail {
  if (mail instanceof AppError) throw mail
  return mail
}
