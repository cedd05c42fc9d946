import { type Static, Type } from 'typebox'
import { DIMENSIONS, GRANULARITIES } from '../../domain/metrics/metrics-query.ts'
import { Count, ID, Id, nullable, oneOf, strict, TIME, Time } from '../common.ts'
import { DOMAIN_LIST, ID_LIST, WORD_LIST } from '../patterns.ts'

const FIGURES = {
  sent: Count,
  delivered: Count,
  bounced: {
    ...Count,
    description:
      'Mails that did not arrive, the sum of the three counts below. Automatic replies are not included.',
  },
  bouncedPermanent: Count,
  bouncedTransient: {
    ...Count,
    description:
      'Transient bounces, including automatic replies. Mails that were delivered all the same are not counted in `bounced`.',
  },
  bouncedUndetermined: Count,
  complained: Count,
  suppressed: Type.Integer({
    minimum: 0,
    description: 'Mails that the provider’s suppression list stopped.',
  }),
  opened: Type.Integer({
    minimum: 0,
    description:
      'Mails opened by people: without known bots, and including mails in which a person clicked a link.',
  }),
  openedRaw: Type.Integer({
    minimum: 0,
    description: 'All opened mails, including those opened by bots.',
  }),
  clicked: Count,
  unsubscribed: Type.Integer({
    minimum: 0,
    description:
      'Mails whose link unsubscribed the recipient. Counts mails of batches and workflows, each mail once.',
  }),
  failed: Type.Integer({
    minimum: 0,
    description: 'Mails that the provider accepted and refused later.',
  }),
  costUsd: nullable(
    Type.Number({
      minimum: 0,
      description:
        'Estimated cost from published prices of sending, by the plan of each account. Mails of a UTC month cost its average, which changes while the month grows. Null if the price of some of the mails is unknown.',
    }),
  ),
}

const KEYS = {
  period: Type.Optional(
    Type.String({
      description:
        'Start of the period: `2026-11-21T10:00:00`, `2026-11-21` (for a week, its Monday) or `2026-11`.',
    }),
  ),
  domain: Type.Optional(
    nullable(Type.String({ description: 'Domain of the sender address. Null if unknown.' })),
  ),
  broadcastId: Type.Optional(nullable({ ...Id, description: 'Id of the batch.' })),
  templateId: Type.Optional(nullable(Id)),
  source: Type.Optional(
    Type.String({
      description:
        'Source of the mail. `external` is mail that other programs sent through a connected account. It is counted by source only and has no cost here.',
    }),
  ),
  cloudAccountId: Type.Optional(Id),
  region: Type.Optional(nullable(Type.String())),
}

const FIGURES_EXAMPLE = {
  sent: 1000,
  delivered: 985,
  bounced: 12,
  bouncedPermanent: 9,
  bouncedTransient: 3,
  bouncedUndetermined: 0,
  complained: 1,
  suppressed: 2,
  opened: 412,
  openedRaw: 640,
  clicked: 58,
  unsubscribed: 4,
  failed: 1,
  costUsd: 0.1598,
}

const MetricsRow = Type.Object({ ...KEYS, ...FIGURES }, { title: 'MetricsRow' })
export type MetricsRow = Static<typeof MetricsRow>

export const EmailMetrics = Type.Object(
  {
    object: Type.Literal('metrics'),
    totals: Type.Object(FIGURES),
    data: Type.Array(MetricsRow, {
      description:
        'One row for each combination of dimension values that has mails. Empty if no dimensions were requested.',
    }),
    meta: Type.Object({
      start: { ...Time, description: 'Start of the range, inclusive. A whole quarter of an hour.' },
      end: { ...Time, description: 'End of the range, exclusive. A whole quarter of an hour.' },
      timezone: Type.String(),
      granularity: oneOf(GRANULARITIES),
      dimensions: Type.Array(oneOf(DIMENSIONS)),
      botListVersion: Type.Integer({ description: 'Version of the current list of bots.' }),
    }),
  },
  {
    title: 'EmailMetrics',
    examples: [
      {
        object: 'metrics',
        totals: FIGURES_EXAMPLE,
        data: [{ period: '2026-11-21', domain: 'example.com', ...FIGURES_EXAMPLE }],
        meta: {
          start: TIME.replace(/T.*/, 'T00:00:00.000Z'),
          end: '2026-11-22T00:00:00.000Z',
          timezone: 'UTC',
          granularity: 'daily',
          dimensions: ['period', 'domain'],
          botListVersion: 1,
        },
      },
    ],
  },
)
export type EmailMetrics = Static<typeof EmailMetrics>

const DayOrLocalTime = (description: string) =>
  Type.Optional(
    Type.Unsafe<string>({
      type: 'string',
      maxLength: 64,
      anyOf: [{ format: 'date' }, { format: 'date-time' }, { format: 'local-date-time' }],
      description,
    }),
  )

export const MOST_VALUES = 100
const ID_LENGTH = ID.length + 1
const ids = (description: string) =>
  Type.Optional(Type.String({ pattern: ID_LIST, maxLength: MOST_VALUES * ID_LENGTH, description }))

export const EmailMetricsQuery = strict({
  start_date: DayOrLocalTime(
    'A day of `timezone`, or a time, in `timezone` if it has no offset. By default the sixth day before the last.',
  ),
  end_date: DayOrLocalTime('The same; a day is included. By default now.'),
  timezone: Type.String({
    maxLength: 64,
    default: 'UTC',
    description: 'An IANA time zone.',
    examples: ['Europe/Berlin'],
  }),
  granularity: oneOf(GRANULARITIES, {
    default: 'daily',
    description: 'Length of a `period`. Weeks begin on Monday.',
  }),
  dimensions: Type.Optional(
    Type.String({
      pattern: WORD_LIST,
      maxLength: 200,
      description: `Comma-separated list of dimensions: ${DIMENSIONS.join(', ')}.`,
      examples: ['period,domain'],
    }),
  ),
  broadcast_id: ids('Only mails of these batches, at most 100, comma-separated.'),
  template_id: ids('Only mails of these templates.'),
  cloud_account_id: ids('Only mails through these accounts.'),
  domain: Type.Optional(
    Type.String({
      pattern: DOMAIN_LIST,
      maxLength: MOST_VALUES * 255,
      description: 'Returns only mails sent from addresses of these domains.',
    }),
  ),
})
