import { badRequest } from '../src/domain/errors.ts'
import { isUuid, type Uuid } from '../src/ids.ts'
import { equal, sha256 } from '../src/tokens.ts'

/** What a cursor is good for: one list of one organization, with the same filters. */
export interface CursorScope {
  list: string
  organizationId: Uuid
  filters: Record<string, unknown>
}

const SEAL_BYTES = 12

/** A cursor that goes on after the row `id`. Opaque: nobody should make one. */
export const encodeCursor = (scope: CursorScope, id: Uuid): string =>
  Buffer.concat([seal(scope, id), Buffer.from(id)]).toString('base64url')

/** The row that a cursor goes on after; 400 when it was made for anything else. */
export function decodeCursor(scope: CursorScope, cursor: string | undefined): Uuid | undefined {
  if (cursor === undefined) return undefined
  const bytes = Buffer.from(cursor, 'base64url')
  const id = bytes.subarray(SEAL_BYTES).toString('latin1')
  const genuine =
    isUuid(id) &&
    bytes.toString('base64url') === cursor &&
    equal(bytes.subarray(0, SEAL_BYTES), seal(scope, id))
  if (genuine) return id
  throw badRequest('The query parameter cursor does not belong to this list and these filters', [
    { path: 'cursor', message: 'must be a nextCursor of the same list with the same filters' },
  ])
}

/** Not a secret: a row of one's own organization is all that a made-up cursor could name. */
function seal({ list, organizationId, filters }: CursorScope, id: Uuid): Buffer {
  const named = Object.entries(filters).sort(([a], [b]) => (a < b ? -1 : 1))
  return sha256(JSON.stringify([list, organizationId, named, id])).subarray(0, SEAL_BYTES)
}
