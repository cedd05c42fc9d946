/**
 * The grammar of conditions for flows and segments. A group's filters are ANDed, and `logic` joins
 * the groups.
 */
export interface Condition {
  logic: 'AND' | 'OR'
  groups: Group[]
}

export interface Group {
  /** Negates the group with all that is nested in it. */
  not?: boolean
  filters: Filter[]
  nested?: Condition
}

export interface Filter {
  /**
   * A contact's column (`email`, `firstName`, `emailStatus`, …), `properties.<key>`, `topics`,
   * `event.<name>`, `bucket`. In flows also `trigger.data.<path>` and `event.properties.<path>`.
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

export const NOW = 'now'

export const UNITS = ['minutes', 'hours', 'days'] as const
export type Unit = (typeof UNITS)[number]
export const UNIT_MS: Record<Unit, number> = {
  minutes: 60_000,
  hours: 3_600_000,
  days: 86_400_000,
}

export const MOST_DEPTH = 5
export const MOST_FILTERS = 100
