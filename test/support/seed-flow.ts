import { type ExecutionStatus, LIVE_STATUSES } from '../../src/domain/flows/execution.ts'
import type { Definition, Settings, Step, Trigger } from '../../src/domain/flows/flow.ts'
import { bucketStart, type Uuid, uuidv7 } from '../../src/runtime/ids.ts'
import type { Json, Sql } from '../../src/store/db/sql.ts'

export interface FlowSeed {
  trigger?: Trigger
  settings?: Partial<Settings>
  steps?: Step[]
  enabled?: boolean
  name?: string
}

const EXIT: Step = { id: 'exit', type: 'exit', name: 'Exit', config: { outcome: 'completed' } }

export const SETTINGS: Settings = {
  allowReentry: false,
  reentryDelaySeconds: 0,
  maxConcurrentExecutions: null,
  contactCooldownSeconds: 0,
  exitOn: { events: [] },
}

/** A stored enabled flow of one version, started by the API by default. */
export async function seedFlow(
  sql: Sql,
  organizationId: Uuid,
  { trigger = { type: 'api' }, settings, steps = [EXIT], enabled = true, name }: FlowSeed = {},
): Promise<Uuid> {
  const id = uuidv7()
  const definition: Definition = {
    trigger,
    entry: steps[0]?.id ?? '',
    steps,
    transitions: steps.slice(1).map(({ id: to }, i) => ({ from: steps[i]?.id ?? '', to })),
    settings: { ...SETTINGS, ...settings },
  }
  await sql.begin(async (tx) => {
    await tx`insert into flows ${tx({
      organizationId,
      id,
      slug: `flow-${id}`,
      name: name ?? 'Welcome',
      enabled,
      version: 1,
      triggerType: trigger.type,
      triggerKey: keyOf(trigger),
      maxConcurrent: definition.settings.maxConcurrentExecutions,
      sealedSecret: Buffer.from('sealed'),
    })}`
    await tx`
      insert into flow_versions (organization_id, flow_id, version, definition)
      values (${organizationId}, ${id}, 1, ${tx.json(definition)})`
  })
  return id
}

function keyOf(trigger: Trigger): string | null {
  if (trigger.type === 'event') return trigger.name
  if ('topicId' in trigger) return trigger.topicId
  return 'segmentId' in trigger ? (trigger.segmentId ?? null) : null
}

interface ExecutionSeed {
  flowId: Uuid
  contactId: Uuid
  status?: ExecutionStatus
  data?: Record<string, unknown>
  /** Milliseconds since 1970. */
  madeAt?: number
}

/** An execution of the flow's first version in the state that its run, or its end, would leave. */
export async function seedExecution(
  sql: Sql,
  organizationId: Uuid,
  { flowId, contactId, status = 'pending', data = {}, madeAt = Date.now() }: ExecutionSeed,
): Promise<Uuid> {
  const id =
    madeAt > Date.now() - 1_000
      ? uuidv7()
      : `${bucketStart(madeAt).slice(0, 24)}${uuidv7().slice(24)}`
  const isOver = !LIVE_STATUSES.some((each) => each === status)
  const at = new Date(madeAt).toISOString()
  await sql`insert into executions ${sql({
    organizationId,
    id,
    flowId,
    version: 1,
    contactId,
    status,
    data: sql.json(data as Json),
    dedupeKey: uuidv7(),
    createdAt: at,
    finishedAt: isOver ? at : null,
  })}`
  await sql`
    insert into flow_entries (organization_id, flow_id, contact_id, live, last_started_at)
    values (${organizationId}, ${flowId}, ${contactId}, ${isOver ? 0 : 1}, ${at})
    on conflict do nothing`
  return id
}

export interface ExecutionRow {
  id: Uuid
  contactId: Uuid
  status: string
  reason: string | null
  topicId: Uuid | null
  eventId: Uuid | null
  data: Record<string, unknown>
  requestId: string | null
}

/** The executions of a flow, oldest first. */
export const executionsOf = (sql: Sql, flowId: Uuid) => sql<ExecutionRow[]>`
  select id, contact_id, status, reason, topic_id, event_id, data, request_id
  from executions
  where flow_id = ${flowId}
  order by id`

/** The counters of a flow. */
export async function countersOf(sql: Sql, flowId: Uuid) {
  const [row] = await sql<{ started: number; cancelled: number; dropped: number }[]>`
    select coalesce(sum(started), 0)::integer as started,
      coalesce(sum(cancelled), 0)::integer as cancelled,
      coalesce(sum(dropped), 0)::integer as dropped
    from flow_counters
    where flow_id = ${flowId}`
  return row
}
