import { awaitOutcomes } from '../../src/core/batches/complete-batch.ts'
import { Context } from '@temporalio/activity'
import { MOST_SENDER_REFUSALS } from '../../src/domain/batches/breaker.ts'
import { askAgainMs } from '../../src/domain/batches/permits.ts'
import type { Timings } from '../../src/domain/delivery/timings.ts'
import { batchRowId, type Uuid, uuidv7 } from '../../src/runtime/ids.ts'
import { countClaim, countMails } from '../../src/runtime/metrics.ts'
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
 * Chunks that a process runs at once. One that waits for its account costs a timer: what a process
 * does at once is bounded by what it holds. While most slots are taken, chunks that wait soon give
 * theirs back.
 */
export const CHUNK_SLOTS = 500
const CROWDED_SHARE = 0.75
/** Mails per claim: all of them are in doubt if this process dies. */
const CLAIM_SIZE = 100
/** Mails of one chunk whose calls have begun and are not written yet. */
const MOST_IN_FLIGHT = 200
/**
 * Characters of rendered mail of one chunk. Long templates go in small claims from the start; that
 * short ones make long mails shows when the first are made.
 */
const CLAIM_CHARACTERS = 2_000_000
/** Characters of mails that a process has in flight, and of contents of its chunks. */
const HELD_CHARACTERS = 24_000_000
const CONTENT_CHARACTERS = 32_000_000
/** A chunk looks again after about so long whether others have let go of what it needs. */
const HELD_POLL_MS = 50
const CONTENT_PAUSE_MS = 2_000
/**
 * A chunk of an organization that renders apart gives its slot to another for about so long, while
 * a mail of the organization is rendered.
 */
const RENDERING_PAUSE_MS = 3_000
/**
 * A chunk that cannot go on for this long gives its slot to another: a task of Temporal costs as
 * much as a hundred seconds of beats, so it is soon only where others may wait for the slot.
 */
const LONGEST_WAIT_MS = 30_000
const LONGEST_WAIT_CROWDED_MS = 1_000

export interface SendChunkDeps {
  sql: Sql
  /**
   * Its own small pool whose statements end after a second: a later claim would be too late to
   * call.
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
  /** Of claims, by the lengths of their contents: how long their mails are shows later. */
  const heldMails = createHeldBytes(HELD_CHARACTERS)
  const heldContents = createHeldBytes(CONTENT_CHARACTERS)
  const roomOfAll = createRoom(HELD_CHARACTERS)
  /** Chunks of this process. */
  let running = 0
  const longestWaitMs = () =>
    running > slots * CROWDED_SHARE ? LONGEST_WAIT_CROWDED_MS : LONGEST_WAIT_MS

