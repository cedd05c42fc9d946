import { describe, expect, test } from 'vitest'
import { firstDay } from '../../src/console/metrics/metrics-query.ts'
import { periodsOf, periodWords } from '../../src/console/metrics/periods.ts'

describe('the periods of a range', () => {
  const range = { timezone: 'UTC', start: '2026-11-19T00:00:00Z', end: '2026-11-21T12:00:00Z' }

  test('are all there, also those without mail', () => {
    expect(periodsOf({ ...range, granularity: 'daily' })).toEqual([
      '2026-11-19',
      '2026-11-20',
      '2026-11-21',
    ])
    expect(periodsOf({ ...range, granularity: 'weekly' })).toEqual(['2026-11-16'])
    expect(periodsOf({ ...range, granularity: 'hourly' })).toHaveLength(60)
    expect(
      periodsOf({ ...range, start: '2025-12-01T00:00:00Z', granularity: 'monthly' }),
    ).toHaveLength(12)
  })

  test('are those of the zone, on days of 23 and 25 hours, too', () => {
    const local = (start: string, end: string, granularity: 'daily' | 'hourly') =>
      periodsOf({ start, end, timezone: 'Europe/Berlin', granularity })
    // Local midnights around the changes of clocks.
    expect(local('2026-03-27T23:00:00Z', '2026-03-30T22:00:00Z', 'daily')).toEqual([
      '2026-03-28',
      '2026-03-29',
      '2026-03-30',
    ])
    expect(local('2026-03-28T23:00:00Z', '2026-03-29T22:00:00Z', 'hourly')).toHaveLength(23)
    // The API adds the two hours that are called alike.
    expect(local('2026-10-24T22:00:00Z', '2026-10-25T23:00:00Z', 'hourly')).toHaveLength(24)
  })

  test('an empty range has none, and a long one ends', () => {
    const nothing = { ...range, end: range.start, granularity: 'daily' as const }
    expect(periodsOf(nothing)).toEqual([])
    const years = { ...range, end: '2099-01-01T00:00:00Z', granularity: 'hourly' as const }
    expect(periodsOf(years).length).toBeLessThan(20_002)
  })

  test('are said in words', () => {
    expect([
      periodWords('2026-11-21T10:00:00', 'hourly'),
      periodWords('2026-11-21', 'daily'),
      periodWords('2026-11-16', 'weekly'),
      periodWords('2026-11', 'monthly'),
    ]).toEqual(['Nov 21, 10:00', 'Nov 21', 'Week of Nov 16', 'Nov 2026'])
  })
})

test('a range of days begins at its first day, today included', () => {
  const late = Date.parse('2026-11-21T23:30:00Z')
  expect(firstDay(7, 'UTC', late)).toBe('2026-11-15')
  expect(firstDay(7, 'Asia/Tokyo', late)).toBe('2026-11-16')
  expect(firstDay(1, 'UTC', late)).toBe('2026-11-21')
})
