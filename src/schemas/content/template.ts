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
  strict,
  TIME,
  Time,
  warnings,
} from '../common.ts'
import { SLUG } from '../patterns.ts'

const SOURCE_TYPES = ['html', 'mjml'] as const
const EMAIL_TYPES = ['marketing', 'transactional'] as const
const TEMPLATE_STATUSES = ['DRAFT', 'PUBLISHED', 'ARCHIVED'] as const
/** Characters of a source. Mail programs show a fraction of them. */
const LONGEST_SOURCE = 4_000_000

const Variable = strict({
  name: Type.String({ minLength: 1, maxLength: 100 }),
  fallback: Type.Optional(nullable(Type.String({ maxLength: 1_000 }))),
})

const Status = oneOf(TEMPLATE_STATUSES)
export const SourceType = oneOf(SOURCE_TYPES)
export const EmailType = oneOf(EMAIL_TYPES)
export const Slug = Type.String({ pattern: SLUG })
export const Name = line(200)
export const Subject = line(998)
export const PreviewText = line(500)
export const Source = Type.String({
  minLength: 1,
  maxLength: LONGEST_SOURCE,
  description: 'HTML or MJML with Liquid.',
})
export const TextContent = Type.String({
  minLength: 1,
  maxLength: LONGEST_SOURCE,
  description: 'The text part with Liquid. Without it, it is made from the HTML.',
})
export const Variables = Type.Array(Variable, { maxItems: 200 })

const summary = {
  id: Id,
  name: Type.String(),
  slug: Type.String(),
  subject: nullable(Type.String()),
  previewText: nullable(Type.String()),
  sourceType: SourceType,
  emailType: EmailType,
  variables: Type.Array(Variable),
  status: Status,
  version: Type.Integer({
    minimum: 0,
    description: 'The newest published version. 0 if none is published.',
  }),
  hasUnpublishedChanges: Type.Boolean({
    description:
      '`true` if the template was changed after its publication. Mail uses the published version.',
  }),
  sourceHash: nullable(Type.String()),
  cliProjectPath: nullable(Type.String()),
  sesTemplateName: nullable(Type.String()),
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
  hasUnpublishedChanges: false,
  sourceHash: null,
  cliProjectPath: null,
  sesTemplateName: null,
  createdAt: TIME,
  updatedAt: TIME,
  publishedAt: TIME,
}
const EXAMPLE_TEMPLATE = {
  ...EXAMPLE,
  source: '<p>Our news of {{ month }}.</p>',
  textContent: null,
}

export const TemplateSummary = Type.Object(summary, {
  title: 'TemplateSummary',
  examples: [EXAMPLE],
})
export type TemplateSummary = Static<typeof TemplateSummary>

const wholeFields = {
  ...summary,
  source: Type.String({ description: 'HTML or MJML with Liquid, as last edited.' }),
  textContent: nullable(Type.String()),
}
export const Template = Type.Object(wholeFields, {
  title: 'Template',
  examples: [EXAMPLE_TEMPLATE],
})
export type Template = Static<typeof Template>

export const PublishedTemplate = Type.Object(
  { ...wholeFields, ...warnings },
  { title: 'PublishedTemplate', examples: [EXAMPLE_TEMPLATE] },
)

const content = {
  slug: Type.Optional(Slug),
  sourceType: Type.Optional(SourceType),
  emailType: Type.Optional(EmailType),
  variables: Type.Optional(Variables),
}

export const TemplateInput = strict(
  {
    name: Name,
    ...content,
    subject: Type.Optional(Subject),
    previewText: Type.Optional(PreviewText),
    source: Source,
    textContent: Type.Optional(TextContent),
    status: Type.Optional(oneOf(['DRAFT', 'PUBLISHED'], { description: 'Defaults to PUBLISHED.' })),
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

const Ignored = Type.Optional(Type.Unknown({ description: 'Ignored.' }))

const IfUnmodifiedSince = Type.Optional({
  ...Time,
  description:
    'The `updatedAt` of the version that you read. If the template has changed since, the request fails with 409.',
})

/** Read-only fields are accepted and ignored, so that a client can send back what it read. */
export const TemplatePatch = strict(
  {
    name: Type.Optional(Name),
    ...content,
    subject: Type.Optional(nullable(Subject)),
    previewText: Type.Optional(nullable(PreviewText)),
    source: Type.Optional(Source),
    textContent: Type.Optional(nullable(TextContent)),
    status: Type.Optional(
      oneOf(TEMPLATE_STATUSES, {
        description:
          'ARCHIVED archives the template, and its former status restores it. Use `publish` to publish a draft.',
      }),
    ),
    ifUnmodifiedSince: IfUnmodifiedSince,
    id: Ignored,
    version: Ignored,
    hasUnpublishedChanges: Ignored,
    sourceHash: Ignored,
    cliProjectPath: Ignored,
    sesTemplateName: Ignored,
    createdAt: Ignored,
    updatedAt: Ignored,
    publishedAt: Ignored,
  },
  { title: 'TemplatePatch', examples: [{ subject: 'News of {{ month }}' }] },
)
export type TemplatePatch = Static<typeof TemplatePatch>

export const PublishInput = nullable(
  strict(
    { ifUnmodifiedSince: IfUnmodifiedSince },
    { title: 'PublishInput', examples: [{ ifUnmodifiedSince: TIME }] },
  ),
)

export const DuplicateInput = nullable(
  strict(
    { name: Type.Optional(Name), slug: Type.Optional(Slug) },
    { title: 'DuplicateInput', examples: [{ name: 'Newsletter of December' }] },
  ),
)

export const TemplateListQuery = strict({
  limit: limit(20, 100),
  cursor: Cursor,
  status: Type.Optional(Status),
  search: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: 'Part of the name or the slug.' }),
  ),
})

export const TemplateList = Type.Object(
  { data: Type.Array(TemplateSummary), nextCursor: NextCursor },
  { title: 'TemplateList', examples: [{ data: [EXAMPLE], nextCursor: null }] },
)

export const TemplateQuery = strict({
  version: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 2_147_483_647,
      description: 'A published version. By default, what the template says now.',
    }),
  ),
})

export const TemplateVersionListQuery = strict({ limit: limit(20, 100), cursor: Cursor })

export const TemplateVersionList = Type.Object(
  {
    data: Type.Array(
      Type.Object(
        {
          version: Type.Integer({ minimum: 1 }),
          subject: nullable(Type.String()),
          publishedAt: Time,
        },
        { title: 'TemplateVersion' },
      ),
    ),
    nextCursor: NextCursor,
  },
  {
    title: 'TemplateVersionList',
    examples: [
      { data: [{ version: 1, subject: EXAMPLE.subject, publishedAt: TIME }], nextCursor: null },
    ],
  },
)
