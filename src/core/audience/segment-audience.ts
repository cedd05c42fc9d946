import type { Criterion } from '../../domain/audience/audience.ts'
import type { Condition } from '../../domain/audience/condition.ts'
import { badRequest } from '../../domain/errors.ts'
import { isUuid, type Uuid } from '../../runtime/ids.ts'
import * as segments from '../../store/audience/segments.ts'
import type { Executor } from '../../store/db/sql.ts'
import { refuseForeign } from '../access/refuse-foreign.ts'
import { isUsable, requireUsable } from '../../domain/audience/usable-condition.ts'

/**
 * Returns the conditions of segments in the order of their ids. Undefined: a segment does not
 * exist, or its condition cannot be evaluated by this version. It then stands for nobody, never for
 * everybody.
 */
export async function segmentConditions(
  sql: Executor,
  organizationId: Uuid,
  ids: readonly Uuid[],
): Promise<Condition[] | undefined> {
  const conditionsById = await segments.listConditions(sql, organizationId, ids)
  const conditions = ids.flatMap((id) => conditionsById.get(id) ?? [])
  return conditions.length === ids.length && conditions.every(isUsable) ? conditions : undefined
}

/** Returns the audience of a segment at the time `now` (ISO 8601). Undefined as above. */
export async function segmentAudience(
  sql: Executor,
  organizationId: Uuid,
  id: string,
  now: string,
): Promise<Criterion | undefined> {
  const [condition] =
    (isUuid(id) && (await segmentConditions(sql, organizationId, [id.toLowerCase()]))) || []
  return condition && { type: 'condition', condition, now }
}

/**
 * Returns the audience of a query's `segmentId`. Throws a 400 if there is no such segment or it
 * cannot be evaluated, a 403 if another organization has it.
 */
export async function requireSegmentAudience(
  sql: Executor,
  organizationId: Uuid,
  id: Uuid,
  now: string,
): Promise<Criterion> {
  const conditionsById = await segments.listConditions(sql, organizationId, [id])
  const condition = conditionsById.get(id.toLowerCase())
  if (condition === undefined) {
    await refuseForeign(sql, 'segment', organizationId, id)
    const message = 'does not exist'
    throw badRequest(`The query parameter ${PATH} ${message}`, [{ path: PATH, message }])
  }
  requireUsable(PATH, condition)
  return { type: 'condition', condition, now }
}

const PATH = 'segmentId'
