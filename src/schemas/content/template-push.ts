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
  rowsOf,
  strict,
  TIME,
  Time,
} from '../common.ts'
import { rowErrors } from '../error.ts'
import {
  EmailType,
  Name,
  PreviewText,
  Slug,
  Source,
  SourceType,
  Subject,
  Template,
  TextContent,
  Variables,
} from './template.ts'

const MOST_PUSHED = 100

const Ignored = Type.Optional(Type.Unknown({ description: 'Ignored.' }))

/** An optional text. Empty and null both mean absent. */
const absentWhenEmpty = (text: object) =>
  Type.Optional(nullable(Type.String({ ...text, minLength: 0 })))

export const TemplatePush = strict(
  {
    slug: Slug,
    name: Type.Optional({
      ...Name,
      description: 'Name of the template. Defaults to its present name, or to the slug.',
    }),
    subject: absentWhenEmpty(Subject),
    previewText: absentWhenEmpty(PreviewText),
    sourceType: Type.Optional(SourceType),
    source: absentWhenEmpty(Source),
    textContent: absentWhenEmpty(TextContent),
    compiledHtml: absentWhenEmpty({
      ...Source,
      description:
        'HTML with Liquid, published as it is. Ignored if `source` and `sourceType` are sent. With `source` alone, this is the compiled form of that source, which is not stored.',
    }),
    compiledText: absentWhenEmpty({
      ...TextContent,
      description: 'The text part. Without it, it is made from the HTML.',
    }),
    channel: Type.Optional(oneOf(['email'], { description: 'Templates are for email only.' })),
    emailType: Type.Optional(EmailType),
    variables: Type.Optional(Variables),
    sourceHash: Type.Optional(
      nullable(line(100, { description: 'Your own hash, to recognize what you pushed last.' })),
    ),
    cliProjectPath: Type.Optional(nullable(line(500))),
    sesTemplateName: Type.Optional(nullable(line(64))),
    updatedAt: Type.Optional({
      ...Time,
      description:
        'The `updatedAt` of the version that you pulled. Edits made here up to this time do not cause a conflict.',
    }),
    force: Type.Optional(
      Type.Boolean({ description: 'Set to `true` to overwrite edits made here.' }),
    ),
    // What was pulled can be pushed as it is.
    status: Ignored,
    version: Ignored,
    hasUnpublishedChanges: Ignored,
    published: Ignored,
  },
  {
    title: 'TemplatePush',
    examples: [{ slug: 'newsletter', name: 'Newsletter', source: '<p>News</p>' }],
  },
)
export type TemplatePush = Static<typeof TemplatePush>

const dryRun = Type.Optional(
  Type.Boolean({ description: 'Set to `true` to check the request without changing anything.' }),
)
const force = Type.Optional(
  Type.Boolean({ description: 'Set to `true` to overwrite edits made here.' }),
)
const EXAMPLE = { slug: 'newsletter', name: 'Newsletter', source: '<p>News</p>' }

export const TemplatesPush = Type.Union(
  [
    strict(
      {
        templates: Type.Array(TemplatePush, { minItems: 1, maxItems: MOST_PUSHED }),
        force,
        dryRun,
        nextCursor: Ignored,
      },
      { title: 'TemplateListPush', examples: [{ templates: [EXAMPLE] }] },
    ),
    strict(
      { ...TemplatePush.properties, dryRun },
      { title: 'SingleTemplatePush', examples: [EXAMPLE] },
    ),
  ],
  { title: 'TemplatesPush', type: 'object', examples: [{ templates: [EXAMPLE], dryRun: true }] },
)
export type TemplatesPush = Static<typeof TemplatesPush>

export const TemplateBatchPush = strict(
  {
    templates: rowsOf(TemplatePush, { maxItems: MOST_PUSHED }),
    force,
    dryRun,
    nextCursor: Ignored,
  },
  { title: 'TemplateBatchPush', examples: [{ templates: [EXAMPLE] }] },
)

const PushedTemplate = Type.Object(
  {
    slug: Type.String(),
    id: nullable({ ...Id, description: 'Null if the template would be created.' }),
    outcome: oneOf(['created', 'updated', 'unchanged']),
    ...Type.Pick(Template, ['version', 'status', 'hasUnpublishedChanges']).properties,
  },
  { title: 'PushedTemplate' },
)
export type PushedTemplate = Static<typeof PushedTemplate>
const EXAMPLE_RESULT = {
  slug: 'newsletter',
  id: ID,
  outcome: 'updated',
  version: 2,
  status: 'PUBLISHED',
  hasUnpublishedChanges: false,
}

export const TemplatePushResult = Type.Object(
  { success: Type.Literal(true), dryRun: Type.Boolean(), results: Type.Array(PushedTemplate) },
  {
    title: 'TemplatePushResult',
    examples: [{ success: true, dryRun: false, results: [EXAMPLE_RESULT] }],
  },
)

export const TemplateBatchPushResult = Type.Object(
  {
    success: Type.Boolean({ description: '`true` if every template was accepted.' }),
    dryRun: Type.Boolean(),
    results: Type.Array(PushedTemplate, { description: 'Accepted templates.' }),
    ...rowErrors,
  },
  {
    title: 'TemplateBatchPushResult',
    examples: [
      { success: true, dryRun: false, results: [EXAMPLE_RESULT], errors: [], errorDetails: [] },
    ],
  },
)

export const TemplatePullQuery = strict({
  limit: limit(20, MOST_PUSHED),
  cursor: Cursor,
  slug: Type.Optional({ ...Slug, description: 'Returns only the template with this slug.' }),
})

const content = {
  ...Type.Pick(Template, [
    'subject',
    'previewText',
    'sourceType',
    'textContent',
    'emailType',
    'variables',
  ]).properties,
  source: Type.Optional(Type.String()),
  compiledHtml: Type.Optional(Type.String()),
  compiledText: Type.Optional(Type.String()),
}

const PublishedContent = Type.Object(
  { version: Type.Integer({ minimum: 1 }), ...content },
  { title: 'PublishedContent' },
)

const PulledTemplate = Type.Object(
  {
    ...Type.Pick(Template, ['slug', 'name']).properties,
    ...content,
    ...Type.Pick(Template, [
      'sourceHash',
      'cliProjectPath',
      'sesTemplateName',
      'status',
      'version',
      'hasUnpublishedChanges',
      'updatedAt',
    ]).properties,
    published: nullable({
      ...PublishedContent,
      description:
        'The published content, if it differs from the template’s present content. Null if it does not differ, or if nothing is published.',
    }),
  },
  { title: 'PulledTemplate' },
)
export type PulledTemplate = Static<typeof PulledTemplate>

export const TemplatePull = Type.Object(
  { templates: Type.Array(PulledTemplate), nextCursor: NextCursor },
  {
    title: 'TemplatePull',
    examples: [
      {
        templates: [
          {
            ...EXAMPLE,
            subject: 'News',
            previewText: null,
            sourceType: 'html',
            textContent: null,
            emailType: 'marketing',
            variables: [],
            sourceHash: null,
            cliProjectPath: null,
            sesTemplateName: null,
            status: 'PUBLISHED',
            version: 2,
            hasUnpublishedChanges: false,
            updatedAt: TIME,
            published: null,
          },
        ],
        nextCursor: null,
      },
    ],
  },
)
