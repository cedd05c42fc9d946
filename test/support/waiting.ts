import type { StepOutcome } from '../../src/core/flows/moves.ts'
import type { StepRun, StoredStep } from '../../activities/flows/steps/step.ts'
import { monthOf } from '../../src/domain/events/event-quota.ts'
import type { StepOf, StepType } from '../../src/domain/flows/flow.ts'
import { hashedId, type Uuid, uuidv7 } from '../../src/runtime/ids.ts'
import { ingest } from '../../src/core/events/ingest.ts'
import { type Sql, type Transaction, transact } from '../../src/store/db/sql.ts'
import { definitionOf, executionRow, seedFlow } from './flows.ts'

/** A flow of one version without steps, whose executions these events end. */
export async function seedExitFlow(sql: Sql, organizationId: Uuid, exitEvents: string[] = []) {
  const settings = { exitOn: { events: exitEvents } }
  return (await seedFlow(sql, organizationId, { steps: [], settings })).flowId
}

interface ExecutionSeed {
  organizationId: Uuid
  flowId: Uuid
  contactId: Uuid
  version?: number
  status?: string
  topicId?: Uuid
  eventId?: Uuid
  /** Time of the starting event. Absent: as stored. */
  occurredAt?: string
}

/** A running execution in the state that admission and its run leave. */
export async function seedExecution(sql: Sql, seed: ExecutionSeed): Promise<Uuid> {
  const id = uuidv7()
  const { status = 'active', version = 1, ...rest } = seed
  const [event] = await sql<{ occurredAt: string }[]>`
    select occurred_at from events where id = ${seed.eventId ?? null}::uuid`
  await sql`insert into executions ${sql({
    ...event,
    ...rest,
    id,
    version,
    status,
    fenceWorkflowId: `execution/${id}/1`,
    fenceRunId: uuidv7(),
    dedupeKey: hashedId(id),
    finishedAt: ['completed', 'failed', 'cancelled'].includes(status)
      ? new Date().toISOString()
      : null,
  } as never)}`
  await sql`
    insert into flow_entries (organization_id, flow_id, contact_id, last_started_at)
    values (${seed.organizationId}, ${seed.flowId}, ${seed.contactId}, now())
    on conflict (organization_id, flow_id, contact_id) do update
    set live = flow_entries.live + 1`
  return id
}

/** Its status, and the reason if there is one. */
export const standing = async (sql: Sql, id: Uuid): Promise<string> => {
  const { status, reason } = await executionRow(sql, id)
  return reason === null ? status : `${status} ${reason}`
}

interface Visiting<Type extends StepType> {
  sql: Sql
  handler: StoredStep<Type>
  organizationId: Uuid
  executionId: Uuid
  contactId: Uuid
  step: StepOf<Type>
  /** Called with all locks taken. */
  pause?: () => Promise<void>
}

/**
 * Runs a visit as its run does, with the same locks in the same order. The steps of an execution
 * are entered one after the other, and a repeated one is resumed.
 */
export const visit = <Type extends StepType>({
  sql,
  handler,
  organizationId,
  executionId,
  contactId,
  step,
  pause,
}: Visiting<Type>): Promise<StepOutcome> =>
  transact(sql, async (tx) => {
    const execution = {
      id: executionId,
      organizationId,
      flowId: uuidv7(),
      flowName: 'Welcome',
      version: 1,
      definition: definitionOf({ steps: [] }),
      contactId,
      topicId: null,
      ...(await beginningOf(tx, executionId)),
      data: {},
    }
    await handler.locks?.(tx, { execution, step, visit: 1 })
    if (handler.locksContact) await lockContact(tx, organizationId, contactId)
    await tx`select from executions where id = ${executionId} for update`
    await pause?.()
    const times = await enter(tx, organizationId, executionId, step)
    const run: StepRun<Type> = {
      execution,
      step,
      visit: 1,
      try: 1,
      mailId: null,
      dueAt: null,
      ...times,
    }
    const outcome =
      times.isNew || !handler.resume ? await handler.enter(tx, run) : await handler.resume(tx, run)
    if (outcome.kind === 'done' || outcome.kind === 'skipped') {
      await tx`
        update execution_steps
        set status = 'completed'
        where execution_id = ${executionId} and step_id = ${step.id}`
    }
    return outcome
  })

