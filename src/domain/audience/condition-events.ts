import { type Condition, type Filter, type Unit, UNIT_MS } from './condition.ts'
import { filtersOf } from './condition-check.ts'
import { fieldOf } from './condition-fields.ts'

export interface EventQuestion {
  name: string
  /** Counts events of the last so many milliseconds. Undefined: all stored ones. */
  spanMs: number | undefined
  where: readonly Filter[]
}

/** A filter of `event.<name>`. It holds if the count is within the bounds. */
export interface EventCount extends EventQuestion {
  least: number
  most: number
}

interface TriggeredValue {
  atLeast?: number
  atMost?: number
  exactly?: number
  /** Length of the period before now, in `unit`. */
  within?: number
  where?: readonly Filter[]
}

/**
 * Returns the count that a checked filter of events asks for. A negative operator counts as its
 * opposite. Undefined: it is another filter.
 */
export function eventCountOf(filter: Filter): EventCount | undefined {
  const field = fieldOf(filter.field)
  if (field?.kind !== 'stats') return undefined
  const any = { name: field.name, spanMs: undefined, where: [], least: 1, most: Infinity }
  switch (filter.operator) {
    case 'triggered':
    case 'notTriggered': {
      const { atLeast, atMost, exactly, within, where = [] } = triggeredValue(filter.value)
      const least = exactly ?? atLeast ?? (atMost === undefined ? 1 : 0)
      const most = exactly ?? atMost ?? Infinity
      const spanMs = within === undefined ? undefined : span(within, filter.unit)
      return { ...any, least, most, spanMs, where }
    }
    case 'triggeredWithin':
    case 'notTriggeredWithin':
      return { ...any, spanMs: span(filter.value, filter.unit) }
    case 'triggeredAtLeast':
      return { ...any, least: Number(filter.value) }
    default:
      return undefined
  }
}

const triggeredValue = (value: unknown): TriggeredValue => Object(value)

/** Returns milliseconds. NaN: the filter has no period, and no event is within it. */
export const span = (amount: unknown, unit: Unit | undefined): number =>
  typeof amount === 'number' && unit !== undefined ? amount * UNIT_MS[unit] : Number.NaN

export function eventQuestions(condition: Condition): EventQuestion[] {
  const counts = filtersOf(condition).flatMap((filter) => eventCountOf(filter) ?? [])
  return [...new Map(counts.map((each) => [questionKey(each), each])).values()]
}

export const questionKey = ({ name, spanMs, where }: EventQuestion): string =>
  JSON.stringify([name, spanMs, where])

export function countsMany(filter: Filter): boolean {
  const count = eventCountOf(filter)
  return count !== undefined && (count.least > 1 || count.most < Infinity)
}
