import { awaitOutcomes } from '../../src/core/batches/complete-batch.ts'
import { Context } from '@temporalio/activity'
import { MOST_SENDER_REFUSALS } from '../../src/domain/batches/breaker.ts'
import { shownRate } from '../../src/domain/batches/progress.ts'
import { askAgainMs } from '../../src/domain/batches/permits.ts'
import type { Timings } from '../../src/domain/delivery/timings.ts'
import { batchRowId, type Uuid, uuidv7 } from '../../src/runtime/ids.ts'
import { countClaim, countMails } from '../../src/runtime/metrics.ts'
import * as batches from '../../src/store/batches/batches.ts'
import * as batchVariants from '../../src/store/batches/batch-variants.ts'
import * as batchParts from '../../src/store/batches/batch-parts.ts'
import * as batchRuns from '../../src/store/batches/batch-runs.ts'
import { claimRange, type Recipient } from '../../src/store/delivery/claim-range.ts'
import { recordResults } from '../../src/store/delivery/record-results.ts'
import * as senders from '../../src/store/accounts/senders.ts'
import type { Grant } from '../../src/store/accounts/send-limits.ts'
import type { Sql } from '../../src/store/db/sql.ts'
import type { Range } from '../../workflows/contract.ts'
import { processRenderer } from '../../src/mail/renderer.ts'
import { type BatchMails, batchMails } from './batch-mails.ts'
import { giveBackPermits, takePermits } from './batch-permits.ts'
import { countTroubles } from './breaker.ts'
import { callAll, createRoom, type JobSource, type Pending, type Room } from '../calls.ts'
import {
  OUTCOMES_AWAITED,
  paused,
  pausedAbout,
  resultOfDeadClaim,
  resultOfSender,
  resultOfVerdict,
  type SendChunkResult,
} from './chunk-results.ts'
import { createFlights, type Flights } from '../delivery/flights.ts'
import { createHeldBytes } from '../delivery/held-bytes.ts'
import type { Mailer } from '../mailer.ts'
import { applyProviderFeedback } from '../provider-feedback.ts'
import { writeWithRetry } from '../write-with-retry.ts'

export interface SendChunkInput extends Range {
  organizationId: string
  batchId: string
  attempt: number
}

/**
 * Limit of chunks that a process runs at once. A chunk that waits for its account costs only a
 * timer. Other limits bound the mails and contents that the process holds. While most slots are
 * taken, a waiting chunk soon gives up its slot.
 */
export const CHUNK_SLOTS = 500
const CROWDED_SHARE = 0.75
/** Limit of mails per claim. All of them are in doubt if this process dies. */
const CLAIM_SIZE = 250
/** Limit of mails per claim that are rendered in the threads. All must begin within a second. */
const RENDERED_CLAIM_SIZE = 100
/** Limit of claims of one chunk whose calls have begun and whose results are not written yet. */
const CLAIMS_IN_FLIGHT = 2
/**
 * Limit of characters of rendered mail that one claim holds. A long template is claimed in small
 * claims from the start. If a short template makes long mails, the first claim shows it.
 */
const CLAIM_CHARACTERS = 2_000_000
/** Estimate of the characters that links and values add to a content. */
const MERGED_CHARACTERS = 1_000
/** Limits of characters that a process holds: mails in flight, and contents of its chunks. */
const HELD_CHARACTERS = 24_000_000
const CONTENT_CHARACTERS = 32_000_000
/** Wait of a chunk before it checks again for free memory: for a claim, and for its contents. */
const HELD_POLL_MS = 50
const CONTENT_PAUSE_MS = 2_000
/**
 * Approximate time for which a chunk gives up its slot if its organization renders apart and has no
 * free turn.
 */
const RENDERING_PAUSE_MS = 3_000
/**
 * Longest wait for permits that keeps the slot. A new task of Temporal costs as much as a hundred
 * seconds of heartbeats, so the short limit applies only while other chunks may need the slot.
 */
const LONGEST_WAIT_MS = 30_000
const LONGEST_WAIT_CROWDED_MS = 1_000

export interface SendChunkDeps {
  sql: Sql
  /**
   * A small pool of its own, whose statements end after a second. Mails of a later claim could not
   * be called in time.
   */
  claimSql: Sql
  mailer: Mailer
  timings: Timings
  content: Parameters<typeof batchMails>[0]
  slots?: number
}

