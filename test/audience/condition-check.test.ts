import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type Askable,
  checkCondition,
  IN_FLOWS,
  LONGEST_VALUE,
  MOST_AMOUNT,
  MOST_BUCKETS,
  MOST_LISTED,
  OF_EVENTS,
} from '../../src/domain/audience/condition-check.ts'
import { eventQuestions } from '../../src/domain/audience/condition-events.ts'
import { OPERATORS_OF } from '../../src/domain/audience/condition-fields.ts'
import {
  type Condition,
  MOST_DEPTH,
  MOST_FILTERS,
  OPERATORS,
} from '../../src/domain/audience/condition.ts'

const of = (...filters: unknown[]) => ({ logic: 'AND', groups: [{ filters }] })
const problems = (given: unknown, askable: readonly Askable[] = IN_FLOWS) =>
  checkCondition(given, 'condition', askable).map(({ path, message }) => `${path} ${message}`)
const first = (filter: unknown) => problems(of(filter))[0] ?? 'fine'
const at = (name: string) => `condition.groups[0].filters[0].${name}`

const nested = (depth: number): unknown => ({
  logic: 'AND',
  groups: [
    {
      filters: [{ field: 'email', operator: 'exists' }],
      ...(depth > 1 ? { nested: nested(depth - 1) } : {}),
    },
  ],
})

/** A field of each kind. */
const FIELDS = {
  id: 'id',
  text: 'firstName',
  word: 'emailStatus',
  number: 'emailsSent',
  time: 'createdAt',
  json: 'properties.plan',
  topics: 'topics',
  stats: 'event.bought',
  bucket: 'bucket',
} as const

describe('an operator', () => {
  test.each(Object.entries(FIELDS))(
    'that does not fit the kind %s (%s) is told so',
    (kind, field) => {
      const fitting: readonly string[] = OPERATORS_OF[kind as keyof typeof FIELDS]
      for (const operator of OPERATORS) {
        const words = `${at('operator')} cannot be used with the field ${field}`
        const found = problems(of({ field, operator })).filter((each) => each.startsWith(words))
        expect(found.length, `${field} ${operator}`).toBe(fitting.includes(operator) ? 0 : 1)
      }
    },
  )

  test('that is unknown is answered with the list of them', () => {
    expect(first({ field: 'email', operator: 'like' })).toContain('must be one of: equals')
    expect(first({ field: 'email' })).toContain(at('operator'))
  })
})

describe('an error quotes what is wrong as the sentence has it', () => {
  test.each<[unknown, string]>([
    [
      { field: 'properties.plan', operator: 'lessThan', value: 'soon' },
      'the property "plan" is before "soon"',
    ],
    [{ field: 'createdAt', operator: 'contains', value: 'x' }, 'the created at contains "x"'],
    [{ field: 'topics', operator: 'equals', value: 'x' }, 'the topics is "x"'],
    [{ field: 'email', operator: 'equals', value: { a: 1 } }, 'the email is …'],
    [{ field: 'createdAt', operator: 'within', value: 3, unit: 'weeks' }, 'is in the last 3 weeks'],
    [{ field: 'nobody', operator: 'exists' }, 'the nobody is set'],
    [{ field: 'email', operator: 'constructor', value: 1 }, 'the email constructor 1'],
    [{ field: 'bucket', operator: 'inBucket', value: { buckets: 2, index: [9] } }, 'bucket … of 2'],
    [{ field: 'email', operator: 'inList', value: [[[['a']]], null] }, 'is one of …, null'],
  ])('%j', (filter, words) => {
    expect(first(filter)).toContain(`. The filter is: `)
    expect(first(filter)).toContain(words)
  })

  test('and cuts it', () => {
    const long = { field: `properties.${'x'.repeat(200)}`, operator: 'equals', value: {} }
    expect(first(long).length).toBeLessThan(300)
  })
})

