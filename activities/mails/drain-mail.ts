import { setTimeout as sleep } from 'node:timers/promises'
import { Context } from '@temporalio/activity'
import { addressed } from '../../src/keys/addresses.ts'
import type { OutgoingMail, Refusal } from '../../src/core/content/compose.ts'
import { openContent, outgoing } from '../../src/core/content/mail-content.ts'
import { tagsOf } from '../../src/domain/delivery/ses-event.ts'
import { type Lane, laneOf } from '../../src/domain/mails/mail-priority.ts'
import { refusalOfReceipt } from '../../src/domain/mails/single-mail.ts'
import { askAgainMs } from '../../src/domain/batches/permits.ts'
import type { Timings } from '../../src/domain/delivery/timings.ts'
import { uuidv7 } from '../../src/runtime/ids.ts'
import { countClaim } from '../../src/runtime/metrics.ts'
import { recordResults } from '../../src/store/delivery/record-results.ts'
import * as mailQueue from '../../src/store/mails/mail-queue.ts'
import { claimMails, listToLookUp } from '../../src/store/mails/claim-mails.ts'
import * as transactionalMails from '../../src/store/mails/transactional-mails.ts'
import * as senders from '../../src/store/accounts/senders.ts'
import * as sendLimits from '../../src/store/accounts/send-limits.ts'
import * as suppressions from '../../src/store/consent/suppressions.ts'
import type { Sql } from '../../src/store/db/sql.ts'
import type { Keyring } from '../../src/keys/tokens.ts'
import type { DispatchMailInput } from '../../workflows/contract.ts'
import { callAll, type Job, jobOf } from '../calls.ts'
import type { Mailer } from '../mailer.ts'
import { applyProviderFeedback } from '../provider-feedback.ts'
import { createFlights, type Flights } from '../delivery/flights.ts'
import { createHeldBytes, type HeldPart } from '../delivery/held-bytes.ts'
import { sendProbe, takeProbe } from '../delivery/probe-events.ts'
import { writeWithRetry } from '../write-with-retry.ts'

const CLAIM_SIZE = 50
/** Mails of one connection whose calls have begun and are not written yet. */
const MOST_IN_FLIGHT = 200
/** Limit of the contents of one claim's mails. A single longer mail is allowed. */
const CLAIM_BYTES = 4 * 1024 * 1024
/**
 * Limit of the contents of all mails in flight of a process. Above it, claims are of one mail, and
 * of no connection with others in flight. As strings, and again in their requests, they take
 * several times that.
 */
const HELD_BYTES = 24 * 1024 * 1024
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

/** What a mail of the API says, and its sender's tags. */
type MailParts =
  | { parts: Partial<OutgoingMail>; tags: transactionalMails.Tag[] }
  | { failed: Refusal }

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

/** What claims that are under way have found out. */
interface DrainState {
  /** Nothing of this connection can be sent now. */
  isStuck: boolean
  /** One probe after the other. */
  isProbing: boolean
}

/** Claimed mails, made. */
interface Claim {
  id: string
  bucket: string
  /** Time of Postgres' clock. */
  claimedAt: string
  /** On `performance.now()`'s scale. */
  startedAt: number
  pending: { id: string; job: Job }[]
  /** Bytes of their contents, until their calls have ended. */
  part: HeldPart
}

/** Whose mail a claim is, and how its permits were got. */
interface ClaimCall {
  sender: senders.SendingConnection
  lane: Lane
  isWatched: boolean
  state: DrainState
}

const UNREADABLE: MailParts = {
  failed: { reason: 'content_lost', error: 'What it says cannot be decrypted' },
}

export interface DrainMailDeps {
  sql: Sql
  claimSql: Sql
  mailer: Mailer
  timings: Timings
  /** The suppression list knows addresses under its HMAC keys. */
  content: { keyring: Keyring }
  slots?: number
}

