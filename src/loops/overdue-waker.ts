import type { Uuid } from '../runtime/ids.ts'
import type { Sql } from '../store/db/sql.ts'
import type { Cursor } from '../store/flows/held-executions.ts'
import * as overdue from '../store/flows/overdue.ts'
import * as outbox from '../store/platform/outbox.ts'
import * as liveBatches from '../store/batches/live-batches.ts'
import { type Log, startLoop } from './loop.ts'

/** Delay below which a row counts as being processed. */
const LATE_MS = 60_000
const EVERY_MS = 20_000
/** Executions of one page. Most of those without progress wait for the outcome of a mail. */
const EXECUTIONS = 500
const BATCHES = 200
/** Wait after a wake-up without effect, for example because there are too few workers. */
const AGAIN_MS = 300_000

interface Deps {
  sql: Sql
  log: Log
  everyMs?: number
}

/**
 * Wakes runs that sleep although the time of their row has passed. After Postgres was restored from
 * a backup a run may be ahead of its row, asleep until a time that the row knows nothing of: woken,
 * it reads its row again. One that is not there any more is started again by the reconcilers.
 */
export function startOverdueWaker({ sql, log, everyMs = EVERY_MS }: Deps): {
  stop(): Promise<void>
} {
  let cursor: OverdueCursor = {}
  const wokenAt = new Map<Uuid, number>()
  return startLoop({
    name: 'overdue-waker',
    idleMs: everyMs,
    log,
    round: async () => {
      const now = performance.now()
      for (const [id, at] of wokenAt) if (now - at > AGAIN_MS) wokenAt.delete(id)
      const round = await findOverdue(sql, cursor, LATE_MS)
      const asleep = round.overdue.filter(({ id }) => !wokenAt.has(id))
      for (const { id } of asleep) wokenAt.set(id, now)
      await outbox.putEach(sql, asleep)
      if (asleep.length > 0) log.warn({ runs: asleep.length }, 'overdue runs were woken')
      cursor = round.cursor
      return false
    },
  })
}

/** Position of the next page. Undefined: the start. */
interface OverdueCursor {
  execution?: Cursor | undefined
  batch?: Uuid | undefined
}

interface Wake {
  id: Uuid
  organizationId: Uuid
  message: outbox.OutboxMessage<'wake_execution' | 'wake_batch'>
}

export async function findOverdue(
  sql: Sql,
  cursor: OverdueCursor,
  lateMs: number,
): Promise<{ overdue: Wake[]; cursor: OverdueCursor }> {
  const executions = await overdue.listStill(sql, {
    lateMs,
    after: cursor.execution,
    limit: EXECUTIONS,
  })
  const awaited = executions.flatMap(({ organizationId, mailId: id }) =>
    id === null ? [] : [{ organizationId, id }],
  )
  const openMails = await overdue.listOpenMails(sql, awaited)
  const unbegun = executions.filter(({ isUnbegun }) => isUnbegun).map(({ id }) => id)
  const starting = await outbox.listPending(sql, 'start_execution', unbegun)
  const isLate = ({ id, isDue, hasTime, mailId }: overdue.StillExecution) =>
    isDue || (!hasTime && !starting.has(id) && (mailId === null || !openMails.has(mailId)))
  const batches = await liveBatches.listOverdue(sql, {
    lateMs,
    after: cursor.batch,
    limit: BATCHES,
  })
  return {
    overdue: [
      ...executions.filter(isLate).map(({ organizationId, id }) => ({
        id,
        organizationId,
        message: { kind: 'wake_execution', payload: { executionId: id } } as const,
      })),
      ...batches.map(({ organizationId, id, attempt }) => ({
        id,
        organizationId,
        message: { kind: 'wake_batch', payload: { batchId: id, attempt } } as const,
      })),
    ],
    cursor: {
      execution: executions.length < EXECUTIONS ? undefined : executions.at(-1),
      batch: batches.length < BATCHES ? undefined : batches.at(-1)?.id,
    },
  }
}