test.each<[string, unknown, string, string]>([
  ['a field that nobody has', { field: 'mail', operator: 'exists' }, 'field', 'is not a field'],
  ['a key without a name', { field: 'properties.', operator: 'exists' }, 'field', 'is not a field'],
  ['an event without one', { field: 'event.', operator: 'triggered' }, 'field', 'is not a field'],
  [
    'a number for a text',
    { field: 'email', operator: 'equals', value: 1 },
    'value',
    'must be a text',
  ],
  [
    'a text for a number',
    { field: 'emailsSent', operator: 'equals', value: '1' },
    'value',
    'must be a number',
  ],
  ['no value', { field: 'email', operator: 'equals' }, 'value', 'must be a text'],
  ['null', { field: 'email', operator: 'equals', value: null }, 'value', 'Use notExists'],
  [
    'a status that is none',
    { field: 'emailStatus', operator: 'inList', value: ['gone'] },
    'value',
    'must be one of: active',
  ],
  ['an id that is none', { field: 'id', operator: 'equals', value: 'x' }, 'value', 'must be an id'],
  [
    'an object',
    { field: 'properties.a', operator: 'equals', value: {} },
    'value',
    'must be a text, a number',
  ],
  [
    'no list',
    { field: 'properties.a', operator: 'inList', value: 'a' },
    'value',
    'must be a list of 1',
  ],
  [
    'an empty list',
    { field: 'properties.a', operator: 'inList', value: [] },
    'value',
    'must be a list of 1',
  ],
  [
    'a list that is too long',
    {
      field: 'properties.a',
      operator: 'inList',
      value: Array.from({ length: MOST_LISTED + 1 }, () => 'a'),
    },
    'value',
    'must be a list of 1',
  ],
  [
    'a part of nothing',
    { field: 'email', operator: 'contains', value: '' },
    'value',
    'at least one character',
  ],
  [
    'a text that is too long',
    { field: 'email', operator: 'contains', value: 'x'.repeat(LONGEST_VALUE + 1) },
    'value',
    'must not be longer',
  ],
  [
    'a word to order by',
    { field: 'properties.a', operator: 'lessThan', value: 'soon' },
    'value',
    'a number or a date',
  ],
  [
    'a number for a time',
    { field: 'createdAt', operator: 'lessThan', value: 5 },
    'value',
    'must be a date or time',
  ],
  [
    'a day that no calendar has',
    { field: 'createdAt', operator: 'lessThan', value: '2026-02-30' },
    'value',
    'must be a date or time',
  ],
  [
    'half an event',
    { field: 'event.a', operator: 'triggeredAtLeast', value: 1.5 },
    'value',
    'must be a whole number',
  ],
  [
    'too long a span',
    { field: 'createdAt', operator: 'within', value: MOST_AMOUNT + 1, unit: 'days' },
    'value',
    'must be a whole number',
  ],
  [
    'a span without a unit',
    { field: 'createdAt', operator: 'within', value: 1 },
    'unit',
    'must be one of: minutes',
  ],
  [
    'a unit where none goes',
    { field: 'email', operator: 'exists', unit: 'days' },
    'unit',
    'can only be used with',
  ],
  [
    'a value where none goes',
    { field: 'email', operator: 'exists', value: 1 },
    'value',
    'cannot be combined with exists',
  ],
  ['no topic', { field: 'topics', operator: 'hasTopic' }, 'value', 'id or slug'],
  [
    'a bucket beyond the last',
    { field: 'bucket', operator: 'inBucket', value: { buckets: 2, index: 2 } },
    'value',
    'index must be',
  ],
  [
    'too many buckets',
    { field: 'bucket', operator: 'inBucket', value: { buckets: MOST_BUCKETS + 1, index: 0 } },
    'value',
    'buckets must be',
  ],
  [
    'more than a bucket',
    { field: 'bucket', operator: 'inBucket', value: { buckets: 2, index: 0, of: 1 } },
    'value',
    'nothing else',
  ],
])('%s is refused where it is', (_name, filter, name, message) => {
  const [problem, ...others] = problems(of(filter))
  expect(problem).toContain(`${at(name)} `)
  expect(problem).toContain(message)
  expect(others).toEqual([])
})

describe('a condition', () => {
  test('is as deep and as long as the limits say, and not more', () => {
    expect(problems(nested(MOST_DEPTH))).toEqual([])
    expect(problems(nested(MOST_DEPTH + 1)).join()).toContain('nested deeper than 5')
    const filters = (count: number) =>
      of(...Array.from({ length: count }, () => ({ field: 'email', operator: 'exists' })))
    expect(problems(filters(MOST_FILTERS))).toEqual([])
    expect(problems(filters(MOST_FILTERS + 1))).toEqual(['condition has more than 100 filters'])
    const groups = { logic: 'OR', groups: Array.from({ length: 101 }, () => ({ filters: [] })) }
    expect(problems(groups)).toEqual(['condition.groups has more than 100 groups'])
  })

  test('names what it does not know, and every mistake', () => {
    expect(problems({ logic: 'NOT', groups: [], extra: 1 })).toEqual([
      'condition.extra is unknown',
      'condition.logic must be one of: AND, OR',
      'condition.groups must be a list of at least one group',
    ])
    expect(problems({ logic: 'OR', groups: [{ filters: [] }, { filters: [{ a: 1 }] }] })).toEqual([
      'condition.groups[0].filters must not be empty',
      'condition.groups[1].filters[0].a is unknown',
      'condition.groups[1].filters[0].field is not a field of conditions',
    ])
  })

  test('asks only about what is at hand', () => {
    const condition = of(
      { field: 'topics', operator: 'hasTopic', value: 'news' },
      { field: 'event.bought', operator: 'triggered' },
      { field: 'trigger.data.x', operator: 'exists' },
      { field: 'event.properties.x', operator: 'exists' },
      { field: 'properties.x', operator: 'exists' },
    )
    expect(problems(condition)).toEqual([])
    expect(problems(condition, OF_EVENTS)).toEqual([
      'condition.groups[0].filters[0].field topics cannot be used here. The filter is: the contact is subscribed to the topic "news"',
      'condition.groups[0].filters[1].field event.<name> cannot be used here. The filter is: the event "bought" has occurred',
      'condition.groups[0].filters[2].field trigger.data cannot be used here. The filter is: the trigger value "x" is set',
    ])
  })

  test('whatever it is, is judged and not thrown at', () => {
    fc.assert(
      fc.property(fc.anything(), fc.anything(), (whole, part) => {
        expect(problems(whole)).not.toEqual([])
        expect(problems({ logic: 'AND', groups: [part] })).not.toEqual([])
        expect(problems(of(part))).not.toEqual([])
      }),
    )
  })
})

