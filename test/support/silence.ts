import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { PRODUCTION_TIMINGS, SHORT_TIMINGS } from '../../src/domain/sending/timings.ts'
import type { Uuid } from '../../src/ids.ts'
import { SENDER } from '../../src/main/system.ts'
import { sandboxControl } from '../../tools/sandbox/control.ts'
import { acceptedBy, connectSender, type Sender } from './cohorts.ts'
import { type Killable, killable } from './outage.ts'
import { startTestSystem, type TestSystem } from './system.ts'

/**
 * Outages in the middle of batches, as they were when people were mailed twice. With
 * `SILENCE_TIMINGS=production` they last as long as they do in the world (an hour and a half);
 * otherwise everything is sixty times shorter, the event bus included.
 */
export const IS_LONG = process.env['SILENCE_TIMINGS'] === 'production'
export const TIMINGS = IS_LONG ? PRODUCTION_TIMINGS : SHORT_TIMINGS
/** 16 minutes. */
export const OUTAGE_MS = IS_LONG ? 960_000 : 16_000
/** After the return: until the last batch has given up waiting for what nobody can know. */
export const LONGEST_MS = IS_LONG ? 7_200_000 : 240_000
const POLL_MS = 500
const API_TRIES = 600
const API_POLL_MS = 100

export interface Place {
  system: TestSystem
  sandbox: ReturnType<typeof sandboxControl>
  api: Killable
  worker: Killable
  /** Until the API does. */
  answers: () => Promise<void>
  stop: () => Promise<void>
}

/** A system of the test's own whose API and worker it kills and starts. */
export async function startPlace(): Promise<Place> {
  const system = await startTestSystem({}, IS_LONG ? 'production' : 'short')
  await Promise.all([system.api.stop(), system.worker.stop()])
  const api = killable(system, 'api')
  const worker = killable(system, 'worker')
  const answers = async (): Promise<void> => {
    for (let tries = 0; tries < API_TRIES; tries++) {
      const isUp = await fetch(`${system.apiUrl}/health`).then(
        ({ ok }) => ok,
        () => false,
      )
      if (isUp) return
      await sleep(API_POLL_MS)
    }
    throw new Error('the API does not answer')
  }
  api.start()
  worker.start()
  await answers()
  return {
    system,
    sandbox: sandboxControl(system.sandboxUrl),
    api,
    worker,
    answers,
    stop: async () => {
      await Promise.all([api.kill(), worker.kill()])
      await system.stop()
    },
  }
}

export interface Sending {
  place: Place
  sender: Sender
  batchId: Uuid
  people: number
}

interface Prepared {
  place: Place
  sender: Sender
  people: number
}

/** A customer with that number of contacts, whose account sends that number of mails a second. */
export async function prepare(place: Place, rate: number, people: number): Promise<Prepared> {
  const sender = await connectSender(place.system, rate)
  for (let at = 0; at < people; at += 1_000) {
    const contacts = Array.from({ length: Math.min(1_000, people - at) }, (_, n) => ({
      email: `reader-${at + n}@example.com`,
    }))
    await sender.client.post('/v1/contacts/batch', { body: { contacts } })
  }
  return { place, sender, people }
}

export async function send({ place, sender, people }: Prepared): Promise<Sending> {
  const body = {
    audienceType: 'all' as const,
    from: SENDER,
    subject: 'News',
    htmlContent: '<p>News</p>',
  }
  const { id } = await sender.client.post('/v1/batch', { body })
  return { place, sender, batchId: id, people }
}

const batchOf = ({ sender, batchId }: Sending) =>
  sender.client.get('/v1/batch/{id}', { params: { path: { id: batchId } } })

export async function untilSent(sending: Sending, count: number): Promise<void> {
  while ((await batchOf(sending)).sent < count) await sleep(POLL_MS / 5)
}

/** From now on calls of these accounts end in doubt. */
export const doubtCalls = (sendings: readonly Prepared[]) =>
  Promise.all(
    sendings.map(({ place, sender }) =>
      place.sandbox.setFaults(
        { stallAfterPercent: 50, halfOpenPercent: 50, stallMs: 5_000 },
        sender.accountId,
      ),
    ),
  )

/** Until no claim of these batches is open, or the batch is over without knowing. */
export async function untilOver(sending: Sending) {
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

/** What a batch says that is over, and the list of its recipients; no event came in between. */
async function figuresOf(sending: Sending) {
  for (;;) {
    const batch = await untilOver(sending)
    const pending = await sending.sender.client.get('/v1/batch/{id}/recipients', {
      params: { path: { id: sending.batchId }, query: { status: 'pending' } },
    })
    const { unknown } = await batchOf(sending)
    if (unknown === batch.unknown) return { batch, listed: pending.total }
  }
}

/**
 * Nobody was mailed twice, and nobody is lost: who was not mailed is told of.
 */
export async function account(
  sending: Sending,
  { knows }: { knows: 'everything' | 'not everything' },
) {
  const { batch, listed } = await figuresOf(sending)
  const mailed = (await acceptedBy(sending.place.system, sending.sender)).map(
    ({ recipient }) => recipient,
  )
  const missing = sending.people - new Set(mailed).size
  const found = {
    twice: mailed.length - new Set(mailed).size,
    duplicates: batch.duplicates,
    total: batch.sent + batch.failed + batch.skipped + batch.unknown,
    listed,
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

/** Mails that are claimed, by batch. */
export async function inDoubt(
  { system }: Place,
  sendings: readonly Sending[],
): Promise<Map<Uuid, number>> {
  const rows = await system.sql<{ batchId: Uuid; mails: number }[]>`
    select batch_id, sum(cardinality(message_ids))::int as mails
    from claims
    where batch_id = any(${sendings.map(({ batchId }) => batchId)}::uuid[])
    group by batch_id`
  return new Map(rows.map(({ batchId, mails }) => [batchId, mails]))
}

/** Until mails of each of these batches are claimed: what is killed now leaves them in doubt. */
export async function untilClaimed(
  place: Place,
  sendings: readonly Sending[],
  mails = 1,
): Promise<void> {
  for (;;) {
    const doubted = await inDoubt(place, sendings)
    if (sendings.every(({ batchId }) => (doubted.get(batchId) ?? 0) >= mails)) return
    await sleep(50)
  }
}
