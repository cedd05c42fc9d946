import { type Condition, type Filter, type Unit, UNIT_MS } from './condition.ts'
import { filtersOf } from './condition-check.ts'
import { fieldOf } from './condition-fields.ts'

/** Which events of a contact are counted. */
export interface EventQuestion {
  name: string
  /** Only events of so many milliseconds before now. Undefined: all that are kept. */
  spanMs: number | undefined
  /** Filters of the event's own properties, `properties.<path>`: all of them hold. */
  where: readonly Filter[]
}

/** A filter of `event.<name>`: it holds where so many events are counted. */
export interface EventCount extends EventQuestion {
  least: number
  /** Infinity: there is no bound. */
  most: number
}

/** The value of `triggered` and `notTriggered`, which may be absent. */
interface TriggeredValue {
  atLeast?: number
  atMost?: number
  exactly?: number
  /** Units of `unit` before now. */
  within?: number
  where?: readonly Filter[]
}

/**
 * What a checked filter of events counts. A negative operator counts as its opposite. Undefined: it
 * is no filter of events.
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

/** Milliseconds; not a number, which nothing is within, where the filter says none. */
export const span = (amount: unknown, unit: Unit | undefined): number =>
  typeof amount === 'number' && unit !== undefined ? amount * UNIT_MS[unit] : Number.NaN

/** The events that a condition has counted, each question once. */
export function eventQuestions(condition: Condition): EventQuestion[] {
  const counts = filtersOf(condition).flatMap((filter) => eventCountOf(filter) ?? [])
  return [...new Map(counts.map((each) => [questionKey(each), each])).values()]
}

/** One question is one text. */
export const questionKey = ({ name, spanMs, where }: EventQuestion): string =>
  JSON.stringify([name, spanMs, where])

/** Whether a filter counts further than to one event. */
export function countsMany(filter: Filter): boolean {
  const count = eventCountOf(filter)
  return count !== undefined && (count.least > 1 || count.most < Infinity)
}
