import { setTimeout as sleep } from 'node:timers/promises'
import { Context } from '@temporalio/activity'
import { type Lane, laneOf } from '../../src/domain/mails/mail-priority.ts'
import { askAgainMs } from '../../src/domain/batches/permits.ts'
import type { Timings } from '../../src/domain/delivery/timings.ts'
import { uuidv7 } from '../../src/runtime/ids.ts'
import { countClaim } from '../../src/runtime/metrics.ts'
import { recordResults } from '../../src/store/delivery/record-results.ts'
import * as mailDrains from '../../src/store/mails/mail-drains.ts'
import * as mailQueue from '../../src/store/mails/mail-queue.ts'
import * as senders from '../../src/store/accounts/senders.ts'
import * as sendLimits from '../../src/store/accounts/send-limits.ts'
import type { DispatchMailInput } from '../../workflows/contract.ts'
import { callAll } from '../calls.ts'
import type { Mailer } from '../mailer.ts'
import { applyProviderFeedback } from '../provider-feedback.ts'
import { createFlights, type Flights } from '../delivery/flights.ts'
import { sendProbe, takeProbe } from '../delivery/probe-events.ts'
import { writeWithRetry } from '../write-with-retry.ts'
import { type Claim, createMailClaims, type MailClaimDeps } from './mail-claims.ts'

const CLAIM_SIZE = 50
/** Mails of one connection whose calls have begun and are not written yet. */
const MOST_IN_FLIGHT = 200
/** Refusals that are of the account itself, whoever uses it. */
const ACCOUNT_WIDE = ['account_suspended', 'sending_paused', 'limit_exceeded']
/**
 * Drains that a process runs at once. One that waits for its account costs a timer: what a process
 * does at once is bounded by what it holds. While most slots are taken, others may wait for one.
 */
export const DRAIN_SLOTS = 500
const CROWDED_SHARE = 0.75
/** For so long a drain keeps its slot at most; its turn is over sooner where others may wait. */
const LONGEST_DRAIN_MS = 300_000
/** How often a warm drain looks for more, and how long it stays warm with nothing to do. */
const POLL_MS = 50
const WARM_MS = 1_000
/** How often a drain looks whether its connection may still send, and is to be probed. */
const LOOK_MS = 1_000
/** A wait longer than this is slept by the workflow; where others may wait for the slot, sooner. */
const LONGEST_WAIT_MS = 30_000
const LONGEST_WAIT_CROWDED_MS = 1_000
/** A drain says that it is there for so long, and says it again after so long. */
const HOLD_MS = 5_000
const HOLD_AGAIN_MS = 2_000
/** So long no dispatcher is woken while one sleeps at most: its run may have ended. */
const LONGEST_HOLD_MS = 15_000

/**
 * When to come back. `resumeAt` is for workflows of before: milliseconds since 1970, by the clock
 * of one worker.
 */
export interface Drained {
  waitMs?: number
  resumeAt?: number
  more: boolean
}

const resumeIn = (waitMs: number): Drained => ({
  waitMs,
  resumeAt: Date.now() + waitMs,
  more: true,
})

/** A turn of a drain: of the workflow `dispatchMail`, or a worker's own. */
interface Turn extends mailDrains.Drain {
  /** Rejects when the turn is to end. */
  sleep: (ms: number) => Promise<void>
  signal: AbortSignal
  /** As it was just now. */
  sender?: senders.SendingConnection | undefined
}

/** What claims that are under way have found out. */
interface DrainState {
  /** Nothing of this connection can be sent now. */
  isStuck: boolean
  /** One probe after the other. */
  isProbing: boolean
}

/** Whose mail a claim is, and how its permits were got. */
interface ClaimCall {
  sender: senders.SendingConnection
  lane: Lane
  isWatched: boolean
  state: DrainState
}

export interface DrainMailDeps extends MailClaimDeps {
  mailer: Mailer
  timings: Timings
  slots?: number
}

export type MailDrains = ReturnType<typeof createMailDrains>