export function createDrainMail({
  sql,
  claimSql,
  mailer,
  timings,
  content,
  slots = DRAIN_SLOTS,
}: DrainMailDeps) {
  /** Drains of this process. */
  let running = 0
  const isCrowded = () => running > slots * CROWDED_SHARE
  const longestWaitMs = () => (isCrowded() ? LONGEST_WAIT_CROWDED_MS : LONGEST_WAIT_MS)
  const held = createHeldBytes(HELD_BYTES)

  /**
   * Sends the single mail that waits for one connection, by priority. Returns when to come back:
   * `waitMs` when the account cannot send now, nothing when the queue is empty or the time is up.
   *
   * Claims are made one after the other. Their calls are not waited for: an answer that is slow
   * holds up nobody else's mail, as long as there are not too many of them.
   *
   * States of a drain, and what leads out of each:
   * - *looking*: mail that is due leads to *asking*. None for `WARM_MS`, with nothing in flight,
   *   ends the drain. Each second the connection is read again: one that may not send ends it.
   * - *asking* for permits: a grant leads to *claiming*. No grant leads to *looking* after its
   *   wait, or ends the drain where the wait is long.
   * - *claiming*: claimed mails are in flight, and the drain is *looking* again at once, or when it
   *   makes sense to ask for more permits.
   * - *full*: as many mails are in flight, or as many bytes held, as may be. An answer leads out.
   * - *stuck*: a call showed that nothing of this connection can be sent. It ends the drain.
   * - *over*: the time is up, or the results of a claim could not be written. The drain ends when
   *   the calls that began before have ended.
   *
   * A drain returns after the results of all its calls are written.
   */
  return async function drainMail(input: DispatchMailInput): Promise<Drained> {
    const flights = createFlights(MOST_IN_FLIGHT)
    running++
    try {
      return await claimAll(input, flights)
    } finally {
      await flights.landed().finally(() => running--)
    }
  }

  async function claimAll(
    { organizationId, connectionId }: DispatchMailInput,
    flights: Flights,
  ): Promise<Drained> {
    const startedAt = performance.now()
    let warmUntil = startedAt + WARM_MS
    let overAt: number | undefined
    let askAt = startedAt
    let lookAt = startedAt
    let sender: senders.SendingConnection | undefined
    const state: DrainState = { isStuck: false, isProbing: false }
    // What was begun before the time was up is waited for at work: it may be slow.
    const isOver = () => {
      const now = performance.now()
      const mostMs = isCrowded() ? timings.drainMs : LONGEST_DRAIN_MS
      if (now - startedAt >= mostMs) overAt ??= now
      return (
        overAt !== undefined && (now >= overAt + timings.callMs || !flights.beganBefore(overAt))
      )
    }

    while (!isOver()) {
      // This organization's role or identity is in the way: others on the account must not wait.
      if (state.isStuck) return resumeIn(timings.stuckMs)
      if (flights.hasFailed()) break
      if (flights.room() === 0 || (held.isFull() && !flights.isEmpty())) {
        await flights.next()
        continue
      }
      const askInMs = askAt - performance.now()
      if (askInMs > 0) await Context.current().sleep(askInMs)
      if (sender === undefined || performance.now() >= lookAt) {
        sender = await senders.find(sql, organizationId, connectionId)
        if (!sender || sender.disconnected || !sender.isVerified) return { more: false }
        const isProbed = state.isProbing || (await probe(sender, flights, state))
        // Probes that are wanted are sent one after the other, without a pause.
        lookAt = performance.now() + (isProbed ? 0 : LOOK_MS)
      }

      const found = await waitingClaim(connectionId, flights.room())
      if (!found) {
        if (performance.now() > warmUntil && flights.isEmpty()) return { more: false }
        await sleep(POLL_MS)
        continue
      }
      const { bucket, ids, priority } = found
      const lane = laneOf(priority)
      const grant = await sendLimits.grantPermits(sql, sender, ids.length, lane)
      if (grant.granted === 0) {
        if (grant.waitMs > longestWaitMs()) return resumeIn(grant.waitMs)
        await Context.current().sleep(grant.waitMs)
        continue
      }
      if (grant.granted < ids.length && lane !== 'transactional') {
        askAt = performance.now() + askAgainMs(sender.maxSendRate ?? 1)
      }
      const claim = await claimSome(sender, { bucket, ids: ids.slice(0, grant.granted) })
      countClaim(lane)
      const unused = grant.granted - claim.pending.length
      if (unused > 0) await sendLimits.giveBack(sql, sender, unused)
      if (claim.pending.length === 0) {
        // Somebody else holds these rows for a moment, or none of them may be mailed.
        claim.part.resize(0)
        await Context.current().sleep(POLL_MS)
      } else {
        const { isWatched } = grant
        const call = { sender, lane, isWatched, state }
        flights.begin(claim.pending.length, () =>
          sendClaimed(claim, call).finally(() => claim.part.resize(0)),
        )
      }
      if (Context.current().cancellationSignal.aborted) await Context.current().cancelled
      warmUntil = performance.now() + WARM_MS
    }
    return { more: true }
  }

  /**
   * The rows of the next claim. One claim is of one lane, for which it has permits, and of one
   * bucket: the partition must be named. The others have their turn next.
   */
  async function waitingClaim(connectionId: string, room: number) {
    const waiting = await mailQueue.waiting(sql, connectionId, Math.min(CLAIM_SIZE, room))
    const [first] = waiting
    if (!first) return undefined
    const { bucket, priority } = first
    const ids = waiting
      .filter((each) => each.bucket === bucket && each.priority === priority)
      .map(({ id }) => id)
    return { bucket, priority, ids }
  }

  /** Claims mails and makes them. */
  async function claimSome(
    sender: senders.SendingConnection,
    wanted: { bucket: string; ids: string[] },
  ): Promise<Claim> {
    const part = held.take(CLAIM_BYTES)
    try {
      return { ...(await claimFitting(sender, wanted, part)), part }
    } catch (error) {
      part.resize(0)
      throw error
    }
  }

  async function claimFitting(
    sender: senders.SendingConnection,
    { bucket, ids }: { bucket: string; ids: string[] },
    part: HeldPart,
  ): Promise<Omit<Claim, 'part'>> {
    const { organizationId, connectionId } = sender
    // Before the claim, after which there is a second to begin every call.
    const { fitting, saidBy, bytes } = await contentsOf({ organizationId, bucket, ids }, part.given)
    part.resize(bytes)
    const refused = await refusedByList(organizationId, bucket, fitting)
    const startedAt = performance.now()
    const claimId = uuidv7()
    const claimed = await claimMails(claimSql, {
      organizationId,
      connectionId,
      bucket,
      claimId,
      ids: fitting,
      refused,
    })
    if (claimed.mails.length === 0) {
      await mailQueue.dropStale(sql, { organizationId, bucket, ids: fitting })
    }
    const pending = claimed.mails.map(({ id, recipient: to, flowId, ...stored }) => {
      const said = saidBy(id)
      const made = 'failed' in said ? said : { mail: { ...stored, ...said.parts, to } }
      const tags = tagsOf({ organizationId, bucket, id, flowId })
      return { id, job: jobOf(id, made, [...tags, ...('tags' in said ? said.tags : [])]) }
    })
    return { id: claimId, bucket, claimedAt: claimed.claimedAt, startedAt, pending }
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
    state.isStuck ||= verdict.own || (verdict.unavailable !== undefined && !verdict.isOfSender)
  }

  /**
   * Contents of the API's mails, which are stored encrypted. Other contents come with the claim.
   * Mails that do not fit are left for the next claim.
   */
  async function contentsOf(
    wanted: { organizationId: string; bucket: string; ids: readonly string[] },
    mostBytes: number,
  ) {
    const fitting = await transactionalMails.listFitting(sql, wanted, mostBytes)
    const said = new Map<string, MailParts>()
    for (const { id, isSealed, sealed, tags } of fitting) {
      if (!isSealed) continue
      const found = sealed && openContent(content.keyring, wanted.organizationId, id, sealed)
      said.set(id, found ? { parts: await outgoing(found), tags: tags ?? [] } : UNREADABLE)
    }
    return {
      bytes: fitting.reduce((sum, { bytes }) => sum + bytes, 0),
      fitting: fitting.map(({ id }) => id),
      saidBy: (id: string): MailParts => said.get(id) ?? { parts: {}, tags: [] },
    }
  }

  /**
   * Mail that the suppression list forbids. It is looked up here because it knows addresses by keys
   * that Postgres does not have. Unsubscribed addresses still get receipts.
   */
  async function refusedByList(organizationId: string, bucket: string, ids: readonly string[]) {
    const found = await listToLookUp(sql, { organizationId, bucket, ids })
    const mails = found.map((mail) => ({
      ...mail,
      address: addressed(content.keyring, organizationId, mail.recipient),
    }))
    const addresses = mails.map(({ address }) => address)
    const reasonOf = await suppressions.lookUp(sql, organizationId, addresses)
    return mails.flatMap(({ id, source, address }) => {
      const listed = reasonOf(address)
      const reason = source === 'workflow' ? listed : refusalOfReceipt(listed)
      return reason === undefined ? [] : [{ id, reason }]
    })
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
