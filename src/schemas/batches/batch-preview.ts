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
        description: 'Contact whose mail is shown. Defaults to the newest recipient.',
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

/** A rendered mail with the findings about it. */
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
          'The mail of one recipient. For an A/B test, its first variant. Links to unsubscribe are disabled. Null if there is no recipient.',
      },
    ),
  ),
  checks: MailChecks,
}

export const BatchPreview = Type.Object(
  {
    recipients: { ...Count, description: 'Contacts that would be mailed now.' },
    skipped: Type.Array(
      Type.Object({
        reason: Type.String({ description: '`no_address`, or the status of the address.' }),
        count: Count,
      }),
      { description: 'Contacts of the audience that cannot be mailed.' },
    ),
    ...Shown,
    variants: nullable(
      Type.Array(Type.Object({ name: Type.String(), ...Shown }), {
        description: 'The mail of each variant. Null if the batch is not an A/B test.',
      }),
    ),
    estimate: nullable(
      Type.Object(
        {
          perSecond: Type.Number({ description: 'Rate of the account, or `throttlePerSecond`.' }),
          remainingToday: nullable({
            ...Count,
            description:
              'Mails that batches can still send of the account’s 24-hour quota, as of its last health check. A twentieth of the quota is reserved for single mail.',
          }),
          durationSeconds: nullable(Count),
        },
        { description: 'Null if the account was not checked yet.' },
      ),
    ),
    cost: Type.Object({
      usd: nullable(
        Type.Number({
          description:
            'Estimated SES charge by the account’s pricing plan and its volume of this month, without attachments and extras. Null if the plan is unknown.',
        }),
      ),
      usdPerThousand: nullable(Type.Number()),
      asOf: Type.String({ format: 'date', description: 'Date of the published prices.' }),
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
