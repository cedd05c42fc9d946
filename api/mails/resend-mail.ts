import type { ErrorFields } from '../http/errors.ts'
import { AppError, type ErrorDetail } from '../../src/domain/errors.ts'
import { parseMailbox } from '../../src/domain/mailbox.ts'
import { resendEventOf, resendNameOf } from '../../src/domain/mails/resend.ts'
import type { Email, EmailInput } from '../../src/schemas/mails/email.ts'
import type { ResendEmail, ResendEmailInput } from '../../src/schemas/mails/resend.ts'
import { invalidBody } from '../http/validation.ts'

/** Names the account to send through, if an organization has connected several. */
export const ACCOUNT_HEADER = 'x-letterloom-account'

/** Names of single mail's fields in Resend's calls. */
const NAMES: Readonly<Record<string, string>> = {
  replyTo: 'reply_to',
  scheduledFor: 'scheduled_at',
  templateId: 'template.id',
  variables: 'template.variables',
  contentType: 'content_type',
  contentId: 'content_id',
  cloudAccountId: ACCOUNT_HEADER,
}
const OUR_NAMES = new RegExp(`\\b(?:${Object.keys(NAMES).join('|')})\\b`, 'g')

const theirNames = (text: string): string => text.replace(OUR_NAMES, (name) => NAMES[name] ?? name)

/** Returns a refusal of single mail with Resend's names of its fields. */
export function inTheirNames(refusal: AppError): AppError {
  const { code, message, reason, details, retryAfterSeconds } = refusal
  const renamedDetails = details?.map(
    (detail): ErrorDetail => ({
      ...detail,
      path: theirNames(detail.path),
      message: theirNames(detail.message),
    }),
  )
  return new AppError(code, theirNames(message), {
    ...(reason === undefined ? {} : { reason }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    ...(renamedDetails === undefined ? {} : { details: renamedDetails }),
  })
}

/** Converts a mail of Resend's into single mail, or returns the refusal. */
export function toEmailInput(
  input: ResendEmailInput,
  account: string | undefined,
): EmailInput | AppError {
  const to = mailboxesOf(input.to)
  const replyTo = mailboxesOf(input.reply_to)
  const [first] = to
  if (first === undefined) return invalidBody('to', 'is required')
  if (to.length > 1) return invalidBody('to', 'must be one address: send one mail to each')
  if (replyTo.length > 1) return invalidBody('reply_to', 'must be one address')
  for (const field of ['cc', 'bcc'] as const) {
    if (mailboxesOf(input[field]).length === 0) continue
    return invalidBody(field, 'is not supported: send one mail to each recipient')
  }
  if (typeof input.topic_id === 'string') {
    return invalidBody('topic_id', 'is not supported: single mail has no topic')
  }
  const { from, subject, html, text, headers, tags, template } = input
  const attachments = input.attachments ?? []
  const remote = attachments.findIndex(({ path }) => path !== undefined)
  if (remote >= 0) {
    return invalidBody(`attachments[${remote}].path`, 'is not supported: send the content')
  }
  return withoutUndefined({
    from,
    to: addressOf(first),
    subject,
    html,
    text,
    headers,
    tags,
    replyTo: replyTo[0] === undefined ? undefined : addressOf(replyTo[0]),
    scheduledFor: input.scheduled_at,
    templateId: template?.id,
    variables: template?.variables,
    attachments: input.attachments?.map(({ filename, content, content_type, content_id }) =>
      withoutUndefined({ filename, content, contentType: content_type, contentId: content_id }),
    ),
    cloudAccountId: account,
  })
}

const mailboxesOf = (field: string | readonly string[] | undefined): readonly string[] =>
  field === undefined ? [] : [field].flat()

const addressOf = (mailbox: string): string => parseMailbox(mailbox)?.address ?? mailbox

type WithoutUndefined<T> = {
  [Key in keyof T as undefined extends T[Key] ? never : Key]: T[Key]
} & {
  [Key in keyof T as undefined extends T[Key] ? Key : never]?: Exclude<T[Key], undefined>
}

/** Drops undefined fields: fields of single mail are absent instead. */
const withoutUndefined = <T extends object>(fields: T): WithoutUndefined<T> =>
  Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as WithoutUndefined<T>

/** Returns a single mail as Resend shows it. */
export const resendEmailView = (mail: Email): ResendEmail => ({
  object: 'email',
  id: mail.id,
  message_id: mail.messageId,
  to: mail.to === null ? [] : [mail.to],
  from: mail.from,
  created_at: mail.createdAt,
  subject: mail.subject,
  html: null,
  text: null,
  cc: null,
  bcc: null,
  reply_to: mail.replyTo === null ? null : [mail.replyTo],
  tags: mail.tags,
  last_event: resendEventOf(mail.status),
  scheduled_at: mail.scheduledFor,
})

/** Adds Resend's fields to an error. */
export const resendErrorFields: ErrorFields = (refusal, { status, request }) => ({
  statusCode: status,
  name: resendNameOf(refusal, request.headers.authorization !== undefined),
  message: refusal.message,
})
