import type { Client } from '@temporalio/client'
import { admitWithinLimit } from '../core/flows/concurrency.ts'
import { countOutboxMessage } from '../runtime/metrics.ts'
import * as outbox from '../store/platform/outbox.ts'
import type { Sql } from '../store/db/sql.ts'
import { FIRST_TURN } from '../store/db/turns.ts'
import { deliver, subjectsOf } from './deliveries.ts'
import type { Fairness } from './flow-schedules.ts'
import { type Log, startLoop } from './loop.ts'
import type { WorkNotices } from './work-notices.ts'

/**
 * Rows of a round, which are delivered at once. Other calls of Temporal wait behind starts of
 * executions, and more of those at once would not start any sooner.
 */
const ROWS: Record<outbox.OutboxLane, number> = { executions: 16, wakes: 16, others: 50 }
const LEASE_MS = 30_000
const IDLE_MS = 100
const LONGEST_WAIT_MS = 60_000

interface Deps extends Fairness {
  sql: Sql
  temporal: Client
  log: Log
  notices?: WorkNotices | undefined
}

/**
 * Loops of each lane. A crowd of executions has two: while one leases its next messages, Temporal
 * works on those of the other.
 */
const LOOPS: Record<outbox.OutboxLane, number> = { executions: 2, wakes: 1, others: 1 }

/**
 * Delivers the outbox's messages: starts, signals and cancels workflows. No transaction is open
 * while Temporal is called. A relay that dies leaves its messages to the next one, and every
 * delivery is safe to repeat, since a workflow's id identifies its start.
 */
export function startOutboxRelay(deps: Deps): { stop(): Promise<void> } {
  const loops = outbox.LANES.flatMap((lane) =>
    Array.from({ length: LOOPS[lane] }, () => {
      let after = FIRST_TURN
      return startLoop({
        name: `outbox-relay-${lane}`,
        idleMs: IDLE_MS,
        log: deps.log,
        notices: deps.notices,
        channel: 'outbox',
        round: async () => {
          const options = { limit: ROWS[lane], leaseMs: LEASE_MS, after }
          const leased = await outbox.lease(deps.sql, lane, options)
          after = leased.after
          await deliverAll(deps, leased.messages)
          return leased.messages.length > 0
        },
      })
    }),
  )
  return {
    stop: async () => {
      await Promise.all(loops.map((loop) => loop.stop()))
    },
  }
}

async function deliverAll(
  { sql, temporal, log, isFair = true }: Deps,
  rows: readonly outbox.LeasedMessage[],
): Promise<void> {
  if (rows.length === 0) return
  const starting = await admitWithinLimit(sql, rows.flatMap(attemptOf))
  const subjects = await subjectsOf(sql, rows)
  const delivered: outbox.LeasedMessage[] = []
  const failed: (outbox.LeasedMessage & { error: string; waitMs: number })[] = []
  await Promise.all(
    rows.map(async (row) => {
      try {
        const isObsolete = row.kind === 'start_execution' && !starting.has(row.payload.executionId)
        if (!isObsolete) await deliver({ sql, temporal, subjects, isFair }, row)
        delivered.push(row)
        countOutboxMessage(row.kind, 'delivered')
      } catch (error) {
        countOutboxMessage(row.kind, 'failed')
        const message = error instanceof Error ? error.message : String(error)
        const waitMs = Math.min(LONGEST_WAIT_MS, 200 * 2 ** Math.min(row.attempts, 10))
        // A line for each reason of a round: while Temporal is away all of them have the same.
        const isLogged = failed.some((each) => each.error === message)
        failed.push({ ...row, error: message, waitMs })
        if (isLogged) return
        const { kind, attempts, requestId } = row
        log.warn(
          { kind, attempts, reqId: requestId, err: error },
          'outbox message failed, will retry',
        )
      }
    }),
  )
  await outbox.markDelivered(sql, delivered)
  await outbox.postpone(sql, failed)
}

const attemptOf = ({ organizationId, ...row }: outbox.LeasedMessage) =>
  row.kind === 'start_execution' ? [{ organizationId, ...row.payload }] : []
