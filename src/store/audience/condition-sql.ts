/**
 * Turns conditions into SQL: a predicate that holds for a row of `contacts` exactly where
 * `evaluate` in src/domain/audience/condition-eval.ts does. Everything a caller wrote is a
 * parameter, also names of properties, and no stored value makes a statement fail.
 *
 * A predicate may be null where it does not hold, so negation is `is not true`.
 */
import { adapted, isBlankGroup, valueHolds } from '../../domain/audience/condition-eval.ts'
import {
  type EventCount,
  eventCountOf,
  type EventQuestion,
} from '../../domain/audience/condition-events.ts'
import { type Field, fieldOf } from '../../domain/audience/condition-fields.ts'
import { isStorable, listedValues } from '../../domain/audience/condition-values.ts'
import type { Condition, Filter, Group, Operator } from '../../domain/audience/condition.ts'
import { CONTACT_STATS } from '../../domain/contacts/contact-columns.ts'
import { bucketStart, isUuid, type Uuid } from '../../runtime/ids.ts'
import type { Executor, Part } from '../db/sql.ts'
import {
  comparison,
  isThere,
  jsonHolds,
  moment,
  textHolds,
  timeHolds,
  valueAt,
} from './condition-value-sql.ts'
import { between, type Range } from './range.ts'

export interface Asking {
  sql: Executor
  organizationId: Uuid
  now: number
  /** The object of `properties.<path>`. Absent: the contact's. */
  properties?: Part | undefined
  among?: Among | undefined
  /** Only contacts of this range matter, so events of others need not be counted. */
  range?: Range | undefined
  /** All contacts are read, so a set of matching ones is computed once. */
  areAll?: boolean | undefined
  /** The predicate is one side of an `or`, which the planner cannot join. */
  isAlternative?: boolean | undefined
}

interface Among {
  ids: Part
  /** No event of theirs is older than this id. */
  since: Uuid
}

/** A `where` part that selects the contacts that meet a checked condition. `now` is ISO 8601. */
export const holds = (
  sql: Executor,
  organizationId: Uuid,
  condition: Condition,
  now: string,
  scope: Pick<Asking, 'among' | 'areAll' | 'range'> = {},
): Part => levelHolds({ sql, organizationId, now: Date.parse(now), ...scope }, condition)

function levelHolds(asking: Asking, { logic, groups }: Condition): Part {
  const { sql } = asking
  const isAlternative = asking.isAlternative || (logic === 'OR' && groups.length > 1)
  const parts = groups.map((group) => groupHolds({ ...asking, isAlternative }, group))
  if (logic === 'AND' || parts.length === 0) return allOf(sql, parts)
  return sql`(false ${parts.map((each) => sql`or ${each}`)})`
}

function groupHolds(outerAsking: Asking, group: Group): Part {
  const { sql } = outerAsking
  const { not = false, filters, nested } = group
  if (isBlankGroup(group)) return sql`false`
  // A negated group cannot be joined either.
  const asking = not ? { ...outerAsking, isAlternative: true } : outerAsking
  const predicate = allOf(sql, [
    ...filters.map((filter) => filterHolds(asking, filter)),
    ...(nested ? [levelHolds(asking, nested)] : []),
  ])
  return not ? sql`(${predicate} is not true)` : predicate
}

/** An empty list does not hold: an empty condition would match everybody. */
const allOf = (sql: Executor, parts: readonly Part[]): Part =>
  parts.length === 0 ? sql`false` : sql`(true ${parts.map((each) => sql`and ${each}`)})`

const DENIED: Partial<Record<Operator, Operator>> = {
  notEquals: 'equals',
  notInList: 'inList',
  notContains: 'contains',
  notExists: 'exists',
  notWithin: 'within',
  notTriggered: 'triggered',
  notTriggeredWithin: 'triggeredWithin',
  notHasTopic: 'hasTopic',
}

function filterHolds(asking: Asking, writtenFilter: Filter): Part {
  const { sql } = asking
  const field = fieldOf(writtenFilter.field)
  const denied = DENIED[writtenFilter.operator]
  const isUnknown = !field || !isStorable(writtenFilter.field)
  const filter = { ...writtenFilter, operator: denied ?? writtenFilter.operator }
  const predicate = isUnknown ? sql`false` : fieldHolds(asking, field, adapted(filter, field))
  if (denied === undefined) return predicate
  // A join can find missing rows, but not predicates that are not true.
  return field && isJoined(field) ? sql`not ${predicate}` : sql`(${predicate}) is not true`
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
      return triggered(asking, filter)
    case 'bucket':
      return inBucket(sql, filter.value)
    case 'json':
      return filter.operator === 'exists'
        ? isThere(asking, field)
        : jsonHolds(asking, valueAt(asking, field), filter)
    case 'number':
      return countHolds(asking, field.column, filter)
    case 'time':
      return CONTACT_STATS.has(field.column)
        ? hasStats(asking, timeHolds(asking, column(sql, 'stats', field.column), filter))
        : timeHolds(asking, column(sql, 'contacts', field.column), filter)
    case 'id':
      return sql`contacts.id = any(${listedValues(filter.value).map(String)}::uuid[])`
    case 'text':
    case 'word':
      return textHolds(sql, column(sql, 'contacts', field.column), filter)
  }
}

