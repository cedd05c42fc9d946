import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkCondition, IN_FLOWS } from '../../src/domain/audience/condition-check.ts'
import { bucketOf, evaluate, type Facts } from '../../src/domain/audience/condition-eval.ts'
import { isSame, listOf } from '../../src/domain/audience/condition-values.ts'
import type { Condition, Filter, Operator } from '../../src/domain/audience/condition.ts'
import { uuidv7 } from '../../src/runtime/ids.ts'
import { countEvents, type SeenEvent } from '../support/conditions.ts'

const NOW = '2026-11-21T12:00:00.000Z'
const ID = '0199c2f4-7d1e-7a60-9c1b-2f6d1f0b7a11'
const TOPIC = '0199c2f4-7d1e-7a60-9c1b-00000000000a'

const FACTS: Facts = {
  contact: {
    id: ID,
    email: 'ada@example.com',
    firstName: 'Ada',
    lastName: null,
    company: '',
    emailStatus: 'active',
    emailsSent: 12,
    createdAt: '2026-11-20T12:00:00.000Z',
    properties: {
      plan: 'pro',
      seats: 5,
      'seats.text': '7.50',
      trial: false,
      tags: ['a', 2, 'ß'],
      nothing: null,
      nested: { deep: { key: 'x' }, list: [{ sku: 'S1' }] },
      renewal: '2026-11-21T10:00:00+02:00',
      birthday: '1990-02-28',
      next: '2026-11-28T12:00:00.000+0000',
      present: '2026-11-21 12:00',
      word: 'now',
    },
  },
  topics: [{ id: TOPIC, slug: 'news' }],
  trigger: { amount: 99.5, order: { id: 'o1' } },
  event: { kind: 'late' },
  now: NOW,
}

const EVENTS: SeenEvent[] = [
  ['2026-11-21T11:30:00.000Z', { sku: 'S1', price: '10' }],
  ['2026-11-21T09:00:00.000Z', { sku: 'S2', price: 20 }],
  ['2026-11-01T12:00:00.000Z', { sku: 'S1', 'ship.country': 'DE' }],
].map(([occurredAt, properties]) => ({ name: 'bought', occurredAt, properties }) as SeenEvent)

const of = (filter: Filter): Condition => ({ logic: 'AND', groups: [{ filters: [filter] }] })
const holds = (field: string, operator: Operator, value?: unknown, unit?: Filter['unit']) => {
  const condition = of({
    field,
    operator,
    ...(value === undefined ? {} : { value }),
    ...(unit === undefined ? {} : { unit }),
  })
  return evaluate(condition, { ...FACTS, events: countEvents(condition, EVENTS, NOW) })
}

type Case = [string, Operator, unknown, boolean, Filter['unit']?]

