import { type Static, Type } from 'typebox'
import { LOG_STATUSES } from '../../domain/status.ts'
import { MOST_ATTACHMENTS } from '../../domain/mails/attachments.ts'
import { MOST_HEADERS } from '../../domain/mails/custom-headers.ts'
import { MOST_DAYS_AHEAD, SINGLE_MAIL_STATUSES } from '../../domain/mails/single-mail.ts'
import { LONGEST_NAME } from '../../domain/text.ts'
import {
  accountNames,
  Address,
  Count,
  From,
  FromName,
  ID,
  Id,
  line,
  nullable,
  oneOf,
  rowsOf,
  strict,
  TIME,
  Time,
} from '../common.ts'
import { rowErrors } from '../error.ts'
import { CONTENT_ID, MEDIA_TYPE, TAG } from '../patterns.ts'

/** Characters of each part. SES allows a message of 40 MB. */
const LONGEST_PART = 1_000_000
const LONGEST_SUBJECT = 998
/** Characters of base64. All attachments of a mail have a lower limit of their own, decoded. */
const LONGEST_ATTACHMENT = 14_500_000
const MOST_VARIABLES = 200
const MOST_TAGS = 20
const MOST_EMAILS_A_REQUEST = 100
const LONGEST_TAG = 256

const STATUSES = [...SINGLE_MAIL_STATUSES, ...LOG_STATUSES] as const
const Status = oneOf(STATUSES, {
  description:
    'The statuses of logs, and `scheduled` and `cancelled`. `suppressed`: the address may not be mailed, see `reason`.',
})

const Tag = strict({
  name: Type.String({ pattern: TAG, maxLength: LONGEST_TAG }),
  value: Type.String({ pattern: TAG, maxLength: LONGEST_TAG }),
})

export const Attachment = strict({
  filename: line(255, { description: 'Name of the file, in any script.' }),
  contentType: Type.Optional(
    Type.String({
      pattern: MEDIA_TYPE,
      maxLength: 255,
      description:
        'Absent: the type follows from the name. It may have parameters: the first `text/calendar` with a `method` is sent as an invitation, which calendars show (RFC 6047).',
      examples: ['application/pdf', 'text/calendar; method=REQUEST'],
    }),
  ),
  contentId: Type.Optional(
    Type.String({
      pattern: CONTENT_ID,
      examples: ['logo@example.com'],
      description: 'The file is shown where the HTML has `cid:` and this name, and not listed.',
    }),
  ),
  content: Type.String({
    minLength: 1,
    maxLength: LONGEST_ATTACHMENT,
    description: 'Base64.',
    examples: ['SGVsbG8='],
  }),
})

const ScheduledFor = {
  ...Time,
  description: `When to send it, at most ${MOST_DAYS_AHEAD} days ahead. A time that has just passed means at once.`,
}

const EXAMPLE_INPUT = {
  to: 'ada@example.com',
  from: 'Example Shop <shop@example.com>',
  subject: 'Your receipt',
  html: '<p>Thank you for your order.</p>',
  tags: [{ name: 'kind', value: 'receipt' }],
}

export const EmailInput = strict(
  {
    to: Address({ description: 'One address. Send one mail for each recipient.' }),
    from: From(),
    fromName: Type.Optional(FromName(LONGEST_NAME)),
    replyTo: Type.Optional(Address()),
    subject: Type.Optional(
      line(LONGEST_SUBJECT, { description: 'Required unless the template has one.' }),
    ),
    html: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: LONGEST_PART,
        description: 'Sent unchanged: `{{ … }}` in it is text.',
      }),
    ),
    text: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: LONGEST_PART,
        description: 'Absent: it is made from `html`.',
      }),
    ),
    templateId: Type.Optional(
      Type.String({
        maxLength: 36,
        description: 'A published template of `emailType` `transactional`.',
      }),
    ),
    variables: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        maxProperties: MOST_VARIABLES,
        description: 'Values of the template’s variables.',
      }),
    ),
    headers: Type.Optional(
      Type.Record(Type.String(), Type.String(), {
        maxProperties: MOST_HEADERS,
        description:
          'Custom headers, such as `X-Order` or `In-Reply-To`. Headers that other fields, SES or we set are refused: `Content-*`, `List-*`, `Resent-*`, `X-SES-*`, `Date`, `Errors-To` and so on.',
      }),
    ),
    attachments: Type.Optional(
      Type.Array(Attachment, {
        maxItems: MOST_ATTACHMENTS,
        description: 'At most 10 MiB in all, decoded.',
      }),
    ),
    tags: Type.Optional(
      Type.Array(Tag, {
        maxItems: MOST_TAGS,
        description: 'The provider’s events return them. Do not use them for secrets or addresses.',
      }),
    ),
    scheduledFor: Type.Optional(ScheduledFor),
    retainBody: Type.Optional(
      Type.Boolean({
        description:
          '`true`, the default: the body is stored encrypted and can be read for 7 days (`/v1/email/{id}/body`). `false`: it is deleted once the mail is sent.',
      }),
    ),
    ...accountNames,
  },
  {
    title: 'EmailInput',
    description: 'Content is either `templateId` or `html`, `text` or both.',
    examples: [EXAMPLE_INPUT],
  },
)
export type EmailInput = Static<typeof EmailInput>

