import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { sandboxControl } from '../../tools/sandbox/control.ts'
import { PRODUCTION_TIMINGS, SHORT_TIMINGS } from '../../src/domain/sending/timings.ts'
import type { Uuid } from '../../src/ids.ts'
import { SENDER } from '../../src/main/system.ts'
import { acceptedBy, connectSender, type Sender } from '../support/cohorts.ts'
import { type Killable, killable } from '../support/outage.ts'
import { startTestSystem } from '../support/system.ts'

/**
 * Outages in the middle of batches, as they were when people were mailed twice. With
 * `SILENCE_TIMINGS=production` they last as long as they do in the world (an hour and a half);
 * otherwise everything is sixty times shorter, the event bus included.
 */
const IS_LONG = process.env['SILENCE_TIMINGS'] === 'production'
const TIMINGS = IS_LONG ? PRODUCTION_TIMINGS : SHORT_TIMINGS
/** 16 minutes. */
const OUTAGE_MS = IS_LONG ? 960_000 : 16_000
/** After the return: until the last batch has given up waiting for what nobody can know. */
const LONGEST_MS = IS_LONG ? 7_200_000 : 240_000
const POLL_MS = 500
/** How long calls end in doubt before the kill: accepted and not answered, or never accepted. */
const DOUBT_MS = 700
/** Between two kills. */
const AGAIN_MS = 1_500

let system: Awaited<ReturnType<typeof startTestSystem>>
let sandbox: ReturnType<typeof sandboxControl>
let api: Killable
let worker: Killable

beforeAll(async () => {
  system = await startTestSystem({}, IS_LONG ? 'production' : 'short')
  sandbox = sandboxControl(system.sandboxUrl)
  await Promise.all([system.api.stop(), system.worker.stop()])
  api = killable(system, 'api')
  worker = killable(system, 'worker')
  api.start()
  worker.start()
  await answers()
})
afterAll(async () => {
  await Promise.all([api.kill(), worker.kill()])
  await system.stop()
})
beforeEach(() => sandbox.resetFaults())
afterEach(() => sandbox.resetFaults())

async function answers(): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    const isUp = await fetch(`${system.apiUrl}/health`).then(
      ({ ok }) => ok,
      () => false,
    )
    if (isUp) return
    await sleep(100)
  }
  throw new Error('the API does not answer')
}

interface Sending {
  sender: Sender
  batchId: Uuid
  people: number
}

interface Prepared {
  sender: Sender
  people: number
}

/** A customer with that number of contacts, whose account sends that number of mails a second. */
async function prepare(rate: number, people: number): Promise<Prepared> {
  const sender = await connectSender(system, rate)
  for (let at = 0; at < people; at += 1_000) {
    const contacts = Array.from({ length: Math.min(1_000, people - at) }, (_, n) => ({
      email: `reader-${at + n}@example.com`,
    }))
    await sender.client.post('/v1/contacts/batch', { body: { contacts } })
  }
  return { sender, people }
}

async function send({ sender, people }: Prepared): Promise<Sending> {
  const body = {
    audienceType: 'all' as const,
    from: SENDER,
    subject: 'News',
    htmlContent: '<p>News</p>',
  }
  const { id } = await sender.client.post('/v1/batch', { body })
  return { sender, batchId: id, people }
}

const batchOf = ({ sender, batchId }: Sending) =>
  sender.client.get('/v1/batch/{id}', { params: { path: { id: batchId } } })

async function untilSent(sending: Sending, count: number): Promise<void> {
  while ((await batchOf(sending)).sent < count) await sleep(POLL_MS / 5)
}

/** From now on calls of these accounts end in doubt. */
const doubtCalls = (sendings: readonly Prepared[]) =>
  Promise.all(
    sendings.map(({ sender }) =>
      sandbox.setFaults(
        { stallAfterPercent: 50, halfOpenPercent: 50, stallMs: 5_000 },
        sender.accountId,
      ),
    ),
  )

/** Until no claim of these batches is open, or the batch is over without knowing. */
async function untilOver(sending: Sending) {
  const until = Date.now() + LONGEST_MS
  for (;;) {
    const batch = await batchOf(sending)
    if (batch.status === 'completed') return batch
    if (batch.status !== 'processing' || Date.now() > until) {
      throw new Error(`the batch is ${JSON.stringify(batch)}`)
    }
    await sleep(POLL_MS)
  }
}

/**
 * Nobody was mailed twice, and nobody is lost: who was not mailed is told of.
 */
