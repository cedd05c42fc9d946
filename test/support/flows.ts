import type { Definition, Settings, Step } from '../../src/domain/flows/flow.ts'
import { type Uuid, uuidv7 } from '../../src/runtime/ids.ts'
import * as flowCounters from '../../src/store/flows/counters.ts'
import * as outbox from '../../src/store/platform/outbox.ts'
import { type Sql, transact } from '../../src/store/db/sql.ts'

/** A step in a test. Its name defaults to its id. */
export type StepSketch = Omit<Step, 'name'> & { name?: string }

export interface FlowSketch {
  steps: StepSketch[]
  /** `from>to`, `from:branch>to`. Absent: one step after the other. */
  transitions?: string[]
  settings?: Partial<Settings>
  trigger?: Definition['trigger']
}

export const SETTINGS: Settings = {
  allowReentry: true,
  reentryDelaySeconds: 0,
  maxConcurrentExecutions: null,
  contactCooldownSeconds: 0,
  exitOn: { events: [] },
}

export function definitionOf({ steps, transitions, settings, trigger }: FlowSketch): Definition {
  const chain = steps.slice(1).map(({ id }, index) => `${steps[index]?.id}>${id}`)
  return {
    trigger: trigger ?? { type: 'api' },
    entry: steps[0]?.id ?? '',
    steps: steps.map((step) => ({ name: step.id, ...step }) as Step),
    transitions: (transitions ?? chain).map((text) => {
      const [left = '', to = ''] = text.split('>')
      const [from = '', branch] = left.split(':')
      return { from, to, ...(branch === undefined ? {} : { branch }) }
    }),
    settings: { ...SETTINGS, ...settings },
  }
}

export interface SeededFlow {
  organizationId: Uuid
  flowId: Uuid
  definition: Definition
}

/** An enabled flow with one version. */
export async function seedFlow(
  sql: Sql,
  organizationId: Uuid,
  sketch: FlowSketch,
): Promise<SeededFlow> {
  const flowId = uuidv7()
  const definition = definitionOf(sketch)
  await sql`insert into flows ${sql({
    organizationId,
    id: flowId,
    slug: `flow-${flowId}`,
    name: 'Welcome',
    enabled: true,
    version: 1,
    triggerType: definition.trigger.type,
    sealedSecret: Buffer.from('secret'),
  })}`
  await sql`
    insert into flow_versions (organization_id, flow_id, version, definition)
    values (${organizationId}, ${flowId}, 1, ${sql.json(definition)})`
  return { organizationId, flowId, definition }
}

interface ExecutionSketch {
  data?: Record<string, unknown>
  topicId?: Uuid
  eventId?: Uuid
  /** With the outbox message that starts it. */
  isEnqueued?: boolean
}

/** Pending executions, one for each contact, with the rows that admission writes. */
export async function seedExecutions(
  sql: Sql,
  { organizationId, flowId }: Pick<SeededFlow, 'organizationId' | 'flowId'>,
  contactIds: readonly Uuid[],
  { data = {}, topicId, eventId, isEnqueued = false }: ExecutionSketch = {},
): Promise<Uuid[]> {
  const seededExecutions = contactIds.map((contactId) => ({ executionId: uuidv7(), contactId }))
  await transact(sql, async (tx) => {
    await tx`
      insert into executions (organization_id, id, flow_id, version, contact_id, data, dedupe_key,
        topic_id, event_id)
      select ${organizationId}, id, ${flowId}, 1, contact_id, ${tx.json(data)}, id,
        ${topicId ?? null}::uuid, ${eventId ?? null}::uuid
      from unnest(
        ${seededExecutions.map(({ executionId }) => executionId)}::uuid[],
        ${seededExecutions.map(({ contactId }) => contactId)}::uuid[]
      ) as row (id, contact_id)`
    await tx`
      insert into flow_entries as e (organization_id, flow_id, contact_id, entries, live,
        last_started_at)
      select ${organizationId}, ${flowId}, contact_id, count(*), count(*), clock_timestamp()
      from unnest(${[...contactIds]}::uuid[]) as contact_id
      group by contact_id
      on conflict (organization_id, flow_id, contact_id) do update
      set entries = e.entries + excluded.entries, live = e.live + excluded.live`
    await flowCounters.bump(tx, organizationId, [
      { flowId, counter: 'started', by: contactIds.length },
    ])
    if (isEnqueued) {
      const messages = seededExecutions.map(({ executionId, contactId }) => ({
        kind: 'start_execution' as const,
        payload: { executionId, attempt: 1, flowId, contactId },
      }))
      await outbox.putAll(tx, organizationId, messages, undefined)
    }
  })
  return seededExecutions.map(({ executionId }) => executionId)
}

export interface ExecutionRow {
  status: string
  reason: string | null
  error: string | null
  attempt: number
  stepId: string | null
  visit: number | null
  contactId: Uuid
}

export async function executionRow(sql: Sql, executionId: Uuid): Promise<ExecutionRow> {
  const [row] = await sql<ExecutionRow[]>`
    select status, reason, error, attempt, step_id, visit, contact_id
    from executions
    where id = ${executionId}`
  if (!row) throw new Error('no such execution')
  return row
}

/** `id#visit status branch` of each step, in the order of the visits. */
export async function path(sql: Sql, executionId: Uuid): Promise<string[]> {
  const rows = await sql<
    { stepId: string; visit: number; status: string; branch: string | null; try: number }[]
  >`
    select step_id, visit, status, branch, try
    from execution_steps
    where execution_id = ${executionId}
    order by position`
  return rows.map(({ stepId, visit, status, branch, try: tries }) =>
    [
      `${stepId}${visit === 1 ? '' : `#${visit}`}`,
      status,
      ...(branch === null ? [] : [branch]),
      ...(tries === 1 ? [] : [`try ${tries}`]),
    ].join(' '),
  )
}

/** The counters of a flow, and the number of live executions of its contacts. */
export async function figures(sql: Sql, { organizationId, flowId }: SeededFlow) {
  const counters = (await flowCounters.read(sql, organizationId, [flowId])).get(flowId)
  const [entries] = await sql<{ live: number }[]>`
    select coalesce(sum(live), 0)::int as live
    from flow_entries
    where organization_id = ${organizationId} and flow_id = ${flowId}`
  return { ...counters, live: entries?.live }
}
