import { filtersOf } from '../../domain/audience/condition-check.ts'
import { eventCountOf, span } from '../../domain/audience/condition-events.ts'
import { type Field, fieldOf } from '../../domain/audience/condition-fields.ts'
import { isStorable } from '../../domain/audience/condition-values.ts'
import { type Condition, type Filter, NOW } from '../../domain/audience/condition.ts'
import { CONTACT_STATS } from '../../domain/contacts/contact-columns.ts'
import type { Part } from '../db/sql.ts'
import { type Asking, column, isCounted } from './condition-sql.ts'
import { valueAt } from './condition-value-sql.ts'

/**
 * A `select` part: the earliest time at which one of these conditions may change for an unchanged
 * row of `contacts`. Null: never. Undefined: none of them depends on the present time.
 */
export function nextChange(asking: Asking, conditions: readonly Condition[]): Part | undefined {
  const filters = new Map(
    conditions.flatMap(filtersOf).map((filter) => [JSON.stringify(filter), filter]),
  )
  return earliest(
    asking,
    [...filters.values()].flatMap((filter) => changesOf(asking, filter)),
  )
}

function earliest({ sql }: Asking, parts: readonly Part[]): Part | undefined {
  return parts.length === 0
    ? undefined
    : sql`least(${parts.map((part, i) => (i === 0 ? part : sql`, ${part}`))})`
}

function changesOf(asking: Asking, filter: Filter): Part[] {
  const field = isStorable(filter.field) ? fieldOf(filter.field) : undefined
  if (!field) return []
  if (field.kind === 'stats') return changesOfEvents(asking, filter)
  const moments = momentsOf(filter)
  const time = moments && timeIn(asking, field)
  return time ? [nextOf(asking, time, moments)] : []
}

/**
 * Returns when a filter that compares a time with the present changes, in milliseconds after that
 * time. Undefined: it does not.
 */
function momentsOf({ operator, value, unit }: Filter): [number, number] | undefined {
  switch (operator) {
    case 'within':
    case 'notWithin':
      // From this moment until the end of the period.
      return [0, span(value, unit) + 1]
    case 'withinNext':
      return [-span(value, unit), 1]
    case 'greaterThan':
    case 'lessThan':
    case 'greaterThanOrEqual':
    case 'lessThanOrEqual':
      return value === NOW ? [0, 1] : undefined
    default:
      return undefined
  }
}

function nextOf(asking: Asking, time: Part, moments: [number, number]): Part {
  const { sql } = asking
  const now = sql`${new Date(asking.now).toISOString()}::timestamptz`
  const [first, last] = [after(asking, time, moments[0]), after(asking, time, moments[1])]
  return sql`case when ${first} > ${now} then ${first} when ${last} > ${now} then ${last} end`
}

const after = ({ sql }: Asking, time: Part, ms: number): Part =>
  sql`${time} + ${ms}::float8 * interval '1 millisecond'`

/** Events leave a period, and filters of their properties may change, too. */
function changesOfEvents(asking: Asking, filter: Filter): Part[] {
  const { sql, organizationId } = asking
  const eventCount = eventCountOf(filter)
  if (!eventCount) return []
  const { spanMs, least, most, where } = eventCount
  const ofContact = (countedEvents: Part) => sql`
    from events
    where ${countedEvents} and events.contact_id = contacts.id`
  const inEvent: Asking = {
    sql,
    organizationId,
    now: asking.now,
    properties: sql`events.properties`,
  }
  const change = earliest(
    inEvent,
    where.flatMap((each) => changesOf(inEvent, each)),
  )
  // Filters of events may compare with the present time.
  const all = isCounted(asking, { ...eventCount, where: [] })
  const ageing = change ? [sql`(select min(${change}) ${ofContact(all)})`] : []
  if (spanMs === undefined) return ageing
  // Without a count, one event in the period suffices, so the last one decides.
  const isAny = least === 1 && most === Infinity
  const next = isAny ? sql`max(events.occurred_at)` : sql`min(events.occurred_at)`
  const leaving = sql`(select ${next} ${ofContact(isCounted(asking, eventCount))})`
  return [after(asking, leaving, spanMs + 1), ...ageing]
}

function timeIn(asking: Asking, field: Field): Part | undefined {
  const { sql, organizationId } = asking
  if (field.kind === 'json') {
    return field.of === 'properties' ? sql`condition_time(${valueAt(asking, field)})` : undefined
  }
  if (field.kind !== 'time') return undefined
  if (!CONTACT_STATS.has(field.column)) return column(sql, 'contacts', field.column)
  return sql`(
    select ${column(sql, 'stats', field.column)}
    from contact_stats stats
    where stats.organization_id = ${organizationId} and stats.contact_id = contacts.id
  )`
}
