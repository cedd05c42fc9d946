import { type Static, Type } from 'typebox'
import { SEGMENT_FAILURES } from '../../domain/audience/audience.ts'
import { OPERATORS } from '../../domain/audience/condition.ts'
import {
  Count,
  Cursor,
  ID,
  Id,
  limit,
  line,
  nullable,
  oneOf,
  Page,
  strict,
  TIME,
  Time,
} from '../common.ts'
import { Contact, ContactList } from '../contacts/contact.ts'
import { Condition } from './condition.ts'

const LONGEST_SEGMENT_NAME = 100
const LONGEST_DESCRIPTION = 1_000
const MOST_SHOWN = 100

const CONDITION = {
  logic: 'AND' as const,
  groups: [{ filters: [{ field: 'properties.plan', operator: 'equals' as const, value: 'pro' }] }],
}
const SENTENCE = 'Contacts where the property "plan" is "pro".'

const Sentence = Type.String({ description: 'The condition in words.', examples: [SENTENCE] })

const EXAMPLE = {
  id: ID,
  name: 'Pro plan',
  description: 'Contacts on the Pro plan.',
  condition: CONDITION,
  sentence: SENTENCE,
  problem: null,
  memberCount: 812,
  memberCountIsExact: true,
  countedAt: TIME,
  createdAt: TIME,
  updatedAt: TIME,
}

const Problem = nullable(
  Type.Object(
    { reason: oneOf(SEGMENT_FAILURES), message: Type.String() },
    {
      description:
        'Why the segment has no members (`segment_not_usable`), or why contacts temporarily do not enter or leave it. Null if there is no problem.',
    },
  ),
)

export const Segment = Type.Object(
  {
    id: Id,
    name: Type.String(),
    description: nullable(Type.String()),
    condition: nullable({
      ...Condition,
      title: 'StoredCondition',
      description: 'Null if this version cannot evaluate the stored condition.',
    }),
    sentence: Sentence,
    problem: Problem,
    memberCount: nullable({
      ...Count,
      description: 'Number of members at `countedAt`. Null if they could not be counted in time.',
    }),
    memberCountIsExact: nullable(
      Type.Boolean({
        description:
          '`false` if the count is an estimate, made from every 64th contact of a large organization.',
      }),
    ),
    countedAt: nullable(Time),
    createdAt: Time,
    updatedAt: Time,
  },
  { title: 'Segment', examples: [EXAMPLE] },
)
export type Segment = Static<typeof Segment>

const Name = line(LONGEST_SEGMENT_NAME)
const Description = Type.String({ maxLength: LONGEST_DESCRIPTION })

export const SegmentInput = strict(
  {
    name: Name,
    description: Type.Optional(nullable(Description)),
    condition: Condition,
  },
  { title: 'SegmentInput', examples: [{ name: 'Pro plan', condition: CONDITION }] },
)
export type SegmentInput = Static<typeof SegmentInput>

const Ignored = Type.Optional(Type.Unknown({ description: 'Ignored.' }))

/** Read-only fields are accepted and ignored, so that a client can send back what it read. */
export const SegmentPatch = strict(
  {
    ...Type.Partial(SegmentInput).properties,
    ifUnmodifiedSince: Type.Optional({
      ...Time,
      description:
        'The `updatedAt` of the version that you read. If the segment has changed since, the request fails with 409.',
    }),
    id: Ignored,
    sentence: Ignored,
    problem: Ignored,
    memberCount: Ignored,
    memberCountIsExact: Ignored,
    countedAt: Ignored,
    createdAt: Ignored,
    updatedAt: Ignored,
  },
  { title: 'SegmentPatch', examples: [{ name: 'Paying' }] },
)
export type SegmentPatch = Static<typeof SegmentPatch>

const MOST_OFFSET = 1_000_000

export const SegmentListQuery = strict({
  limit: limit(20, 100),
  offset: Type.Integer({
    minimum: 0,
    maximum: MOST_OFFSET,
    default: 0,
    description: 'Number of rows to skip.',
  }),
  search: Type.Optional(Type.String({ maxLength: 100, description: 'Part of the name.' })),
})

export const SegmentList = Type.Object(
  {
    segments: Type.Array(Segment),
    total: Count,
    limit: Type.Integer({ minimum: 1 }),
    offset: Count,
  },
  {
    title: 'SegmentList',
    examples: [{ segments: [EXAMPLE], total: 1, limit: 20, offset: 0 }],
  },
)

export const SegmentPreviewInput = strict(
  {
    condition: Condition,
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MOST_SHOWN,
        description: 'Number of contacts in the sample. Defaults to 10.',
      }),
    ),
  },
  { title: 'SegmentPreviewInput', examples: [{ condition: CONDITION, limit: 3 }] },
)

export const SegmentPreview = Type.Object(
  {
    count: Count,
    countIsExact: Type.Boolean({
      description: '`false` if the count is an estimate. See `memberCountIsExact` of a segment.',
    }),
    sentence: Sentence,
    sample: Type.Array(Contact, {
      description:
        'The newest matching contacts. For an estimate, the newest of the contacts that were read.',
    }),
    skippedValues: nullable(
      Type.Array(
        Type.Object(
          {
            field: Type.String(),
            operator: oneOf(OPERATORS),
            count: {
              ...Count,
              description:
                'Number of contacts whose value the operator cannot read. An estimate if `count` is one.',
            },
            examples: Type.Array(Type.String(), {
              description: 'Up to three of these values, the most frequent ones.',
            }),
          },
          { title: 'SkippedValues' },
        ),
        {
          description:
            'Filters of properties that cannot read the values of some contacts, such as `11/26/2026` where a time is expected. Null if finding them takes too long.',
        },
      ),
    ),
  },
  {
    title: 'SegmentPreview',
    examples: [
      {
        count: 0,
        countIsExact: true,
        sentence: SENTENCE,
        sample: [],
        skippedValues: [
          {
            field: 'properties.renewsAt',
            operator: 'withinNext',
            count: 17,
            examples: ['11/26/2026', 'soon'],
          },
        ],
      },
    ],
  },
)

export const SegmentMembersQuery = strict({ page: Page, pageSize: limit(50, 100), cursor: Cursor })

const SegmentMember = Type.Object(
  {
    ...Contact.properties,
    enteredAt: nullable({
      ...Time,
      description:
        'When the contact entered the segment. Null if membership is not tracked, or if the contact was a member before tracking began.',
    }),
  },
  { title: 'SegmentMember' },
)

export const SegmentMemberList = Type.Object(
  { ...ContactList.properties, contacts: Type.Array(SegmentMember) },
  {
    title: 'SegmentMemberList',
    examples: [
      {
        contacts: [],
        total: 0,
        page: 1,
        pageSize: 50,
        totalPages: 0,
        totalIsExact: true,
        nextCursor: null,
      },
    ],
  },
)
