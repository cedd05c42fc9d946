import fc from 'fast-check'
import { evaluate } from '../../src/domain/audience/condition-eval.ts'
import { eventQuestions, questionKey } from '../../src/domain/audience/condition-events.ts'
import { type Field, fieldOf, OPERATORS_OF } from '../../src/domain/audience/condition-fields.ts'
import type { Condition, Filter, Operator } from '../../src/domain/audience/condition.ts'
import { UNITS } from '../../src/domain/audience/condition.ts'

/** Texts that break carelessly built statements, patterns, paths and casts. */
export const HOSTILE = [
  `'`,
  `''`,
  `"`,
  '\\',
  `\\'`,
  `'; drop table contacts; --`,
  `' or '1'='1`,
  `') or true --`,
  '$1',
  '${1}',
  '$$',
  '$tag$',
  ':name',
  '?',
  '?|',
  '%',
  '_',
  '%%\\_',
  '{}',
  '{a,b}',
  '{"a":1}',
  '[1]',
  'null',
  'NULL',
  '\\x00',
  '\\u0000',
  'NaN',
  'Infinity',
  '-infinity',
  'now',
  'epoch',
  'today',
  '/* */',
  '--',
  'pg_sleep(10)',
  `'||pg_sleep(10)||'`,
  '(?=a)+',
  '(a+)+$',
  '^$',
  '.*',
  '[[:digit:]]',
  'contacts.id',
  'organization_id',
  '__proto__',
  'constructor',
  'toString',
  '\u0001\u001f',
  '\n',
  '\r\n',
  '\t',
  '\u200b',
  '\u202e',
  '\ufeff',
  '👍🏽',
  'ﬀ',
  'İ',
  'ß',
  'e\u0301',
  '1e999',
  '-1e999',
  '0x10',
  '1_000',
  '٣',
]

/** Properties of events. */
export const EVENT_PATHS = ['plan', 'a.b', 'a', 'at']

/** Returns whether a filter, or one of its event filters, compares with the present time. */
export const asksAboutNow = (filter: Filter): boolean =>
  /within|"value":"now"/i.test(JSON.stringify(filter))

/** An event as it happened. */
export interface SeenEvent {
  name: string
  occurredAt: string
  properties: Record<string, unknown>
}

/** Counts events for each question of a condition, one by one. */
export const countEvents = (
  condition: Condition,
  events: readonly SeenEvent[],
  now: string,
): Map<string, number> =>
  new Map(
    eventQuestions(condition).map((question) => {
      const { name, spanMs = Infinity, where } = question
      const countedEvents = events.filter(
        (event) =>
          event.name === name &&
          Date.parse(now) - Date.parse(event.occurredAt) <= spanMs &&
          where.every((filter) =>
            evaluate(
              { logic: 'AND', groups: [{ filters: [filter] }] },
              { contact: { id: '', properties: event.properties }, now },
            ),
          ),
      )
      return [questionKey(question), countedEvents.length]
    }),
  )

const TEXTS = ['Ada', 'ada', 'Ada Lovelace', 'a', 'b', '', 'pro', 'free', 'news', 'da', 'Love']
const NUMBERS = [
  '5',
  '5.0',
  '05',
  '-5',
  ' 5',
  '5 ',
  '1e3',
  '0',
  '-0',
  '0.1',
  '.5',
  '5.',
  '+5',
  '12',
  '123456789012345',
  '1234567890123456',
  '123456789012345.1253456789012345',
  '0.1000000000000001',
]
/** Valid times, and texts that resemble times. */
export const TIMES = [
  '2026-11-21',
  '2026-11-21T08:00:00Z',
  '2026-11-21 08:00',
  '2026-11-21T08:00:00.123456789Z',
  '2026-11-21T10:00:00.1+02:00',
  '2026-11-21T08:00:00.9999999-00:00',
  '2024-02-29',
  '2023-02-29',
  '1900-02-29',
  '2000-02-29',
  '0000-01-01',
  '0001-01-01T00:00+15:59',
  '0001-01-01',
  '1969-12-31',
  '9999-12-31T23:59:59.999999999Z',
  '9999-12-31T23:59-15:59',
  '2026-11-21T08:00+16:00',
  '2026-13-01',
  '2026-00-01',
  '2026-11-00',
  '2026-11-31',
  '2026-11-21T24:00',
  '2026-11-21T08:60',
  '2026-11-21T08',
  '2026-11-21T08:00:60Z',
  '2026-11-21\n',
  ' 2026-11-21',
  '2026-11-21T',
  '٢٠٢٦-11-21',
  '2026-1-1',
  '2026-11-21t08:00Z',
  '2026-11-21T08:00z',
  '2026-11-21t08:00:00.5z',
  '2026-11-21T10:00:00.123+0200',
  '2026-11-21T08:00:00.000+0000',
  '2026-11-21 03:00:00-05',
  '2026-11-21T08:00+00',
  '2026-11-21T08:00+2359',
  '2026-11-21T08:00-23',
  '2026-11-21T08:00-1530',
  '2026-11-21T08:00+24',
  '2026-11-21T08:00+0060',
  '2026-11-21T08:00+1',
  '2026-11-21T08:00+010',
  '2026-11-21T08:00:00.1234567890Z',
  `2026-11-21T08:00:00.${'1'.repeat(43)}Z`,
  `2026-11-21T08:00:00.${'1'.repeat(44)}Z`,
  '2026-11-21Z',
]
const WORDS = [
  'true',
  'false',
  'null',
  'True',
  'TRUE',
  'FALSE',
  'fAlSe',
  'true ',
  'ＴＲＵＥ',
  'yes',
]

