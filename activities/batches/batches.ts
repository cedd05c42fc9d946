import { completeBatch } from '../../src/core/batches/complete-batch.ts'
import { freezePage } from '../../src/core/batches/freeze-audience.ts'
import { ApplicationFailure } from '@temporalio/activity'
import { type BatchReport, chunkSize, chunksInFlight } from '../../src/domain/batches/batch.ts'
import type { Timings } from '../../src/domain/delivery/timings.ts'
import { decideTest, type TestState } from '../../src/core/batches/ab-test.ts'
import { firstTime } from '../../src/core/batches/local-times.ts'
import * as batchParts from '../../src/store/batches/batch-parts.ts'
import * as batchRuns from '../../src/store/batches/batch-runs.ts'
import * as partitions from '../../src/store/db/partitions.ts'
import * as senders from '../../src/store/accounts/senders.ts'
import type { Sql } from '../../src/store/db/sql.ts'
import type { SendPart, SendPlan } from '../../workflows/contract.ts'
import type { Verifier } from '../mailer.ts'
import { verifySender } from '../accounts/verify-connection.ts'

/**
 * Contacts per transaction. Slow storage must finish a page well within the statement timeout, and
 * a DELETE waits for it. Contacts created after the start of the first page are in no later page.
 */
const FREEZE_PAGE = 500_000
/** Rates above this one make no difference to the size of chunks. */
const MOST_PER_SECOND = 10_000
/** An unverified connection is looked at again before a send, at most this often. */
const VERIFY_EVERY_MS = 60_000

const GONE: BatchReport = {
  status: 'superseded',
  reason: null,
  frozen: 0,
  sent: 0,
  failed: 0,
  skipped: 0,
  cancelled: 0,
  unknown: 0,
}
const OPEN = ['queued', 'scheduled', 'processing']

export interface BatchDeps {
  sql: Sql
  verifier: Verifier
  timings: Timings
  freezePage?: number
}

export type BatchStart =
  /** `status`: the batch's time has come, and the API shows this status. */
  | { kind: 'go'; status?: 'processing' }
  /** Waits for `waitMs`. `until` (milliseconds since 1970) is for earlier workflows. */
  | { kind: 'wait'; waitMs?: number; until: number }
  /** The batch is paused until somebody resumes it. */
  | { kind: 'held' }
  /** The batch is over, or another attempt has it: there is nothing to do. */
  | { kind: 'ended'; status: string }

const toPart = ({
  from,
  to,
  sendAt,
  isTest,
}: Awaited<ReturnType<typeof batchParts.list>>[number]): SendPart => ({
  from,
  to,
  sendAt: Date.parse(sendAt),
  ...(isTest ? { isTest } : {}),
})

export function createBatchActivities({
  sql,
  verifier,
  timings,
  freezePage: pageSize = FREEZE_PAGE,
}: BatchDeps) {
  return {
    /**
     * Decides whether a batch is to be sent now, later or not at all. Fails a batch without a
     * sender.
     */
    beginBatch: async (run: batchRuns.Run): Promise<BatchStart> => {
      const batch = await batchRuns.find(sql, run)
      if (!batch) return { kind: 'ended', status: 'superseded' }
      if (!OPEN.includes(batch.status)) return { kind: 'ended', status: batch.status }
      if (batch.isPaused) return { kind: 'held' }
      if (batch.status === 'scheduled') {
        const now = Date.parse(batch.now)
        const until = await firstTime(sql, run.organizationId, batch, now)
        if (until > now) return { kind: 'wait', waitMs: until - now, until }
      }

      const sender = await senders.find(sql, run.organizationId, batch.connectionId)
      const refusal = await senderRefusal(sender)
      if (refusal !== undefined) {
        await batchRuns.fail(sql, run, refusal)
        return { kind: 'ended', status: 'failed' }
      }
      if (batch.status !== 'scheduled') return { kind: 'go' }
      const isStarted = await batchRuns.startScheduled(sql, run, batch)
      // Else it was paused or changed since it was read: it is looked at again.
      return isStarted
        ? { kind: 'go', status: 'processing' }
        : { kind: 'wait', waitMs: 0, until: 0 }
    },

    /** Freezes one page of the audience; undefined when the batch is no longer to be frozen. */
    freezeAudience: async (run: batchRuns.Run): Promise<{ plan?: SendPlan } | undefined> => {
      const batch = await batchRuns.find(sql, run)
      const sender = batch && (await senders.find(sql, run.organizationId, batch.connectionId))
      const rate = Math.min(sender?.maxSendRate ?? 1, batch?.throttlePerSecond ?? MOST_PER_SECOND)
      const size = batch?.chunkSize ?? chunkSize(rate)
      const frozen = await freezePage(sql, {
        ...run,
        pageSize,
        chunkSize: size,
      })
      if (!frozen) return undefined
      if (!frozen.complete) return {}
      await partitions.analyzeLedger(sql, frozen.bucket)
      const parts = await batchParts.list(sql, run)
      return {
        plan: {
          total: frozen.total,
          chunkSize: size,
          window: chunksInFlight(rate),
          passMs: timings.passMs,
          ...(parts.length === 0 ? {} : { parts: parts.map(toPart) }),
        },
      }
    },

    /** `processing → completed` when the ledger adds up. False: rows are open, look again. */
    completeBatch: async (run: batchRuns.Run): Promise<boolean> => {
      const result = await completeBatch(sql, run)
      if (result.completed || result.status !== 'processing') return true
      const { rows, counters } = result
      if (rows && rows.queued > 0) {
        // A run completes a batch that it has sent: its rows are those of before, from a backup.
        throw ApplicationFailure.create({
          message: 'The run is ahead of the batch: another begins where the rows stand',
          type: 'RunAhead',
          nonRetryable: true,
          category: 'BENIGN',
        })
      }
      if (rows && rows.claimed + rows.unknown === 0) {
        throw ApplicationFailure.create({
          message: 'The ledger of the batch does not add up',
          type: 'LedgerMismatch',
          details: [rows, counters],
        })
      }
      return false
    },

    /** Decides an A/B test whose share has been mailed, or says how long to wait for that. */
    decideTest: (run: batchRuns.Run): Promise<TestState> => decideTest(sql, run),

    failBatch: async (run: batchRuns.Run, reason: string): Promise<void> => {
      await batchRuns.fail(sql, run, reason)
    },

    /** Result of the batch when its run ends. */
    reportBatch: async (run: batchRuns.Run): Promise<BatchReport> =>
      (await batchRuns.report(sql, run)) ?? GONE,
  }

  /** Returns the reason why nothing can be sent through this connection. */
  async function senderRefusal(
    sender: senders.SendingConnection | undefined,
  ): Promise<string | undefined> {
    if (!sender || sender.disconnected) return 'disconnected'
    if (sender.isVerified) return undefined
    if (sender.verifiedAgoMs !== null && sender.verifiedAgoMs < VERIFY_EVERY_MS) {
      return sender.verificationError ?? 'not_verified'
    }
    const verdict = await verifySender(sql, verifier, sender)
    return verdict.kind === 'verified' ? undefined : verdict.error
  }
}
