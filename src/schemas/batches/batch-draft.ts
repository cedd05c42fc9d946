import { type Static, Type } from 'typebox'
import { Cursor, ID, Id, limit, NextCursor, nullable, strict, TIME, Time } from '../common.ts'

/** Top-level fields of a draft; those of a batch are fewer. */
const MOST_FIELDS = 100

const Input = Type.Record(Type.String({ maxLength: 100 }), Type.Unknown(), {
  title: 'DraftedBatch',
  maxProperties: MOST_FIELDS,
  description:
    'Any part of the body of `POST /v1/batch`. It is stored as it is and checked only when the batch is created.',
})

const summary = {
  id: Id,
  name: nullable(Type.String({ description: '`name` of the input, if it is a text.' })),
  subject: nullable(Type.String({ description: '`subject` of the input, if it is a text.' })),
  createdAt: Time,
  updatedAt: Time,
}

const EXAMPLE = {
  id: ID,
  name: 'November news',
  subject: 'What is new',
  createdAt: TIME,
  updatedAt: TIME,
}
const EXAMPLE_INPUT = { name: 'November news', subject: 'What is new', audienceType: 'all' }

export const BatchDraft = Type.Object(
  { ...summary, input: Input },
  { title: 'BatchDraft', examples: [{ ...EXAMPLE, input: EXAMPLE_INPUT }] },
)
export type BatchDraft = Static<typeof BatchDraft>

const BatchDraftSummary = Type.Object(summary, { title: 'BatchDraftSummary' })
export type BatchDraftSummary = Static<typeof BatchDraftSummary>

export const BatchDraftInput = strict(
  { input: Input },
  { title: 'BatchDraftInput', examples: [{ input: EXAMPLE_INPUT }] },
)

export const BatchDraftPatch = strict(
  {
    input: Input,
    ifUnmodifiedSince: Type.Optional({
      ...Time,
      description:
        'The `updatedAt` of the version that you read. If the draft has changed since, the request fails with 409.',
    }),
  },
  { title: 'BatchDraftPatch', examples: [{ input: EXAMPLE_INPUT, ifUnmodifiedSince: TIME }] },
)

export const BatchDraftListQuery = strict({ limit: limit(20, 100), cursor: Cursor })

export const BatchDraftList = Type.Object(
  { data: Type.Array(BatchDraftSummary), nextCursor: NextCursor },
  { title: 'BatchDraftList', examples: [{ data: [EXAMPLE], nextCursor: null }] },
)
