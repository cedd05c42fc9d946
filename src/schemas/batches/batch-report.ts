import { type Static, Type } from 'typebox'
import { BATCH_STATUSES } from '../../domain/batches/batch.ts'
import { Count, ID, Id, nullable, oneOf, TIME, Time } from '../common.ts'
import { AbTest } from './ab-test.ts'

const PEOPLE = 'Opened by a person. Known bots are not counted. A click counts as an open.'

const Funnel = Type.Object(
  {
    recipients: { ...Count, description: 'An estimate until `audienceFrozenAt` is set.' },
    sent: Count,
    delivered: Count,
    opened: { ...Count, description: 'Opens by people and bots, as in the batch.' },
    openedByPeople: { ...Count, description: PEOPLE },
    clicked: Count,
    unsubscribed: Count,
    bounced: Count,
    suppressed: { ...Count, description: 'Suppressed by the provider because they would bounce.' },
    complained: Count,
    failed: Count,
    skipped: Count,
    unknown: Count,
  },
  { description: 'Figures of the batch. Each mail counts once in each figure.' },
)

const Point = Type.Object({
  from: { ...Time, description: 'Start of the period.' },
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
    generatedAt: { ...Time, description: 'Time of all figures.' },
    funnel: Funnel,
    overTime: Type.Object(
      {
        hoursEach: Type.Integer({ minimum: 1, description: 'Length of each period in hours.' }),
        data: Type.Array(Point),
      },
      {
        description:
          'First opens, clicks and unsubscribes of mails over time, without gaps. Longer ranges have longer periods.',
      },
    ),
    links: Type.Array(
      Type.Object({ id: Id, url: Type.String(), clicks: Count, recipients: Count }),
      { description: 'The 50 links with the most clicks. `…/clicks` lists all links.' },
    ),
    otherLinks: Type.Object(
      { links: Count, clicks: Count },
      {
        description:
          'Clicks of links beyond the first 1,000 of the batch are counted in `clicks` only.',
      },
    ),
    domains: Type.Array(
      Type.Object({
        domain: nullable(
          Type.String({
            description: 'Domain of the recipients. Null for recipients who were erased.',
          }),
        ),
        ...domainFigures,
      }),
      { description: 'The 50 recipient domains with the most mails.' },
    ),
    otherDomains: Type.Object({ domains: Count, ...domainFigures }),
    bounces: Type.Array(
      Type.Object({
        type: Type.String({ description: '`Permanent`, `Transient` or `Undetermined`.' }),
        subType: nullable(Type.String({ description: 'Subtype as reported by the provider.' })),
        count: Count,
        isSuppressed: Type.Boolean({
          description: '`true` if it is counted as `suppressed` instead of `bounced`.',
        }),
      }),
      { description: 'Bounces by reason, the most frequent first.' },
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