describe('a filter', () => {
  test.each<Case>([
    ['firstName', 'equals', 'Ada', true],
    ['firstName', 'equals', 'ada', false],
    ['email', 'equals', 'ADA@example.com', true],
    ['lastName', 'equals', 'x', false],
    ['lastName', 'notEquals', 'x', true],
    ['id', 'equals', ID.toUpperCase(), true],
    ['emailStatus', 'notEquals', 'active', false],
    ['emailsSent', 'equals', 12, true],
    ['properties.seats', 'equals', '5', true],
    ['properties.seats.text', 'equals', 7.5, true],
    ['properties.plan', 'equals', 5, false],
    ['properties.trial', 'equals', false, true],
    ['properties.trial', 'equals', 'false', true],
    ['properties.trial', 'equals', 0, false],
    ['properties.tags', 'equals', 'a', false],
    ['properties.tags', 'notEquals', 'a', true],
    ['properties.nested.deep.key', 'equals', 'x', true],
    ['properties.nested.list.0.sku', 'equals', 'S1', true],
    ['properties.nested.list.length', 'exists', undefined, false],
    ['properties.constructor', 'exists', undefined, false],
    ['properties.plan', 'inList', ['free', 'pro'], true],
    ['properties.plan', 'inList', ['free'], false],
    ['properties.absent', 'notInList', ['free'], true],
    ['properties.plan', 'notInList', ['free', 'pro'], false],
    ['properties.plan', 'contains', 'r', true],
    ['properties.plan', 'contains', 'R', false],
    ['properties.tags', 'contains', 2, true],
    ['properties.tags', 'contains', '2', true],
    ['properties.tags', 'contains', 's', false],
    ['properties.tags', 'notContains', 'ß', false],
    ['properties.absent', 'contains', 'a', false],
    ['properties.absent', 'notContains', 'a', true],
    ['properties.seats', 'contains', '5', false],
    ['email', 'startsWith', 'ADA@', true],
    ['firstName', 'endsWith', 'da', true],
    ['lastName', 'endsWith', 'da', false],
    ['properties.seats', 'greaterThan', 4, true],
    ['properties.seats', 'greaterThan', 5, false],
    ['properties.seats', 'greaterThanOrEqual', 5, true],
    ['properties.seats.text', 'lessThan', 8, true],
    ['properties.plan', 'lessThan', 8, false],
    ['properties.absent', 'lessThanOrEqual', 8, false],
    ['properties.birthday', 'lessThan', '1990-03-01', true],
    ['properties.renewal', 'equals', '2026-11-21T08:00:00Z', false],
    ['properties.renewal', 'greaterThanOrEqual', '2026-11-21T08:00:00Z', true],
    ['properties.renewal', 'lessThanOrEqual', '2026-11-21 08:00', true],
    ['properties.renewal', 'greaterThan', '2026-11-21', true],
    ['createdAt', 'lessThan', NOW, true],
    ['createdAt', 'within', 1, true, 'days'],
    ['createdAt', 'within', 23, false, 'hours'],
    ['properties.renewal', 'within', 240, true, 'minutes'],
    ['properties.renewal', 'within', 239, false, 'minutes'],
    ['properties.birthday', 'within', 1, false, 'days'],
    ['properties.plan', 'within', 1, false, 'days'],
    ['company', 'exists', undefined, true],
    ['lastName', 'exists', undefined, false],
    ['properties.nothing', 'exists', undefined, false],
    ['properties.nothing', 'notExists', undefined, true],
    ['properties.trial', 'exists', undefined, true],
    ['topics', 'hasTopic', 'news', true],
    ['topics', 'hasTopic', TOPIC.toUpperCase(), true],
    ['topics', 'hasTopic', 'other', false],
    ['topics', 'notHasTopic', 'other', true],
    ['topics', 'notHasTopic', 'news', false],
    ['event.bought', 'triggered', undefined, true],
    ['event.left', 'triggered', undefined, false],
    ['event.left', 'notTriggered', undefined, true],
    ['event.bought', 'notTriggered', undefined, false],
    ['event.bought', 'triggeredWithin', 30, true, 'minutes'],
    ['event.bought', 'triggeredWithin', 29, false, 'minutes'],
    ['event.left', 'triggeredWithin', 999, false, 'days'],
    ['event.bought', 'triggeredAtLeast', 3, true],
    ['event.bought', 'triggeredAtLeast', 4, false],
    ['event.left', 'triggeredAtLeast', 1, false],
    ['event.bought', 'triggered', { exactly: 3 }, true],
    ['event.bought', 'triggered', { exactly: 2 }, false],
    ['event.bought', 'triggered', { atMost: 3 }, true],
    ['event.bought', 'triggered', { atMost: 2 }, false],
    ['event.left', 'triggered', { atMost: 2 }, true],
    ['event.left', 'triggered', { exactly: 0 }, true],
    ['event.bought', 'triggered', { atLeast: 1, atMost: 2 }, false],
    ['event.bought', 'triggered', { atLeast: 2, within: 1 }, true, 'days'],
    ['event.bought', 'triggered', { atLeast: 3, within: 1 }, false, 'days'],
    ['event.bought', 'triggered', { exactly: 1, within: 30 }, true, 'minutes'],
    [
      'event.bought',
      'triggered',
      { where: [{ field: 'properties.sku', operator: 'equals', value: 'S2' }] },
      true,
    ],
    [
      'event.bought',
      'triggered',
      { where: [{ field: 'properties.sku', operator: 'equals', value: 'S3' }] },
      false,
    ],
    [
      'event.bought',
      'triggered',
      { atLeast: 2, where: [{ field: 'properties.sku', operator: 'equals', value: 'S1' }] },
      true,
    ],
    [
      'event.bought',
      'triggered',
      {
        exactly: 1,
        within: 2,
        where: [{ field: 'properties.sku', operator: 'equals', value: 'S1' }],
      },
      true,
      'days',
    ],
    [
      'event.bought',
      'triggered',
      {
        where: [
          { field: 'properties.price', operator: 'greaterThan', value: 9 },
          { field: 'properties.sku', operator: 'equals', value: 'S1' },
        ],
      },
      true,
    ],
    [
      'event.bought',
      'triggered',
      { where: [{ field: 'properties.ship.country', operator: 'equals', value: 'DE' }] },
      true,
    ],
    [
      'event.bought',
      'triggered',
      { exactly: 2, where: [{ field: 'properties.ship', operator: 'notExists' }] },
      true,
    ],
    ['event.bought', 'notTriggered', { atLeast: 4 }, true],
    [
      'event.bought',
      'notTriggered',
      { within: 31, where: [{ field: 'properties.sku', operator: 'equals', value: 'S3' }] },
      true,
      'days',
    ],
    [
      'event.bought',
      'notTriggered',
      { where: [{ field: 'properties.sku', operator: 'equals', value: 'S1' }] },
      false,
    ],
    ['event.bought', 'notTriggeredWithin', 29, true, 'minutes'],
    ['event.bought', 'notTriggeredWithin', 30, false, 'minutes'],
    ['event.left', 'notTriggeredWithin', 90, true, 'days'],
    ['createdAt', 'notWithin', 1, false, 'days'],
    ['createdAt', 'notWithin', 23, true, 'hours'],
    ['lastEmailOpenedAt', 'notWithin', 180, true, 'days'],
    ['properties.renewal', 'notWithin', 239, true, 'minutes'],
    ['properties.plan', 'notWithin', 239, true, 'minutes'],
    ['properties.next', 'withinNext', 7, true, 'days'],
    ['properties.next', 'withinNext', 6, false, 'days'],
    ['properties.renewal', 'withinNext', 7, false, 'days'],
    ['properties.absent', 'withinNext', 7, false, 'days'],
    ['properties.next', 'greaterThan', 'now', true],
    ['properties.renewal', 'lessThan', 'now', true],
    ['properties.present', 'lessThanOrEqual', 'now', true],
    ['properties.present', 'lessThan', 'now', false],
    ['createdAt', 'greaterThanOrEqual', 'now', false],
    ['properties.word', 'equals', 'now', true],
    ['properties.present', 'withinNext', 1, true, 'minutes'],
    ['trigger.data.amount', 'greaterThan', 99, true],
    ['trigger.data.order.id', 'equals', 'o1', true],
    ['event.properties.kind', 'equals', 'late', true],
    ['bucket', 'inBucket', { buckets: 10, index: 0x2f6d1f0b7a11 % 10 }, true],
    ['bucket', 'inBucket', { buckets: 10, index: (0x2f6d1f0b7a11 + 1) % 10 }, false],
  ])('%s %s %j: %j', (field, operator, value, expected, unit) => {
    expect(holds(field, operator, value, unit)).toBe(expected)
    const filter = { field, operator, ...(value === undefined ? {} : { value }) }
    const whole = of(unit === undefined ? filter : { ...filter, unit })
    expect(checkCondition(whole, '', IN_FLOWS)).toEqual([])
  })

  test('without the facts that it asks about holds of nothing', () => {
    const bare = { contact: FACTS.contact, now: NOW }
    for (const [field, operator] of [
      ['trigger.data.amount', 'exists'],
      ['event.properties.kind', 'exists'],
      ['event.bought', 'triggered'],
    ] as const) {
      expect(evaluate(of({ field, operator }), bare)).toBe(false)
    }
    expect(evaluate(of({ field: 'topics', operator: 'hasTopic', value: 'news' }), bare)).toBe(false)
  })

  test('that is no filter does not hold, and throws nothing', () => {
    fc.assert(
      fc.property(fc.string(), fc.anything(), fc.anything(), fc.anything(), (...parts) => {
        const [field, operator, value, unit] = parts
        const filter = { field: `${field}!`, operator, value, unit }
        expect(evaluate(of(filter as Filter), FACTS)).toBe(false)
      }),
    )
  })
})