async function account(sending: Sending, { knows }: { knows: 'everything' | 'not everything' }) {
  const batch = await untilOver(sending)
  const mailed = (await acceptedBy(system, sending.sender)).map(({ recipient }) => recipient)
  const missing = sending.people - new Set(mailed).size
  const pending = await sending.sender.client.get('/v1/batch/{id}/recipients', {
    params: { path: { id: sending.batchId }, query: { status: 'pending' } },
  })
  const found = {
    twice: mailed.length - new Set(mailed).size,
    duplicates: batch.duplicates,
    total: batch.sent + batch.failed + batch.skipped + batch.unknown,
    listed: pending.total,
    lost: Math.max(0, missing - batch.unknown - batch.failed),
    ...(knows === 'everything' ? { sent: batch.sent, missing } : {}),
  }
  expect(found).toEqual({
    twice: 0,
    duplicates: 0,
    total: sending.people,
    listed: batch.unknown,
    lost: 0,
    ...(knows === 'everything' ? { sent: sending.people, missing: 0 } : {}),
  })
  return batch
}

const inDoubt = async (sendings: readonly Sending[]) => {
  const rows = await system.sql<{ batchId: Uuid; mails: number }[]>`
    select batch_id, sum(cardinality(message_ids))::int as mails
    from claims
    where batch_id = any(${sendings.map(({ batchId }) => batchId)}::uuid[])
    group by batch_id`
  return new Map(rows.map(({ batchId, mails }) => [batchId, mails]))
}

/** Until mails of each of these batches are claimed: what is killed now leaves them in doubt. */
async function untilClaimed(sendings: readonly Sending[], mails = 1): Promise<void> {
  for (;;) {
    const doubted = await inDoubt(sendings)
    if (sendings.every(({ batchId }) => (doubted.get(batchId) ?? 0) >= mails)) return
    await sleep(10)
  }
}

test(
  'everything down for sixteen minutes in mid-batch: nobody is mailed twice',
  async () => {
    const people = IS_LONG ? 3_000 : 300
    const customers = {
      fast: await prepare(20, people),
      // In a sixtieth of the time one a second is sixty.
      slow: IS_LONG ? await prepare(1, 200) : await prepare(10, 150),
      // Neighbours of the mails in doubt whose events are lost for good.
      lossy: await prepare(20, people),
      deaf: await prepare(20, people),
      rare: await prepare(5, 5),
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
    await untilSent(fast, IS_LONG ? 1_200 : 100)
    await untilSent(slow, 5)
    const rare = await send(customers.rare)
    const all = [fast, slow, lossy, deaf, rare]
    await untilClaimed([rare])
    await doubtCalls([fast, slow, lossy, deaf])
    await sleep(DOUBT_MS)
    // Half of these calls are accepted, and half of lossy's events come: of ten, some never do.
    await untilClaimed([lossy, deaf], 10)
    await untilClaimed(all)
    const claimedAt = Date.now()
    await Promise.all([worker.kill(), api.kill()])
    const doubted = await inDoubt(all)
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
  },
  LONGEST_MS + 2 * OUTAGE_MS,
)

test(
  'the webhook route down for sixteen minutes, events slower than mails, workers killed: nobody is mailed twice',
  async () => {
    await sandbox.setSettings({ eventRatePerSecond: 60 })
    const customers = {
      steady: await prepare(20, IS_LONG ? 600 : 300),
      late: await prepare(70, IS_LONG ? 5_000 : 700),
    }
    await sandbox.setFaults({ eventShuffle: true }, customers.late.sender.accountId)
    const steady = await send(customers.steady)
    const late = await send(customers.late)
    await untilSent(late, 100)
    const doubted = new Map<Uuid, number>()
    for (let kills = 0; kills < 5; kills++) {
      await sandbox.setFaults(
        { stallAfterPercent: 50, halfOpenPercent: 50, stallMs: 5_000 },
        steady.sender.accountId,
      )
      await sandbox.setFaults(
        { stallAfterPercent: 50, halfOpenPercent: 50, stallMs: 5_000, eventShuffle: true },
        late.sender.accountId,
      )
      await sleep(DOUBT_MS)
      if (kills === 0) await untilClaimed([steady, late])
      await worker.kill()
      if (kills === 1) await api.kill()
      for (const [batch, mails] of await inDoubt([steady, late])) doubted.set(batch, mails)
      await sandbox.resetFaults()
      await sandbox.setFaults({ eventShuffle: true }, late.sender.accountId)
      worker.start()
      await sleep(AGAIN_MS)
    }
    await sleep(OUTAGE_MS)
    api.start()
    await answers()

    expect(doubted.size).toBe(2)
    // In the short form five kills are as long as two minutes each: some batches give up waiting.
    const knows = IS_LONG ? 'everything' : 'not everything'
    await account(steady, { knows })
    await account(late, { knows })
  },
  LONGEST_MS + 2 * OUTAGE_MS,
)

test('the short timings are those of production, sixty times shorter or more', () => {
  for (const name of ['doubtMs', 'neighbourMs', 'awaitedMs'] as const) {
    expect(TIMINGS[name] * (IS_LONG ? 1 : 60)).toBe(PRODUCTION_TIMINGS[name])
  }
})
