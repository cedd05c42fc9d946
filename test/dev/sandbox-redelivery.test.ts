import { describe, expect, test } from 'vitest'
import { type Attempt, redelivery } from '../../tools/sandbox/redelivery.ts'
import { DEFAULT_SETTINGS, type Settings } from '../../tools/sandbox/settings.ts'

const NOW = 1_800_000_000_000
const HOUR_MS = 3_600_000

const verdictOf = (attempt: Partial<Attempt> = {}, settings: Partial<Settings> = {}) =>
  redelivery(
    { before: 0, arrivedAt: NOW, status: 503, retryAfterMs: 0, ...attempt },
    { ...DEFAULT_SETTINGS, ...settings },
    NOW,
  )

const gapOf = (...parts: Parameters<typeof verdictOf>): number => {
  const verdict = verdictOf(...parts)
  if (verdict.state !== 'pending') throw new Error(`it was ${verdict.state}`)
  return verdict.dueAt - NOW
}

describe('an event that was not taken', () => {
  test.each([
    [0, 1_000],
    [1, 2_000],
    [4, 16_000],
    [8, 256_000],
    [9, 360_000],
    [184, 360_000],
  ])('comes again after attempt %i in about %i ms', (before, wanted) => {
    const gaps = Array.from({ length: 200 }, () => gapOf({ before }))
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(wanted * 0.75)
    expect(Math.max(...gaps)).toBeLessThanOrEqual(wanted * 1.25)
    // No two events wait equally long: that is what brings them in any order.
    expect(new Set(gaps).size).toBeGreaterThan(100)
  })

  test('has the same schedule in short form', () => {
    const gap = gapOf({ before: 9 }, { eventTimeScale: 1 / 60 })
    expect(gap).toBeGreaterThanOrEqual(4_500)
    expect(gap).toBeLessThanOrEqual(7_500)
    const isOld = { arrivedAt: NOW - 25 * 60_000 }
    expect(verdictOf(isOld).state).toBe('pending')
    expect(verdictOf(isOld, { eventTimeScale: 1 / 60 })).toEqual({ state: 'dropped' })
  })

  test('waits as long as Retry-After asks, where that is longer', () => {
    expect(gapOf({ retryAfterMs: 90_000 })).toBe(90_000)
    expect(gapOf({ before: 9, retryAfterMs: 1_000 })).toBeGreaterThanOrEqual(270_000)
    expect(verdictOf({ retryAfterMs: -1 })).toEqual({ state: 'dropped' })
  })

  test('is given up after a day or 185 repetitions', () => {
    expect(verdictOf({ before: 184 }).state).toBe('pending')
    expect(verdictOf({ before: 185 })).toEqual({ state: 'dropped' })
    expect(verdictOf({ arrivedAt: NOW - 23.9 * HOUR_MS }).state).toBe('pending')
    expect(verdictOf({ arrivedAt: NOW - 24.1 * HOUR_MS })).toEqual({ state: 'dropped' })
  })
})

test.each([
  [200, 'delivered'],
  [204, 'delivered'],
  [0, 'pending'],
  [302, 'dropped'],
  [400, 'dropped'],
  [401, 'pending'],
  [403, 'dropped'],
  [404, 'dropped'],
  [407, 'pending'],
  [409, 'pending'],
  [413, 'dropped'],
  [415, 'dropped'],
  [422, 'dropped'],
  [429, 'pending'],
  [500, 'pending'],
  [503, 'pending'],
])('an answer of %i: %s', (status, state) => {
  expect(verdictOf({ status }).state).toBe(state)
})
