import type { StartKind } from '../../workflows/contract.ts'
import type { Uuid } from '../runtime/ids.ts'
import * as connections from '../store/accounts/connections.ts'
import * as notices from '../store/accounts/notices.ts'
import * as confirmations from '../store/consent/confirmations.ts'
import * as importPages from '../store/contacts/import-pages.ts'
import * as imports from '../store/contacts/imports.ts'
import type { Sql } from '../store/db/sql.ts'
import * as flowSchedules from '../store/flows/schedules.ts'
import * as outbox from '../store/platform/outbox.ts'
import type { OutboxMessage } from '../store/platform/outbox.ts'
import * as erasures from '../store/privacy/erasures.ts'
import { startedWorkflowId } from './deliveries.ts'
import {
  type Outcome,
  type ReconcilerDeps,
  type RunOwner,
  startRunReconciler,
} from './run-reconciler.ts'

const PAGE = 200
/** Delay below which a confirmation counts as being processed. */
const LATE_MS = 60_000

interface OpenRow {
  organizationId: Uuid
  message: OutboxMessage<StartKind>
}

/** A kind of rows without attempts: any new run continues a row at its position. */
interface OpenRows<Cursor> {
  name: string
  nextPage: (
    sql: Sql,
    after: Cursor | undefined,
  ) => Promise<{ page: OpenRow[]; next: Cursor | undefined }>
  /** Effect of an operator's stop of the run. Absent: none, and the work goes on. */
  stop?: (sql: Sql, row: OpenRow) => Promise<boolean>
}

type List = (
  sql: Sql,
  after: Uuid | undefined,
  limit: number,
) => PromiseLike<{ organizationId: Uuid; id: Uuid }[]>

const byId =
  (list: List, messageOf: (id: Uuid) => OutboxMessage<StartKind>) =>
  async (sql: Sql, after: Uuid | undefined) => {
    const rows = await list(sql, after, PAGE)
    return {
      page: rows.map(({ organizationId, id }) => ({ organizationId, message: messageOf(id) })),
      next: rows.length < PAGE ? undefined : rows.at(-1)?.id,
    }
  }

/** An erasure was promised to a person, so it goes on whatever happens to its runs. */
export const ERASURES: OpenRows<Uuid> = {
  name: 'erasure',
  nextPage: byId(erasures.listOpen, (erasureId) => ({
    kind: 'start_erasure',
    payload: { erasureId },
  })),
}

/** A terminated import has failed. A cancelled one fails by itself, since its run notices. */
export const IMPORTS: OpenRows<Uuid> = {
  name: 'import',
  nextPage: byId(imports.listOpen, (importId) => ({ kind: 'start_import', payload: { importId } })),
  stop: async (sql, { organizationId, message }) => {
    if (message.kind !== 'start_import') return false
    const run = { organizationId, ...message.payload }
    return (await importPages.fail(sql, run, 'stopped_by_operator')).count > 0
  },
}

export const NOTICES: OpenRows<Uuid> = {
  name: 'notice',
  nextPage: byId(notices.listOpen, (noticeId) => ({ kind: 'send_notice', payload: { noticeId } })),
}

/** After the first check, whatever its outcome, the hourly sweep repeats it. */
export const CONNECTIONS: OpenRows<Uuid> = {
  name: 'connection',
  nextPage: byId(connections.listUnchecked, (connectionId) => ({
    kind: 'verify_connection',
    payload: { connectionId },
  })),
}

/**
 * Confirmations whose mail, reminder or end is overdue. Between these a run only sleeps, and a lost
 * one is not missed.
 */
export const CONFIRMATIONS: OpenRows<confirmations.OverdueCursor> = {
  name: 'confirmation',
  nextPage: async (sql, after) => {
    const rows = await confirmations.listOverdue(sql, { lateMs: LATE_MS, after, limit: PAGE })
    const messages = new Map<string, OpenRow>()
    for (const { organizationId, contactId, topicId, generation, cohort } of rows) {
      const message: OutboxMessage<'start_confirmation' | 'start_cohort'> =
        cohort === null
          ? { kind: 'start_confirmation', payload: { contactId, topicId, generation } }
          : { kind: 'start_cohort', payload: { cohort } }
      messages.set(startedWorkflowId(message), { organizationId, message })
    }
    return {
      page: [...messages.values()],
      next: rows.length < PAGE ? undefined : rows.at(-1),
    }
  },
}

/** A terminated moment starts no further contact, and the flow shows it. */
export const MOMENTS: OpenRows<Uuid> = {
  name: 'schedule moment',
  nextPage: async (sql, after) => {
    const rows = await flowSchedules.listFiring(sql, after, PAGE)
    return {
      page: rows.map(({ organizationId, ...payload }) => ({
        organizationId,
        message: { kind: 'fire_schedule', payload },
      })),
      next: rows.length < PAGE ? undefined : rows.at(-1)?.flowId,
    }
  },
  stop: async (sql, { organizationId, message }) => {
    if (message.kind !== 'fire_schedule') return false
    const moment = { organizationId, ...message.payload }
    return (await flowSchedules.recordFailure(sql, moment, 'stopped_by_operator')).count > 0
  },
}

/**
 * Starts runs again for rows whose run Temporal lost or an operator terminated. A new run reads its
 * row first, so a superfluous one changes nothing.
 */
export function startOpenRowReconcilers(deps: ReconcilerDeps): { stop(): Promise<void> } {
  const loops = [
    startRunReconciler(deps, openRowRuns(deps, ERASURES)),
    startRunReconciler(deps, openRowRuns(deps, IMPORTS)),
    startRunReconciler(deps, openRowRuns(deps, NOTICES)),
    startRunReconciler(deps, openRowRuns(deps, CONNECTIONS)),
    startRunReconciler(deps, openRowRuns(deps, CONFIRMATIONS)),
    startRunReconciler(deps, openRowRuns(deps, MOMENTS)),
  ]
  return {
    stop: async () => {
      await Promise.all(loops.map((loop) => loop.stop()))
    },
  }
}

/** Returns the rules by which rows of a kind are reconciled with their runs. */
export function openRowRuns<Cursor>(
  { sql }: { sql: Sql },
  { name, nextPage, stop }: OpenRows<Cursor>,
): RunOwner<OpenRow, Cursor> {
  const start = async ({ organizationId, message }: OpenRow): Promise<Outcome> => {
    await outbox.put(sql, organizationId, message, undefined)
    return 'started'
  }
  return {
    name,
    idsOf: ({ message }) => message.payload,
    workflowIdOf: ({ message }) => startedWorkflowId(message),
    nextPage: async (after) => {
      const { page, next } = await nextPage(sql, after)
      // Read before Temporal is asked: a start that is no longer in the outbox has been made.
      const waiting = await outbox.listWaiting(
        sql,
        page.map(({ message }) => message),
      )
      const starting = new Set(waiting.map((message) => startedWorkflowId(message)))
      return { page: page.filter(({ message }) => !starting.has(startedWorkflowId(message))), next }
    },
    stop: async (row) => {
      if (stop === undefined) return start(row)
      return (await stop(sql, row)) ? 'stopped' : 'kept'
    },
    restart: start,
    replace: start,
  }
}
