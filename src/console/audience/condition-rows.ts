import type { Condition, Filter, Operator, Unit } from '../../domain/audience/condition.ts'
import { type FieldKind, fieldOf, OPERATORS_OF } from '../../domain/audience/condition-fields.ts'
import { spaced, verbOf, wordsOf } from '../../domain/audience/condition-sentence.ts'

/** One filter as a row of fields; every value is a text while somebody types it. */
export interface FilterRow {
  field: string
  operator: Operator
  value: string
  unit: Unit
}

/** A filter that rows cannot show: it stays as it is, and is shown in words. */
interface KeptRow {
  kept: Filter
}

export type Row = FilterRow | KeptRow

export interface GroupRows {
  isNot: boolean
  rows: Row[]
  /** Deeper groups stay as they are, and are shown in words. */
  nested: Condition | undefined
}

export interface ConditionRows {
  logic: Condition['logic']
  groups: GroupRows[]
}

/** Fields whose second half somebody types, such as `properties.plan`. */
export const ROOTS = [
  { root: 'properties.', label: 'A property …', name: 'Property', kind: 'json' },
  { root: 'trigger.data.', label: 'A value of the trigger …', name: 'Value', kind: 'json' },
  { root: 'event.properties.', label: 'A property of the event …', name: 'Property', kind: 'json' },
  { root: 'event.', label: 'An event …', name: 'Event', kind: 'stats' },
] as const satisfies readonly { root: string; label: string; name: string; kind: FieldKind }[]

export const rootOf = (field: string) => ROOTS.find(({ root }) => field.startsWith(root))

/** Of a field whose second half is still missing, too. */
const kindOf = (field: string): FieldKind => fieldOf(field)?.kind ?? rootOf(field)?.kind ?? 'text'

export const operatorsOf = (field: string): readonly Operator[] => OPERATORS_OF[kindOf(field)]

export type ValueKind = 'none' | 'text' | 'list' | 'number' | 'span' | 'time' | 'word' | 'topic'

/** What has to be said beside the operator. */
export function valueKindOf({ field, operator }: Pick<FilterRow, 'field' | 'operator'>): ValueKind {
  switch (operator) {
    case 'exists':
    case 'notExists':
    case 'triggered':
    case 'notTriggered':
      return 'none'
    case 'inList':
    case 'notInList':
      return 'list'
    case 'within':
    case 'notWithin':
    case 'withinNext':
    case 'triggeredWithin':
    case 'notTriggeredWithin':
      return 'span'
    case 'triggeredAtLeast':
      return 'number'
    case 'hasTopic':
    case 'notHasTopic':
      return 'topic'
    default: {
      const kind = kindOf(field)
      return kind === 'number' || kind === 'time' || kind === 'word' ? kind : 'text'
    }
  }
}

export const EMPTY_ROW: FilterRow = {
  field: 'emailStatus',
  operator: 'equals',
  value: 'active',
  unit: 'days',
}

export const EMPTY_ROWS: ConditionRows = {
  logic: 'AND',
  groups: [{ isNot: false, rows: [EMPTY_ROW], nested: undefined }],
}

const NUMBER = /^-?\d+(?:\.\d+)?$/

const numberOr = (text: string): number | string => (NUMBER.test(text) ? Number(text) : text)

const isOrdered = (operator: Operator): boolean =>
  operator.startsWith('greaterThan') || operator.startsWith('lessThan')

/** The filter that a row stands for. It may still be wrong: see `checkCondition`. */
export function filterOf(row: Row): Filter {
  if ('kept' in row) return row.kept
  const { field, operator, value, unit } = row
  const text = value.trim()
  switch (valueKindOf(row)) {
    case 'none':
      return { field, operator }
    case 'list': {
      const list = text
        .split(/[,\n]/)
        .map((each) => each.trim())
        .filter((each) => each !== '')
      return { field, operator, value: kindOf(field) === 'number' ? list.map(numberOr) : list }
    }
    case 'span':
      return { field, operator, value: numberOr(text), unit }
    case 'number':
      return { field, operator, value: numberOr(text) }
    case 'text':
      return {
        field,
        operator,
        value: kindOf(field) === 'json' && isOrdered(operator) ? numberOr(text) : text,
      }
    case 'time':
    case 'word':
    case 'topic':
      return { field, operator, value: text }
  }
}

function rowOf(filter: Filter): Row {
  const { field, operator, value, unit = 'days' } = filter
  const text = Array.isArray(value) ? value.join(', ') : textOf(value)
  const row: FilterRow = { field, operator, value: text, unit }
  return isSame(filterOf(row), filter) ? row : { kept: filter }
}

const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : ''

/** To conditions `"5"` and `5` are the same, as are `"true"` and `true`. */
function isSame(one: Filter, other: Filter): boolean {
  const plain = ({ field, operator, value, unit }: Filter): string =>
    JSON.stringify([field, operator, value === undefined ? null : [value].flat().map(String), unit])
  const isPlain = [other.value].flat().every((each) => typeof each !== 'object')
  return isPlain && plain(one) === plain(other)
}

export const rowsOf = ({ logic, groups }: Condition): ConditionRows => ({
  logic,
  groups: groups.map(({ not = false, filters, nested }) => ({
    isNot: not,
    rows: filters.map(rowOf),
    nested,
  })),
})

export const conditionOf = ({ logic, groups }: ConditionRows): Condition => ({
  logic,
  groups: groups.map(({ isNot, rows, nested }) => ({
    ...(isNot ? { not: true } : {}),
    filters: rows.map(filterOf),
    ...(nested === undefined ? {} : { nested }),
  })),
})

/** A kept filter or condition in words. */
export const keptWords = (filter: Filter): string =>
  wordsOf({ logic: 'AND', groups: [{ filters: [filter] }] })

const EVENT_VERBS: Partial<Record<Operator, string>> = {
  triggered: 'has ever occurred',
  notTriggered: 'has never occurred',
  triggeredWithin: 'has occurred in the last',
  notTriggeredWithin: 'has not occurred in the last',
  triggeredAtLeast: 'has occurred at least so many times:',
  hasTopic: 'they subscribe to',
  notHasTopic: 'they do not subscribe to',
}

export const operatorWords = (operator: Operator, field: string): string =>
  EVENT_VERBS[operator] ?? verbOf(operator, kindOf(field) === 'time')

/** `emailStatus` → `Email status`. */
export function fieldWords(field: string): string {
  const words = spaced(field)
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`
}

/** Another field takes other operators: the first that fits, and its usual value. */
export function withField(row: FilterRow, field: string): FilterRow {
  const fitting = operatorsOf(field)
  const operator = fitting.includes(row.operator) ? row.operator : (fitting[0] ?? row.operator)
  return { ...row, field, operator, value: firstValue(field) }
}

function firstValue(name: string): string {
  const field = fieldOf(name)
  return field?.kind === 'word' ? (field.words[0] ?? '') : ''
}