/** The negative operators and what they deny. */
const OPPOSITES: [Operator, Operator][] = [
  ['equals', 'notEquals'],
  ['contains', 'notContains'],
  ['exists', 'notExists'],
]

const scalar = fc.oneof(
  fc.constantFrom('a', 'b', '1', '1.0', '-2', 'true', 'False', 'TRUE', '', '2026-11-21', 'ab'),
  fc.constantFrom(0, 1, -2, 1.5, 1e15),
  fc.boolean(),
)
const stored = fc.oneof(
  scalar,
  fc.constant(null),
  fc.constant(undefined),
  fc.array(scalar, { maxLength: 3 }),
  fc.record({ a: scalar }),
)
const factsOf = (p: unknown): Facts => ({
  contact: { id: ID, properties: p === undefined ? {} : { p } },
  now: NOW,
})

/** As somebody would say it who looks at one pair of values at a time. */
function naivelySame(stored: unknown, value: unknown): boolean {
  const kinds = [typeof stored, typeof value].sort().join(' ')
  switch (kinds) {
    case 'string string':
    case 'number number':
    case 'boolean boolean':
      return stored === value
    case 'number string': {
      const [number, text] = typeof stored === 'number' ? [stored, value] : [value, stored]
      return /^-?[0-9]+(\.[0-9]+)?$/.test(String(text)) && Number(text) === number
    }
    case 'boolean string':
      return String(stored).toLowerCase() === String(value).toLowerCase()
    default:
      return false
  }
}

