/**
 * The grammar of conditions, of flows and of segments. Filters of a group are ANDed, the groups are
 * joined by `logic`.
 */
export interface Condition {
  logic: 'AND' | 'OR'
  groups: Group[]
}

export interface Group {
  /** The group holds exactly where its filters and what is nested in it do not. */
  not?: boolean
  filters: Filter[]
  /** One more condition that must hold as well. */
  nested?: Condition
}

export interface Filter {
  /**
   * A contact's column (`email`, `firstName`, `emailStatus`, …), `properties.<key>`, `topics`,
   * `event.<name>`, `bucket`; in flows also `trigger.data.<path>` and `event.properties.<path>`.
   */
  field: string
  operator: Operator
  value?: unknown
  unit?: Unit
}

export const OPERATORS = [
  'equals',
  'notEquals',
  'contains',
  'notContains',
  'startsWith',
  'endsWith',
  'greaterThan',
  'lessThan',
  'greaterThanOrEqual',
  'lessThanOrEqual',
  'exists',
  'notExists',
  'inList',
  'notInList',
  'within',
  'notWithin',
  'withinNext',
  'triggered',
  'notTriggered',
  'triggeredWithin',
  'notTriggeredWithin',
  'triggeredAtLeast',
  'hasTopic',
  'notHasTopic',
  'inBucket',
] as const
export type Operator = (typeof OPERATORS)[number]

/** Compared with as the present time. */
export const NOW = 'now'

export const UNITS = ['minutes', 'hours', 'days'] as const
export type Unit = (typeof UNITS)[number]
export const UNIT_MS: Record<Unit, number> = {
  minutes: 60_000,
  hours: 3_600_000,
  days: 86_400_000,
}

/** Conditions within conditions, the outermost counted. */
export const MOST_DEPTH = 5
/** Filters of a whole condition. */
export const MOST_FILTERS = 100