export function createSendChunk({
  sql,
  claimSql,
  mailer,
  timings,
  content,
  slots = CHUNK_SLOTS,
}: SendChunkDeps) {
  const { renderer = processRenderer() } = content
  const mailsOf = batchMails(content)
  /** Characters of claims, estimated by the lengths of their contents until mails are rendered. */
  const heldMails = createHeldBytes(HELD_CHARACTERS)
  const heldContents = createHeldBytes(CONTENT_CHARACTERS)
  const roomOfAll = createRoom(HELD_CHARACTERS)
  /** Chunks of this process. */
  let running = 0
  const longestWaitMs = () =>
    running > slots * CROWDED_SHARE ? LONGEST_WAIT_CROWDED_MS : LONGEST_WAIT_MS

  /**
   * Sends the queued rows of one range of a batch: permits, then claim, then call, then results.
   * The chunk makes one claim after the other as permits come. It does not wait for their calls, so
   * as many are in flight as rate and latency need.
   *
   * The activity may run twice at once, since the claim decides which run mails a row. It may be
   * killed at any point: the lease and the provider's events decide the claimed rows.
   *
   * States of a running chunk:
   * - *counting*: queued rows lead to *asking*. Without queued rows the chunk ends: `done`, or
   *   `waiting` or `open` while the outcome of a row is open.
   * - *asking* for permits: a grant leads to *claiming*. A short wait leads back to *asking*, a
   *   long one ends the chunk (`paused`). A paused batch ends it too (`held`).
   * - *claiming*: claimed rows are in flight. The chunk asks for the next permits. If it found
   *   fewer rows than it had permits for, it counts again.
   * - *landing*: the chunk must not claim more, because the claims in flight have reached a limit,
   *   are the rest of the range, or are the first ones of a sender. The end of a claim leads out.
   * - *over*: a claim or a call found a reason to end (`Chunk.result`).
   *
   * The chunk returns after the results of all its calls are written.
   */
  return async function sendChunk(input: SendChunkInput): Promise<SendChunkResult> {
    running++
    try {
      return await withRate(input, await sendRange(input))
    } finally {
      running--
    }
  }

  /** Returns the result with the rate of the batch, for the operators' view of its run. */
  async function withRate(
    { organizationId, batchId }: SendChunkInput,
    result: SendChunkResult,
  ): Promise<SendChunkResult> {
    const rate = await batches.findRate(sql, organizationId, batchId)
    return rate ? { ...result, ratePerSecond: shownRate(rate.sent, rate.facts) } : result
  }

  async function sendRange(input: SendChunkInput): Promise<SendChunkResult> {
    const { organizationId, batchId, attempt } = input
    if (heldContents.isFull()) return pausedAbout(CONTENT_PAUSE_MS, 'memory')
    const batch = await batchRuns.context(sql, organizationId, batchId)
    const sender = batch && (await senders.find(sql, organizationId, batch.connectionId))
    if (!batch || !sender) return { kind: 'stopped' }
    const refusal = resultOfSender(sender)
    if (refusal) return refusal

    const { bucket } = batch
    const variants = batch.isTest
      ? await batchVariants.listContents(sql, organizationId, batchId)
      : []
    const sizes = [batch, ...variants].map(
      (each) => each.contentHtml.length + each.contentText.length,
    )
    const mails = mailsOf({ organizationId, batchId, batch, variants })
    const mailCharacters = Math.max(...sizes) + MERGED_CHARACTERS
    const claimSize = Math.min(
      mails.needsThread() ? RENDERED_CLAIM_SIZE : CLAIM_SIZE,
      Math.max(1, Math.floor(CLAIM_CHARACTERS / mailCharacters)),
    )
    const chunk: Chunk = {
      input,
      batch,
      sender,
      range: {
        organizationId,
        bucket,
        from: batchRowId(bucket, input.from),
        to: batchRowId(bucket, input.to),
      },
      mails,
      mailCharacters,
      claimSize,
      room: createRoom(CLAIMS_IN_FLIGHT * CLAIM_CHARACTERS, roomOfAll),
      flights: createFlights(CLAIMS_IN_FLIGHT * claimSize),
      askAgainMs: askAgainMs(
        Math.min(sender.maxSendRate ?? 1, batch.throttlePerSecond ?? Infinity),
      ),
      queued: 0,
      most: claimSize,
      isUntried: attempt > 1 || batch.sent === 0,
      waitedMs: 0,
      askAt: 0,
      result: undefined,
    }
    const contents = heldContents.take(0)
    contents.resize(sizes.reduce((sum, size) => sum + size, 0))
    try {
      const result = await claimAll(chunk)
      await chunk.flights.landed()
      return chunk.result ?? result
    } finally {
      // If a claim failed, the results of earlier claims are written first.
      await chunk.flights.landed().finally(() => contents.resize(0))
    }
  }

  /** Claims rows until the range has no queued row or nothing can be sent. */
  async function claimAll(chunk: Chunk): Promise<SendChunkResult> {
    const { input, batch, range, flights } = chunk
    const { cancellationSignal, cancelled } = Context.current()
    for (;;) {
      if (chunk.result) return chunk.result
      if (flights.hasFailed()) await flights.landed()
      if (cancellationSignal.aborted) await cancelled
      if (mustLand(chunk)) {
        await flights.next()
        continue
      }
      if (chunk.queued === 0) {
        const open = await batchParts.countOpen(sql, range)
        if (open.queued === 0) return await resultOfOpen(input, open)
        chunk.queued = open.queued
      }
      if (batch.isPaused) return { kind: 'held' }
      const askInMs = chunk.askAt - performance.now()
      if (askInMs > 0) await Context.current().sleep(askInMs)
      const result = await claimNext(chunk)
      if (result) return result
    }
  }

  /** Returns true if the chunk must wait for calls in flight before it makes another claim. */
  function mustLand({ flights, queued, isUntried }: Chunk): boolean {
    if (flights.isEmpty()) return false
    return flights.room() === 0 || queued === 0 || isUntried || heldMails.isFull()
  }

  /** Returns the result of a range without queued rows. */
  async function resultOfOpen(
    input: SendChunkInput,
    { claimed, inDoubt }: { claimed: number; inDoubt: number },
  ): Promise<SendChunkResult> {
    if (claimed + inDoubt === 0) return { kind: 'done' }
    const status = await awaitOutcomes(sql, input, timings)
    return status === 'processing' && claimed > 0 ? { kind: 'open' } : OUTCOMES_AWAITED[status]
  }

  /** Makes one claim if permits are granted. Returns the chunk's result if the chunk ends. */
  async function claimNext(chunk: Chunk): Promise<SendChunkResult | undefined> {
    const { input, flights } = chunk
    if (heldMails.isFull()) {
      await Context.current().sleep(HELD_POLL_MS)
      return undefined
    }
    const turn = chunk.mails.needsThread() ? renderer.takeTurn(input.organizationId) : NO_TURN
    if (!turn) {
      if (flights.isEmpty()) return pausedAbout(RENDERING_PAUSE_MS, 'rendering')
      await flights.next()
      return undefined
    }
    const part = heldMails.take(mostOfClaim(chunk, turn.mostMails) * chunk.mailCharacters)
    const release = () => {
      turn.end()
      part.resize(0)
    }
    let isCalled = false
    try {
      const wanted = Math.max(1, Math.floor(part.given / chunk.mailCharacters))
      const grant = await takePermits(sql, chunk, wanted)
      if (grant.granted === 0) return await waitForPermits(chunk, grant)
      // A chunk that gets all permits asks for the next ones at once.
      chunk.askAt = grant.granted < wanted ? performance.now() + chunk.askAgainMs : 0
      part.resize(grant.granted * chunk.mailCharacters)
      const claim = await claimRows(chunk, grant)
      if (!claim) return undefined
      flights.begin(claim.recipients.length, () => sendClaim(chunk, claim, grant).finally(release))
      isCalled = true
      return undefined
    } finally {
      if (!isCalled) release()
    }
  }

  /** Sets the time of the next request. Returns the chunk's result if the wait is too long. */
  async function waitForPermits(
    chunk: Chunk,
    { waitMs, pausedReason }: Grant,
  ): Promise<SendChunkResult | undefined> {
    const longestMs = longestWaitMs()
    if (waitMs <= longestMs && chunk.waitedMs <= longestMs) {
      chunk.waitedMs += waitMs
      chunk.askAt = performance.now() + waitMs
      return undefined
    }
    // The batch shows that it waits for the quota.
    if (pausedReason === 'daily_quota') await batchRuns.noteQuotaAwaited(sql, chunk.input, waitMs)
    return paused(waitMs, pausedReason ?? 'rate')
  }

  /** Claims one row per permit. Returns undefined if no row is to be mailed. */
  async function claimRows(chunk: Chunk, { granted }: Grant): Promise<Claim | undefined> {
    const { input, batch, range } = chunk
    const { organizationId, batchId, attempt } = input
    const { connectionId } = batch
    const startedAt = performance.now()
    const id = uuidv7()
    const { live, skipped, recipients, claimedAt } = await claimRange(claimSql, {
      ...range,
      batchId,
      attempt,
      connectionId,
      claimId: id,
      limit: granted,
    })
    countClaim('batch')
    countMails('batch', 'skipped', skipped)
    await giveBackPermits(sql, chunk, granted - recipients.length)
    const decidedRows = recipients.length + skipped
    // With fewer rows than permits, other claims hold the rest or none is left. The chunk counts.
    chunk.queued = decidedRows < granted ? 0 : Math.max(0, chunk.queued - decidedRows)
    if (!live) {
      const sender = await senders.find(sql, organizationId, connectionId)
      chunk.result = resultOfDeadClaim(sender, await batchRuns.find(sql, input))
    }
    return recipients.length === 0 ? undefined : { id, recipients, claimedAt, startedAt }
  }

  /** Calls the provider for all claimed rows, and writes the results. */
  async function sendClaim(
    chunk: Chunk,
    { id: claimId, recipients, claimedAt, startedAt }: Claim,
    { isWatched }: Grant,
  ): Promise<void> {
    const { input, batch, sender, mails, room } = chunk
    const { organizationId, batchId } = input
    const beginBy = startedAt + timings.beginMs
    const jobs = mails.jobs(recipients, beginBy)
    const call = { iamRole: sender, signedAt: new Date(claimedAt), beginBy, lane: 'batch' as const }
    const toCall = pending(recipients, jobs)
    const { results, verdict } = await callAll(mailer, toCall, call, room)
    chunk.most = mostNext(chunk, results.length, verdict.notBegun)
    if (verdict.notBegun > 0) chunk.askAt = performance.now() + chunk.askAgainMs
    const { isTest, bucket } = batch
    const claim = { organizationId, bucket, claimId, batchId, isTest }
    await writeWithRetry(() => recordResults(sql, claim, results))
    await giveBackPermits(sql, chunk, verdict.notBegun)
    await applyProviderFeedback(sql, sender, { verdict, isWatched, timings })
    const trip = await countTroubles(sql, input, results, verdict)
    if (results.some(({ outcome }) => outcome === 'sent')) chunk.isUntried = false
    if (results.some(({ outcome }) => outcome !== 'queued')) chunk.waitedMs = 0
    if (trip) chunk.result ??= { kind: 'unavailable', reason: trip }
    else if (verdict.own) chunk.result ??= paused(timings.outagePauseMs, 'role')
    else chunk.result ??= resultOfVerdict(verdict)
  }
}

