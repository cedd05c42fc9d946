import { type Static, Type } from 'typebox'
import {
  Cursor,
  ID,
  Id,
  limit,
  line,
  NextCursor,
  nullable,
  oneOf,
  oneOfSoon,
  strict,
  TIME,
  Time,
} from '../common.ts'
import { SLUG } from '../patterns.ts'

const SOURCE_TYPES = ['html', 'mjml'] as const
const EMAIL_TYPES = ['marketing', 'transactional'] as const
const TEMPLATE_STATUSES = ['DRAFT', 'PUBLISHED', 'ARCHIVED'] as const

const Variable = strict({
  name: Type.String({ minLength: 1, maxLength: 100 }),
  fallback: Type.Optional(nullable(Type.String({ maxLength: 1_000 }))),
})

const summary = {
  id: Id,
  name: Type.String(),
  slug: Type.String(),
  subject: nullable(Type.String()),
  previewText: nullable(Type.String()),
  sourceType: oneOf(SOURCE_TYPES),
  emailType: oneOf(EMAIL_TYPES),
  variables: Type.Array(Variable),
  status: oneOf(TEMPLATE_STATUSES),
  version: Type.Integer({ minimum: 0 }),
  createdAt: Time,
  updatedAt: Time,
  publishedAt: nullable(Time),
}

const EXAMPLE = {
  id: ID,
  name: 'Newsletter',
  slug: 'newsletter',
  subject: 'Hello {{ contact.firstName | default: "there" }}',
  previewText: null,
  sourceType: 'html',
  emailType: 'marketing',
  variables: [{ name: 'month', fallback: 'November' }],
  status: 'PUBLISHED',
  version: 1,
  createdAt: TIME,
  updatedAt: TIME,
  publishedAt: TIME,
}

export const TemplateSummary = Type.Object(summary, {
  title: 'TemplateSummary',
  examples: [EXAMPLE],
})
export type TemplateSummary = Static<typeof TemplateSummary>

export const Template = Type.Object(
  { ...summary, source: Type.String({ description: 'HTML with Liquid.' }) },
  {
    title: 'Template',
    examples: [{ ...EXAMPLE, source: '<p>Our news of {{ month }}.</p>' }],
  },
)
export type Template = Static<typeof Template>

export const TemplateInput = strict(
  {
    name: line(200),
    slug: Type.Optional(Type.String({ pattern: SLUG })),
    subject: Type.Optional(line(998)),
    previewText: Type.Optional(line(500)),
    sourceType: Type.Optional(oneOfSoon(SOURCE_TYPES, ['mjml'])),
    source: Type.String({ minLength: 1, maxLength: 4_000_000 }),
    emailType: Type.Optional(oneOf(EMAIL_TYPES)),
    variables: Type.Optional(Type.Array(Variable, { maxItems: 200 })),
  },
  {
    title: 'TemplateInput',
    examples: [
      {
        name: 'Newsletter',
        subject: 'Hello {{ contact.firstName | default: "there" }}',
        source: '<p>Hello {{ contact.firstName | default: "there" }}</p>',
      },
    ],
  },
)
export type TemplateInput = Static<typeof TemplateInput>

export const TemplateListQuery = strict({ limit: limit(20, 100), cursor: Cursor })

export const TemplateList = Type.Object(
  { data: Type.Array(TemplateSummary), nextCursor: NextCursor },
  { title: 'TemplateList', examples: [{ data: [EXAMPLE], nextCursor: null }] },
)
