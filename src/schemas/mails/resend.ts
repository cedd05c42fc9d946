import { type Static, Type } from 'typebox'
import { LONGEST_MAILBOX } from '../../domain/mailbox.ts'
import { MOST_ATTACHMENTS } from '../../domain/mails/attachments.ts'
import { RESEND_ERRORS, RESEND_EVENTS } from '../../domain/mails/resend.ts'
import {
  Count,
  ID,
  Id,
  nullable,
  oneOf,
  ROW_ERRORS,
  rowsOf,
  strict,
  TIME,
  Time,
} from '../common.ts'
import { ApiError } from '../error.ts'
import { Attachment, EmailInput, EmailPatch } from './email.ts'

// What Resend's send calls take and answer (https://resend.com/docs/api-reference/emails). Their
// limits are those of single mail, whose fields they become.

/** Resend's own limit of a list, so that the refusal of a list names its field. */
const MOST_LISTED = 50
const MOST_EMAILS_A_REQUEST = 100
const LONGEST_PATH = 2_048

const Mailbox = Type.String({ format: 'mailbox', maxLength: LONGEST_MAILBOX })
const Mailboxes = (description: string) =>
  Type.Union([Mailbox, Type.Array(Mailbox, { maxItems: MOST_LISTED })], { description })

const NOT_HERE = 'Refused: each recipient is a mail of its own.'
const fields = EmailInput.properties
const { filename, content, contentType, contentId } = Attachment.properties

const EXAMPLE_INPUT = {
  from: 'Example Shop <shop@example.com>',
  to: ['ada@example.com'],
  subject: 'Your receipt',
  html: '<p>Thank you for your order.</p>',
}

export const ResendEmailInput = strict(
  {
    from: fields.from,
    to: Mailboxes('One address, alone or in a list. The name beside an address is not sent.'),
    subject: fields.subject,
    html: fields.html,
    text: fields.text,
    cc: Type.Optional(Mailboxes(NOT_HERE)),
    bcc: Type.Optional(Mailboxes(NOT_HERE)),
    reply_to: Type.Optional(Mailboxes('One address. The name beside it is not sent.')),
    headers: fields.headers,
    tags: fields.tags,
    scheduled_at: fields.scheduledFor,
    attachments: Type.Optional(
      Type.Array(
        strict({
          filename,
          content,
          content_type: contentType,
          content_id: contentId,
          path: Type.Optional(
            Type.String({ maxLength: LONGEST_PATH, description: 'Not supported. Send `content`.' }),
          ),
        }),
        { maxItems: MOST_ATTACHMENTS, description: 'At most 10 MiB in all, decoded.' },
      ),
    ),
    template: Type.Optional(
      strict({ id: Type.String({ maxLength: 36 }), variables: fields.variables }),
    ),
    topic_id: Type.Optional(
      Type.Unsafe<string | null>({
        type: ['string', 'null'],
        maxLength: 36,
        description: 'Not supported: single mail has no topic.',
      }),
    ),
  },
  { title: 'ResendEmailInput', examples: [EXAMPLE_INPUT] },
)
export type ResendEmailInput = Static<typeof ResendEmailInput>

/** A header decides whether one invalid row refuses all rows. */
export const ResendBatchInput = Type.Unsafe<unknown[]>({
  ...rowsOf(ResendEmailInput, { maxItems: MOST_EMAILS_A_REQUEST }),
  [ROW_ERRORS]: 'errors',
  description: 'Each row is checked by itself.',
  title: 'ResendBatchInput',
  examples: [[EXAMPLE_INPUT]],
})

export const ResendEmailPatch = strict(
  { scheduled_at: EmailPatch.properties.scheduledFor },
  { title: 'ResendEmailPatch', examples: [{ scheduled_at: TIME }] },
)

export const ResendEmailId = Type.Object(
  { id: Id },
  { title: 'ResendEmailId', examples: [{ id: ID }] },
)

export const ResendChangedEmail = Type.Object(
  { object: Type.Literal('email'), id: Id },
  { title: 'ResendChangedEmail', examples: [{ object: 'email', id: ID }] },
)

export const ResendBatch = Type.Object(
  {
    data: Type.Array(ResendEmailId),
    errors: Type.Optional(
      Type.Array(Type.Object({ index: Count, message: Type.String() }), {
        description: 'Refused rows. Only with `x-batch-validation: permissive`.',
      }),
    ),
  },
  { title: 'ResendBatch', examples: [{ data: [{ id: ID }] }] },
)
export type ResendBatch = Static<typeof ResendBatch>

const NEVER = 'Always null.'

export const ResendEmail = Type.Object(
  {
    object: Type.Literal('email'),
    id: Id,
    message_id: nullable(
      Type.String({ description: 'The provider’s message id. Null if the mail is not sent yet.' }),
    ),
    to: Type.Array(Type.String(), { description: 'Empty if the person was erased.' }),
    from: nullable(Type.String()),
    created_at: Time,
    subject: nullable(Type.String()),
    html: nullable(Type.String({ description: `${NEVER} See \`/v1/email/{id}/body\`.` })),
    text: nullable(Type.String({ description: NEVER })),
    cc: nullable(Type.Array(Type.String(), { description: NEVER })),
    bcc: nullable(Type.Array(Type.String(), { description: NEVER })),
    reply_to: nullable(Type.Array(Type.String())),
    tags: Type.Array(Type.Object({ name: Type.String(), value: Type.String() })),
    last_event: oneOf(RESEND_EVENTS),
    scheduled_at: nullable(Time),
  },
  {
    title: 'ResendEmail',
    examples: [
      {
        object: 'email',
        id: ID,
        message_id: '010701930f8c2a7e-6f1d2c3b-0000-4a5b-8c9d-0e1f2a3b4c5d-000000',
        to: ['ada@example.com'],
        from: EXAMPLE_INPUT.from,
        created_at: TIME,
        subject: EXAMPLE_INPUT.subject,
        html: null,
        text: null,
        cc: null,
        bcc: null,
        reply_to: null,
        tags: [],
        last_event: 'delivered',
        scheduled_at: null,
      },
    ],
  },
)
export type ResendEmail = Static<typeof ResendEmail>

/** Errors have Resend's fields and all of ours. */
export const ResendError = Type.Object(
  {
    ...ApiError.properties,
    statusCode: Type.Integer({ minimum: 400, maximum: 599 }),
    name: oneOf(RESEND_ERRORS, { description: 'Resend’s name of the error.' }),
    message: Type.String({ description: 'The same as `error`.' }),
  },
  {
    title: 'ResendError',
    examples: [
      {
        error: 'cc is not supported: each recipient is a mail of its own',
        code: 'VALIDATION_FAILED',
        statusCode: 422,
        name: 'validation_error',
        message: 'cc is not supported: each recipient is a mail of its own',
      },
    ],
  },
)