test('each event count of a condition is needed once, however deep it is', () => {
  const condition: Condition = {
    logic: 'OR',
    groups: [
      { filters: [{ field: 'event.a', operator: 'triggered' }] },
      {
        filters: [{ field: 'event.properties.b', operator: 'exists' }],
        nested: {
          logic: 'AND',
          groups: [
            {
              filters: [
                { field: 'event.c.d', operator: 'notTriggered' },
                { field: 'event.a', operator: 'triggeredAtLeast', value: 2 },
                { field: 'event.a', operator: 'notTriggeredWithin', value: 2, unit: 'days' },
              ],
            },
          ],
        },
      },
    ],
  }
  expect(eventQuestions(condition).map(({ name, spanMs }) => [name, spanMs])).toEqual([
    ['a', undefined],
    ['c.d', undefined],
    ['a', 2 * 86_400_000],
  ])
})

describe('how often an event occurred', () => {
  const sku = { field: 'properties.sku', operator: 'equals', value: 'S1' }
  test.each<[unknown, string | undefined, string]>([
    [{ atLeast: 2 }, undefined, 'fine'],
    [{ exactly: 0, within: 3, where: [sku] }, 'days', 'fine'],
    [{}, undefined, 'must be an object with atLeast'],
    [3, undefined, 'must be an object with atLeast'],
    [{ atleast: 2 }, undefined, 'and nothing else'],
    [{ atLeast: 0 }, undefined, 'atLeast must be a whole number, 1 to'],
    [{ atMost: -1 }, undefined, 'atMost must be a whole number, 0 to'],
    [{ exactly: '1' }, undefined, 'exactly must be a whole number'],
    [{ exactly: 1, atMost: 2 }, undefined, 'exactly cannot be combined with'],
    [{ atLeast: 3, atMost: 2 }, undefined, 'atLeast must not be more than atMost'],
    [{ within: 3 }, undefined, 'unit must be one of'],
    [{ atLeast: 3 }, 'days', 'unit can only be used with'],
    [{ where: [] }, undefined, 'where must be a list'],
    [{ where: sku }, undefined, 'where must be a list'],
    [{ where: [{ ...sku, field: 'sku' }] }, undefined, 'where[0].field must be properties.<key>'],
    [{ where: [{ ...sku, field: 'email' }] }, undefined, 'where[0].field must be properties.<key>'],
    [
      { where: [sku, { ...sku, operator: 'hasTopic' }] },
      undefined,
      'where[1].operator cannot be used with',
    ],
  ])('%j %s: %s', (value, unit, expected) => {
    const filter = { field: 'event.bought', operator: 'triggered', value }
    expect(first(unit === undefined ? filter : { ...filter, unit })).toContain(expected)
    expect(first({ ...filter, operator: 'notTriggered', ...(unit ? { unit } : {}) })).toContain(
      expected,
    )
  })

  test('counts the filters of events as others', () => {
    const where = Array.from({ length: MOST_FILTERS }, () => sku)
    const triggered = { field: 'event.bought', operator: 'triggered' }
    expect(first({ ...triggered, value: { where: where.slice(1) } })).toBe('fine')
    expect(first({ ...triggered, value: { where } })).toContain(`more than ${MOST_FILTERS} filters`)
  })
})

test.each([true, false, 'true', 1, null])('a group that is not: %j', (not) => {
  const group = { not, filters: [{ field: 'email', operator: 'exists' }] }
  const told = typeof not === 'boolean' ? [] : ['condition.groups[0].not must be true or false']
  expect(problems({ logic: 'AND', groups: [group] })).toEqual(told)
})
