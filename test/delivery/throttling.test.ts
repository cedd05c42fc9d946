import { describe, expect, it } from 'vitest'
import {
  isEnough,
  isUndisturbed,
  nextPace,
  type Pace,
} from '../../src/domain/delivery/throttling.ts'

const STEP_SECONDS = 0.05
const RECOVERY_PER_SECOND = 1.05
const SETTLING_SECONDS = 0.5
const RATE = 100

interface World {
  /** Share of calls refused whatever the rate. */
  atRandom: number
  /** Share of the believed rate that is really allowed. */
  allowed: number
}

/** The same numbers in the same order: a figure that moves has a cause. */
function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32
    return state / 2 ** 32
  }
}

/** Sends as fast as it may; figures of the time after the first `ignored` seconds. */
function simulate(seconds: number, world: (second: number) => World, ignored = 10) {
  const draw = random(7)
  let pace: Pace = { factor: 1, tolerated: 0, trial: null }
  let window: { from: number; calls: number; throttled: number } | undefined
  let [triedAt, permits, room, accepted, refused] = [Number.NEGATIVE_INFINITY, 0, 0, 0, 0]
  for (let t = 0; t < seconds; t += STEP_SECONDS) {
    const { atRandom, allowed } = world(t)
    if (!pace.trial) {
      pace = { ...pace, factor: Math.min(1, pace.factor * RECOVERY_PER_SECOND ** STEP_SECONDS) }
    }
    permits += RATE * pace.factor * STEP_SECONDS
    room = Math.min(RATE * allowed, room + RATE * allowed * STEP_SECONDS)
    let [calls, throttled] = [0, 0]
    for (; permits >= 1; permits--, calls++) {
      if (draw() < atRandom || room < 1) throttled++
      else room--
    }
    if (t > ignored) {
      accepted += calls - throttled
      refused += throttled
    }
    if (throttled === 0 && !window) continue
    window ??= { from: t, calls: 0, throttled: 0 }
    if (t >= window.from) {
      window.calls += calls
      window.throttled += throttled
    }
    if (!isEnough(window.calls, (t - window.from) * 1_000)) continue
    const { factor } = pace
    pace = nextPace(pace, window, (t - triedAt) * 1_000)
    if (pace.factor < factor) triedAt = t
    const from = t + (pace.factor === factor ? 0 : SETTLING_SECONDS)
    window = isUndisturbed(pace) ? undefined : { from, calls: 0, throttled: 0 }
  }
  const calls = accepted + refused
  return { accepted: accepted / (seconds - ignored) / RATE, refused: refused / calls, pace }
}

describe('an account whose provider refuses some calls whatever the rate', () => {
  it.each([
    [0, 0.99],
    [0.01, 0.95],
    [0.05, 0.9],
    [0.2, 0.9 * 0.8],
    [0.5, 0.8 * 0.5],
  ])('with a share of %d keeps %d of its rate', (atRandom, least) => {
    const { accepted } = simulate(300, () => ({ atRandom, allowed: 2 }))
    expect(accepted).toBeGreaterThan(least)
  })
})

describe('an account that allows less than we believe', () => {
  it.each([0.1, 0.5, 0.8, 0.95])('is used at the %d that it allows', (allowed) => {
    const { accepted, refused } = simulate(300, () => ({ atRandom: 0, allowed }))
    expect(accepted).toBeGreaterThan(allowed * 0.97)
    expect(refused).toBeLessThan(0.15)
  })

  it('is not tolerated to refuse when it falls further during the trial', () => {
    const world = (t: number) => ({ atRandom: 0, allowed: t < 1.5 ? 0.5 : 0.25 })
    const { accepted, refused } = simulate(200, world, 60)
    expect(accepted).toBeGreaterThan(0.24)
    expect(refused).toBeLessThan(0.15)
  })

  it('has its whole rate back within a minute of allowing it again', () => {
    const world = (t: number) => ({ atRandom: 0, allowed: t < 60 ? 0.1 : 2 })
    const { accepted, pace } = simulate(150, world, 120)
    expect(accepted).toBeGreaterThan(0.99)
    expect(isUndisturbed(pace)).toBe(true)
  })
})

it('whose calls are all refused asks at the lowest rate, and is never taken for noise', () => {
  const { pace } = simulate(60, () => ({ atRandom: 1, allowed: 0 }))
  expect(pace.factor).toBeLessThan(0.1)
})
