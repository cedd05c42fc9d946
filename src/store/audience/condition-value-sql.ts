/** Turns the comparison of one value into SQL: a text, a time, or JSON. */
import { NOW, type Filter, type Operator } from '../../domain/audience/condition.ts'
import { span } from '../../domain/audience/condition-events.ts'
import type { Field } from '../../domain/audience/condition-fields.ts'
import {
  booleanOf,
  listedValues,
  numberOf,
  timeOf,
} from '../../domain/audience/condition-values.ts'
import { DEEPEST_PROPERTIES } from '../../domain/contacts/properties.ts'
import type { Executor, Part } from '../db/sql.ts'
import type { Asking } from './condition-sql.ts'

export function textHolds(sql: Executor, text: Part, filter: Filter): Part {
  if (filter.operator === 'exists') return sql`${text} is not null`
  if (filter.operator === 'equals' || filter.operator === 'inList') {
    return sql`${text} = any(${listedValues(filter.value).map(String)}::text[])`
  }
  return partHolds(sql, text, filter)
}

function partHolds(sql: Executor, text: Part, { operator, value }: Filter): Part {
  const part = sql`${String(value)}::text`
  switch (operator) {
    case 'contains':
      return sql`strpos(${text}, ${part}) > 0`
    case 'startsWith':
      return sql`starts_with(${text}, ${part})`
    case 'endsWith':
      return sql`right(${text}, char_length(${part})) = ${part}`
    default:
      return sql`false`
  }
}

export function timeHolds(asking: Asking, time: Part, filter: Filter): Part {
  const { sql, now } = asking
  const { operator, value, unit } = filter
  if (operator === 'exists') return sql`${time} is not null`
  if (operator === 'within') return isBetween(sql, time, now - span(value, unit), now)
  if (operator === 'withinNext') return isBetween(sql, time, now, now + span(value, unit))
  const bound = value === NOW ? now : (timeOf(value) ?? Number.NaN)
  return sql`${time} ${comparison(sql, operator)} ${moment(sql, bound)}`
}

const isBetween = (sql: Executor, time: Part, from: number, to: number): Part =>
  sql`${time} between ${moment(sql, from)} and ${moment(sql, to)}`

export function comparison(sql: Executor, operator: Operator): Part {
  switch (operator) {
    case 'greaterThan':
      return sql`>`
    case 'lessThan':
      return sql`<`
    case 'greaterThanOrEqual':
      return sql`>=`
    case 'lessThanOrEqual':
      return sql`<=`
    default:
      throw new Error(`${operator} compares nothing`)
  }
}

/** A time literal of Postgres. All stored times are within these years. */
export function moment(sql: Executor, ms: number): Part {
  if (ms < FIRST) return sql`'-infinity'::timestamptz`
  return ms > LAST ? sql`'infinity'::timestamptz` : sql`${new Date(ms).toISOString()}::timestamptz`
}

const FIRST = Date.parse('0001-01-01T00:00:00Z')
const LAST = Date.parse('9999-12-31T23:59:59.999Z')

/** `lookUp` in SQL, except for objects that are written flat, see `isThere`. */
export function valueAt({ sql, properties }: Asking, { of, path }: JsonField): Part {
  // Triggers and events are unknown here, so their values are missing.
  if (of !== 'properties') return sql`null::jsonb`
  const keys = path.split('.')
  const root = properties ?? sql`contacts.properties`
  const wholeKey = sql`${root} -> ${path}::text`
  if (keys.length === 1) return sql`(${wholeKey})`
  const splitKeys = keys.slice(1).flatMap((_, i) => {
    const rest = keys.slice(keys.length - 1 - i)
    // The rest after the first key is limited by the depth of nesting.
    if (rest.length >= DEEPEST_PROPERTIES) return []
    const first = keys.slice(0, -rest.length).join('.')
    return [
      rest.reduce((value, key) => sql`${value} ${keyOf(sql, key)}`, sql`${root} -> ${first}::text`),
    ]
  })
  return splitKeys.length === 0
    ? sql`(${wholeKey})`
    : sql`coalesce(${wholeKey} ${splitKeys.map((each) => sql`, ${each}`)})`
}

type JsonField = Extract<Field, { kind: 'json' }>

export function isThere(asking: Asking, field: JsonField): Part {
  const { sql, properties = sql`contacts.properties` } = asking
  const value = sql`${valueAt(asking, field)} #>> '{}' is not null`
  if (field.of !== 'properties') return value
  return sql`(${value} or exists (
    select
    from jsonb_object_keys(${properties}) as keys (key)
    where starts_with(key, ${`${field.path}.`}::text)
  ))`
}

/**
 * A key of an object, or an index of a list as in JavaScript. Postgres would also count from the
 * end and accept blanks and zeros before the number.
 */
const keyOf = (sql: Executor, key: string): Part =>
  /^(?:0|[1-9]\d*)$/.test(key) ? sql`#> array[${key}::text]` : sql`-> ${key}::text`

export function jsonHolds(asking: Asking, value: Part, filter: Filter): Part {
  const { sql } = asking
  switch (filter.operator) {
    case 'equals':
    case 'inList':
      return isOneOf(sql, value, listedValues(filter.value))
    case 'contains':
      return sql`
        case jsonb_typeof(${value})
          when 'array' then exists (
            select
            from jsonb_array_elements(${value}) as elements (element)
            where ${isOneOf(sql, sql`element`, listedValues(filter.value))}
          )
          when 'string' then
            ${typeof filter.value === 'string' ? partHolds(sql, sql`(${value} #>> '{}')`, filter) : sql`false`}
        end`
    case 'startsWith':
    case 'endsWith':
      return sql`
        case jsonb_typeof(${value})
          when 'string' then ${partHolds(sql, sql`(${value} #>> '{}')`, filter)}
        end`
    default:
      return orderHolds(asking, value, filter)
  }
}

function orderHolds(asking: Asking, value: Part, filter: Filter): Part {
  const { sql } = asking
  const { value: bound, operator } = filter
  const isSpan = operator === 'within' || operator === 'withinNext'
  return typeof bound === 'number' && !isSpan
    ? sql`condition_number(${value}) ${comparison(sql, operator)} ${bound}::float8`
    : timeHolds(asking, sql`condition_time(${value})`, filter)
}

function isOneOf(sql: Executor, value: Part, list: readonly unknown[]): Part {
  const same = sql`${value} = any(${list.flatMap(spellings)}::text[]::jsonb[])`
  // A number or a boolean can be written as a text in many ways.
  const numbers = list.filter((each) => typeof each === 'number')
  const booleans = list.filter((each) => typeof each === 'boolean').map(String)
  return sql`(
    ${same}
    ${numbers.length === 0 ? sql`` : sql`or condition_number(${value}) = any(${numbers}::float8[])`}
    ${booleans.length === 0 ? sql`` : sql`or condition_boolean(${value})::text = any(${booleans}::text[])`}
  )`
}

/** JSON spellings of all values that equal this one, except texts. */
function spellings(value: unknown): string[] {
  const read = typeof value === 'string' ? (numberOf(value) ?? booleanOf(value)) : undefined
  return [JSON.stringify(value), ...(read === undefined ? [] : [JSON.stringify(read)])]
}
