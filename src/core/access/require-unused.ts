import { conflict } from '../../domain/errors.ts'
import { shown } from '../../domain/text.ts'
import type { Uuid } from '../../runtime/ids.ts'
import type { Transaction } from '../../store/db/sql.ts'
import * as uses from '../../store/platform/uses.ts'

const MOST_NAMED = 10

/**
 * Throws a 409 that names the users of a resource. The caller has locked the resource, so that no
 * new user appears: whoever refers to it locks it until the end of their transaction.
 */
export async function requireUnused(
  tx: Transaction,
  organizationId: Uuid,
  used: uses.Used,
  by: readonly uses.Use['kind'][],
): Promise<void> {
  await uses.holdStarts(tx, organizationId, used)
  const foundUses = await uses.list(tx, organizationId, used, { by, limit: MOST_NAMED })
  if (foundUses.length === 0) return
  const sentences = foundUses.map(
    ({ kind, name, isByExecutions }) =>
      `the ${kind} "${shown(name)}"${isByExecutions ? ' in executions that are not over' : ''}`,
  )
  throw conflict(`The ${used.kind} is used by ${sentences.join(', ')}`, {
    reason: `${used.kind}_in_use`,
    details: foundUses.map(({ kind, id, isByExecutions }) => ({
      path: 'id',
      message: `is used by ${isByExecutions ? 'executions of ' : ''}the ${kind} ${id}`,
    })),
  })
}
