/**
 * Finds values of contacts that an operator cannot read, such as `11/26/2026` where a time is
 * compared: they match nothing. `sql` is a pool of `letterloom_search`, as for members.
 */
import { filtersOf } from '../../domain/audience/condition-check.ts'
import { fieldOf } from '../../domain/audience/condition-fields.ts'
import { isStorable } from '../../domain/audience/condition-values.ts'
import type { Filter, Operator } from '../../domain/audience/condition.ts'
import type { Executor, Part } from '../db/sql.ts'
import { isInPart } from './audience.ts'
import type { Asking } from './condition-sql.ts'
import { valueAt } from './condition-value-sql.ts'
import type { MemberQuestion } from './members.ts'

const MOST_EXAMPLES = 3
const LONGEST_EXAMPLE = 100

/**
 * A filter, the number of contacts whose values it cannot read, and the most frequent of these
 * values.
 */
export interface SkippedValues {
  field: string
  operator: Operator
  count: number
  examples: string[]
}

export async function list(
  sql: Executor,
  { organizationId, condition, now }: MemberQuestion,
  parts: number,
): Promise<SkippedValues[]> {
  const asking: Asking = { sql, organizationId, now: Date.parse(now) }
  const read = new Map<string, { filter: Filter; skipped: Part }>()
  for (const filter of filtersOf(condition)) {
    const skipped = skippedBy(asking, filter)
    if (skipped) read.set(`${readerOf(filter)} ${filter.field}`, { filter, skipped })
  }
  const readers = [...read.values()]
  if (readers.length === 0) return []
  const counting = readers.map(
    ({ skipped }, i) => sql`
      ${i === 0 ? sql`` : sql`union all`}
      select ${i}::integer as position, sum(count)::bigint as count,
        array_agg(example order by place) filter (where place <= ${MOST_EXAMPLES}) as examples
      from (
        select example, count(*) as count, row_number() over (order by count(*) desc, example collate "C") as place
        from (
          ${skipped}
          and contacts.organization_id = ${organizationId} ${isInPart(sql, parts)}
        ) as skipped (example)
        group by example
      ) as counted
      having count(*) > 0`,
  )
  const rows = await sql.once(
    sql<{ position: number; count: number; examples: string[] }[]>`${counting}`,
  )
  return rows.flatMap(({ position, count, examples }) => {
    const filter = readers[position]?.filter
    return filter ? [{ field: filter.field, operator: filter.operator, count, examples }] : []
  })
}

type Reader = 'time' | 'number' | 'text' | 'text or list'

function readerOf({ operator, value }: Filter): Reader | undefined {
  switch (operator) {
    case 'greaterThan':
    case 'lessThan':
    case 'greaterThanOrEqual':
    case 'lessThanOrEqual':
      return typeof value === 'number' ? 'number' : 'time'
    case 'within':
    case 'notWithin':
    case 'withinNext':
      return 'time'
    case 'contains':
    case 'notContains':
      return 'text or list'
    case 'startsWith':
    case 'endsWith':
      return 'text'
    default:
      return undefined
  }
}

/** A query of the contacts' values that a filter cannot read. More rules may follow it. */
function skippedBy(asking: Asking, filter: Filter): Part | undefined {
  const { sql } = asking
  const field = isStorable(filter.field) ? fieldOf(filter.field) : undefined
  const reader = readerOf(filter)
  if (field?.kind !== 'json' || field.of !== 'properties' || !reader) return undefined
  const value = valueAt(asking, field)
  return sql`
    select left(${value} #>> '{}', ${LONGEST_EXAMPLE})
    from contacts
    where ${value} #>> '{}' is not null and ${isUnread(sql, value, reader)}`
}

function isUnread(sql: Executor, value: Part, reader: Reader): Part {
  switch (reader) {
    case 'time':
      return sql`condition_time(${value}) is null`
    case 'number':
      return sql`condition_number(${value}) is null`
    case 'text':
      return sql`jsonb_typeof(${value}) <> 'string'`
    case 'text or list':
      return sql`jsonb_typeof(${value}) not in ('string', 'array')`
  }
}
