import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PRODUCTION_TIMINGS } from '../../src/domain/delivery/timings.ts'
import type { Uuid } from '../../src/runtime/ids.ts'
import {
  account,
  doubtCalls,
  inDoubt,
  IS_LONG,
  LONGEST_MS,
  OUTAGE_MS,
  type Place,
  prepare,
  send,
  type Sending,
  setRate,
  START_MS,
  startPlace,
  TIMINGS,
  untilClaimed,
  untilOver,
  untilSent,
} from '../support/silence.ts'
import { sized } from '../support/size.ts'

/** How long calls end in doubt before the kill: accepted and not answered, or never accepted. */
const DOUBT_MS = 700
const MOST_MS = 2 * START_MS + LONGEST_MS + 2 * OUTAGE_MS
/** Between two kills. */
const AGAIN_MS = 1_500
const KILLS = IS_LONG ? 5 : sized(1, 3)
/**
 * Mails a second and recipients. The small size is slow until the outage begins, so that a busy
 * machine sees the middle of the batch, too; the others have the later rate from the beginning.
 */
interface Size {
  rate: number
  later: number
  people: number
}
const bySize = (later: number, people: [small: number, full: number, long: number]): Size => ({
  rate: IS_LONG ? later : sized(2, later),
  later,
  people: IS_LONG ? people[2] : sized(people[0], people[1]),
})
const MANY = bySize(20, [60, 200, 3_000])
/** In a sixtieth of the time one a second is sixty. */
const SLOW = bySize(IS_LONG ? 1 : 10, [40, 150, 200])
const RARE = { rate: 5, people: 5 }
const STEADY = bySize(20, [60, 200, 600])
const LATE = bySize(40, [100, 400, 5_000])

let place: Place
beforeAll(async () => {
  place = await startPlace()
}, 2 * START_MS)
afterAll(() => place.stop())

/** Of the first outage: what became of some of their mails nobody can know. */
let undecidable: Sending[]

test(
  'everything down for sixteen minutes in mid-batch: nobody is mailed twice',
  async () => {
    const { sandbox, api, worker, answers } = place
    const customers = {
      fast: await prepare(place, MANY),
      slow: await prepare(place, SLOW),
      // Neighbours of the mails in doubt whose events are lost for good.
      lossy: await prepare(place, MANY),
      deaf: await prepare(place, MANY),
      rare: await prepare(place, RARE),
    }
    const { people } = MANY
    await sandbox.putAccount(customers.lossy.sender.accountId, {
      region: 'eu-west-1',
      lostRecipients: Array.from({ length: people }, (_, n) => `reader-${n}@example.com`).filter(
        (_, n) => n % 10 > 0,
      ),
    })
    await sandbox.setFaults({ eventsOff: true }, customers.deaf.sender.accountId)
    // Of so few, one at least is to be in doubt until the kill.
    await doubtCalls([customers.rare], { lostPercent: 80 })

    const fast = await send(customers.fast)
    const slow = await send(customers.slow)
    const lossy = await send(customers.lossy)
    const deaf = await send(customers.deaf)
    await untilSent(fast, IS_LONG ? 1_200 : sized(5, 60))
    await untilSent(slow, 5)
    // Before the first of the claims that will be in doubt.
    const claimedAt = Date.now()
    await doubtCalls([fast, slow, deaf])
    // Beside each mail in doubt others are answered: that their events never come keeps it from
    // being sent again.
    await doubtCalls([lossy], { lostPercent: 30, stalledPercent: 30 })
    // Of ten in doubt some were accepted, and their events never come.
    await untilClaimed(place, [lossy, deaf], 10)
    await untilClaimed(place, [fast, slow])
    const rare = await send(customers.rare)
    const all = [fast, slow, lossy, deaf, rare]
    await untilClaimed(place, [rare])
    await Promise.all([worker.kill(), api.kill()])
    const doubted = await inDoubt(place, all)
    await sandbox.resetFaults()
    await sandbox.setFaults({ eventsOff: true }, deaf.sender.accountId)
    for (const { sender } of all) {
      if (sender !== deaf.sender) await sandbox.setFaults({ eventDelayMs: 50 }, sender.accountId)
    }
    await setRate([fast, lossy, deaf], MANY.later)
    await setRate([slow], SLOW.later)

    await sleep(OUTAGE_MS)
    api.start()
    worker.start()
    await answers()

    expect(doubted.size).toBe(all.length)
    undecidable = [lossy, deaf]
    // In the short form an hour is a minute, after which a batch no longer waits: a busy machine
    // may need longer to prove what was not accepted.
    const inTime = async (sending: Sending) => {
      await untilOver(sending)
      return IS_LONG || Date.now() - claimedAt < TIMINGS.awaitedMs
    }
    const provable = [fast, slow, rare]
    const wereInTime = await Promise.all(provable.map(inTime))
    for (const [place, sending] of provable.entries()) {
      await account(sending, { knows: wereInTime[place] ? 'everything' : 'not everything' })
    }
  },
  MOST_MS,
)

test(
  'the webhook route down for sixteen minutes, events slower than mails, workers killed: nobody is mailed twice',
  async () => {
    const { sandbox, api, worker, answers } = place
    await sandbox.setSettings({ eventRatePerSecond: IS_LONG ? 60 : sized(25, 35) })
    const customers = { steady: await prepare(place, STEADY), late: await prepare(place, LATE) }
    await sandbox.setFaults({ eventShuffle: true }, customers.late.sender.accountId)
    const steady = await send(customers.steady)
    const late = await send(customers.late)
    await untilSent(late, sized(10, 100))
    const doubted = new Map<Uuid, number>()
    for (let kills = 0; kills < KILLS; kills++) {
      if (kills > 0) await sleep(AGAIN_MS)
      await doubtCalls([steady], { lostPercent: 80 })
      await doubtCalls([late], { lostPercent: 80, eventShuffle: true })
      await sleep(DOUBT_MS)
      // Of four one at least is still in doubt after the kill.
      if (kills === 0) await untilClaimed(place, [steady, late], 4)
      await worker.kill()
      if (kills === Math.min(1, KILLS - 1)) await api.kill()
      for (const [batch, mails] of await inDoubt(place, [steady, late])) doubted.set(batch, mails)
      for (const { sender } of [steady, late]) await sandbox.resetFaults(sender.accountId)
      await sandbox.setFaults({ eventShuffle: true }, late.sender.accountId)
      if (kills === KILLS - 1) {
        await setRate([steady], STEADY.later)
        await setRate([late], LATE.later)
      }
      worker.start()
    }
    await sleep(OUTAGE_MS)
    api.start()
    await answers()

    expect(doubted.size).toBe(2)
    // In the short form each kill is as long as two minutes: some batches give up waiting.
    const knows = IS_LONG ? 'everything' : 'not everything'
    await account(steady, { knows })
    await account(late, { knows })
  },
  MOST_MS,
)

test(
  'where nobody can know, nobody is mailed twice either, and the batch says so after an hour',
  async () => {
    expect(undecidable).toHaveLength(2)
    for (const sending of undecidable) {
      const { unknown } = await account(sending, { knows: 'not everything' })
      expect(unknown).toBeGreaterThan(0)
    }
  },
  MOST_MS,
)

test('the short timings are those of production, sixty times shorter or more', () => {
  for (const name of ['doubtMs', 'neighbourMs', 'awaitedMs'] as const) {
    expect(TIMINGS[name] * (IS_LONG ? 1 : 60)).toBe(PRODUCTION_TIMINGS[name])
  }
})
