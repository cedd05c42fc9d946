import { ApplicationFailure } from '@temporalio/activity'
import { chunkSize } from '../src/domain/batch.ts'
import type { Timings } from '../src/domain/timings.ts'
import * as batchRuns from '../src/store/batch-runs.ts'
import * as partitions from '../src/store/partitions.ts'
import * as senders from '../src/store/senders.ts'
import type { Sql } from '../src/store/sql.ts'
import type { SendPlan } from '../workflows/contract.ts'
import type { Verifier } from './mailer.ts'
import { verifySender } from './verify-connection.ts'

/**
 * Contacts per transaction. Slow storage must do a page well within the statement timeout, and a
 * DELETE waits for it; who was created after the first page began is not in a later one either.
 */
const FREEZE_PAGE = 500_000
/**
 * Chunk activities of one batch in flight: enough to hide latency, too few to starve other batches.
 */
const WINDOW = 4
/** An unverified connection is looked at again before a send, at most this often. */
const VERIFY_EVERY_MS = 60_000

const OPEN = ['queued', 'scheduled', 'processing']

export interface BatchDeps {
  sql: Sql
  verifier: Verifier
  timings: Timings
  freezePage?: number
}

export type Begun =
  | { kind: 'go' }
  | { kind: 'wait'; until: number }
  /** Cancelled, finished or taken over by another attempt: nothing to do. */
  | { kind: 'ended'; status: string }

export function createBatchActivities({
  sql,
  verifier,
  timings,
  freezePage = FREEZE_PAGE,
}: BatchDeps) {
  return {
    /**
     * Decides whether a batch is to be sent now, later or not at all. Fails a batch without a
     * sender.
     */
    beginBatch: async (run: batchRuns.Run): Promise<Begun> => {
      const batch = await batchRuns.find(sql, run)
      if (!batch) return { kind: 'ended', status: 'superseded' }
      if (!OPEN.includes(batch.status)) return { kind: 'ended', status: batch.status }
      const dueAt = batch.scheduledFor === null ? 0 : Date.parse(batch.scheduledFor)
      if (batch.status === 'scheduled' && dueAt > Date.now()) return { kind: 'wait', until: dueAt }

      const sender = await senders.find(sql, run.organizationId, batch.connectionId)
      const refusal = await senderRefusal(sender)
      if (refusal !== undefined) {
        await batchRuns.fail(sql, run, refusal)
        return { kind: 'ended', status: 'failed' }
      }
      if (batch.status === 'scheduled') await batchRuns.startScheduled(sql, run)
      return { kind: 'go' }
    },

    /** Freezes one page of the audience; undefined when the batch is no longer to be frozen. */
    freezeAudience: async (run: batchRuns.Run): Promise<{ plan?: SendPlan } | undefined> => {
      const batch = await batchRuns.find(sql, run)
      const sender = batch && (await senders.find(sql, run.organizationId, batch.connectionId))
      const size = batch?.chunkSize ?? chunkSize(sender?.maxSendRate ?? 1)
      const frozen = await batchRuns.freezePage(sql, {
        ...run,
        pageSize: freezePage,
        chunkSize: size,
      })
      if (!frozen) return undefined
      if (!frozen.complete) return {}
      await partitions.analyzeLedger(sql, frozen.bucket)
      return {
        plan: { total: frozen.total, chunkSize: size, window: WINDOW, passMs: timings.passMs },
      }
    },

    /** `processing → completed` when the ledger adds up. False: rows are open, look again. */
    completeBatch: async (run: batchRuns.Run): Promise<boolean> => {
      const result = await batchRuns.complete(sql, run)
      if (result.completed || result.status !== 'processing') return true
      const { rows, counters } = result
      if (rows && rows.queued + rows.claimed + rows.unknown === 0) {
        throw ApplicationFailure.create({
          message: 'The ledger of the batch does not add up',
          type: 'LedgerMismatch',
          details: [rows, counters],
        })
      }
      return false
    },

    failBatch: async (run: batchRuns.Run, reason: string): Promise<void> => {
      await batchRuns.fail(sql, run, reason)
    },
  }

  /** Why nothing can be sent through this connection; undefined when it can. */
  async function senderRefusal(sender: senders.Sender | undefined): Promise<string | undefined> {
    if (!sender || sender.disconnected) return 'disconnected'
    if (sender.isVerified) return undefined
    if (sender.verifiedAgoMs !== null && sender.verifiedAgoMs < VERIFY_EVERY_MS) {
      return sender.verificationError ?? 'not_verified'
    }
    const verdict = await verifySender(sql, verifier, sender)
    return verdict.kind === 'verified' ? undefined : verdict.error
  }
}
