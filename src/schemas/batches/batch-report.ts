import { type Static, Type } from 'typebox'
import { BATCH_STATUSES } from '../../domain/batches/batch.ts'
import { Count, ID, Id, nullable, oneOf, TIME, Time } from '../common.ts'
import { AbTest } from './ab-test.ts'

const PEOPLE =
  'Opened by a person, not by a known bot. A click says that it was opened, though no event told of it.'

const Funnel = Type.Object(
  {
    recipients: { ...Count, description: 'An estimate until `audienceFrozenAt` is set.' },
    sent: Count,
    delivered: Count,
    opened: { ...Count, description: 'By anything, as the batch says.' },
    openedByPeople: { ...Count, description: PEOPLE },
    clicked: Count,
    unsubscribed: Count,
    bounced: Count,
    suppressed: { ...Count, description: 'By the provider, which would have made them bounce.' },
    complained: Count,
    failed: Count,
    skipped: Count,
    unknown: Count,
  },
  { description: 'Mails, each counted once in each figure; the figures of the batch.' },
)

const Point = Type.Object({
  from: { ...Time, description: 'When the hours of this point begin.' },
  opened: Count,
  openedByPeople: Count,
  clicked: Count,
  unsubscribed: Count,
})

const domainFigures = {
  sent: Count,
  delivered: Count,
  opened: Count,
  openedByPeople: Count,
  clicked: Count,
  unsubscribed: Count,
  bounced: Count,
  suppressed: Count,
  complained: Count,
}

export const BatchReport = Type.Object(
  {
    id: Id,
    name: nullable(Type.String()),
    status: oneOf(BATCH_STATUSES),
    subject: Type.String(),
    from: Type.String(),
    fromName: nullable(Type.String()),
    startedAt: nullable(Time),
    completedAt: nullable(Time),
    audienceFrozenAt: nullable(Time),
    generatedAt: { ...Time, description: 'All figures are of this moment.' },
    funnel: Funnel,
    overTime: Type.Object(
      {
        hoursEach: Type.Integer({ minimum: 1, description: 'How long each point is.' }),
        data: Type.Array(Point),
      },
      {
        description:
          'When mails were first opened, clicked and unsubscribed by, without gaps: the more time, the longer the points.',
      },
    ),
    links: Type.Array(
      Type.Object({ id: Id, url: Type.String(), clicks: Count, recipients: Count }),
      { description: 'The 50 with most clicks; `…/clicks` lists all.' },
    ),
    otherLinks: Type.Object(
      { links: Count, clicks: Count },
      { description: 'Clicks of links beyond the first 1,000 of the batch are in `clicks` only.' },
    ),
    domains: Type.Array(
      Type.Object({
        domain: nullable(Type.String({ description: 'Null: of recipients who were erased.' })),
        ...domainFigures,
      }),
      { description: 'The 50 of recipients’ domains to which most was sent.' },
    ),
    otherDomains: Type.Object({ domains: Count, ...domainFigures }),
    bounces: Type.Array(
      Type.Object({
        type: Type.String({ description: '`Permanent`, `Transient`, `Undetermined`.' }),
        subType: nullable(Type.String({ description: 'As the provider says it.' })),
        count: Count,
        isSuppressed: Type.Boolean({
          description: 'Counts as `suppressed`; the others as `bounced`.',
        }),
      }),
      { description: 'By reason, most first.' },
    ),
    abTest: nullable(AbTest),
  },
  {
    title: 'BatchReport',
    examples: [
      {
        id: ID,
        name: 'November news',
        status: 'completed',
        subject: 'Hello',
        from: 'news@example.com',
        fromName: 'Example News',
        startedAt: TIME,
        completedAt: TIME,
        audienceFrozenAt: TIME,
        generatedAt: TIME,
        funnel: {
          recipients: 5_000,
          sent: 4_990,
          delivered: 4_950,
          opened: 1_420,
          openedByPeople: 1_200,
          clicked: 180,
          unsubscribed: 2,
          bounced: 34,
          suppressed: 1,
          complained: 0,
          failed: 0,
          skipped: 10,
          unknown: 0,
        },
        overTime: {
          hoursEach: 1,
          data: [
            { from: TIME, opened: 1_420, openedByPeople: 1_200, clicked: 180, unsubscribed: 2 },
          ],
        },
        links: [{ id: ID, url: 'https://example.com/offer', clicks: 200, recipients: 180 }],
        otherLinks: { links: 0, clicks: 0 },
        domains: [
          {
            domain: 'example.org',
            sent: 4_990,
            delivered: 4_950,
            opened: 1_420,
            openedByPeople: 1_200,
            clicked: 180,
            unsubscribed: 2,
            bounced: 34,
            suppressed: 1,
            complained: 0,
          },
        ],
        otherDomains: {
          domains: 0,
          sent: 0,
          delivered: 0,
          opened: 0,
          openedByPeople: 0,
          clicked: 0,
          unsubscribed: 0,
          bounced: 0,
          suppressed: 0,
          complained: 0,
        },
        bounces: [
          { type: 'Permanent', subType: 'General', count: 34, isSuppressed: false },
          { type: 'Permanent', subType: 'OnAccountSuppressionList', count: 1, isSuppressed: true },
        ],
        abTest: null,
      },
    ],
  },
)
export type BatchReport = Static<typeof BatchReport>