  /**
   * Sends the queued rows of one range of a batch: permits, then claim, then call, then results.
   * Claims are made one after the other as permits come. Their calls are not waited for, so as many
   * are in flight as rate and latency need.
   *
   * Safe to run twice at once: the claim decides who mails whom. Safe to kill anywhere: what was
   * claimed is decided by its lease and by the provider's events.
   *
   * States of a chunk that runs, and what leads out of each:
   * - *counting*: queued rows lead to *asking*. Without any the chunk ends: `done`, or, while the
   *   outcome of a row is still open, `waiting` or `open`.
   * - *asking* for permits: a grant leads to *claiming*. A short wait leads back to *asking*, a
   *   long one ends the chunk (`paused`). A batch that is paused ends it too (`held`).
   * - *claiming*: claimed rows are in flight. The chunk asks for the next ones, or counts again
   *   where it found fewer rows than it had permits for.
   * - *landing*: no claim may be made beside those in flight, which are as many or as large as may
   *   be, all that is known of the range, or the first of a sender. The end of one leads out.
   * - *over*: a claim or a call found a reason to end (`Chunk.result`). Nothing leads out.
   *
   * A chunk returns after the results of all its calls are written.
   */
  return async function sendChunk(input: SendChunkInput): Promise<SendChunkResult> {
    running++
    try {
      return await sendRange(input)
    } finally {
      running--
    }
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
      mails: mailsOf({ organizationId, batchId, batch, variants }),
      mailCharacters: Math.max(...sizes) + 1,
      room: createRoom(CLAIM_CHARACTERS, roomOfAll),
      flights: createFlights(MOST_IN_FLIGHT),
      askAgainMs: askAgainMs(
        Math.min(sender.maxSendRate ?? 1, batch.throttlePerSecond ?? Infinity),
      ),
      queued: 0,
      most: CLAIM_SIZE,
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
      // Also when a claim failed: the results of those before are written.
      await chunk.flights.landed().finally(() => contents.resize(0))
    }
  }

  /** Makes one claim after the other until the range has none left or nothing can be sent. */
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

  /** Whether the chunk waits for calls under way before it makes another claim. */
  function mustLand({ flights, queued, isUntried }: Chunk): boolean {
    if (flights.isEmpty()) return false
    return flights.room() === 0 || queued === 0 || isUntried || heldMails.isFull()
  }

  /** The result where nothing of the range is queued any more. */
  async function resultOfOpen(
    input: SendChunkInput,
    { claimed, inDoubt }: { claimed: number; inDoubt: number },
  ): Promise<SendChunkResult> {
    if (claimed + inDoubt === 0) return { kind: 'done' }
    const status = await awaitOutcomes(sql, input, timings)
    return status === 'processing' && claimed > 0 ? { kind: 'open' } : OUTCOMES_AWAITED[status]
  }

  /** Makes one claim if there are permits for it. Returns the chunk's result if it ends here. */
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
    const part = heldMails.take(CLAIM_CHARACTERS)
    const release = () => {
      turn.end()
      part.resize(0)
    }
    let isCalled = false
    try {
      const { wanted, grant } = await askPermits(chunk, part.given, turn.mostMails)
      if (grant.granted === 0) return await waitForPermits(chunk, grant)
      // A chunk that gets all it asks for asks again at once.
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

  /** Asks for permits of one claim that holds so many characters. */
  async function askPermits(chunk: Chunk, characters: number, mostMails: number) {
    const wanted = Math.min(
      Math.max(1, Math.floor(characters / chunk.mailCharacters)),
      chunk.most,
      chunk.queued,
      chunk.flights.room(),
      mostMails,
      // Until one is accepted few are tried at once: no whole claim is of a refused sender.
      chunk.isUntried ? MOST_SENDER_REFUSALS : CLAIM_SIZE,
    )
    return { wanted, grant: await takePermits(sql, chunk, wanted) }
  }

  /** Waits until it makes sense to ask again; the result of the chunk where that is too long. */
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
    // Where that is for its quota, the batch says so.
    if (pausedReason === 'daily_quota') await batchRuns.noteQuotaAwaited(sql, chunk.input, waitMs)
    return paused(waitMs, pausedReason ?? 'rate')
  }

  /** Claims as many rows as there are permits for. Undefined: there is nobody to mail. */
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
    const found = recipients.length + skipped
    // Others hold the rest, or nothing is left: the range is counted again.
    chunk.queued = found < granted ? 0 : Math.max(0, chunk.queued - found)
    if (!live) {
      const sender = await senders.find(sql, organizationId, connectionId)
      chunk.result = resultOfDeadClaim(sender, await batchRuns.find(sql, input))
    }
    return recipients.length === 0 ? undefined : { id, recipients, claimedAt, startedAt }
  }

  /** Calls for all that was claimed, and writes the results. */
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
    chunk.most = mostNext(chunk.most, results.length, verdict.notBegun)
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

/** Mails of compiled contents are made without the threads, so they wait for no turn. */
const NO_TURN = { mostMails: Infinity, end: () => {} }

/** One range of a batch that is being sent, and what its claims found out for the next ones. */
interface Chunk {
  input: SendChunkInput
  batch: NonNullable<Awaited<ReturnType<typeof batchRuns.context>>>
  sender: senders.SendingConnection
  range: { organizationId: string; bucket: Uuid; from: Uuid; to: Uuid }
  mails: BatchMails
  /** Of the longest content. */
  mailCharacters: number
  /** Of its mails as they turned out. */
  room: Room
  flights: Flights
  askAgainMs: number
  /** Rows that are still queued, as far as this chunk knows; at 0 they are counted again. */
  queued: number
  /** As many could be made and called by the last claim, and some more. */
  most: number
  /** Nothing was accepted from this sender yet. */
  isUntried: boolean
  /** For permits, since something was sent. */
  waitedMs: number
  /** When permits are asked for again, on `performance.now()`'s scale. */
  askAt: number
  /** Why no more claims are made. */
  result: SendChunkResult | undefined
}

interface Claim {
  id: Uuid
  recipients: Recipient[]
  /** By the clock of Postgres. */
  claimedAt: string
  /** On `performance.now()`'s scale. */
  startedAt: number
}

/** Rows of the next claim: few after mails that took too long to make or were too long. */
const mostNext = (most: number, claimed: number, notBegun: number): number =>
  notBegun === 0 ? Math.min(2 * most, CLAIM_SIZE) : Math.max(1, 2 * (claimed - notBegun))

const pending = (recipients: Recipient[], jobs: readonly JobSource[]): Pending[] =>
  recipients.map(({ id }, index) => ({ id, job: jobs[index] ?? Promise.resolve(undefined) }))