describe('whatever is stored and asked', () => {
  const evaluated = (p: unknown, operator: Operator, value?: unknown) =>
    evaluate(of({ field: 'properties.p', operator, value }), factsOf(p))

  test('a negative operator holds exactly where its opposite does not', () => {
    fc.assert(
      fc.property(stored, scalar, (p, value) => {
        for (const [positive, negative] of OPPOSITES) {
          expect(evaluated(p, negative, value)).toBe(!evaluated(p, positive, value))
        }
        expect(evaluated(p, 'notInList', [value])).toBe(!evaluated(p, 'inList', [value]))
      }),
    )
  })

  test('equality is what looking at both says, in both directions', () => {
    fc.assert(
      fc.property(stored, scalar, fc.array(scalar), (p, value, list) => {
        expect(evaluated(p, 'equals', value)).toBe(naivelySame(p, value))
        expect(evaluated(p, 'inList', list)).toBe(list.some((each) => naivelySame(p, each)))
        expect(evaluated(list, 'contains', value)).toBe(
          list.some((each) => naivelySame(each, value)),
        )
      }),
      { numRuns: 500 },
    )
  })

  test('of two numbers one is less, or greater, or they are equal', () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer(), (a, b) => {
        const p = b % 2 === 0 ? a : String(a)
        expect(evaluated(p, 'lessThan', b)).toBe(a < b)
        expect(evaluated(p, 'greaterThan', b)).toBe(a > b)
        expect(evaluated(p, 'lessThanOrEqual', b)).toBe(a <= b)
        expect(evaluated(p, 'greaterThanOrEqual', b)).toBe(a >= b)
      }),
    )
  })

  test('times are ordered as moments, however they are written', () => {
    const moment = fc.date({
      min: new Date('1970-01-02'),
      max: new Date('2199-12-30'),
      noInvalidDate: true,
    })
    fc.assert(
      fc.property(moment, moment, fc.integer({ min: -14 * 60, max: 14 * 60 }), (a, b, offset) => {
        const shifted = new Date(a.getTime() + offset * 60_000).toISOString().slice(0, -1)
        const minutes = Math.abs(offset)
        const two = (number: number) => String(number).padStart(2, '0')
        const written = `${shifted}${offset < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`
        expect(evaluated(written, 'lessThan', b.toISOString())).toBe(a < b)
        expect(evaluated(written, 'greaterThanOrEqual', b.toISOString())).toBe(a >= b)
      }),
    )
  })

  test('days that no calendar has are no times', () => {
    for (const p of ['2026-02-29', '2026-13-01', '2026-00-10', '2026-04-31', '1900-02-29', 'x']) {
      expect(evaluated(p, 'lessThan', '9999-01-01')).toBe(false)
    }
    expect(evaluated('2024-02-29', 'lessThan', '9999-01-01')).toBe(true)
  })
})

