import fc from 'fast-check'
import { expect, test } from 'vitest'
import { barChart } from '../../src/domain/charts/bar-chart.ts'
import { lineChart, niceTop } from '../../src/domain/charts/line-chart.ts'
import {
  MOST_POINTS,
  type TimedEngagement,
  toPoints,
} from '../../src/domain/batches/report-times.ts'

const HOUR_MS = 3_600_000
const hourOf = (at: number, opened: number): TimedEngagement => ({
  from: new Date(at * HOUR_MS).toISOString(),
  opened,
  openedByPeople: 0,
  clicked: 1,
  unsubscribed: 0,
})

test('hours are summed to few points of equal length that leave nothing out', () => {
  const hours = fc
    .uniqueArray(fc.nat({ max: 200_000 }), { minLength: 1, maxLength: 50 })
    .chain((all) =>
      fc.constantFrom(1, 3, 40, 900).map((by) => all.map((at) => Math.floor(at / by))),
    )
    .map((all) => [...new Set(all)].toSorted((a, b) => a - b).map((at) => hourOf(400_000 + at, at)))
  fc.assert(
    fc.property(hours, (given) => {
      const { hoursEach, data } = toPoints(given)
      expect(data.length).toBeLessThanOrEqual(MOST_POINTS)
      const sum = (list: readonly TimedEngagement[]) =>
        list.reduce((all, { opened, clicked }) => [all[0]! + opened, all[1]! + clicked], [0, 0])
      expect(sum(data)).toEqual(sum(given))
      const times = data.map(({ from }) => Date.parse(from))
      for (const [at, time] of times.slice(1).entries()) {
        expect(time - (times[at] ?? 0)).toBe(hoursEach * HOUR_MS)
      }
      for (const { from, clicked } of data) {
        const begin = Date.parse(from)
        const within = given.filter((each) => {
          const since = Date.parse(each.from) - begin
          return since >= 0 && since < hoursEach * HOUR_MS
        })
        expect(clicked).toBe(within.length)
        expect((begin / HOUR_MS) % Math.min(hoursEach, 24)).toBe(0)
      }
    }),
    { numRuns: 300 },
  )
  expect(toPoints([])).toEqual({ hoursEach: 1, data: [] })
  expect(toPoints([hourOf(400_000, 1), hourOf(400_000 + 95, 1)]).hoursEach).toBe(1)
  expect(toPoints([hourOf(400_000, 1), hourOf(400_000 + 96, 1)]).hoursEach).toBe(3)
})

test('the top of an axis is round, not below any value, and its half is whole', () => {
  expect([0, 1, 3, 10, 11, 99, 101, 7_001].map(niceTop)).toEqual([2, 2, 4, 10, 20, 100, 200, 8_000])
  fc.assert(
    fc.property(fc.nat(), (value) => {
      const top = niceTop(value)
      expect(top >= value && Number.isInteger(top / 2)).toBe(true)
      expect(top).toBeLessThanOrEqual(Math.max(2, value * 2))
    }),
  )
})

const text = { id: 'a', title: 'A < B', description: '"&"' }

test('bars are as long as their share, and say it', () => {
  const svg = barChart(
    text,
    [
      { label: 'Sent <b>', value: 1_200 },
      { label: 'Opened', value: 300 },
      { label: 'Clicked', value: 0 },
    ],
    1_200,
  )
  expect([...svg.matchAll(/class="bar"[^>]* width="([^"]*)"/g)].map(([, width]) => width)).toEqual([
    '100.00%',
    '25.00%',
  ])
  expect(svg).toContain('300 (25.0 %)')
  expect(svg).toContain('Sent &lt;b&gt;')
  expect(svg).toContain('<title id="a-title">A &lt; B</title>')
  expect(svg).toContain('<desc id="a-description">&quot;&amp;&quot;</desc>')
  expect(barChart(text, [{ label: 'Sent', value: 0 }], 0)).toContain('0 (–)')
})

test('lines go from the first to the last point, and differ in more than colour', () => {
  const svg = lineChart(
    text,
    ['ten', 'eleven', 'noon'],
    [
      { name: 'Opened', values: [0, 4, 2] },
      { name: 'Clicked', values: [0, 1, 1] },
    ],
  )
  expect(svg).toContain('points="1.50,100.00 50.00,0.00 98.50,50.00"')
  expect([svg.match(/<circle/g)?.length, svg.match(/<rect/g)?.length]).toEqual([4, 4])
  for (const said of ['>ten<', '>noon<', '>Opened<', '>4<', '>2<', '>0<'])
    expect(svg).toContain(said)
  const many = Array.from({ length: 90 }, (_, n) => n)
  const dense = lineChart(text, many.map(String), [{ name: 'Opened', values: many }])
  expect(dense.match(/<circle/g)).toHaveLength(1)
  expect(lineChart(text, ['once'], [{ name: 'Opened', values: [1] }])).toContain(
    'points="50.00,50.00"',
  )
})
