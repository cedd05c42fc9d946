import { type Static, Type } from 'typebox'
import { Count, ID, Id, nullable, strict, warnings } from '../common.ts'
import { EXAMPLE_CHECKS, MailChecks } from '../content/mail-check.ts'
import { BatchInput } from './batch.ts'

export const BatchPreviewInput = strict(
  {
    ...BatchInput.properties,
    sampleContactId: Type.Optional(
      Type.String({
        maxLength: 36,
        description: 'Whose mail is shown; the newest recipient’s without it.',
      }),
    ),
  },
  {
    title: 'BatchPreviewInput',
    examples: [
      {
        audienceType: 'all',
        from: 'news@example.com',
        subject: 'Hello {{ contact.firstName | default: "there" }}',
        htmlContent: '<p>Hello {{ contact.firstName | default: "there" }}</p>',
      },
    ],
  },
)
export type BatchPreviewInput = Static<typeof BatchPreviewInput>

/** A mail, and what was found in it. */
const Shown = {
  sample: nullable(
    Type.Object(
      {
        contactId: Id,
        email: nullable(Type.String()),
        subject: nullable(Type.String()),
        html: nullable(Type.String()),
        text: nullable(Type.String()),
        problem: nullable(
          Type.Object(
            { reason: Type.String(), message: Type.String() },
            { description: 'Why there is no mail for this contact.' },
          ),
        ),
      },
      {
        description:
          'The mail of one recipient, of an A/B test its first variant. Its links to unsubscribe lead nowhere. Null: there is nobody.',
      },
    ),
  ),
  checks: MailChecks,
}

export const BatchPreview = Type.Object(
  {
    recipients: { ...Count, description: 'Who would be mailed now.' },
    skipped: Type.Array(
      Type.Object({
        reason: Type.String({ description: '`no_address`, or the status of the address.' }),
        count: Count,
      }),
      { description: 'Who is in the audience and may not be mailed.' },
    ),
    ...Shown,
    variants: nullable(
      Type.Array(Type.Object({ name: Type.String(), ...Shown }), {
        description: 'The mail of each variant. Null: it is no A/B test.',
      }),
    ),
    estimate: nullable(
      Type.Object(
        {
          perSecond: Type.Number({ description: 'Of the account, or `throttlePerSecond`.' }),
          remainingToday: nullable({
            ...Count,
            description:
              'What batches may still send of the account’s 24-hour quota, when its health was last read: a twentieth of the quota is for single mail.',
          }),
          durationSeconds: nullable(Count),
        },
        { description: 'Null: the account has not been asked yet.' },
      ),
    ),
    cost: Type.Object({
      usd: nullable(
        Type.Number({
          description:
            'What SES charges at the account’s pricing plan, after what it has sent this month, without attachments and extras. Null: the plan is not known.',
        }),
      ),
      usdPerThousand: nullable(Type.Number()),
      asOf: Type.String({ format: 'date', description: 'When the prices were published.' }),
    }),
    ...warnings,
  },
  {
    title: 'BatchPreview',
    examples: [
      {
        recipients: 4_990,
        skipped: [{ reason: 'unsubscribed', count: 10 }],
        sample: {
          contactId: ID,
          email: 'ada@example.com',
          subject: 'Hello Ada',
          html: '<p>Hello Ada</p>',
          text: 'Hello Ada',
          problem: null,
        },
        checks: EXAMPLE_CHECKS,
        variants: null,
        estimate: { perSecond: 14, remainingToday: 48_000, durationSeconds: 357 },
        cost: { usd: 0.499, usdPerThousand: 0.1, asOf: '2026-07-22' },
      },
    ],
  },
)
export type BatchPreview = Static<typeof BatchPreview>
