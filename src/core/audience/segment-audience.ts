import type { Criterion } from '../../domain/audience/audience.ts'
import { checkCondition, IN_SEGMENTS } from '../../domain/audience/condition-check.ts'
import type { Condition } from '../../domain/audience/condition.ts'
import { isUuid, type Uuid } from '../../ids.ts'
import * as segments from '../../store/audience/segments.ts'
import type { Executor } from '../../store/db/sql.ts'

/**
 * The conditions of segments, in the order of their ids. Undefined: one of them does not exist, or
 * its condition is none that this version can evaluate; then nobody is meant, never everybody.
 */
export async function segmentConditions(
  sql: Executor,
  organizationId: Uuid,
  ids: readonly Uuid[],
): Promise<Condition[] | undefined> {
  const known = await segments.listConditions(sql, organizationId, ids)
  const conditions = ids.flatMap((id) => known.get(id) ?? [])
  const areUsable = conditions.every(
    (condition) => checkCondition(condition, 'condition', IN_SEGMENTS).length === 0,
  )
  return areUsable && conditions.length === ids.length ? conditions : undefined
}

/** Whom a segment means at the time `now` (ISO 8601). Undefined as above. */
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
