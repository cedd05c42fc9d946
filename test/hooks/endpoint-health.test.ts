import { describe, expect, test } from 'vitest'
import {
  disablingReason,
  type EndpointHealth,
  healthAfter,
} from '../../src/domain/hooks/endpoint-health.ts'
import {
  DISABLE_AFTER_MS,
  DISABLING_FAILURES,
  retryAfterMs,
  retryWaitMs,
} from '../../src/domain/hooks/hook-retries.ts'

const NOW = Date.parse('2026-11-27T12:00:00Z')
const HOUR_MS = 3_600_000
const HEALTHY: EndpointHealth = {
  failures: 0,
  failingSinceMs: null,
  gateStep: 0,
  gateUntilMs: null,
}
const calls = (succeeded: number, failed: number, retryAfter = 0) => ({
  succeeded,
  failed,
  isGone: false,
  retryAfterMs: retryAfter,
})

test('the waits between the calls of a delivery last 72 hours, a fifth more or less', () => {
  const waits = (random: number): number[] => {
    const found: number[] = []
    for (let attempts = 1; ; attempts++) {
      const waitMs = retryWaitMs(attempts, random)
      if (waitMs === undefined) return found
      found.push(waitMs)
    }
  }
  const sum = (values: number[]): number => values.reduce((a, b) => a + b, 0)
  expect(waits(0.5)).toHaveLength(10)
  expect(Math.round(sum(waits(0.5)) / HOUR_MS)).toBe(72)
  expect(sum(waits(0)) / sum(waits(0.5))).toBeCloseTo(0.8)
  expect(sum(waits(1)) / sum(waits(0.5))).toBeCloseTo(1.2)
})

describe('the gate of an endpoint', () => {
  test('stays open for four failures, and closes at the fifth', () => {
    const four = healthAfter(HEALTHY, calls(0, 4), NOW)
    expect(four).toEqual({ ...HEALTHY, failures: 4, failingSinceMs: NOW })
    const five = healthAfter(four, calls(0, 1), NOW + 1_000)
    expect(five).toMatchObject({ failures: 5, failingSinceMs: NOW, gateStep: 1 })
    expect(five.gateUntilMs).toBe(NOW + 11_000)
  })

  test('is not closed for longer by calls that were under way when it closed', () => {
    const closed = healthAfter(HEALTHY, calls(0, 5), NOW)
    const later = healthAfter(closed, calls(0, 5), NOW + 1_000)
    expect(later).toMatchObject({ failures: 10, gateStep: 1, gateUntilMs: closed.gateUntilMs })
  })

  test('closes for longer after each trial, for half an hour in the end', () => {
    let health = healthAfter(HEALTHY, calls(0, 5), NOW)
    const waits: number[] = []
    for (let trial = 0; trial < 6; trial++) {
      const at = health.gateUntilMs ?? 0
      health = healthAfter(health, calls(0, 1), at)
      waits.push(((health.gateUntilMs ?? 0) - at) / 1_000)
    }
    expect(waits).toEqual([30, 120, 600, 1_800, 1_800, 1_800])
  })

  test('opens with one success, whatever else failed', () => {
    const closed = healthAfter(HEALTHY, calls(0, 9), NOW)
    expect(healthAfter(closed, calls(1, 3), NOW + 1_000)).toEqual(HEALTHY)
  })

  test('closes for as long as the receiver asks, at the first failure too', () => {
    expect(healthAfter(HEALTHY, calls(0, 1, HOUR_MS), NOW).gateUntilMs).toBe(NOW + HOUR_MS)
    expect(healthAfter(HEALTHY, calls(0, 5, 1_000), NOW).gateUntilMs).toBe(NOW + 10_000)
  })
})

describe('an endpoint is disabled', () => {
  const failing = (failures: number, hours: number): EndpointHealth => ({
    ...HEALTHY,
    failures,
    failingSinceMs: NOW - hours * HOUR_MS,
  })
  const stays = { isGone: false }

  test('after 72 hours and twelve failures without a success', () => {
    const hours = DISABLE_AFTER_MS / HOUR_MS
    expect(disablingReason(failing(DISABLING_FAILURES, hours), stays, NOW)).toBe('failing')
    expect(disablingReason(failing(DISABLING_FAILURES - 1, hours), stays, NOW)).toBeUndefined()
    expect(disablingReason(failing(9_999, hours - 1), stays, NOW)).toBeUndefined()
    expect(disablingReason(HEALTHY, stays, NOW)).toBeUndefined()
  })

  test('at once when it says that it is gone', () => {
    expect(disablingReason(failing(1, 0), { isGone: true }, NOW)).toBe('gone')
  })
})

test.each([
  [undefined, 0],
  ['120', 120_000],
  ['999999999', 24 * HOUR_MS],
  ['Fri, 27 Nov 2026 12:01:00 GMT', 60_000],
  ['Fri, 27 Nov 2026 11:00:00 GMT', 0],
  ['soon', 0],
])('Retry-After %s is a wait of %i ms', (value, waitMs) => {
  expect(retryAfterMs(value, NOW)).toBe(waitMs)
})