describe('groups', () => {
  type Tree = {
    logic: 'AND' | 'OR'
    groups: { not?: boolean; leaves: boolean[]; nested?: Tree }[]
  }
  const tree = (depth: number): fc.Arbitrary<Tree> =>
    fc.record({
      logic: fc.constantFrom('AND', 'OR'),
      groups: fc.array(
        fc.record(
          {
            not: fc.boolean(),
            leaves: fc.array(fc.boolean(), { minLength: 1, maxLength: 3 }),
            ...(depth > 1 ? { nested: tree(depth - 1) } : {}),
          },
          { requiredKeys: ['leaves'] },
        ),
        { minLength: 1, maxLength: 3 },
      ) as fc.Arbitrary<Tree['groups']>,
    })
  const conditionOf = ({ logic, groups }: Tree): Condition => ({
    logic,
    groups: groups.map(({ not, leaves, nested }) => ({
      ...(not === undefined ? {} : { not }),
      filters: leaves.map((leaf) => ({
        field: 'firstName',
        operator: leaf ? 'exists' : 'notExists',
      })),
      ...(nested ? { nested: conditionOf(nested) } : {}),
    })),
  })
  /** Counts what holds. */
  function naively({ logic, groups }: Tree): boolean {
    let held = 0
    for (const { not = false, leaves, nested } of groups) {
      const parts = [...leaves, ...(nested ? [naively(nested)] : [])]
      if ((parts.filter(Boolean).length === parts.length) !== not) held++
    }
    return logic === 'AND' ? held === groups.length : held > 0
  }

  test('are ANDed or ORed, their filters and what is nested in them ANDed', () => {
    fc.assert(
      fc.property(tree(5), (given) => {
        const condition = conditionOf(given)
        expect(evaluate(condition, FACTS)).toBe(naively(given))
        const problems = checkCondition(condition, '', IN_FLOWS)
        expect(problems.filter(({ message }) => !message.includes('filters'))).toEqual([])
      }),
    )
  })
})

test('a list has a value exactly where one of its own is the same', () => {
  const value = fc.oneof(
    fc.constantFrom<unknown>('5', 5, '5.0', '05', -0, 0, '-0', true, 'true', false, 'FALSE', null),
    fc.constantFrom<unknown>('', ' 5', Number.NaN, Number.POSITIVE_INFINITY, [5], {}, undefined),
    fc.integer({ min: -3, max: 3 }),
    fc.integer({ min: -3, max: 3 }).map(String),
  )
  fc.assert(
    fc.property(fc.array(value), value, (values, asked) => {
      expect(listOf(values).has(asked)).toBe(values.some((each) => isSame(asked, each)))
    }),
    { numRuns: 2_000 },
  )
})

test('buckets are of about the same size, and a contact stays in its own', () => {
  const counts = Array.from({ length: 7 }, () => 0)
  for (let n = 0; n < 70_000; n++) {
    const id = uuidv7(1_760_000_000_000 + (n % 50))
    const bucket = bucketOf(id, 7)
    expect(bucketOf(id, 7)).toBe(bucket)
    counts[bucket] = (counts[bucket] ?? 0) + 1
  }
  // Five standard deviations of a fair draw.
  for (const count of counts) expect(Math.abs(count - 10_000)).toBeLessThan(500)
})