const text = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...TEXTS) },
  { weight: 2, arbitrary: fc.constantFrom(...NUMBERS) },
  { weight: 3, arbitrary: fc.constantFrom(...TIMES) },
  { weight: 1, arbitrary: fc.constantFrom(...WORDS) },
  { weight: 2, arbitrary: fc.constantFrom(...HOSTILE) },
)
const number = fc.oneof(
  fc.constantFrom(0, 1, 2, 5, -5, 0.1, 12, 1e15, 123456789012345.125, 1e308, 5e-324, 1e21, -1e-7),
  fc.integer({ min: -3, max: 12 }),
)
const scalar = fc.oneof(text, number, fc.boolean())
const keys = fc.oneof(
  fc.constantFrom('plan', 'a', 'b', 'a.b', 'a.b.a', 'b.a', 'a.', '.a', 'a.0', '0', '1', '01', '-1'),
  fc.constantFrom('+1', ' 1', 'length', ''),
  fc.constantFrom(...HOSTILE),
)

/** Own properties of contacts. */
export const properties: fc.Arbitrary<Record<string, unknown>> = fc
  .letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      { weight: 8, arbitrary: scalar },
      { weight: 1, arbitrary: fc.constant(null) },
      { weight: 2, arbitrary: fc.array(tie('value'), { maxLength: 3 }) },
      { weight: 2, arbitrary: fc.dictionary(keys, tie('value'), { maxKeys: 3 }) },
    ),
  }))
  .value.chain((value) =>
    fc
      .dictionary(keys, fc.oneof(scalar, fc.array(scalar, { maxLength: 3 }), fc.constant(value)), {
        maxKeys: 8,
        minKeys: 2,
      })
      .map((made) => ({ plan: value, ...made })),
  )

/** Properties of events, which `where` of a condition uses. */
export const eventProperties: fc.Arbitrary<Record<string, unknown>> = fc.record(
  {
    plan: scalar,
    a: fc.oneof(scalar, fc.record({ b: scalar })),
    'a.b': scalar,
    at: fc
      .integer({ min: -48, max: 48 })
      .map((hours) => new Date(Date.now() + hours * 3_600_000).toJSON()),
  },
  { requiredKeys: [] },
)

const path = fc
  .array(keys, { minLength: 1, maxLength: 3 })
  .map((parts) => `properties.${parts.join('.')}`)
  .filter((name) => name !== 'properties.')

interface Pools {
  /** Event names, ids and slugs of topics, and ids of existing contacts. */
  events: readonly string[]
  topics: readonly string[]
  ids: readonly string[]
}

const COLUMNS = {
  text: ['externalId', 'email', 'phone', 'firstName', 'lastName', 'company', 'jobTitle'],
  word: ['emailStatus', 'smsStatus', 'preferredChannel'],
  number: ['emailsSent', 'emailsOpened', 'emailsClicked', 'smsSent', 'smsClicked'],
  time: ['emailVerifiedAt', 'smsConsentedAt', 'lastEmailOpenedAt', 'lastActivityAt', 'createdAt'],
}

/** Filters of segments with every field, operator and unit of the grammar. */
export const filterOf = (pools: Pools): fc.Arbitrary<Filter> =>
  fc
    .oneof(
      { weight: 6, arbitrary: path },
      { weight: 3, arbitrary: fc.constantFrom(...COLUMNS.text) },
      { weight: 2, arbitrary: fc.constantFrom(...COLUMNS.word, ...COLUMNS.number) },
      { weight: 2, arbitrary: fc.constantFrom(...COLUMNS.time) },
      { weight: 2, arbitrary: fc.constantFrom(...pools.events).map((name) => `event.${name}`) },
      { weight: 1, arbitrary: fc.constant('topics') },
      { weight: 1, arbitrary: fc.constantFrom('id', 'bucket') },
    )
    .chain((name) => filterOfKind(name, pools))

/** Filters of this field with any matching operator. */
function filterOfKind(name: string, pools: Pools = { events: [], topics: [], ids: [] }) {
  const field = fieldOf(name)
  if (!field) throw new Error(`${name} is not a field`)
  return fc
    .constantFrom(...OPERATORS_OF[field.kind])
    .chain((operator) =>
      rest(field, operator, pools).map((more): Filter => ({ field: name, operator, ...more })),
    )
}

