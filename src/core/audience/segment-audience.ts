import type { Criterion } from '../../domain/audience/audience.ts'
import { checkCondition, IN_SEGMENTS } from '../../domain/audience/condition-check.ts'
import { isUuid, type Uuid } from '../../ids.ts'
import * as segments from '../../store/audience/segments.ts'
import type { Executor } from '../../store/db/sql.ts'

/**
 * Whom a segment means at the time `now` (ISO 8601). Undefined: there is no such segment, or its
 * condition is none that this version can evaluate; it means nobody then, never everybody.
 */
export async function segmentAudience(
  sql: Executor,
  organizationId: Uuid,
  id: string,
  now: string,
): Promise<Criterion | undefined> {
  const segment = isUuid(id) ? await segments.find(sql, organizationId, id) : undefined
  if (!segment) return undefined
  const { condition } = segment
  const problems = checkCondition(condition, 'condition', IN_SEGMENTS)
  return problems.length > 0 ? undefined : { type: 'condition', condition, now }
}
