import { badRequest } from '../../src/domain/errors.ts'
import { isUuid, type Uuid } from '../../src/runtime/ids.ts'
import { equal, sha256 } from '../../src/keys/tokens.ts'

/** What a cursor is good for: one list of one organization, with the same filters. */
export interface CursorScope {
  list: string
  organizationId: Uuid
  filters: Record<string, unknown>
}

const SEAL_BYTES = 12
/** Milliseconds since 1970, as many digits as every date can have; then the id. */
const TIMED_PLACE = /^(\d{1,14}) (\S+)$/

/** A cursor that goes on after the row `id`. Opaque: nobody should make one. */
export const encodeCursor = (scope: CursorScope, id: Uuid): string => encode(scope, id)

/** The row that a cursor goes on after; 400 when it was made for anything else. */
export function decodeCursor(scope: CursorScope, cursor: string | undefined): Uuid | undefined {
  if (cursor === undefined) return undefined
  const id = decode(scope, cursor)
  if (id !== undefined && isUuid(id)) return id
  throw foreign()
}

/** A place in a list that is sorted by time, then id. */
interface TimedPlace {
  id: Uuid
  /** ISO 8601, as in answers. */
  createdAt: string
}

export const encodeTimedCursor = (scope: CursorScope, { id, createdAt }: TimedPlace): string =>
  encode(scope, `${Date.parse(createdAt)} ${id}`)

/** As `decodeCursor`, of a list that is sorted by time. */
export function decodeTimedCursor(
  scope: CursorScope,
  cursor: string | undefined,
): TimedPlace | undefined {
  if (cursor === undefined) return undefined
  const [, ms, id = ''] = TIMED_PLACE.exec(decode(scope, cursor) ?? '') ?? []
  if (!isUuid(id)) throw foreign()
  return { id, createdAt: new Date(Number(ms)).toISOString() }
}

/** A place in a list that is sorted by a whole number. */
export const encodeNumberCursor = (scope: CursorScope, place: number): string =>
  encode(scope, String(place))

/** As `decodeCursor`, of a list that is sorted by a whole number. */
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

/** Not a secret: a row of one's own organization is all that a made-up cursor could name. */
function seal({ list, organizationId, filters }: CursorScope, place: string): Buffer {
  const named = Object.entries(filters).sort(([a], [b]) => (a < b ? -1 : 1))
  return sha256(JSON.stringify([list, organizationId, named, place])).subarray(0, SEAL_BYTES)
}
