import { expect, test } from 'vitest'
import { Cron } from 'croner'
import { type Calendar, calendarsOf, type Span } from '../../src/domain/flows/cron.ts'

const one = (value: number): Span[] => [{ start: value, end: value, step: 1 }]
const all = {
  minute: [{ start: 0, end: 59, step: 1 }],
  hour: [{ start: 0, end: 23, step: 1 }],
  dayOfMonth: [{ start: 1, end: 31, step: 1 }],
  month: [{ start: 1, end: 12, step: 1 }],
  dayOfWeek: [{ start: 0, end: 6, step: 1 }],
}

test.each<[string, Calendar[]]>([
  ['* * * * *', [all]],
  ['0 9 * * *', [{ ...all, minute: one(0), hour: one(9) }]],
  [
    '0 9 * * mon-FRI',
    [{ ...all, minute: one(0), hour: one(9), dayOfWeek: [{ start: 1, end: 5, step: 1 }] }],
  ],
  ['5,7,6 * * * *', [{ ...all, minute: [{ start: 5, end: 7, step: 1 }] }]],
  ['*/30 * * * *', [{ ...all, minute: [...one(0), ...one(30)] }]],
  [
    '0 0 * JAN,dec 7',
    [
      {
        minute: one(0),
        hour: one(0),
        dayOfMonth: all.dayOfMonth,
        month: [...one(1), ...one(12)],
        dayOfWeek: one(0),
      },
    ],
  ],
  [
    '0 0 * * 5-7',
    [
      {
        ...all,
        minute: one(0),
        hour: one(0),
        dayOfWeek: [...one(0), { start: 5, end: 6, step: 1 }],
      },
    ],
  ],
])('%s has its calendar', (cron, calendars) => {
  expect(calendarsOf(cron)).toEqual(calendars)
})

test('days of the month and of the week that are both restricted match either', () => {
  const noon = { ...all, minute: one(0), hour: one(12) }
  expect(calendarsOf('0 12 13 * fri')).toEqual([
    { ...noon, dayOfMonth: one(13) },
    { ...noon, dayOfWeek: one(5) },
  ])
})

test.each<[string, Span[], Span[]]>([
  ['0 12 */10 * mon', [...one(1), ...one(11), ...one(21), ...one(31)], one(1)],
  ['0 12 13 * */3', one(13), [...one(0), ...one(3), ...one(6)]],
  ['0 12 */15 * */2', [...one(1), ...one(16), ...one(31)], [0, 2, 4, 6].flatMap(one)],
  ['0 12 *,13 * fri', all.dayOfMonth, one(5)],
  ['0 12 13 * *', one(13), all.dayOfWeek],
])('of days of which one begins with a star both must match: %s', (cron, dayOfMonth, dayOfWeek) => {
  const noon = { ...all, minute: one(0), hour: one(12) }
  expect(calendarsOf(cron)).toEqual([{ ...noon, dayOfMonth, dayOfWeek }])
})

test.each([
  ['0 12 1-31/10 * mon', 2],
  ['0 12 13,* * fri', 2],
  ['0 12 13 * 0-6/3', 2],
])(
  'days that do not begin with one restrict, though they list stars or steps: %s',
  (cron, most) => {
    expect(calendarsOf(cron)).toHaveLength(most)
  },
)

test.each([
  '',
  '* * * *',
  '* * * * * *',
  '60 * * * *',
  '* 24 * * *',
  '* * 0 * *',
  '* * 32 * *',
  '* * * 13 *',
  '* * * * 8',
  '5-1 * * * *',
  '*/0 * * * *',
  '1-2-3 * * * *',
  '* * * * L',
  '* * ? * *',
  '@daily',
  'a * * * *',
  '1.5 * * * *',
  '-1 * * * *',
  '1, * * * *',
  '*/ * * * *',
  '3/20 * * * *',
  '* * * jan-1-2 *',
])('"%s" is no expression', (cron) => {
  expect(calendarsOf(cron)).toBeUndefined()
})

test.each([
  '7 */5 * * *',
  '0 12 13 * fri',
  '15 3 1-7 2,8 *',
  '59 23 31 12 *',
  '0 0 1-31/10 * 1',
  '3-50/20 4,6 * * 0-6/3',
])('the next fifty moments of %s are those that another reader of cron finds', (cron) => {
  const from = new Date('2026-02-20T13:37:00Z')
  const theirs = new Cron(cron, { timezone: 'UTC' })
    .nextRuns(50, from)
    .map((date) => date.toISOString())
  expect(moments(calendarsOf(cron) ?? [], from, 50)).toEqual(theirs)
})

test.each(['0 0 */10 * 1', '0 6,18 */2 * mon-fri', '30 4 13-20 * */3'])(
  'the next fifty moments of %s are those that a reader which wants both days finds',
  (cron) => {
    const from = new Date('2026-02-20T13:37:00Z')
    const theirs = new Cron(cron, { timezone: 'UTC', domAndDow: true })
      .nextRuns(50, from)
      .map((date) => date.toISOString())
    expect(moments(calendarsOf(cron) ?? [], from, 50)).toEqual(theirs)
  },
)

function moments(calendars: Calendar[], from: Date, count: number): string[] {
  const found: string[] = []
  const has = (spans: Span[], value: number) =>
    spans.some(({ start, end }) => value >= start && value <= end)
  for (let time = from.getTime() + 60_000; found.length < count; time += 60_000) {
    const date = new Date(time)
    const matches = calendars.some(
      (calendar) =>
        has(calendar.minute, date.getUTCMinutes()) &&
        has(calendar.hour, date.getUTCHours()) &&
        has(calendar.dayOfMonth, date.getUTCDate()) &&
        has(calendar.month, date.getUTCMonth() + 1) &&
        has(calendar.dayOfWeek, date.getUTCDay()),
    )
    if (matches) found.push(date.toISOString())
  }
  return found
}
