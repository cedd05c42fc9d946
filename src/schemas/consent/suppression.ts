import { type Static, Type } from 'typebox'
import { EMAIL_STATUSES } from '../../domain/status.ts'
import {
  Address,
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

const REASONS = EMAIL_STATUSES.filter((status) => status !== 'active')
const SOURCES = ['link', 'event', 'api', 'import'] as const

const suppression = {
  id: Id,
  email: nullable(
    Type.String({ description: 'Null when only its hash is known: the entry holds without it.' }),
  ),
  reason: oneOf(REASONS),
  source: oneOf(SOURCES, { description: 'What gave it this reason.' }),
  createdAt: Time,
  updatedAt: Time,
}

const EXAMPLE = {
  id: ID,
  email: 'ada@example.com',
  reason: 'bounced',
  source: 'event',
  createdAt: TIME,
  updatedAt: TIME,
}

export const Suppression = Type.Object(suppression, { title: 'Suppression', examples: [EXAMPLE] })
export type Suppression = Static<typeof Suppression>

export const SuppressionInput = strict(
  {
    email: Address({ examples: ['ada@example.com'] }),
    reason: Type.Optional(
      oneOf(REASONS, { description: '`suppressed` when absent: never mailed.' }),
    ),
  },
  { title: 'SuppressionInput', examples: [{ email: 'ada@example.com' }] },
)

export const SuppressionListQuery = strict({
  limit: limit(20, 100),
  cursor: Cursor,
  reason: Type.Optional(oneOf(REASONS)),
  email: Type.Optional(
    Type.String({ minLength: 1, maxLength: 255, description: 'The whole address.' }),
  ),
})

export const SuppressionList = Type.Object(
  { data: Type.Array(Suppression), nextCursor: NextCursor },
  { title: 'SuppressionList', examples: [{ data: [EXAMPLE], nextCursor: null }] },
)

export const SuppressionParams = strict({
  email: Type.String({ minLength: 1, maxLength: 1024, description: 'The address.' }),
})
