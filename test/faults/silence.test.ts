import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { PRODUCTION_TIMINGS } from '../../src/domain/sending/timings.ts'
import type { Uuid } from '../../src/ids.ts'
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
  startPlace,
  TIMINGS,
  untilClaimed,
  untilOver,
  untilSent,
} from '../support/silence.ts'

/** How long calls end in doubt before the kill: accepted and not answered, or never accepted. */
const DOUBT_MS = 700
/** Until a system has started. */
const START_MS = 120_000
const MOST_MS = START_MS + LONGEST_MS + 2 * OUTAGE_MS
/** Between two kills. */
const AGAIN_MS = 1_500
const KILLS = IS_LONG ? 5 : 3

/** Each has a system of its own, so that outages wait at the same time. */
async function inPlace(act: (place: Place) => Promise<void>): Promise<void> {
  const place = await startPlace()
  try {
    await act(place)
  } finally {
    await place.stop()
  }
}

test.concurrent(
  'everything down for sixteen minutes in mid-batch: nobody is mailed twice',
  () =>
    inPlace(async (place) => {
      const { sandbox, api, worker, answers } = place
      const people = IS_LONG ? 3_000 : 200
      const customers = {
        fast: await prepare(place, 20, people),
        // In a sixtieth of the time one a second is sixty.
        slow: IS_LONG ? await prepare(place, 1, 200) : await prepare(place, 10, 150),
        // Neighbours of the mails in doubt whose events are lost for good.
        lossy: await prepare(place, 20, people),
        deaf: await prepare(place, 20, people),
        rare: await prepare(place, 5, 5),
      }
      await sandbox.putAccount(customers.lossy.sender.accountId, {
        region: 'eu-west-1',
        lostRecipients: Array.from({ length: people / 2 }, (_, n) => `reader-${n * 2}@example.com`),
      })
      await sandbox.setFaults({ eventsOff: true }, customers.deaf.sender.accountId)
      await doubtCalls([customers.rare])

      const fast = await send(customers.fast)
      const slow = await send(customers.slow)
      const lossy = await send(customers.lossy)
      const deaf = await send(customers.deaf)
      await untilSent(fast, IS_LONG ? 1_200 : 60)
      await untilSent(slow, 5)
      const rare = await send(customers.rare)
      const all = [fast, slow, lossy, deaf, rare]
      await untilClaimed(place, [rare])
      await doubtCalls([fast, slow, lossy, deaf])
      await sleep(DOUBT_MS)
      // Half of these calls are accepted, and half of lossy's events come: of ten, some never do.
      await untilClaimed(place, [lossy, deaf], 10)
      await untilClaimed(place, all)
      const claimedAt = Date.now()
      await Promise.all([worker.kill(), api.kill()])
      const doubted = await inDoubt(place, all)
      await sandbox.resetFaults()
      await sandbox.setFaults({ eventsOff: true }, deaf.sender.accountId)
      for (const { sender } of all) {
        if (sender !== deaf.sender) await sandbox.setFaults({ eventDelayMs: 50 }, sender.accountId)
      }

      await sleep(OUTAGE_MS)
      api.start()
      worker.start()
      await answers()

      expect(doubted.size).toBe(all.length)
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
      for (const sending of [lossy, deaf]) {
        const { unknown } = await account(sending, { knows: 'not everything' })
        expect(unknown).toBeGreaterThan(0)
      }
    }),
  MOST_MS,
)

test.concurrent(
  'the webhook route down for sixteen minutes, events slower than mails, workers killed: nobody is mailed twice',
  () =>
    inPlace(async (place) => {
      const { sandbox, api, worker, answers } = place
      await sandbox.setSettings({ eventRatePerSecond: IS_LONG ? 60 : 35 })
      const customers = {
        steady: await prepare(place, 20, IS_LONG ? 600 : 200),
        late: await prepare(place, 40, IS_LONG ? 5_000 : 400),
      }
      await sandbox.setFaults({ eventShuffle: true }, customers.late.sender.accountId)
      const steady = await send(customers.steady)
      const late = await send(customers.late)
      await untilSent(late, 100)
      const doubted = new Map<Uuid, number>()
      for (let kills = 0; kills < KILLS; kills++) {
        await sandbox.setFaults(
          { stallAfterPercent: 50, halfOpenPercent: 50, stallMs: 5_000 },
          steady.sender.accountId,
        )
        await sandbox.setFaults(
          { stallAfterPercent: 50, halfOpenPercent: 50, stallMs: 5_000, eventShuffle: true },
          late.sender.accountId,
        )
        await sleep(DOUBT_MS)
        if (kills === 0) await untilClaimed(place, [steady, late])
        await worker.kill()
        if (kills === 1) await api.kill()
        for (const [batch, mails] of await inDoubt(place, [steady, late])) doubted.set(batch, mails)
        await sandbox.resetFaults()
        await sandbox.setFaults({ eventShuffle: true }, late.sender.accountId)
        worker.start()
        await sleep(AGAIN_MS)
      }
      await sleep(OUTAGE_MS)
      api.start()
      await answers()

      expect(doubted.size).toBe(2)
      // In the short form each kill is as long as two minutes: some batches give up waiting.
      const knows = IS_LONG ? 'everything' : 'not everything'
      await account(steady, { knows })
      await account(late, { knows })
    }),
  MOST_MS,
)

test('the short timings are those of production, sixty times shorter or more', () => {
  for (const name of ['doubtMs', 'neighbourMs', 'awaitedMs'] as const) {
    expect(TIMINGS[name] * (IS_LONG ? 1 : 60)).toBe(PRODUCTION_TIMINGS[name])
  }
})
