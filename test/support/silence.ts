import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { PRODUCTION_TIMINGS, SHORT_TIMINGS } from '../../src/domain/delivery/timings.ts'
import type { Uuid } from '../../src/runtime/ids.ts'
import { SENDER } from '../../src/main/dev/system.ts'
import { sandboxControl } from '../../tools/sandbox/control.ts'
import { acceptedBy, connectSender, type Sender } from './cohorts.ts'
import { type Killable, killable } from './outage.ts'
import { until } from './engine.ts'
import { startTestSystem, type TestSystem } from './system.ts'
import { guarantee } from './guarantee.ts'

/**
 * Outages in the middle of batches, as they were when people were mailed twice. With
 * `SILENCE_TIMINGS=production` they last as long as in production (two hours). Otherwise everything
 * is sixty times shorter, including the event bus.
 */
export const IS_LONG = process.env['SILENCE_TIMINGS'] === 'production'
export const TIMINGS = IS_LONG ? PRODUCTION_TIMINGS : SHORT_TIMINGS
/** 16 minutes. */
export const OUTAGE_MS = IS_LONG ? 960_000 : 16_000
/** Time after the outage until the last batch gives up on unknown outcomes. */
export const LONGEST_MS = IS_LONG ? 7_200_000 : 240_000
const POLL_MS = 500
/** Time until the ledger shows the awaited state. */
const SEEN_MS = IS_LONG ? 1_200_000 : 240_000
/** Time until a started program works. */
export const START_MS = 120_000

export interface Place {
  system: TestSystem
  sandbox: ReturnType<typeof sandboxControl>
  api: Killable
  worker: Killable
  /** Resolves when the API answers. */
  answers: () => Promise<void>
  stop: () => Promise<void>
}

/** A system whose API and worker the test kills and starts. */
export async function startPlace(): Promise<Place> {
  const system = await startTestSystem({}, IS_LONG ? 'production' : 'short')
  const api = killable(system, 'api')
  const worker = killable(system, 'worker')
  return {
    system,
    sandbox: sandboxControl(system.sandboxUrl),
    api,
    worker,
    answers: async () => {
      await until(
        () =>
          fetch(`${system.apiUrl}/health`).then(
            ({ ok }) => ok,
            () => false,
          ),
        START_MS,
      )
    },
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

/** A customer with this many contacts, whose account sends this many mails a second. */
export async function prepare(
  place: Place,
  { rate, people }: { rate: number; people: number },
): Promise<Prepared> {
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

export async function untilSent({ place, batchId }: Sending, count: number): Promise<void> {
  await until(async () => {
    const [row] = await place.system.sql<{ sent: number }[]>`
      select sent from batches where id = ${batchId}`
    return (row?.sent ?? 0) >= count
  }, SEEN_MS)
}

/** Changes the rate of these accounts. */
export async function setRate(sendings: readonly Sending[], rate: number): Promise<void> {
  for (const { place, sender } of sendings) {
    const { accountId } = sender
    await place.sandbox.putAccount(accountId, { region: 'eu-west-1', maxSendRate: rate })
    await place.system.sql`
      update sending_limits set max_send_rate = ${rate} where account_id = ${accountId}`
  }
}

/**
 * From now on most calls of these accounts end in doubt. `lostPercent` are not accepted, so no
 * event ends their doubt. Of the others `stalledPercent` are accepted and answered too late.
 */
export const doubtCalls = (
  sendings: readonly Prepared[],
  {
    lostPercent = 50,
    stalledPercent = 100 - lostPercent,
    eventShuffle = false,
  }: { lostPercent?: number; stalledPercent?: number; eventShuffle?: boolean } = {},
) =>
  Promise.all(
    sendings.map(({ place, sender }) =>
      place.sandbox.setFaults(
        {
          stallAfterPercent: stalledPercent,
          halfOpenPercent: lostPercent,
          stallMs: 5_000,
          eventShuffle,
        },
        sender.accountId,
      ),
    ),
  )

/** Waits until the batch is over, with or without knowing each outcome. */
export async function untilOver(sending: Sending) {
  const { place, batchId } = sending
  const overAt = Date.now() + LONGEST_MS
  for (;;) {
    const [row] = await place.system.sql<{ status: string }[]>`
      select status from batches where id = ${batchId}`
    if (row?.status === 'completed') return batchOf(sending)
    if (row?.status !== 'processing' || Date.now() > overAt) {
      throw new Error(`the batch is ${JSON.stringify(await batchOf(sending))}`)
    }
    await sleep(POLL_MS)
  }
}

/** Figures of a finished batch, and the list of its recipients. No event came in between. */
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

/** Checks that nobody was mailed twice and nobody is lost: unmailed recipients are reported. */
export async function account(
  sending: Sending,
  { knows }: { knows: 'everything' | 'not everything' },
) {
  const { batch, listed } = await figuresOf(sending)
  const mailed = (await acceptedBy(sending.place.system, sending.sender)).map(
    ({ recipient }) => recipient,
  )
  const missing = sending.people - new Set(mailed).size
  const foundFigures = {
    twice: mailed.length - new Set(mailed).size,
    duplicates: batch.duplicates,
    total: batch.sent + batch.failed + batch.skipped + batch.unknown,
    listed,
    lost: Math.max(0, missing - batch.unknown - batch.failed),
    ...(knows === 'everything' ? { sent: batch.sent, missing } : {}),
  }
  const expectedFigures = {
    twice: 0,
    duplicates: 0,
    total: sending.people,
    listed: batch.unknown,
    lost: 0,
    ...(knows === 'everything' ? { sent: sending.people, missing: 0 } : {}),
  }
  guarantee(() => expect(foundFigures).toEqual(expectedFigures))
  return batch
}

/** Claimed mails, by batch. */
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

/** Waits until mails of each batch are claimed, so that a kill leaves them in doubt. */
export async function untilClaimed(
  place: Place,
  sendings: readonly Sending[],
  mails = 1,
): Promise<void> {
  await until(async () => {
    const doubted = await inDoubt(place, sendings)
    return sendings.every(({ batchId }) => (doubted.get(batchId) ?? 0) >= mails)
  }, SEEN_MS)
}
