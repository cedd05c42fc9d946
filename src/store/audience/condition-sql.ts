/**
 * Makes SQL of conditions: for each the predicate that holds of a row of `contacts` exactly where
 * `evaluate` in src/domain/audience/condition-eval.ts says so. What a caller wrote is a parameter,
 * names of properties too, and no stored value makes a statement fail.
 *
 * A predicate may be null where it does not hold. What is denied is therefore `is not true`.
 */
import { adapted, span, valueHolds } from '../../domain/audience/condition-eval.ts'
import { type Field, fieldOf } from '../../domain/audience/condition-fields.ts'
import { booleanOf, isStorable, numberOf, timeOf } from '../../domain/audience/condition-values.ts'
import type { Condition, Filter, Group, Operator } from '../../domain/audience/condition.ts'
import { CONTACT_STATS } from '../../domain/contacts/contact-columns.ts'
import { DEEPEST_PROPERTIES } from '../../domain/contacts/properties.ts'
import { bucketStart, isUuid, type Uuid } from '../../ids.ts'
import type { Executor, Part } from '../db/sql.ts'
import { between, type Range } from './range.ts'

export interface Asking {
  sql: Executor
  organizationId: Uuid
  /** Milliseconds since 1970: what `within` and `triggeredWithin` count back from. */
  now: number
  among?: Among | undefined
  /** Only contacts of it are asked about: events of others need not be counted. */
  range?: Range | undefined
  /** Whether all contacts are asked: then a set of many of them is made once for all. */
  areAll?: boolean | undefined
  /** Whether this is an alternative to something else: then the planner cannot join. */
  isAlternative?: boolean | undefined
}

/** The only contacts that are asked about: no events of others are read. */
interface Among {
  /** An array of their ids. */
  ids: Part
  /** No event of theirs is older than this id. */
  since: Uuid
}

/**
 * For `where`: those of an organization's `contacts` of which a checked condition holds. `now` in
 * ISO 8601.
 */
export const holds = (
  sql: Executor,
  organizationId: Uuid,
  condition: Condition,
  now: string,
  asked: Pick<Asking, 'among' | 'areAll' | 'range'> = {},
): Part => levelHolds({ sql, organizationId, now: Date.parse(now), ...asked }, condition)

function levelHolds(asking: Asking, { logic, groups }: Condition): Part {
  const { sql } = asking
  const isAlternative = asking.isAlternative || (logic === 'OR' && groups.length > 1)
  const parts = groups.map((group) => groupHolds({ ...asking, isAlternative }, group))
  if (logic === 'AND' || parts.length === 0) return allOf(sql, parts)
  return sql`(false ${parts.map((each) => sql`or ${each}`)})`
}

const groupHolds = (asking: Asking, { filters, nested }: Group): Part =>
  allOf(asking.sql, [
    ...filters.map((filter) => filterHolds(asking, filter)),
    ...(nested ? [levelHolds(asking, nested)] : []),
  ])

/** Nothing at all does not hold: an empty condition would mean everybody. */
const allOf = (sql: Executor, parts: readonly Part[]): Part =>
  parts.length === 0 ? sql`false` : sql`(true ${parts.map((each) => sql`and ${each}`)})`

/** The negative operators, and what they deny. */
const DENIED: Partial<Record<Operator, Operator>> = {
  notEquals: 'equals',
  notInList: 'inList',
  notContains: 'contains',
  notExists: 'exists',
  notTriggered: 'triggered',
  notHasTopic: 'hasTopic',
}

function filterHolds(asking: Asking, given: Filter): Part {
  const { sql } = asking
  const field = fieldOf(given.field)
  const denied = DENIED[given.operator]
  const isUnknown = !field || !isStorable(given.field)
  const filter = { ...given, operator: denied ?? given.operator }
  const held = isUnknown ? sql`false` : fieldHolds(asking, field, adapted(filter, field))
  if (denied === undefined) return held
  // A join can find what does not exist; it cannot find what is not true.
  return field && isJoined(field) ? sql`not ${held}` : sql`(${held}) is not true`
}

const isJoined = (field: Field): boolean =>
  field.kind === 'topics' ||
  field.kind === 'stats' ||
  ('column' in field && CONTACT_STATS.has(field.column))

