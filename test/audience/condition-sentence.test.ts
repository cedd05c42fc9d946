import { expect, test } from 'vitest'
import { sentenceOf, wordsOf } from '../../src/domain/audience/condition-sentence.ts'
import type { Condition, Filter } from '../../src/domain/audience/condition.ts'

const of = (...filters: Filter[]): Condition => ({ logic: 'AND', groups: [{ filters }] })

test.each<[Filter, string]>([
  [{ field: 'properties.plan', operator: 'equals', value: 'pro' }, 'the property "plan" is "pro"'],
  [{ field: 'firstName', operator: 'notEquals', value: 'Ada' }, 'the first name is not "Ada"'],
  [
    { field: 'email', operator: 'endsWith', value: '@example.com' },
    'the email ends with "@example.com"',
  ],
  [
    { field: 'company', operator: 'notContains', value: 'Ltd' },
    'the company does not contain "Ltd"',
  ],
  [
    { field: 'emailStatus', operator: 'inList', value: ['active', 'bounced'] },
    'the email status is one of "active", "bounced"',
  ],
  [
    { field: 'properties.n', operator: 'notInList', value: [1, 2, true, 4, 5, 6, 7] },
    'the property "n" is none of 1, 2, true, 4, 5 and 2 more',
  ],
  [{ field: 'emailsSent', operator: 'greaterThan', value: 5 }, 'the emails sent is more than 5'],
  [
    { field: 'createdAt', operator: 'lessThan', value: '2026-11-21' },
    'the created at is before "2026-11-21"',
  ],
  [
    { field: 'properties.due', operator: 'greaterThanOrEqual', value: '2026-11-21' },
    'the property "due" is not before "2026-11-21"',
  ],
  [
    { field: 'properties.n', operator: 'lessThanOrEqual', value: 5 },
    'the property "n" is at most 5',
  ],
  [
    { field: 'lastEmailOpenedAt', operator: 'within', value: 7, unit: 'days' },
    'the last email opened at is in the last 7 days',
  ],
  [{ field: 'phone', operator: 'notExists' }, 'the phone is not set'],
  [
    { field: 'topics', operator: 'notHasTopic', value: 'news' },
    'the contact is not subscribed to the topic "news"',
  ],
  [{ field: 'event.bought', operator: 'notTriggered' }, 'the event "bought" has not occurred'],
  [
    { field: 'event.bought', operator: 'triggeredWithin', value: 30, unit: 'days' },
    'the event "bought" has occurred in the last 30 days',
  ],
  [
    { field: 'event.bought', operator: 'triggeredAtLeast', value: 1 },
    'the event "bought" has occurred at least once',
  ],
  [
    { field: 'event.bought', operator: 'triggeredAtLeast', value: 3 },
    'the event "bought" has occurred at least 3 times',
  ],
  [
    {
      field: 'event.bought',
      operator: 'triggered',
      value: {
        atLeast: 2,
        atMost: 5,
        within: 90,
        where: [{ field: 'properties.sku', operator: 'equals', value: 'S1' }],
      },
      unit: 'days',
    },
    'the event "bought" has occurred at least 2 times and at most 5 times in the last 90 days with the property "sku" is "S1"',
  ],
  [
    { field: 'event.bought', operator: 'notTriggeredWithin', value: 90, unit: 'days' },
    'the event "bought" has not occurred in the last 90 days',
  ],
  [
    { field: 'event.bought', operator: 'triggered', value: { exactly: 1 } },
    'the event "bought" has occurred exactly once',
  ],
  [
    { field: 'lastEmailOpenedAt', operator: 'notWithin', value: 180, unit: 'days' },
    'the last email opened at is not in the last 180 days',
  ],
  [
    { field: 'properties.renewal', operator: 'withinNext', value: 7, unit: 'days' },
    'the property "renewal" is in the next 7 days',
  ],
  [
    { field: 'properties.renewal', operator: 'lessThan', value: 'now' },
    'the property "renewal" is before now',
  ],
  [
    { field: 'bucket', operator: 'inBucket', value: { buckets: 10, index: 3 } },
    'the contact is in bucket 3 of 10',
  ],
  [{ field: 'trigger.data.amount', operator: 'exists' }, 'the trigger value "amount" is set'],
])('%j: %s', (filter, words) => {
  expect(wordsOf(of(filter))).toBe(words)
})

test('brackets stand where AND and OR meet, and only there', () => {
  const [a, b, c] = ['email', 'phone', 'company'].map(
    (field): Filter => ({ field, operator: 'exists' }),
  ) as [Filter, Filter, Filter]
  const or: Condition = { logic: 'OR', groups: [{ filters: [b] }, { filters: [c] }] }
  expect(sentenceOf(of(a, b))).toBe('Contacts where the email is set and the phone is set.')
  expect(wordsOf({ logic: 'OR', groups: [{ filters: [a, b] }, { filters: [c] }] })).toBe(
    '(the email is set and the phone is set) or the company is set',
  )
  expect(wordsOf({ logic: 'AND', groups: [{ filters: [a], nested: or }] })).toBe(
    'the email is set and (the phone is set or the company is set)',
  )
  expect(wordsOf({ logic: 'AND', groups: [{ filters: [a], nested: of(b) }] })).toBe(
    'the email is set and the phone is set',
  )
})

test('a group that is denied is in brackets', () => {
  const filters: Filter[] = [
    { field: 'email', operator: 'exists' },
    { field: 'phone', operator: 'exists' },
  ]
  expect(wordsOf({ logic: 'AND', groups: [{ not: true, filters }] })).toBe(
    'not (the email is set and the phone is set)',
  )
  const inner: Condition = { logic: 'AND', groups: [{ not: true, filters }] }
  expect(wordsOf({ logic: 'OR', groups: [{ filters: [], nested: inner }, { filters }] })).toBe(
    'not (the email is set and the phone is set) or (the email is set and the phone is set)',
  )
})

test('a long condition is cut, and what cannot be written is left out', () => {
  const filters = Array.from(
    { length: 100 },
    (): Filter => ({
      field: 'firstName',
      operator: 'equals',
      value: `\0${'x'.repeat(1_000)}`,
    }),
  )
  const text = sentenceOf(of(...filters))
  expect(text.length).toBeLessThan(1_020)
  expect(text).toContain('"?xxx')
  expect(text.endsWith('….')).toBe(true)
})
