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
    Type.String({
      description:
        'Null if only the hash of the address is known. The entry is effective all the same.',
    }),
  ),
  reason: oneOf(REASONS),
  source: oneOf(SOURCES, { description: 'Source of the reason.' }),
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
      oneOf(REASONS, { description: 'Reason of the suppression. Defaults to `suppressed`.' }),
    ),
  },
  { title: 'SuppressionInput', examples: [{ email: 'ada@example.com' }] },
)

export const SuppressionListQuery = strict({
  limit: limit(20, 100),
  cursor: Cursor,
  reason: Type.Optional(oneOf(REASONS)),
  email: Type.Optional(
    Type.String({ minLength: 1, maxLength: 255, description: 'The complete email address.' }),
  ),
})

export const SuppressionList = Type.Object(
  { data: Type.Array(Suppression), nextCursor: NextCursor },
  { title: 'SuppressionList', examples: [{ data: [EXAMPLE], nextCursor: null }] },
)

export const SuppressionParams = strict({
  email: Type.String({ minLength: 1, maxLength: 1024, description: 'The email address.' }),
})