function fieldHolds(asking: Asking, field: Field, filter: Filter): Part {
  const { sql } = asking
  if (!isStorable(filter.value)) return sql`false`
  switch (field.kind) {
    case 'topics':
      return subscribesTo(asking, String(filter.value))
    case 'stats':
      return triggered(asking, field.name, filter)
    case 'bucket':
      return inBucket(sql, filter.value)
    case 'json':
      return filter.operator === 'exists'
        ? isThere(sql, field)
        : jsonHolds(asking, valueAt(sql, field), filter)
    case 'number':
      return countHolds(asking, field.column, filter)
    case 'time':
      return CONTACT_STATS.has(field.column)
        ? hasStats(asking, timeHolds(asking, column(sql, 'stats', field.column), filter))
        : timeHolds(asking, column(sql, 'contacts', field.column), filter)
    case 'id':
      return sql`contacts.id = any(${listOf(filter).map(String)}::uuid[])`
    case 'text':
    case 'word':
      return textHolds(sql, column(sql, 'contacts', field.column), filter)
  }
}

/** What a value is to be one of. */
const listOf = ({ value }: Filter): unknown[] =>
  (Array.isArray(value) ? value : [value]).filter(isStorable)

export const column = (sql: Executor, table: 'contacts' | 'stats', name: string): Part =>
  sql`${sql(`${table}.${name}`)}`

function textHolds(sql: Executor, text: Part, filter: Filter): Part {
  if (filter.operator === 'exists') return sql`${text} is not null`
  if (filter.operator === 'equals' || filter.operator === 'inList') {
    return sql`${text} = any(${listOf(filter).map(String)}::text[])`
  }
  return partHolds(sql, text, filter)
}

/** Whether a text has this part, begins or ends so. */
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

function timeHolds(asking: Asking, time: Part, filter: Filter): Part {
  const { sql, now } = asking
  const { operator, value, unit } = filter
  if (operator === 'exists') return sql`${time} is not null`
  if (operator === 'within') {
    const [from, to] = [moment(now - span(value, unit)), moment(now)]
    return sql`${time} between ${from}::timestamptz and ${to}::timestamptz`
  }
  return sql`${time} ${comparison(sql, operator)} ${moment(timeOf(value) ?? Number.NaN)}::timestamptz`
}