async function beginningOf(tx: Transaction, executionId: Uuid) {
  const [beginning] = await tx<{ createdAt: string; occurredAt: string; eventId: Uuid | null }[]>`
    select event_id, created_at, least(occurred_at, created_at) as occurred_at
    from executions
    where id = ${executionId}`
  return beginning!
}

interface Times {
  isNew: boolean
  enteredAt: string
  now: string
}

async function enter(
  tx: Transaction,
  organizationId: Uuid,
  executionId: Uuid,
  step: { id: string; type: StepType },
): Promise<Times> {
  const insertedStep = await tx`
    insert into execution_steps (organization_id, execution_id, step_id, visit, position, type,
      status)
    select ${organizationId}, ${executionId}, ${step.id}, 1, coalesce(max(position), 0) + 1,
      ${step.type}, 'executing'
    from execution_steps
    where execution_id = ${executionId}
    on conflict do nothing`
  const [times] = await tx<Omit<Times, 'isNew'>[]>`
    select entered_at, clock_timestamp()::timestamptz(3) as now
    from execution_steps
    where execution_id = ${executionId} and step_id = ${step.id}`
  return { isNew: insertedStep.count > 0, ...times! }
}

const lockContact = (tx: Transaction, organizationId: Uuid, id: Uuid) => tx`
  select
  from contacts
  where organization_id = ${organizationId} and id = ${id}
  for no key update`

export interface Sent {
  contactId: Uuid
  name: string
  properties?: Record<string, unknown>
  occurredAt?: Date
}

interface Around {
  /** Called with the contacts locked, before the time of arrival is read. */
  before?: () => Promise<void>
  /** Called after all writes, before the commit. */
  beforeCommit?: () => Promise<void>
}

export interface Received {
  id: Uuid
  receivedAt: string
  /** Number of executions that it resumes. */
  resumed: number
}

/** Takes in an event, as a request does. */
export const receive = async (
  sql: Sql,
  organizationId: Uuid,
  sent: Sent,
  around?: Around,
): Promise<Received> => {
  const [received] = await receiveAll(sql, organizationId, [sent], around)
  return received!
}

const LATE_MS = 72 * 3_600_000

/** Events of one request. */
export const receiveAll = (
  sql: Sql,
  organizationId: Uuid,
  all: Sent[],
  { before, beforeCommit }: Around = {},
): Promise<Received[]> =>
  transact(sql, async (tx) => {
    if (before) {
      for (const { contactId } of all) await lockContact(tx, organizationId, contactId)
      await before()
    }
    const incoming = all.map(({ contactId, name, properties = {}, occurredAt }) => ({
      contactId,
      name,
      properties,
      propertiesJson: JSON.stringify(properties),
      occurredAt: occurredAt?.toISOString(),
      isLate: occurredAt !== undefined && Date.now() - occurredAt.getTime() > LATE_MS,
      createIfMissing: false,
      names: {},
    }))
    const { outcomes: storedOutcomes } = await ingest(tx, organizationId, incoming, {
      addressOf: () => {
        throw new Error('nobody is made')
      },
      requestId: undefined,
      month: monthOf(Date.now()),
    })
    const ids = storedOutcomes.map((each) => (each.kind === 'stored' ? each.id : each.kind))
    const rows = await tx<{ id: Uuid; receivedAt: string }[]>`
      select id, received_at from events where id = any(${ids}::uuid[])`
    await beforeCommit?.()
    return storedOutcomes.map((each, i) => ({
      id: ids[i]!,
      receivedAt: rows.find(({ id }) => id === ids[i])!.receivedAt,
      resumed: each.kind === 'stored' ? each.resumed : 0,
    }))
  })

/** Executions with an undelivered wake message, in the order of the messages. */
export const wakes = async (sql: Sql, organizationId: Uuid): Promise<Uuid[]> => {
  const rows = await sql<{ id: Uuid }[]>`
    select payload ->> 'executionId' as id
    from outbox
    where organization_id = ${organizationId} and kind = 'wake_execution'
    order by position`
  return rows.map(({ id }) => id)
}

const AT_ONCE = 16

/** Runs `act` with each item, some at a time. */
export async function each<Item, Result>(
  items: readonly Item[],
  act: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  let next = 0
  const lane = async () => {
    for (let i = next++; i < items.length; i = next++) results[i] = await act(items[i]!)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, lane))
  return results
}