export const column = (sql: Executor, table: 'contacts' | 'stats', name: string): Part =>
  sql`${sql(`${table}.${name}`)}`

const hasStats = ({ sql, organizationId }: Asking, predicate: Part): Part => sql`
  exists (
    select
    from contact_stats stats
    where stats.organization_id = ${organizationId} and stats.contact_id = contacts.id
      and ${predicate}
  )`

/** Without a row all counts are zero. */
function countHolds(asking: Asking, name: string, filter: Filter): Part {
  const { sql } = asking
  const count = column(sql, 'stats', name)
  const predicate =
    filter.operator === 'equals' || filter.operator === 'inList'
      ? sql`${count} = any(${listedValues(filter.value).map(Number)}::float8[])`
      : sql`${count} ${comparison(sql, filter.operator)} ${Number(filter.value)}::float8`
  const holdsOfZero = valueHolds(filter, 0, '')
  return holdsOfZero
    ? sql`(not ${hasStats(asking, sql`not (${predicate})`)})`
    : hasStats(asking, predicate)
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

function triggered(asking: Asking, filter: Filter): Part {
  const { sql } = asking
  const eventCount = eventCountOf(filter)
  if (!eventCount) return sql`false`
  const { least, most } = eventCount
  const bounds = [
    ...(least > 0 ? [hasEvents(asking, eventCount, least)] : []),
    ...(most < Infinity ? [sql`not ${hasEvents(asking, eventCount, most + 1)}`] : []),
  ]
  // A single predicate may be joined.
  const [first] = bounds
  return bounds.length === 1 && first ? first : allOf(sql, bounds)
}

function hasEvents(asking: Asking, eventCount: EventCount, least: number): Part {
  const { sql, among, range } = asking
  const countedEvents = sql`
    from events
    where ${isCounted(asking, eventCount)} ${among ? isAmong(sql, among) : sql``}`
  if (least > 1) {
    return sql`
      contacts.id in (
        select events.contact_id ${countedEvents} ${between(sql, sql`events.contact_id`, range)}
        group by events.contact_id
        having count(*) >= ${least}::bigint
      )`
  }
  // The planner cannot join an alternative and would look up the events of each contact.
  if (asking.areAll && asking.isAlternative) {
    return sql`
      contacts.id in (
        select events.contact_id ${countedEvents}
        group by events.contact_id
      )`
  }
  return sql`exists (select ${countedEvents} and events.contact_id = contacts.id)`
}

const isAmong = (sql: Executor, { ids, since }: Among) =>
  sql`and events.contact_id = any(${ids}) and events.id >= ${since}`

/** A `where` part that selects the events that a question counts, of any contact. */
export function isCounted(
  { sql, organizationId, now }: Pick<Asking, 'sql' | 'organizationId' | 'now'>,
  { name, spanMs, where }: EventQuestion,
): Part {
  const asking: Asking = { sql, organizationId, now, properties: sql`events.properties` }
  return sql`
    events.organization_id = ${organizationId} and events.name = ${name}
    ${spanMs === undefined ? sql`` : isRecent(asking, spanMs)}
    ${
      where.length === 0
        ? sql``
        : sql`and ${allOf(
            sql,
            where.map((filter) => filterHolds(asking, filter)),
          )}`
    }`
}

/**
 * Recent events are in the latest partitions: an event is received when it occurs or later. A day
 * is allowed for clock differences.
 */
function isRecent({ sql, now }: Asking, spanMs: number): Part {
  const from = now - spanMs
  return sql`
    and events.id >= ${bucketStart(Math.max(0, from - DAY_MS))}
    and events.occurred_at >= ${moment(sql, from)}`
}

function inBucket(sql: Executor, value: unknown): Part {
  const { buckets, index } = { buckets: 1, index: -1, ...Object(value) }
  return sql`
    ('x' || right(contacts.id::text, 12))::bit(48)::bigint % ${buckets}::bigint = ${index}::bigint`
}
