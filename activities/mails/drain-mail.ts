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
/** Limit of mails of one connection whose calls have begun and have no written result yet. */
const MOST_IN_FLIGHT = 200
/** Refusals that concern the whole account, for all organizations that use it. */
const ACCOUNT_WIDE = ['account_suspended', 'sending_paused', 'limit_exceeded']
/**
 * Limit of drains that a process runs at once. A drain that waits for its account costs only a
 * timer. Other limits bound the mails that the process holds. While most slots are taken, other
 * connections may wait for one.
 */
export const DRAIN_SLOTS = 500
const CROWDED_SHARE = 0.75
/** Longest time for which a drain keeps its slot. It is shorter while others may wait for one. */
const LONGEST_DRAIN_MS = 300_000
/** Interval at which a warm drain looks for mail, and the idle time after which it ends. */
const POLL_MS = 50
const WARM_MS = 1_000
/** Interval at which a drain reads its connection again: may it send, and is a probe wanted? */
const LOOK_MS = 1_000
/** Longest wait that keeps the slot. The workflow sleeps through a longer one. */
const LONGEST_WAIT_MS = 30_000
const LONGEST_WAIT_CROWDED_MS = 1_000
/** Time for which a drain holds its connection, and interval at which it renews the hold. */
const HOLD_MS = 5_000
const HOLD_AGAIN_MS = 2_000
/** Longest hold of a sleeping dispatcher. Its run may have ended, so it is woken after that. */
const LONGEST_HOLD_MS = 15_000

/**
 * Time of the next turn. `resumeAt` serves earlier workflows: milliseconds since 1970, by the clock
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

/** One turn of a drain, which the workflow `dispatchMail` or the worker itself has begun. */
interface Turn extends mailDrains.Drain {
  /** Rejects if the turn must end. */
  sleep: (ms: number) => Promise<void>
  signal: AbortSignal
  /** Connection, if the caller has just read it. */
  sender?: senders.SendingConnection | undefined
}

/** Facts that claims in flight have found out. */
interface DrainState {
  /** No mail of this connection can be sent now. */
  isStuck: boolean
  /** A probe is in flight. The next one waits for its end. */
  isProbing: boolean
}

/** Sender of a claim, and the permits that it uses. */
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
  /** Number of drains in this process. */
  let running = 0
  const isCrowded = () => running > slots * CROWDED_SHARE
  const longestWaitMs = ({ isDispatcher }: Turn) =>
    isDispatcher && !isCrowded() ? LONGEST_WAIT_MS : LONGEST_WAIT_CROWDED_MS
  const claims = createMailClaims(deps)
  return { drainMail, sendReceipts }

  /**
   * Sends the waiting single mail of one connection, by priority. Returns `waitMs` if the account
   * cannot send now. Without it the queue is empty or the time of the turn is up.
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
   * Sends a connection's transactional mail at once, unless another drain sends its mail. It needs
   * no run of the dispatcher, which begins only after two round trips to Temporal. The dispatcher
   * sends mail that cannot leave now.
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

  /** Runs a turn. Returns after the results of all its calls are written. */
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
   * Makes one claim after the other. The drain does not wait for their calls, so a few slow answers
   * do not delay other mail.
   *
   * States of a drain:
   * - *looking*: due mail leads to *asking*. The dispatcher's drain ends after `WARM_MS` without
   *   due mail and calls in flight, a worker's own at once. The drain reads its connection again
   *   each second and ends if the connection may not send. A worker's own drain ends if the
   *   dispatcher has taken over.
   * - *asking* for permits: a grant leads to *claiming*. Without a grant the drain waits and is
   *   *looking* again, or ends if the wait is long.
   * - *claiming*: claimed mails are in flight. The drain is *looking* again at once, or later if it
   *   got fewer permits than it asked for.
   * - *full*: the mails in flight or their bytes have reached a limit. An answer leads out.
   * - *stuck*: a call showed that no mail of this connection can be sent. The drain ends.
   * - *over*: the time is up, or the results of a claim could not be written. The drain ends after
   *   the calls that began before.
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
      // This organization's role or identity fails. Others on the account must not wait for it.
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
        // Wanted probes are sent one after the other, without a pause.
        lookAt = performance.now() + (isProbed ? 0 : LOOK_MS)
      }

      const nextClaim = await findNextClaim(turn, flights.room())
      if (!nextClaim) {
        const isWarm = isDispatcher && performance.now() <= warmUntil
        if (!isWarm && flights.isEmpty()) return { more: false }
        await sleep(POLL_MS)
        continue
      }
      const { bucket, ids, priority } = nextClaim
      const lane = laneOf(priority)
      const grant = await sendLimits.grantPermits(sql, sender, ids.length, lane)
      if (grant.granted === 0) {
        if (grant.waitMs > longestWaitMs(turn)) return resumeIn(grant.waitMs)
        // A wait that is longer than the hold renews the hold.
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
        // Another drain holds these rows for a moment, or none of them may be mailed.
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

  /** Returns whether a turn is over. It goes on while calls that began in time are in flight. */
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

  /** Renews the hold of the turn. The result is false if the dispatcher has taken over. */
  function holder(turn: Turn): () => Promise<boolean> {
    // A worker's own turn has just taken the hold.
    let holdAt = performance.now() + (turn.isDispatcher ? 0 : HOLD_AGAIN_MS)
    return async () => {
      if (performance.now() < holdAt) return true
      holdAt = performance.now() + HOLD_AGAIN_MS
      return mailDrains.hold(sql, turn, HOLD_MS)
    }
  }

  /**
   * Returns the rows of the next claim. They are of one lane, since permits are of a lane, and of
   * one bucket, since the claim names the partition. Other rows come next.
   */
  async function findNextClaim({ connectionId, isDispatcher }: Turn, room: number) {
    const limit = Math.min(CLAIM_SIZE, room)
    const waitingMails = isDispatcher
      ? await mailQueue.waiting(sql, connectionId, limit)
      : await mailQueue.waitingReceipts(sql, connectionId, limit)
    const [first] = waitingMails
    if (!first) return undefined
    const { bucket, priority } = first
    const ids = waitingMails
      .filter((each) => each.bucket === bucket && each.priority === priority)
      .map(({ id }) => id)
    return { bucket, priority, ids }
  }

  /** Calls the provider, writes the results, and gives unused permits back. */
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
    // Set before the results queue refused mails again, so that this drain does not claim them.
    state.isStuck ||= verdict.own || (verdict.unavailable !== undefined && !verdict.isOfSender)
    await writeWithRetry(() =>
      recordResults(sql, { organizationId, bucket, claimId, batchId: null }, results),
    )
    // Mail of a refused identity is postponed. Other senders of the connection must not wait.
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

  /** Begins a probe if one is wanted. Returns true if it has begun one. */
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
