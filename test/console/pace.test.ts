import { describe, expect, test } from 'vitest'
import { BATCH_PACE, batchPace, nextAskMs, slownessOf } from '../../src/console/lib/pace.ts'

describe('how slowly pages ask', () => {
  test.each([
    [undefined, 1],
    [{ most: 600, remaining: 600 }, 1],
    [{ most: 600, remaining: 240 }, 1],
    [{ most: 600, remaining: 239 }, 2],
    [{ most: 600, remaining: 119 }, 4],
    [{ most: 600, remaining: 0 }, 4],
    [{ most: 0, remaining: 0 }, 1],
  ])('with %j left: %i times', (limit, slowness) => {
    expect(slownessOf(limit)).toBe(slowness)
  })
})

describe('when a page asks again', () => {
  const usual = { everyMs: 2_000, isLive: true, slowness: 1, failures: 0 }

  test('after its interval, more seldom when the limit is nearly used', () => {
    expect(nextAskMs(usual)).toBe(2_000)
    expect(nextAskMs({ ...usual, slowness: 4 })).toBe(8_000)
  })

  test('never, when it is paused or nothing changes any more', () => {
    expect(nextAskMs({ ...usual, isLive: false })).toBe(false)
    expect(nextAskMs({ ...usual, everyMs: false })).toBe(false)
  })

  test('later and later while the API fails, at most after a minute', () => {
    const waits = [1, 2, 3, 20].map((failures) => nextAskMs({ ...usual, failures }))
    expect(waits).toEqual([4_000, 8_000, 16_000, 60_000])
    expect(nextAskMs({ ...usual, everyMs: 120_000, failures: 2 })).toBe(120_000)
  })
})

describe('a batch', () => {
  const now = Date.parse('2026-11-21T12:00:00Z')
  const ended = (minutes: number) => new Date(now - minutes * 60_000).toISOString()

  test('is watched closely while it runs, for an hour afterwards, then not at all', () => {
    const batch = { status: 'completed', completedAt: null }
    expect(batchPace({ ...batch, status: 'processing' }, now)).toBe(BATCH_PACE.runningMs)
    expect(batchPace({ ...batch, status: 'queued' }, now)).toBe(BATCH_PACE.runningMs)
    expect(batchPace({ ...batch, status: 'scheduled' }, now)).toBe(BATCH_PACE.settlingMs)
    expect(batchPace({ ...batch, completedAt: ended(59) }, now)).toBe(BATCH_PACE.settlingMs)
    expect(batchPace({ ...batch, completedAt: ended(60) }, now)).toBe(false)
    expect(batchPace({ status: 'failed', completedAt: null }, now)).toBe(false)
  })
})
