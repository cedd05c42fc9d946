import { type Static, Type } from 'typebox'
import { KEY_SCOPES } from '../../domain/access/access.ts'
import { LONGEST_NAME } from '../../domain/text.ts'
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
} from '../common.ts'

const key = {
  id: Id,
  name: Type.String(),
  prefix: Type.String({
    description: 'The first 12 characters of the key.',
    examples: ['loom_3fY7aQ2'],
  }),
  scopes: Type.Array(oneOf(KEY_SCOPES)),
  expiresAt: nullable(Time),
  lastUsedAt: nullable({ ...Time, description: 'Time of the last use, to the minute.' }),
  createdAt: Time,
  revokedAt: nullable(Time),
}

const EXAMPLE = {
  id: ID,
  name: 'Shop',
  prefix: 'loom_3fY7aQ2',
  scopes: ['contacts', 'events'],
  expiresAt: null,
  lastUsedAt: null,
  createdAt: TIME,
  revokedAt: null,
}

export const ApiKey = Type.Object(key, { title: 'ApiKey', examples: [EXAMPLE] })
export type ApiKey = Static<typeof ApiKey>

export const NewApiKey = Type.Object(
  {
    ...key,
    key: nullable(
      Type.String({
        description: 'The key. It is returned only once, and is null in a replayed response.',
      }),
    ),
  },
  {
    title: 'NewApiKey',
    examples: [{ ...EXAMPLE, key: 'loom_3fY7aQ2x9Kp0Vn5Tr8Lw1Zc4Bm6Hs2Dj7Gq3Xe9Ya5Uf0R1kT2b' }],
  },
)

export const ApiKeyInput = strict(
  {
    name: line(LONGEST_NAME),
    scopes: Type.Optional(
      Type.Array(oneOf(KEY_SCOPES), {
        minItems: 1,
        maxItems: KEY_SCOPES.length,
        uniqueItems: true,
        description: 'Scopes of the key. Defaults to `full`.',
      }),
    ),
    expiresAt: Type.Optional({
      ...Time,
      description: 'When the key expires. Without it, the key never expires.',
    }),
  },
  { title: 'ApiKeyInput', examples: [{ name: 'Shop', scopes: ['contacts', 'events'] }] },
)

/** Read-only fields are accepted and ignored, so that a client can send back what it read. */
export const ApiKeyPatch = strict(
  {
    name: line(LONGEST_NAME),
    ...Object.fromEntries(
      Object.keys(key)
        .filter((name) => name !== 'name')
        .map((name) => [name, Type.Optional(Type.Unknown({ description: 'Ignored.' }))]),
    ),
  },
  { title: 'ApiKeyPatch', examples: [{ name: 'Shop, second floor' }] },
)

export const ApiKeyListQuery = strict({ limit: limit(20, 100), cursor: Cursor })

export const ApiKeyList = Type.Object(
  { data: Type.Array(ApiKey), nextCursor: NextCursor },
  { title: 'ApiKeyList', examples: [{ data: [EXAMPLE], nextCursor: null }] },
)
