import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Evidence, judgeDoubt, LEAST_WITNESSES } from '../../src/domain/delivery/doubt.ts'
import { PRODUCTION_TIMINGS, SHORT_TIMINGS } from '../../src/domain/delivery/timings.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const CLAIMED = Date.UTC(2026, 10, 22, 10)

/** Everything speaks for it that the provider never accepted the mail, twenty minutes later. */
const proof = (changes: Partial<Evidence> = {}): Evidence => ({
  channel: 'email',
  now: CLAIMED + 20 * MINUTE,
  claimedAt: CLAIMED,
  witnesses: 500,
  arrived: 500,
  later: 250,
  lastArrivalAt: CLAIMED + 5 * MINUTE,
  interruptedUntil: null,
  isGivenUp: false,
  isRestored: false,
  isReceiving: true,
  sinceInterruption: 0,
  arrivedSinceInterruption: 0,
  unheardSenders: 0,
  isApplied: true,
  ...changes,
})
const after = (ms: number) => CLAIMED + ms
const verdict = (changes: Partial<Evidence> = {}) => judgeDoubt(proof(changes), PRODUCTION_TIMINGS)

const NOT_ACCEPTED = { kind: 'not_accepted' }
const wait = (probes: number) => ({ kind: 'wait', probes })

describe('silence is proof', () => {
  it('when all mails of the time have an event and fifteen minutes have passed', () => {
    expect(verdict()).toEqual(NOT_ACCEPTED)
    expect(verdict({ now: after(15 * MINUTE) })).toEqual(NOT_ACCEPTED)
    expect(verdict({ now: after(15 * MINUTE) - 1 })).toEqual(wait(0))
  })

  it('after an interruption, once a mail claimed after it has spoken and as long again has passed', () => {
    const outage = {
      interruptedUntil: after(16 * MINUTE),
      sinceInterruption: 3,
      arrivedSinceInterruption: 1,
    }
    expect(verdict({ ...outage, now: after(32 * MINUTE) })).toEqual(NOT_ACCEPTED)
    expect(verdict({ ...outage, now: after(32 * MINUTE) - 1 })).toEqual(wait(0))
  })

  it('never, of a claim of before Postgres was restored: it is given up in the end', () => {
    expect(verdict({ isRestored: true })).toEqual(wait(0))
    expect(verdict({ isRestored: true, witnesses: 0, arrived: 0 })).toEqual(wait(0))
    expect(verdict({ isRestored: true, now: after(25 * HOUR) })).toEqual({ kind: 'unknowable' })
  })

  it('never, of a text: carriers report for days, so it is given up without a probe', () => {
    expect(verdict({ channel: 'sms' })).toEqual(wait(0))
    expect(verdict({ channel: 'sms', witnesses: 0, arrived: 0 })).toEqual(wait(0))
    expect(verdict({ channel: 'sms', now: after(25 * HOUR) - 1 })).toEqual(wait(0))
    expect(verdict({ channel: 'sms', now: after(25 * HOUR) })).toEqual({ kind: 'unknowable' })
  })

  it('with SNS, when nothing was interrupted', () => {
    expect(verdict({ isGivenUp: true })).toEqual(NOT_ACCEPTED)
    const outage = { interruptedUntil: after(MINUTE), sinceInterruption: 3 }
    const spoken = { ...outage, arrivedSinceInterruption: 3, now: after(HOUR) }
    expect(verdict(spoken)).toEqual(NOT_ACCEPTED)
    expect(verdict({ ...spoken, isGivenUp: true })).toEqual(wait(0))
    expect(verdict({ ...spoken, isGivenUp: true, arrived: 499, witnesses: 3 })).toEqual(wait(0))
    expect(verdict({ ...spoken, isGivenUp: true, now: after(25 * HOUR) })).toEqual({
      kind: 'unknowable',
    })
  })

  it.each<[string, Partial<Evidence>, number]>([
    ['while one witness is silent', { arrived: 499 }, 0],
    ['with nineteen witnesses', { witnesses: 19, arrived: 19, later: 5 }, 1],
    ['with five a day', { witnesses: 1, arrived: 1, later: 0 }, 19],
    ['with witnesses from before it only', { later: 0 }, 1],
    ['while stored events wait, or one was set aside', { isApplied: false }, 0],
    ['while nobody receives', { isReceiving: false }, 0],
    [
      'when nothing was sent after an interruption',
      { interruptedUntil: after(MINUTE), now: after(HOUR) },
      1,
    ],
    [
      'when what was sent after an interruption is silent',
      { interruptedUntil: after(MINUTE), sinceInterruption: 7, now: after(HOUR) },
      0,
    ],
    ['while nothing was heard of two of its senders', { unheardSenders: 2 }, 2],
    ['while nothing was heard of fifty', { unheardSenders: 50 }, LEAST_WITNESSES],
    ['sooner than twice the longest silence', { lastArrivalAt: after(11 * MINUTE) }, 0],
  ])('never %s', (_, changes, probes) => {
    expect(verdict(changes)).toEqual(wait(probes))
  })

  it('asks for no probe before the mails of the next minutes could have been sent', () => {
    const few = { witnesses: 3, arrived: 3, later: 0 }
    expect(verdict({ ...few, now: after(5 * MINUTE) - 1 })).toEqual(wait(0))
    expect(verdict({ ...few, now: after(5 * MINUTE) })).toEqual(wait(17))
  })
})

