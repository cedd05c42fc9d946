import { describe, expect, it } from 'vitest'
import { isTimezone, nextLocalTime } from '../../src/text/local-time.ts'

const next = (now: string, time: string, timezone: string, days?: number): string => {
  const until = { time, ...(days === undefined ? {} : { days }) }
  return new Date(nextLocalTime(Date.parse(now), until, timezone)).toISOString()
}

describe('the next time of day', () => {
  it.each([
    // Later today, tomorrow, and never this very moment.
    ['2026-06-10T06:00:00Z', '09:00', 'UTC', undefined, '2026-06-10T09:00:00.000Z'],
    ['2026-06-10T10:00:00Z', '09:00', 'UTC', undefined, '2026-06-11T09:00:00.000Z'],
    ['2026-06-10T09:00:00Z', '09:00', 'UTC', undefined, '2026-06-11T09:00:00.000Z'],
    ['2026-06-10T08:59:59.999Z', '09:00', 'UTC', undefined, '2026-06-10T09:00:00.000Z'],
    // Where the contact lives: also half an hour off, and across the date line.
    ['2026-06-10T06:00:00Z', '09:00', 'Europe/Madrid', undefined, '2026-06-10T07:00:00.000Z'],
    ['2026-06-10T04:00:00Z', '09:00', 'Asia/Kolkata', undefined, '2026-06-11T03:30:00.000Z'],
    ['2026-06-10T12:00:00Z', '00:15', 'Pacific/Kiritimati', undefined, '2026-06-11T10:15:00.000Z'],
    // After whole days.
    ['2026-06-10T06:00:00Z', '09:00', 'UTC', 0, '2026-06-10T09:00:00.000Z'],
    ['2026-06-10T06:00:00Z', '09:00', 'UTC', 2, '2026-06-12T09:00:00.000Z'],
    ['2026-06-10T10:00:00Z', '09:00', 'UTC', 2, '2026-06-13T09:00:00.000Z'],
    // A day that has 23 hours is one, and so is one that has 25.
    ['2026-03-28T08:00:00Z', '09:00', 'Europe/Madrid', 1, '2026-03-29T07:00:00.000Z'],
    ['2026-10-24T06:30:00Z', '09:00', 'Europe/Madrid', 1, '2026-10-25T08:00:00.000Z'],
  ])('after %s at %s in %s and %s days is right', (now, time, timezone, days, expected) => {
    expect(next(now, time, timezone, days)).toBe(expected)
  })

  it.each([
    ['Europe/Madrid', '2026-03-29T00:00:00Z', '02:30', '2026-03-29T01:30:00.000Z'],
    ['Europe/Madrid', '2026-03-28T12:00:00Z', '02:00', '2026-03-29T01:00:00.000Z'],
    ['America/New_York', '2026-03-08T04:00:00Z', '02:30', '2026-03-08T07:30:00.000Z'],
  ])('that %s leaves out is as much later as the clocks are put forward', (zone, now, time, at) => {
    expect(next(now, time, zone)).toBe(at)
  })

  it.each([
    // Asked in summer and in winter: luxon alone answers one or the other.
    ['Europe/Madrid', '2026-10-24T12:00:00Z', '02:30', '2026-10-25T00:30:00.000Z'],
    ['America/New_York', '2026-10-31T12:00:00Z', '01:30', '2026-11-01T05:30:00.000Z'],
    ['Australia/Lord_Howe', '2026-04-04T00:00:00Z', '01:45', '2026-04-04T14:45:00.000Z'],
  ])('that comes twice in %s is the first of the two', (zone, now, time, at) => {
    expect(next(now, time, zone)).toBe(at)
  })

  it('is the day after where the first of two is over and the second is still to come', () => {
    expect(next('2026-10-25T00:45:00Z', '02:30', 'Europe/Madrid')).toBe('2026-10-26T01:30:00.000Z')
  })

  it('is later than now, within two days and two hours, in any zone at any moment', () => {
    const zones = ['Europe/Madrid', 'America/St_Johns', 'Asia/Kathmandu', 'Africa/Cairo', 'UTC']
    for (let hour = 0; hour < 366 * 24; hour += 7) {
      const now = Date.UTC(2026, 0, 1) + hour * 3_600_000
      for (const zone of zones) {
        const wait = nextLocalTime(now, { time: '02:30' }, zone) - now
        expect(wait).toBeGreaterThan(0)
        expect(wait).toBeLessThanOrEqual(26 * 3_600_000)
      }
    }
  })
})

it('knows time zones from other words', () => {
  expect(['Europe/Madrid', 'UTC', 'Asia/Kolkata'].map(isTimezone)).toEqual([true, true, true])
  expect(['Mars/Olympus', '', 'contact', 7, null, undefined].map(isTimezone)).not.toContain(true)
})