const time = fc.oneof(
  fc.constant('now'),
  fc.constantFrom('2026-11-21', '2026-11-21T08:00:00Z', '2024-02-29', '0001-01-01T00:00+15:59'),
  fc.constantFrom('9999-12-31T23:59-15:59', '2026-11-21T10:00:00.123+02:00', '2026-11-21 08:00'),
  fc
    .integer({ min: -72, max: 2 })
    .map((hours) => new Date(Date.now() + hours * 3_600_000).toJSON()),
)
/** Filters of `triggered`, with reachable numbers, periods and property filters. */
const triggering: fc.Arbitrary<Partial<Filter>> = fc
  .record({
    times: fc.oneof(
      fc.constant({}),
      fc.integer({ min: 1, max: 3 }).map((atLeast) => ({ atLeast })),
      fc.integer({ min: 0, max: 3 }).map((atMost) => ({ atMost })),
      fc.integer({ min: 0, max: 3 }).map((exactly) => ({ exactly })),
      fc.constant({ atLeast: 1, atMost: 2 }),
    ),
    span: fc.option(
      fc.record({ within: fc.constantFrom(1, 2, 5, 24), unit: fc.constantFrom(...UNITS) }),
    ),
    where: fc.option(
      fc.array(
        fc.constantFrom(...EVENT_PATHS).chain((path) => filterOfKind(`properties.${path}`)),
        { minLength: 1, maxLength: 2 },
      ),
    ),
  })
  .map(({ times, span, where }) => {
    const filter = {
      ...times,
      ...(span ? { within: span.within } : {}),
      ...(where ? { where } : {}),
    }
    if (Object.keys(filter).length === 0) return {}
    return { value: filter, ...(span ? { unit: span.unit } : {}) }
  })
const amount = fc.record({
  value: fc.constantFrom(1, 2, 5, 24, 48, 90, 1_000_000),
  unit: fc.constantFrom(...UNITS),
})
const value = (of: fc.Arbitrary<unknown>) => of.map((each) => ({ value: each }))
const list = (of: fc.Arbitrary<unknown>) => fc.array(of, { minLength: 1, maxLength: 12 })

function rest(field: Field, operator: Operator, pools: Pools): fc.Arbitrary<Partial<Filter>> {
  switch (operator) {
    case 'equals':
    case 'notEquals':
      return value(valueOf(field, pools))
    case 'inList':
    case 'notInList':
      return value(list(valueOf(field, pools)))
    case 'contains':
    case 'notContains':
      return value(field.kind === 'json' ? fc.oneof(word, number, fc.boolean()) : word)
    case 'startsWith':
    case 'endsWith':
      return value(word)
    case 'greaterThan':
    case 'lessThan':
    case 'greaterThanOrEqual':
    case 'lessThanOrEqual':
      if (field.kind === 'time') return value(time)
      return value(field.kind === 'number' ? number : fc.oneof(number, time))
    case 'within':
    case 'notWithin':
    case 'withinNext':
    case 'triggeredWithin':
    case 'notTriggeredWithin':
      return amount
    case 'triggered':
    case 'notTriggered':
      return fc.oneof(fc.constant({}), triggering)
    case 'triggeredAtLeast':
      return value(fc.integer({ min: 1, max: 4 }))
    case 'hasTopic':
    case 'notHasTopic':
      return value(fc.constantFrom(...pools.topics))
    case 'inBucket':
      return fc
        .integer({ min: 1, max: 5 })
        .chain((buckets) =>
          fc.integer({ min: 0, max: buckets - 1 }).map((index) => ({ value: { buckets, index } })),
        )
    default:
      return fc.constant({})
  }
}

const word = text.filter((each) => each !== '')

function valueOf(field: Field, pools: Pools): fc.Arbitrary<unknown> {
  switch (field.kind) {
    case 'json':
      return scalar
    case 'number':
      return number
    case 'word':
      return fc.constantFrom(...field.words)
    case 'id':
      return fc.constantFrom(...pools.ids, ...pools.ids.map((id) => id.toUpperCase()))
    default:
      return text
  }
}

/** Conditions of these filters, up to the allowed depth. */
export const conditionOf = (filter: fc.Arbitrary<Filter>, depth = 5): fc.Arbitrary<Condition> =>
  fc.record({
    logic: fc.constantFrom('AND' as const, 'OR' as const),
    groups: fc.array(
      fc.record(
        {
          not: fc.boolean(),
          filters: fc.array(filter, { minLength: 1, maxLength: 2 }),
          ...(depth > 1 ? { nested: conditionOf(filter, depth - 1) } : {}),
        },
        { requiredKeys: ['filters'] },
      ),
      { minLength: 1, maxLength: 2 },
    ) as fc.Arbitrary<Condition['groups']>,
  })