describe('an outcome that silence cannot prove', () => {
  it('is given up after 25 hours', () => {
    const silent = { arrived: 0, lastArrivalAt: null }
    expect(verdict({ ...silent, now: after(25 * HOUR) - 1 })).toEqual(wait(0))
    expect(verdict({ ...silent, now: after(25 * HOUR) })).toEqual({ kind: 'unknowable' })
  })

  it('waits twice as long as an interruption lasted, and for as long as it lasts', () => {
    const interrupted = { interruptedUntil: after(20 * HOUR), isApplied: false }
    expect(verdict({ ...interrupted, now: after(26 * HOUR) })).toEqual(wait(1))
    expect(verdict({ ...interrupted, now: after(40 * HOUR) })).toEqual({ kind: 'unknowable' })
    expect(verdict({ isReceiving: false, now: after(90 * HOUR) })).toEqual(wait(0))
  })
})

const time = fc.integer({ min: 0, max: 100 * HOUR }).map(after)
const evidence: fc.Arbitrary<Evidence> = fc.record({
  channel: fc.constant('email' as const),
  now: time,
  claimedAt: fc.constant(CLAIMED),
  witnesses: fc.integer({ min: 0, max: 40 }),
  arrived: fc.integer({ min: 0, max: 40 }),
  later: fc.integer({ min: 0, max: 40 }),
  lastArrivalAt: fc.option(time),
  interruptedUntil: fc.option(time),
  isGivenUp: fc.boolean(),
  isRestored: fc.boolean(),
  isReceiving: fc.boolean(),
  sinceInterruption: fc.integer({ min: 0, max: 3 }),
  arrivedSinceInterruption: fc.integer({ min: 0, max: 3 }),
  unheardSenders: fc.integer({ min: 0, max: 50 }),
  isApplied: fc.boolean(),
})

describe('whatever is known', () => {
  it('proof needs witnesses that have all spoken, receiving, and the least time', () => {
    fc.assert(
      fc.property(evidence, (known) => {
        if (judgeDoubt(known, PRODUCTION_TIMINGS).kind !== 'not_accepted') return
        const age = known.now - known.claimedAt
        expect(known.witnesses).toBeGreaterThanOrEqual(LEAST_WITNESSES)
        expect(known.arrived).toBe(known.witnesses)
        expect(known.later).toBeGreaterThan(0)
        expect(known.unheardSenders).toBe(0)
        expect(known.isReceiving && known.isApplied).toBe(true)
        expect(known.isGivenUp && known.interruptedUntil !== null).toBe(false)
        expect(known.isRestored).toBe(false)
        expect(age).toBeGreaterThanOrEqual(15 * MINUTE)
        expect(age).toBeGreaterThanOrEqual(2 * ((known.lastArrivalAt ?? CLAIMED) - CLAIMED))
        expect(age).toBeGreaterThanOrEqual(2 * ((known.interruptedUntil ?? CLAIMED) - CLAIMED))
      }),
      { numRuns: 2_000 },
    )
  })

  it('no claim waits for ever, and no more probes are requested than a proof needs', () => {
    fc.assert(
      fc.property(evidence, (known) => {
        const now = known.claimedAt + 200 * HOUR
        expect(judgeDoubt({ ...known, isReceiving: true, now }, PRODUCTION_TIMINGS).kind).not.toBe(
          'wait',
        )
        const judgement = judgeDoubt(known, PRODUCTION_TIMINGS)
        if (judgement.kind !== 'wait') return
        expect(judgement.probes).toBeGreaterThanOrEqual(0)
        expect(judgement.probes).toBeLessThanOrEqual(LEAST_WITNESSES)
      }),
    )
  })
})

it('the short timings keep the order of the long ones', () => {
  for (const timings of [PRODUCTION_TIMINGS, SHORT_TIMINGS]) {
    const { signatureMs, leaseMs, doubtMs, awaitedMs, giveUpMs, callMs, neighbourMs } = timings
    expect(callMs).toBeLessThan(leaseMs)
    expect(Math.max(signatureMs, leaseMs, neighbourMs)).toBeLessThan(doubtMs)
    expect(doubtMs).toBeLessThan(awaitedMs)
    expect(awaitedMs).toBeLessThan(giveUpMs)
  }
})
