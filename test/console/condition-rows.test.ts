import { describe, expect, test } from 'vitest'
import {
  conditionOf,
  EMPTY_ROWS,
  filterOf,
  type FilterRow,
  keptWords,
  operatorsOf,
  rowsOf,
  withField,
} from '../../src/console/audience/condition-rows.ts'
import { type Condition, OPERATORS } from '../../src/domain/audience/condition.ts'
import { checkCondition, IN_FLOWS } from '../../src/domain/audience/condition-check.ts'

const one = (filter: Condition['groups'][number]['filters'][number]): Condition => ({
  logic: 'AND',
  groups: [{ filters: [filter] }],
})

describe('a condition as rows', () => {
  test.each<[string, Condition]>([
    ['a text', one({ field: 'email', operator: 'endsWith', value: '@example.com' })],
    ['a word', one({ field: 'emailStatus', operator: 'equals', value: 'active' })],
    ['a number', one({ field: 'emailsSent', operator: 'greaterThan', value: 3 })],
    ['numbers', one({ field: 'emailsSent', operator: 'inList', value: [1, 2] })],
    ['texts', one({ field: 'company', operator: 'inList', value: ['A', 'B'] })],
    ['nothing', one({ field: 'properties.plan', operator: 'exists' })],
    ['a span', one({ field: 'createdAt', operator: 'within', value: 7, unit: 'days' })],
    ['a time', one({ field: 'createdAt', operator: 'lessThan', value: '2026-11-21' })],
    ['now', one({ field: 'properties.renewsAt', operator: 'lessThan', value: 'now' })],
    ['a topic', one({ field: 'topics', operator: 'hasTopic', value: 'news' })],
    ['an event', one({ field: 'event.order', operator: 'triggered' })],
    ['events', one({ field: 'event.order', operator: 'triggeredAtLeast', value: 2 })],
    [
      'groups',
      {
        logic: 'OR',
        groups: [
          { not: true, filters: [{ field: 'company', operator: 'exists' }] },
          {
            filters: [],
            nested: one({ field: 'email', operator: 'contains', value: 'x' }),
          },
        ],
      },
    ],
  ])('%s comes back as it was', (_name, condition) => {
    expect(checkCondition(condition, 'condition', IN_FLOWS)).toEqual([])
    const rows = rowsOf(condition)
    expect(rows.groups.flatMap((group) => group.rows).some((row) => 'kept' in row)).toBe(false)
    expect(conditionOf(rows)).toEqual(condition)
  })

  test('what rows cannot show stays as it is, in words', () => {
    const filter = {
      field: 'event.order',
      operator: 'triggered' as const,
      value: { atLeast: 2, within: 30 },
      unit: 'days' as const,
    }
    const rows = rowsOf(one(filter))
    expect(rows.groups[0]?.rows).toEqual([{ kept: filter }])
    expect(conditionOf(rows)).toEqual(one(filter))
    expect(keptWords(filter)).toBe(
      'the event "order" has occurred at least 2 times in the last 30 days',
    )
    const comma = { field: 'company', operator: 'inList' as const, value: ['A, B', 'C'] }
    expect(rowsOf(one(comma)).groups[0]?.rows).toEqual([{ kept: comma }])
  })

  test('what a new one begins with means something', () => {
    expect(checkCondition(conditionOf(EMPTY_ROWS), 'condition', IN_FLOWS)).toEqual([])
  })

  test('another field takes an operator that fits it', () => {
    const row: FilterRow = { field: 'company', operator: 'contains', value: 'x', unit: 'days' }
    expect(withField(row, 'createdAt')).toMatchObject({ operator: 'greaterThan', value: '' })
    expect(withField(row, 'emailStatus')).toMatchObject({ operator: 'equals', value: 'active' })
    // A property is named afterwards: its operators are there already.
    expect(withField(row, 'properties.').operator).toBe('contains')
    expect(operatorsOf('event.')).toContain('triggered')
  })

  test('a row of any field and operator that fits is a filter without unknown parts', () => {
    for (const field of [
      'email',
      'emailStatus',
      'emailsSent',
      'createdAt',
      'properties.a',
      'topics',
    ]) {
      for (const operator of OPERATORS.filter((each) => operatorsOf(field).includes(each))) {
        const filter = filterOf({ field, operator, value: '1', unit: 'days' })
        const problems = checkCondition(one(filter), 'condition', IN_FLOWS)
        // Only the value of a word or of a time may still be wrong.
        expect([field, operator, problems.filter(({ path }) => !path.endsWith('.value'))]).toEqual([
          field,
          operator,
          [],
        ])
      }
    }
  })
})
