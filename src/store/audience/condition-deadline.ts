/** When the answer of a condition changes by itself, because time passes. */
import { filtersOf } from '../../domain/audience/condition-check.ts'
import { span } from '../../domain/audience/condition-eval.ts'
import { type Field, fieldOf } from '../../domain/audience/condition-fields.ts'
import { isStorable } from '../../domain/audience/condition-values.ts'
import type { Condition, Filter } from '../../domain/audience/condition.ts'
import { CONTACT_STATS } from '../../domain/contacts/contact-columns.ts'
import type { Part } from '../db/sql.ts'
import { type Asking, column, isRecent, valueAt } from './condition-sql.ts'

/**
 * For `select`: the earliest time after which one of these conditions may be answered differently
 * of a row of `contacts` of which nothing is written; null: never. Undefined: none of them asks
 * about the present time.
 */
export function nextChange(asking: Asking, conditions: readonly Condition[]): Part | undefined {
  const filters = new Map(
    conditions.flatMap(filtersOf).map((filter) => [JSON.stringify(filter), filter]),
  )
  const parts = [...filters.values()].flatMap((filter) => changeOf(asking, filter) ?? [])
  const { sql } = asking
  return parts.length === 0
    ? undefined
    : sql`least(${parts.map((part, i) => (i === 0 ? part : sql`, ${part}`))})`
}

function changeOf(asking: Asking, filter: Filter): Part | undefined {
  const field = isStorable(filter.field) ? fieldOf(filter.field) : undefined
  if (filter.operator === 'within') return field && windowEnd(asking, timeIn(asking, field), filter)
  if (filter.operator !== 'triggeredWithin' || field?.kind !== 'stats') return undefined
  const { sql, organizationId } = asking
  return after(
    asking,
    filter,
    sql`(
      select max(events.occurred_at)
      from events
      where events.organization_id = ${organizationId} and events.name = ${field.name}
        and events.contact_id = contacts.id ${isRecent(asking, filter)}
    )`,
  )
}

/** A time that is to come is within the span when it comes, and until the span is over. */
function windowEnd(asking: Asking, time: Part | undefined, filter: Filter): Part | undefined {
  if (!time) return undefined
  const { sql } = asking
  const now = sql`${new Date(asking.now).toISOString()}::timestamptz`
  const end = after(asking, filter, time)
  return sql`case when ${time} > ${now} then ${time} when ${end} > ${now} then ${end} end`
}

/** The first millisecond at which the span is over. */
const after = ({ sql }: Asking, { value, unit }: Filter, time: Part): Part =>
  sql`${time} + ${span(value, unit) + 1}::float8 * interval '1 millisecond'`

function timeIn({ sql, organizationId }: Asking, field: Field): Part | undefined {
  if (field.kind === 'json') {
    return field.of === 'properties' ? sql`condition_time(${valueAt(sql, field)})` : undefined
  }
  if (field.kind !== 'time') return undefined
  if (!CONTACT_STATS.has(field.column)) return column(sql, 'contacts', field.column)
  return sql`(
    select ${column(sql, 'stats', field.column)}
    from contact_stats stats
    where stats.organization_id = ${organizationId} and stats.contact_id = contacts.id
  )`
}
