import { type Static, Type } from 'typebox'
import { LONGEST_NAME } from '../../domain/text.ts'
import {
  accountNames,
  Count,
  Cursor,
  From,
  FromName,
  ID,
  Id,
  limit,
  line,
  NextCursor,
  nullable,
  strict,
  TIME,
  Time,
} from '../common.ts'
import { SLUG } from '../patterns.ts'

const LONGEST_TOPIC_NAME = 100
const LONGEST_DESCRIPTION = 1_000
const LONGEST_ID = 36

const summary = {
  id: Id,
  name: Type.String(),
  slug: Type.String(),
  description: nullable(Type.String()),
  doubleOptIn: Type.Boolean({
    description:
      'If `true`, contacts receive a confirmation email and are subscribed after they confirm it.',
  }),
  public: Type.Boolean({ description: 'If `true`, the topic is shown on the preferences page.' }),
  templateId: nullable({
    ...Id,
    description: 'Template of the confirmation email. Null for the default email.',
  }),
  from: nullable(Type.String({ description: 'Sender address of the confirmation email.' })),
  fromName: nullable(Type.String()),
  cloudAccountId: nullable({
    ...Id,
    description: 'Connected account that sends the confirmation email.',
  }),
  createdAt: Time,
  updatedAt: Time,
}

const counts = {
  subscribedCount: Type.Integer({ ...Count, description: 'Number of subscribed contacts.' }),
  pendingCount: Type.Integer({
    ...Count,
    description: 'Number of contacts that have not confirmed yet.',
  }),
  countsAreExact: Type.Boolean({
    description: '`false` if one of the two counts is higher than reported.',
  }),
}

const EXAMPLE = {
  id: ID,
  name: 'Product news',
  slug: 'product-news',
  description: 'What is new, once a month.',
  doubleOptIn: true,
  public: true,
  templateId: null,
  from: 'news@example.com',
  fromName: 'Example Ltd',
  cloudAccountId: ID,
  createdAt: TIME,
  updatedAt: TIME,
}

export const TopicSummary = Type.Object(summary, { title: 'TopicSummary', examples: [EXAMPLE] })
export type TopicSummary = Static<typeof TopicSummary>

export const Topic = Type.Object(
  { ...summary, ...counts },
  {
    title: 'Topic',
    examples: [{ ...EXAMPLE, subscribedCount: 812, pendingCount: 9, countsAreExact: true }],
  },
)
export type Topic = Static<typeof Topic>

const Name = line(LONGEST_TOPIC_NAME)
const Slug = Type.String({ pattern: SLUG })
const Description = Type.String({ maxLength: LONGEST_DESCRIPTION })
const TemplateId = Type.String({
  maxLength: LONGEST_ID,
  description:
    'A published template that declares and uses the variable `confirmUrl`. It may also declare `topic` (`topic.name`).',
})

export const TopicInput = strict(
  {
    name: Name,
    slug: Type.Optional(Slug),
    description: Type.Optional(nullable(Description)),
    doubleOptIn: Type.Optional(Type.Boolean()),
    public: Type.Optional(Type.Boolean()),
    templateId: Type.Optional(nullable(TemplateId)),
    from: Type.Optional(nullable(From('Needed with `doubleOptIn`.'))),
    fromName: Type.Optional(nullable(FromName(LONGEST_NAME))),
    cloudAccountId: Type.Optional(nullable(accountNames.cloudAccountId)),
    awsAccountId: Type.Optional(nullable(accountNames.awsAccountId)),
  },
  {
    title: 'TopicInput',
    examples: [{ name: 'Product news', doubleOptIn: true, from: 'news@example.com' }],
  },
)
export type TopicInput = Static<typeof TopicInput>

const Ignored = Type.Optional(Type.Unknown({ description: 'Ignored.' }))

/** Read-only fields are accepted and ignored, so that a client can send back what it read. */
export const TopicPatch = strict(
  {
    ...TopicInput.properties,
    name: Type.Optional(Name),
    id: Ignored,
    createdAt: Ignored,
    updatedAt: Ignored,
    subscribedCount: Ignored,
    pendingCount: Ignored,
    countsAreExact: Ignored,
  },
  { title: 'TopicPatch', examples: [{ description: 'What is new, twice a month.' }] },
)
export type TopicPatch = Static<typeof TopicPatch>

export const TopicListQuery = strict({ limit: limit(20, 100), cursor: Cursor })

export const TopicList = Type.Object(
  { data: Type.Array(TopicSummary), nextCursor: NextCursor },
  { title: 'TopicList', examples: [{ data: [EXAMPLE], nextCursor: null }] },
)