/** Turn of a compiled content, whose mails need no rendering thread. */
const NO_TURN = { mostMails: Infinity, end: () => {} }

/** One range of a batch, with facts that its claims have found out for the next ones. */
interface Chunk {
  input: SendChunkInput
  batch: NonNullable<Awaited<ReturnType<typeof batchRuns.context>>>
  sender: senders.SendingConnection
  range: { organizationId: string; bucket: Uuid; from: Uuid; to: Uuid }
  mails: BatchMails
  /** Estimated characters of a mail of the longest content. */
  mailCharacters: number
  /** Limit of mails of a claim. */
  claimSize: number
  /** Room for rendered mails of this chunk. */
  room: Room
  flights: Flights
  askAgainMs: number
  /** Queued rows as far as the chunk knows. At 0 it counts them again. */
  queued: number
  /** Limit of rows of the next claim (`mostNext`). */
  most: number
  /** The provider has not accepted a mail of this sender yet. */
  isUntried: boolean
  /** Milliseconds of waiting for permits since the last outcome. */
  waitedMs: number
  /** Time of the next request for permits, on the scale of `performance.now()`. */
  askAt: number
  /** Set: the chunk makes no more claims and returns this. */
  result: SendChunkResult | undefined
}

interface Claim {
  id: Uuid
  recipients: Recipient[]
  /** Time of the claim by the clock of Postgres. */
  claimedAt: string
  /** Time before the claim, on the scale of `performance.now()`. */
  startedAt: number
}

/** Limit of rows of the next claim. */
const mostOfClaim = ({ most, queued, flights, isUntried }: Chunk, mostMails: number): number => {
  // The first claim of a sender is small, so that a refused sender costs few calls.
  const mostOfSender = isUntried ? MOST_SENDER_REFUSALS : most
  return Math.min(mostOfSender, most, queued, flights.room(), mostMails)
}

/** Updates `Chunk.most`: few rows after mails that were too slow to render or too long. */
const mostNext = ({ most, claimSize }: Chunk, claimed: number, notBegun: number): number =>
  Math.min(claimSize, notBegun === 0 ? 2 * most : Math.max(1, 2 * (claimed - notBegun)))

const pending = (recipients: Recipient[], jobs: readonly JobSource[]): Pending[] =>
  recipients.map(({ id }, index) => ({ id, job: jobs[index] ?? Promise.resolve(undefined) }))
