import type { Uuid } from '../../runtime/ids.ts'
import type { Flow, FlowSummary } from '../../schemas/flows/flow.ts'
import type { Executor } from '../../store/db/sql.ts'
import * as flowCounters from '../../store/flows/counters.ts'
import type { FlowRow, WholeFlow } from '../../store/flows/flows.ts'
import { wireOf } from './draft.ts'

const NONE = { started: 0, completed: 0, failed: 0, cancelled: 0, dropped: 0 }

export async function summariesOf(
  sql: Executor,
  organizationId: Uuid,
  rows: readonly FlowRow[],
): Promise<FlowSummary[]> {
  const ids = rows.map(({ id }) => id)
  const counters = await flowCounters.read(sql, organizationId, ids)
  return rows.map((row) => {
    const stats = counters.get(row.id) ?? NONE
    const over = stats.completed + stats.failed + stats.cancelled
    return {
      id: row.id,
      slug: row.slug,
      name: row.name,
      description: row.description,
      enabled: row.enabled,
      version: row.version,
      triggerType: row.triggerType,
      stats: { ...stats, live: Math.max(0, stats.started - over) },
      createdAt: row.createdAt,
      updatedAt: row.updatedAt,
      pushedAt: row.pushedAt,
      scheduleFailure: failureOf(row),
    }
  })
}

const failureOf = ({ scheduleFailedFor: scheduledFor, scheduleFailure: reason }: FlowRow) =>
  scheduledFor === null || reason === null ? null : { scheduledFor, reason }

export async function viewOf(sql: Executor, organizationId: Uuid, flow: WholeFlow): Promise<Flow> {
  const [summary] = await summariesOf(sql, organizationId, [flow])
  if (!summary) throw new Error('a flow has a summary')
  return { ...summary, ...wireOf(flow.definition) }
}