export const EmailAccepted = Type.Object(
  { id: Id, status: Status },
  { title: 'EmailAccepted', examples: [{ id: ID, status: 'queued' }] },
)
export type EmailAccepted = Static<typeof EmailAccepted>

export const EmailBatchInput = strict(
  { emails: rowsOf(EmailInput, { maxItems: MOST_EMAILS_A_REQUEST }) },
  { title: 'EmailBatchInput', examples: [{ emails: [EXAMPLE_INPUT] }] },
)

const EmailBatchRow = Type.Object(
  {
    index: Count,
    id: nullable(Id),
    status: oneOf([...STATUSES, 'refused'] as const, {
      description: '`refused`: no mail was created, see `error`.',
    }),
    error: Type.Optional(Type.String()),
  },
  { title: 'EmailBatchRow' },
)
export type EmailBatchRow = Static<typeof EmailBatchRow>

const NOT_AN_ADDRESS = 'emails[1].to must be an email address'

export const EmailBatchResult = Type.Object(
  {
    success: Type.Boolean({ description: '`true` if every mail was accepted.' }),
    accepted: Count,
    failed: Count,
    results: Type.Array(EmailBatchRow),
    ...rowErrors,
  },
  {
    title: 'EmailBatchResult',
    examples: [
      {
        success: false,
        accepted: 1,
        failed: 1,
        results: [
          { index: 0, id: ID, status: 'queued' },
          { index: 1, id: null, status: 'refused', error: NOT_AN_ADDRESS },
        ],
        errors: [NOT_AN_ADDRESS],
        errorDetails: [
          {
            index: 1,
            code: 'VALIDATION_FAILED',
            reason: 'validation_failed',
            message: NOT_AN_ADDRESS,
            details: [{ path: 'emails[1].to', message: 'must be an email address' }],
          },
        ],
      },
    ],
  },
)

export const Email = Type.Object(
  {
    id: Id,
    status: Status,
    reason: nullable(Type.String({ description: 'Reason why it was not sent, of an open set.' })),
    error: nullable(Type.String()),
    messageId: nullable(Type.String({ description: 'The provider’s message id.' })),
    to: nullable(Type.String({ description: 'Null if the person was erased.' })),
    from: nullable(Type.String()),
    replyTo: nullable(Type.String()),
    subject: nullable(Type.String()),
    templateId: nullable(Id),
    cloudAccountId: Id,
    tags: Type.Array(Tag),
    scheduledFor: nullable({ ...Time, description: 'Null once its time has come.' }),
    bodyKeptUntil: nullable({ ...Time, description: 'Null if the body cannot be read.' }),
    waitingForOutcome: nullable(
      Type.Object(
        { since: Time },
        {
          description:
            'The call was interrupted: the provider may have accepted the mail. The provider’s events, or their proven absence, decide.',
        },
      ),
    ),
    createdAt: Time,
    sentAt: nullable(Time),
    deliveredAt: nullable(Time),
    openedAt: nullable(Time),
    clickedAt: nullable(Time),
    bouncedAt: nullable(Time),
    complainedAt: nullable(Time),
  },
  {
    title: 'Email',
    examples: [
      {
        id: ID,
        status: 'delivered',
        reason: null,
        error: null,
        messageId: '010701930f8c2a7e-6f1d2c3b-0000-4a5b-8c9d-0e1f2a3b4c5d-000000',
        to: 'ada@example.com',
        from: 'Example Shop <shop@example.com>',
        replyTo: null,
        subject: 'Your receipt',
        templateId: null,
        cloudAccountId: ID,
        tags: EXAMPLE_INPUT.tags,
        scheduledFor: null,
        bodyKeptUntil: TIME,
        waitingForOutcome: null,
        createdAt: TIME,
        sentAt: TIME,
        deliveredAt: TIME,
        openedAt: null,
        clickedAt: null,
        bouncedAt: null,
        complainedAt: null,
      },
    ],
  },
)
export type Email = Static<typeof Email>

export const EmailBody = Type.Object(
  {
    html: nullable(Type.String()),
    text: nullable(Type.String()),
    headers: Type.Record(Type.String(), Type.String()),
    attachments: Type.Array(
      Type.Object({
        filename: Type.String(),
        contentType: nullable(Type.String()),
        contentId: nullable(Type.String()),
        bytes: Count,
      }),
    ),
  },
  {
    title: 'EmailBody',
    examples: [
      {
        html: EXAMPLE_INPUT.html,
        text: 'Thank you for your order.',
        headers: { 'X-Order': '42' },
        attachments: [
          { filename: 'invoice.pdf', contentType: null, contentId: null, bytes: 48_120 },
        ],
      },
    ],
  },
)
export type EmailBody = Static<typeof EmailBody>

export const EmailPatch = strict(
  { scheduledFor: ScheduledFor },
  { title: 'EmailPatch', examples: [{ scheduledFor: TIME }] },
)
