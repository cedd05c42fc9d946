import { type Static, Type } from 'typebox'
import {
  Count,
  Cursor,
  ID,
  Id,
  limit,
  NextCursor,
  nullable,
  oneOf,
  strict,
  TIME,
  Time,
} from '../common.ts'
import { ContactInput, ContactListQuery } from './contact.ts'

const IMPORT_STATUSES = [
  'receiving',
  'pending',
  'running',
  'completed',
  'failed',
  'cancelled',
  'aborted',
] as const
export type ImportStatus = (typeof IMPORT_STATUSES)[number]

const FORMATS = ['csv', 'ndjson'] as const
export type Format = (typeof FORMATS)[number]
const YES_OR_NO = ['true', 'false'] as const

const MOST_MAPPING = 16_384
const MOST_TOPICS_TEXT = 4_000

const EXAMPLE = {
  id: ID,
  status: 'completed',
  format: 'csv',
  onDuplicate: 'update',
  dryRun: false,
  rows: 1200,
  created: 1000,
  updated: 190,
  skipped: 0,
  failed: 10,
  emailStatusKept: 3,
  phonesLeftOut: 2,
  error: null,
  createdAt: TIME,
  startedAt: TIME,
  finishedAt: TIME,
}

export const Import = Type.Object(
  {
    id: Id,
    status: oneOf(IMPORT_STATUSES, {
      description:
        '`receiving`: the file is being uploaded. `aborted`: the upload was interrupted, and nothing was changed.',
    }),
    format: oneOf(FORMATS),
    onDuplicate: oneOf(['update', 'skip']),
    dryRun: Type.Boolean(),
    rows: { ...Count, description: 'Received rows.' },
    created: Count,
    updated: { ...Count, description: 'Contacts that existed, including those without a change.' },
    skipped: {
      ...Count,
      description: 'Contacts that existed and were skipped by `onDuplicate=skip`.',
    },
    failed: { ...Count, description: 'Rows listed in the error report.' },
    emailStatusKept: {
      ...Count,
      description:
        'Contacts who unsubscribed and were not resubscribed, although the row said `active`.',
    },
    phonesLeftOut: {
      ...Count,
      description:
        'Rows that were imported without their phone number, because it is invalid. They are listed in the error report, too, and not counted in `failed`.',
    },
    error: nullable(Type.String({ description: 'Why the import was aborted or failed.' })),
    createdAt: Time,
    startedAt: nullable(Time),
    finishedAt: nullable(Time),
  },
  { title: 'Import', examples: [EXAMPLE] },
)
export type Import = Static<typeof Import>

export const ImportAccepted = Type.Object(
  { id: Id, status: oneOf(IMPORT_STATUSES) },
  { title: 'ImportAccepted', examples: [{ id: ID, status: 'pending' }] },
)

export const ImportList = Type.Object(
  { data: Type.Array(Import), nextCursor: NextCursor },
  { title: 'ImportList', examples: [{ data: [EXAMPLE], nextCursor: null }] },
)

export const ImportListQuery = strict({ limit: limit(20, 100), cursor: Cursor })

const topicNames = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: MOST_TOPICS_TEXT, description }))

export const ImportOptions = strict({
  format: Type.Optional(
    oneOf(FORMATS, {
      description: 'Format of the file. Defaults to the media type, or to the file name.',
    }),
  ),
  onDuplicate: Type.Optional(
    oneOf(['update', 'skip'], {
      description: 'What to do with a contact that exists. Defaults to `update`.',
    }),
  ),
  mapping: Type.Optional(
    Type.String({
      minLength: 2,
      maxLength: MOST_MAPPING,
      description:
        'For CSV: a JSON object from column names to fields: `{"E-Mail": "email", "Plan": "properties.plan", "Notes": null}`. Null ignores a column. Other columns are matched by their name: a known field, else a property.',
    }),
  ),
  delimiter: Type.Optional(
    oneOf([',', ';', '|', '\t'], {
      description: 'For CSV: the separator of cells. Defaults to `,`.',
    }),
  ),
  dryRun: Type.Optional(
    oneOf(YES_OR_NO, {
      description: 'Set to `true` to report the result of each row without changing anything.',
    }),
  ),
  resubscribe: Type.Optional(
    oneOf(YES_OR_NO, {
      description:
        'Set to `true` if these people asked to receive email again. `active` then resubscribes contacts who unsubscribed.',
    }),
  ),
  topicIds: topicNames('Topics for all rows: ids with commas between them.'),
  topicSlugs: topicNames('Topics for all rows: slugs with commas between them.'),
})
export type ImportOptions = Static<typeof ImportOptions>

export const ImportRow = strict({
  ...ContactInput.properties,
  resubscribe: Type.Optional(Type.Boolean()),
})
export type ImportRow = Static<typeof ImportRow>

const {
  page: _page,
  pageSize: _pageSize,
  cursor: _cursor,
  ...filters
} = ContactListQuery.properties

export const ExportQuery = strict({
  format: Type.Optional(oneOf(FORMATS, { default: 'csv', description: 'Defaults to `csv`.' })),
  ...filters,
})