function comparison(sql: Executor, operator: Operator): Part {
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

const FIRST = Date.parse('0001-01-01T00:00:00Z')
const LAST = Date.parse('9999-12-31T23:59:59.999Z')

/** As Postgres reads it. No time that is stored is outside of these years. */
function moment(ms: number): string {
  if (ms < FIRST) return '-infinity'
  return ms > LAST ? 'infinity' : new Date(ms).toISOString()
}

const hasStats = ({ sql, organizationId }: Asking, held: Part): Part => sql`
  exists (
    select
    from contact_stats stats
    where stats.organization_id = ${organizationId} and stats.contact_id = contacts.id
      and ${held}
  )`

/** Without a row all counts are zero. */
function countHolds(asking: Asking, name: string, filter: Filter): Part {
  const { sql } = asking
  const count = column(sql, 'stats', name)
  const held =
    filter.operator === 'equals' || filter.operator === 'inList'
      ? sql`${count} = any(${listOf(filter).map(Number)}::float8[])`
      : sql`${count} ${comparison(sql, filter.operator)} ${Number(filter.value)}::float8`
  const holdsOfZero = valueHolds(filter, 0, '')
  return holdsOfZero ? sql`(not ${hasStats(asking, sql`not (${held})`)})` : hasStats(asking, held)
}

const subscribesTo = ({ sql, organizationId }: Asking, topic: string): Part => sql`
  exists (
    select
    from subscriptions s
    where s.organization_id = ${organizationId} and s.contact_id = contacts.id
      and s.status = 'subscribed'
      and s.topic_id = any(array(
        select id
        from topics
        where organization_id = ${organizationId}
          and (id = ${isUuid(topic) ? topic : null}::uuid or slug = ${topic})
      ))
  )`

const DAY_MS = 86_400_000

/**
 * Events of one name. Those of the last days are in the last partitions: an event is received when
 * it occurs or later, but for clocks that differ, for which a day is left.
 */
function triggered(asking: Asking, name: string, filter: Filter): Part {
  const { sql, organizationId, among, range } = asking
  const ofName = sql`
    from events
    where events.organization_id = ${organizationId} and events.name = ${name}
      ${among ? isAmong(sql, among) : sql``}`
  if (filter.operator === 'triggeredAtLeast') {
    return sql`
      contacts.id in (
        select events.contact_id ${ofName} ${between(sql, sql`events.contact_id`, range)}
        group by events.contact_id
        having count(*) >= ${Number(filter.value)}::bigint
      )`
  }
  const recent = filter.operator === 'triggeredWithin' ? isRecent(asking, filter) : sql``
  // The planner would look up the events of each contact, because it cannot join an alternative.
  if (asking.areAll && asking.isAlternative) {
    return sql`
      contacts.id in (
        select events.contact_id ${ofName} ${recent}
        group by events.contact_id
      )`
  }
  return sql`exists (select ${ofName} and events.contact_id = contacts.id ${recent})`
}

const isAmong = (sql: Executor, { ids, since }: Among) =>
  sql`and events.contact_id = any(${ids}) and events.id >= ${since}`

export function isRecent({ sql, now }: Asking, { value, unit }: Filter): Part {
  const from = now - span(value, unit)
  return sql`
    and events.id >= ${bucketStart(Math.max(0, from - DAY_MS))}
    and events.occurred_at >= ${moment(from)}::timestamptz`
}

/** `bucketOf` in SQL. */
function inBucket(sql: Executor, value: unknown): Part {
  const { buckets, index } = { buckets: 1, index: -1, ...Object(value) }
  return sql`
    ('x' || right(contacts.id::text, 12))::bit(48)::bigint % ${buckets}::bigint = ${index}::bigint`
}

/** `lookUp` in SQL, but for objects that are written flat: see `isThere`. */
export function valueAt(sql: Executor, { of, path }: JsonField): Part {
  // Of what starts executions and of events nothing is known here: it is missing.
  if (of !== 'properties') return sql`null::jsonb`
  const keys = path.split('.')
  const root = sql`contacts.properties`
  const whole = sql`${root} -> ${path}::text`
  if (keys.length === 1) return sql`(${whole})`
  const others = keys.slice(1).flatMap((_, i) => {
    const rest = keys.slice(keys.length - 1 - i)
    // Behind the first key is no more than may be nested.
    if (rest.length >= DEEPEST_PROPERTIES) return []
    const first = keys.slice(0, -rest.length).join('.')
    return [
      rest.reduce((value, key) => sql`${value} ${keyOf(sql, key)}`, sql`${root} -> ${first}::text`),
    ]
  })
  return sql`coalesce(${whole} ${others.map((each) => sql`, ${each}`)})`
}

type JsonField = Extract<Field, { kind: 'json' }>

/** Whether there is a value, or an object that is written flat. */
function isThere(sql: Executor, field: JsonField): Part {
  const value = sql`${valueAt(sql, field)} #>> '{}' is not null`
  if (field.of !== 'properties') return value
  return sql`(${value} or exists (
    select
    from jsonb_object_keys(contacts.properties) as keys (key)
    where starts_with(key, ${`${field.path}.`}::text)
  ))`
}

/**
 * A key of an object, or a place of a list as JavaScript counts: Postgres would count from the end,
 * too, and take blanks and zeros before the number.
 */
const keyOf = (sql: Executor, key: string): Part =>
  /^(?:0|[1-9]\d*)$/.test(key) ? sql`#> array[${key}::text]` : sql`-> ${key}::text`

function jsonHolds(asking: Asking, value: Part, filter: Filter): Part {
  const { sql } = asking
  switch (filter.operator) {
    case 'equals':
    case 'inList':
      return isOneOf(sql, value, listOf(filter))
    case 'contains':
      return sql`
        case jsonb_typeof(${value})
          when 'array' then exists (
            select
            from jsonb_array_elements(${value}) as elements (element)
            where ${isOneOf(sql, sql`element`, listOf(filter))}
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
  return typeof bound === 'number' && operator !== 'within'
    ? sql`condition_number(${value}) ${comparison(sql, operator)} ${bound}::float8`
    : timeHolds(asking, sql`condition_time(${value})`, filter)
}

/** `isSame` in SQL, with each of a list. */
function isOneOf(sql: Executor, value: Part, list: readonly unknown[]): Part {
  const same = sql`${value} = any(${list.flatMap(spellings)}::text[]::jsonb[])`
  // A text may be written as the number or the boolean in many ways.
  const numbers = list.filter((each) => typeof each === 'number')
  const booleans = list.filter((each) => typeof each === 'boolean').map(String)
  return sql`(
    ${same}
    ${numbers.length === 0 ? sql`` : sql`or condition_number(${value}) = any(${numbers}::float8[])`}
    ${booleans.length === 0 ? sql`` : sql`or condition_boolean(${value})::text = any(${booleans}::text[])`}
  )`
}

/** The JSON of all values that are the same as this one, but for texts that are written as it. */
function spellings(value: unknown): string[] {
  const read = typeof value === 'string' ? (numberOf(value) ?? booleanOf(value)) : undefined
  return [JSON.stringify(value), ...(read === undefined ? [] : [JSON.stringify(read)])]
}