export function createMailDrains({ slots = DRAIN_SLOTS, ...deps }: DrainMailDeps) {
  const { sql, mailer, timings } = deps
  /** Drains of this process. */
  let running = 0
  const isCrowded = () => running > slots * CROWDED_SHARE
  const longestWaitMs = ({ isDispatcher }: Turn) =>
    isDispatcher && !isCrowded() ? LONGEST_WAIT_MS : LONGEST_WAIT_CROWDED_MS
  const claims = createMailClaims(deps)
  return { drainMail, sendReceipts }

  /**
   * Sends the single mail that waits for one connection, by priority. Returns when to come back:
   * `waitMs` when the account cannot send now, nothing when the queue is empty or the time is up.
   */
  async function drainMail(input: DispatchMailInput): Promise<Drained> {
    const context = Context.current()
    const turn = {
      ...input,
      drainId: uuidv7(),
      isDispatcher: true,
      sleep: (ms: number) => context.sleep(ms),
      signal: context.cancellationSignal,
    }
    return drain(turn)
  }

  /**
   * Sends a connection's transactional mail at once, unless its mail is being sent: without a run
   * of the dispatcher, which begins only after two round trips to Temporal. Mail that cannot leave
   * now is left to the dispatcher.
   */
  async function sendReceipts(input: DispatchMailInput, signal: AbortSignal): Promise<void> {
    const turn = {
      ...input,
      drainId: uuidv7(),
      isDispatcher: false,
      sleep: (ms: number) => sleep(ms, undefined, { signal }),
      signal,
    }
    const { organizationId, connectionId } = input
    const [isMine, sender] = await Promise.all([
      mailDrains.hold(sql, turn, HOLD_MS),
      senders.find(sql, organizationId, connectionId),
    ])
    if (isMine) await drain({ ...turn, sender })
  }

  /** Takes a turn. It returns after the results of all its calls are written. */
  async function drain(turn: Turn): Promise<Drained> {
    const flights = createFlights(MOST_IN_FLIGHT)
    running++
    try {
      const drained = await claimAll(turn, flights)
      const { waitMs } = drained
      if (!drained.more) await mailDrains.release(sql, turn)
      else if (waitMs) await mailDrains.hold(sql, turn, Math.min(waitMs, LONGEST_HOLD_MS))
      return drained
    } finally {
      await flights.landed().finally(() => running--)
      if (turn.signal.aborted) await mailDrains.release(sql, turn)
    }
  }

  /**
   * Makes claims one after the other. Their calls are not waited for: an answer that is slow holds
   * up nobody else's mail, as long as there are not too many of them.
   *
   * States of a drain, and what leads out of each:
   * - *looking*: mail that is due leads to *asking*. None for `WARM_MS`, with nothing in flight,
   *   ends the drain; a worker's own ends at once. Each second the connection is read again: one
   *   that may not send ends it. A worker's own ends when the dispatcher has taken over.
   * - *asking* for permits: a grant leads to *claiming*. No grant leads to *looking* after its
   *   wait, or ends the drain where the wait is long.
   * - *claiming*: claimed mails are in flight, and the drain is *looking* again at once, or when it
   *   makes sense to ask for more permits.
   * - *full*: as many mails are in flight, or as many bytes held, as may be. An answer leads out.
   * - *stuck*: a call showed that nothing of this connection can be sent. It ends the drain.
   * - *over*: the time is up, or the results of a claim could not be written. The drain ends when
   *   the calls that began before have ended.
   */
  async function claimAll(turn: Turn, flights: Flights): Promise<Drained> {
    const { organizationId, connectionId, isDispatcher } = turn
    const startedAt = performance.now()
    let warmUntil = startedAt + WARM_MS
    let askAt = startedAt
    let { sender } = turn
    let lookAt = sender ? startedAt + LOOK_MS : startedAt
    const state: DrainState = { isStuck: false, isProbing: false }
    const isOver = clockOf(flights)
    const isMine = holder(turn)

    while (!isOver()) {
      // This organization's role or identity is in the way: others on the account must not wait.
      if (state.isStuck) return resumeIn(timings.stuckMs)
      if (flights.hasFailed()) break
      if (flights.room() === 0 || (claims.isFull() && !flights.isEmpty())) {
        await flights.next()
        continue
      }
      const askInMs = askAt - performance.now()
      if (askInMs > 0) await turn.sleep(askInMs)
      if (!(await isMine())) break
      if (sender === undefined || performance.now() >= lookAt) {
        sender = await senders.find(sql, organizationId, connectionId)
        if (!sender || sender.disconnected || !sender.isVerified) return { more: false }
        const isProbed = isDispatcher && (state.isProbing || (await probe(sender, flights, state)))
        // Probes that are wanted are sent one after the other, without a pause.
        lookAt = performance.now() + (isProbed ? 0 : LOOK_MS)
      }

      const found = await waitingClaim(turn, flights.room())
      if (!found) {
        const isWarm = isDispatcher && performance.now() <= warmUntil
        if (!isWarm && flights.isEmpty()) return { more: false }
        await sleep(POLL_MS)
        continue
      }
      const { bucket, ids, priority } = found
      const lane = laneOf(priority)
      const grant = await sendLimits.grantPermits(sql, sender, ids.length, lane)
      if (grant.granted === 0) {
        if (grant.waitMs > longestWaitMs(turn)) return resumeIn(grant.waitMs)
        // Whoever waits for longer than it holds the connection says so.
        if (grant.waitMs > HOLD_AGAIN_MS) await mailDrains.hold(sql, turn, HOLD_MS + grant.waitMs)
        await turn.sleep(grant.waitMs)
        continue
      }
      if (grant.granted < ids.length && lane !== 'transactional') {
        askAt = performance.now() + askAgainMs(sender.maxSendRate ?? 1)
      }
      const claim = await claims.claim(sender, { bucket, ids: ids.slice(0, grant.granted) })
      countClaim(lane)
      const unused = grant.granted - claim.pending.length
      if (unused > 0) await sendLimits.giveBack(sql, sender, unused)
      if (claim.pending.length === 0) {
        // Somebody else holds these rows for a moment, or none of them may be mailed.
        claim.part.resize(0)
        await turn.sleep(POLL_MS)
      } else {
        const { isWatched } = grant
        const call = { sender, lane, isWatched, state }
        flights.begin(claim.pending.length, () =>
          sendClaimed(claim, call).finally(() => claim.part.resize(0)),
        )
      }
      if (turn.signal.aborted) await turn.sleep(0)
      warmUntil = performance.now() + WARM_MS
    }
    return { more: true }
  }

  /** Tells when a turn is over. What was begun in time is waited for at work: it may be slow. */
  function clockOf(flights: Flights): () => boolean {
    const startedAt = performance.now()
    let overAt: number | undefined
    return () => {
      const now = performance.now()
      const mostMs = isCrowded() ? timings.drainMs : LONGEST_DRAIN_MS
      if (now - startedAt >= mostMs) overAt ??= now
      if (overAt === undefined) return false
      return now >= overAt + timings.callMs || !flights.beganBefore(overAt)
    }
  }

  /** Says again and again that the turn is at work. False: the dispatcher has taken over. */
  function holder(turn: Turn): () => Promise<boolean> {
    // A worker's own turn has just said so.
    let holdAt = performance.now() + (turn.isDispatcher ? 0 : HOLD_AGAIN_MS)
    return async () => {
      if (performance.now() < holdAt) return true
      holdAt = performance.now() + HOLD_AGAIN_MS
      return mailDrains.hold(sql, turn, HOLD_MS)
    }
  }

  /**
   * The rows of the next claim. One claim is of one lane, for which it has permits, and of one
   * bucket: the partition must be named. The others have their turn next.
   */
  async function waitingClaim({ connectionId, isDispatcher }: Turn, room: number) {
    const limit = Math.min(CLAIM_SIZE, room)
    const waiting = isDispatcher
      ? await mailQueue.waiting(sql, connectionId, limit)
      : await mailQueue.waitingReceipts(sql, connectionId, limit)
    const [first] = waiting
    if (!first) return undefined
    const { bucket, priority } = first
    const ids = waiting
      .filter((each) => each.bucket === bucket && each.priority === priority)
      .map(({ id }) => id)
    return { bucket, priority, ids }
  }

  /** Calls, writes, and gives back the permits that were not used. */
  async function sendClaimed(
    { id: claimId, bucket, claimedAt, startedAt, pending }: Claim,
    { sender, lane, isWatched, state }: ClaimCall,
  ): Promise<void> {
    const { organizationId, connectionId } = sender
    const { results, verdict } = await callAll(mailer, pending, {
      iamRole: sender,
      signedAt: new Date(claimedAt),
      beginBy: startedAt + timings.beginMs,
      lane,
    })
    // First: what was not accepted is queued again by the results, and would be claimed once more.
    state.isStuck ||= verdict.own || (verdict.unavailable !== undefined && !verdict.isOfSender)
    await writeWithRetry(() =>
      recordResults(sql, { organizationId, bucket, claimId, batchId: null }, results),
    )
    // One sender's identity is refused: other senders of the connection must not wait behind it.
    if (verdict.senderRefused.size > 0) {
      const refusedIds = { organizationId, bucket, ids: [...verdict.senderRefused] }
      await mailQueue.postpone(sql, refusedIds, connectionId, timings.stuckMs)
    }
    await applyProviderFeedback(sql, sender, { verdict, isWatched, timings })
    if (verdict.unavailable !== undefined && ACCOUNT_WIDE.includes(verdict.unavailable)) {
      await sendLimits.pause(sql, sender, timings.outagePauseMs, verdict.unavailable)
    }
    if (verdict.notBegun > 0) await sendLimits.giveBack(sql, sender, verdict.notBegun)
  }

  /** Begins a probe if one is wanted. Returns whether. */
  async function probe(
    sender: senders.SendingConnection,
    flights: Flights,
    state: DrainState,
  ): Promise<boolean> {
    const from = await takeProbe(sql, sender)
    if (from === undefined) return false
    state.isProbing = true
    flights.begin(1, () =>
      sendProbe({ sql, mailer, timings }, sender, from).finally(() => (state.isProbing = false)),
    )
    return true
  }
}
