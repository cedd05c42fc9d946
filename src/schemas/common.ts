import { type Static, type TObjectOptions, type TProperties, type TSchema, Type } from 'typebox'
import { LONGEST_MAILBOX } from '../domain/mailbox.ts'
import { LINE, LONGEST_ADDRESS } from '../domain/text.ts'

/** Marks words of an `enum` as not available yet. */
export const NOT_YET_KEYWORD = 'x-not-yet'

/** Marks a text that is normalized before its length is checked. */
export const CLEANED_KEYWORD = 'x-cleaned'
export type Cleaned = 'line' | 'word' | 'nfc'

/** An object without further fields. An unknown field is an error that names it. */
export const strict = <T extends TProperties>(properties: T, options: TObjectOptions = {}) =>
  Type.Object(properties, { additionalProperties: false, ...options })

/** Marks a field of the answer that reports rows that do not fit. */
export const ROW_ERRORS = 'x-row-errors'

/**
 * A list whose rows are checked separately: a row that does not fit its schema becomes an entry of
 * `errorDetails`, and the others are accepted. The document describes the rows. Validation of the
 * body leaves them to the handler, for which they are unknown until it has checked them.
 */
export const rowsOf = (row: TSchema, { maxItems }: { maxItems: number }) =>
  Type.Unsafe<unknown[]>({
    type: 'array',
    items: row,
    minItems: 1,
    maxItems,
    [ROW_ERRORS]: 'errorDetails',
    description:
      'Each row is checked on its own. An invalid row is reported in `errorDetails`, and all other rows are accepted.',
  })

/**
 * A closed set of words, some of which are not available yet. Those are accepted by validation, so
 * that the refusal can say so, and left out of the OpenAPI document.
 */
export const oneOfSoon = <const T extends readonly string[]>(
  words: T,
  soon: readonly T[number][],
  options: Record<string, unknown> = {},
) => oneOf(words, { ...options, [NOT_YET_KEYWORD]: soon })

export const oneOf = <const T extends readonly string[]>(
  words: T,
  options: Record<string, unknown> = {},
) => Type.Unsafe<T[number]>({ type: 'string', enum: [...words], ...options })

/**
 * Adds null as `type: [..., 'null']`. `anyOf` costs a third more to serialise (measured on pages of
 * 100 contacts).
 */
export function nullable<T extends TSchema>(schema: T) {
  const { type, enum: words, ...rest } = keywords(schema)
  return Type.Unsafe<Static<T> | null>({
    ...rest,
    type: [type, 'null'],
    ...(Array.isArray(words) ? { enum: [...words, null] } : {}),
  })
}

const keywords = (schema: TSchema): Record<string, unknown> => ({ ...schema })

export const ID = '0199c2f4-7d1e-7a60-9c1b-2f6d1f0b7a11'
export const TIME = '2026-11-21T10:56:09.120Z'

export const Id = Type.String({
  format: 'uuid',
  examples: [ID],
})

export const Time = Type.String({
  format: 'date-time',
  examples: [TIME],
})

export const DayOrTime = Type.Unsafe<string>({
  type: 'string',
  maxLength: 64,
  anyOf: [{ format: 'date' }, { format: 'date-time' }],
})

export const Count = Type.Integer({ minimum: 0 })

export const line = (maxLength: number, options: Record<string, unknown> = {}) =>
  Type.String({ minLength: 1, maxLength, pattern: LINE, ...options })

export const Address = (options: Record<string, unknown> = {}) =>
  Type.String({ format: 'email', maxLength: LONGEST_ADDRESS, ...options })

export const From = (description = '') =>
  Type.String({
    format: 'mailbox',
    maxLength: LONGEST_MAILBOX,
    description:
      `${description} An email address, alone or as \`Name <address>\`. Quote a name that contains punctuation: \`"Lee, Ann" <ann@example.com>\`. Responses return the address as \`from\` and the name as \`fromName\`.`.trim(),
    examples: ['news@example.com', 'Example News <news@example.com>'],
  })

export const FromName = (maxLength: number) =>
  line(maxLength, {
    description: 'Name of the sender. If `from` also contains a name, both must be equal.',
  })

const LONGEST_ID = 36

export const accountNames = {
  cloudAccountId: Type.Optional(
    Type.String({
      maxLength: LONGEST_ID,
      description:
        'The `id` of a connection, or the 12 digits of an AWS account that has exactly one connection. Optional if only one account is connected.',
    }),
  ),
  awsAccountId: Type.Optional(
    Type.String({ maxLength: LONGEST_ID, description: 'Alias of `cloudAccountId`.' }),
  ),
}

/** A path parameter may be anything up to the router's limit. Storage decides what it names. */
const PathId = Type.String({ minLength: 1, maxLength: 1024, description: 'Id of the resource.' })

export const IdParams = strict({ id: PathId })
export const HookDeliveryParams = strict({ id: PathId, deliveryId: PathId })
export const FlowParams = strict({ workflowId: PathId })
export const ExecutionParams = strict({ executionId: PathId })
export const FlowOperationParams = strict({ operationId: PathId })

export const Cursor = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 1024,
    description: 'The `nextCursor` of the previous page. Use the same filters.',
  }),
)

export const limit = (fallback: number, most: number) =>
  Type.Integer({
    minimum: 1,
    maximum: most,
    default: fallback,
    description: 'Maximum number of rows in a page.',
  })

const MOST_PAGES = 1_000_000

export const Page = Type.Integer({
  minimum: 1,
  maximum: MOST_PAGES,
  default: 1,
  description: 'Number of the page, starting at 1.',
})

export const NextCursor = nullable(
  Type.String({ description: 'Cursor of the next page. Null on the last page.' }),
)

export const Warning = Type.Object(
  {
    reason: Type.String({ description: 'A stable snake_case word. New ones may be added.' }),
    path: Type.String({ description: 'Path of the input field.' }),
    message: Type.String(),
  },
  {
    title: 'Warning',
    examples: [
      {
        reason: 'sender_not_checked',
        path: 'from',
        message:
          'The account did not report in time whether news@example.com is verified. Mail from an unverified identity is refused',
      },
    ],
  },
)
export type Warning = Static<typeof Warning>

export const warnings = {
  warnings: Type.Optional(
    Type.Array(Warning, {
      minItems: 1,
      description:
        'Present only if there are warnings. `sender_not_checked`: the account did not report whether a sender is verified. `workflow_ring`: workflows start each other without end. `starts_once`: a schedule without `allowReentry` starts each contact only once.',
    }),
  ),
}

export const Success = Type.Object(
  { success: Type.Literal(true) },
  { title: 'Success', examples: [{ success: true }] },
)
