import { badRequest } from '../../src/domain/errors.ts'
import { isUuid, type Uuid } from '../../src/runtime/ids.ts'
import { equal, sha256 } from '../../src/keys/tokens.ts'

export interface CursorScope {
  list: string
  organizationId: Uuid
  filters: Record<string, unknown>
}

const SEAL_BYTES = 12
/** Milliseconds since 1970, as many digits as every date can have; then the id. */
const TIMED_PLACE = /^(\d{1,14}) (\S+)$/

/** Returns a cursor that continues after the row `id`. It is opaque to callers. */
export const encodeCursor = (scope: CursorScope, id: Uuid): string => encode(scope, id)

/**
 * Returns the row after which a cursor continues. Throws a 400 if it was made for another list or
 * filter.
 */
export function decodeCursor(scope: CursorScope, cursor: string | undefined): Uuid | undefined {
  if (cursor === undefined) return undefined
  const id = decode(scope, cursor)
  if (id !== undefined && isUuid(id)) return id
  throw foreign()
}

interface TimedPlace {
  id: Uuid
  /** ISO 8601, as in answers. */
  createdAt: string
}

export const encodeTimedCursor = (scope: CursorScope, { id, createdAt }: TimedPlace): string =>
  encode(scope, `${Date.parse(createdAt)} ${id}`)

export function decodeTimedCursor(
  scope: CursorScope,
  cursor: string | undefined,
): TimedPlace | undefined {
  if (cursor === undefined) return undefined
  const [, ms, id = ''] = TIMED_PLACE.exec(decode(scope, cursor) ?? '') ?? []
  if (!isUuid(id)) throw foreign()
  return { id, createdAt: new Date(Number(ms)).toISOString() }
}

export const encodeNumberCursor = (scope: CursorScope, place: number): string =>
  encode(scope, String(place))

export function decodeNumberCursor(
  scope: CursorScope,
  cursor: string | undefined,
): number | undefined {
  if (cursor === undefined) return undefined
  const place = decode(scope, cursor) ?? ''
  if (/^\d{1,9}$/.test(place)) return Number(place)
  throw foreign()
}

const encode = (scope: CursorScope, place: string): string =>
  Buffer.concat([seal(scope, place), Buffer.from(place)]).toString('base64url')

function decode(scope: CursorScope, cursor: string): string | undefined {
  const bytes = Buffer.from(cursor, 'base64url')
  const place = bytes.subarray(SEAL_BYTES).toString('latin1')
  const genuine =
    bytes.toString('base64url') === cursor &&
    equal(bytes.subarray(0, SEAL_BYTES), seal(scope, place))
  return genuine ? place : undefined
}

const foreign = () =>
  badRequest('The query parameter cursor does not belong to this list and these filters', [
    { path: 'cursor', message: 'must be a nextCursor of the same list with the same filters' },
  ])

/**
 * The cursor is not a secret, since a made-up one can name only rows of the caller's own
 * organization.
 */
function seal({ list, organizationId, filters }: CursorScope, place: string): Buffer {
  const sortedFilters = Object.entries(filters).sort(([a], [b]) => (a < b ? -1 : 1))
  return sha256(JSON.stringify([list, organizationId, sortedFilters, place])).subarray(
    0,
    SEAL_BYTES,
  )
}
