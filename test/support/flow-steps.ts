import type { StepOutcome } from '../../src/core/flows/moves.ts'
import type { StepRun, StoredStep } from '../../activities/flows/steps/step.ts'
import type { Definition, StepOf, StepType, Trigger } from '../../src/domain/flows/flow.ts'
import { uuidv7 } from '../../src/runtime/ids.ts'
import * as executions from '../../src/store/flows/executions.ts'
import { type Sql, type Transaction, transact } from '../../src/store/db/sql.ts'
import type { Seeded } from './seed.ts'

const SETTINGS: Definition['settings'] = {
  allowReentry: true,
  reentryDelaySeconds: 0,
  maxConcurrentExecutions: null,
  contactCooldownSeconds: 0,
  exitOn: { events: [] },
}

interface ExecutionSeed {
  contactId: string
  steps: Definition['steps']
  trigger?: Trigger
  data?: Record<string, unknown>
}

/** A flow, and a running execution of it. */
export async function seedExecution(
  sql: Sql,
  { organizationId }: Pick<Seeded, 'organizationId'>,
  { contactId, steps, trigger = { type: 'api' }, data = {} }: ExecutionSeed,
) {
  const flowId = uuidv7()
  const id = uuidv7()
  const definition: Definition = {
    trigger,
    entry: steps[0]?.id ?? '',
    steps,
    transitions: [],
    settings: SETTINGS,
  }
  await sql`insert into flows ${sql({
    organizationId,
    id: flowId,
    slug: `flow-${flowId}`,
    name: 'Welcome',
    enabled: true,
    version: 1,
    triggerType: trigger.type,
    sealedSecret: Buffer.from('sealed'),
  })}`
  await sql`insert into flow_versions ${sql({
    organizationId,
    flowId,
    version: 1,
    definition,
  })}`
  await sql`insert into flow_entries ${sql({
    organizationId,
    flowId,
    contactId,
    lastStartedAt: new Date().toISOString(),
  })}`
  await sql`insert into executions ${sql({
    organizationId,
    id,
    flowId,
    version: 1,
    contactId,
    status: 'active',
    fenceWorkflowId: `execution/${id}/1`,
    fenceRunId: uuidv7(),
    dedupeKey: uuidv7(),
    data,
  })}`
  return { organizationId, id, flowId, contactId, definition, data }
}

export type SeededExecution = Awaited<ReturnType<typeof seedExecution>>

/**
 * Runs one visit of a stored step as a flow's run does, in one transaction with the execution
 * locked: enters it, or resumes it where it waits. Undefined: the execution is over.
 */
export const takeStep = <Type extends StepType>(
  sql: Sql,
  handler: StoredStep<Type>,
  execution: SeededExecution,
  step: StepOf<Type>,
): Promise<StepOutcome | undefined> =>
  transact(sql, async (tx) => {
    const { organizationId, id, flowId, contactId, definition, data } = execution
    const live = await tx`
      select from executions
      where organization_id = ${organizationId} and id = ${id}
        and status in ${executions.live(tx)}
      for update`
    if (live.length === 0) return undefined
    const place = placeOf(tx, execution, step.id)
    await tx`
      insert into execution_steps (organization_id, execution_id, step_id, visit, position, type, status)
      values (${organizationId}, ${id}, ${step.id}, 1, 1, ${step.type}, 'pending')
      on conflict (organization_id, execution_id, step_id, visit) do nothing`
    const [row] = await tx<{ status: string; try: number; mailId: string | null; now: string }[]>`
      select status, try, mail_id, clock_timestamp() as now from execution_steps where ${place}`
    if (!row) throw new Error('the step was just written')
    const run: StepRun<Type> = {
      execution: {
        id,
        organizationId,
        flowId,
        flowName: 'Welcome',
        version: 1,
        definition,
        contactId,
        topicId: null,
        eventId: null,
        occurredAt: row.now,
        createdAt: row.now,
        data,
      },
      step,
      visit: 1,
      try: row.try,
      enteredAt: row.now,
      mailId: row.mailId,
      dueAt: null,
      now: row.now,
    }
    const isEntered = row.status === 'executing'
    const outcome = await (isEntered ? handler.resume?.(tx, run) : handler.enter(tx, run))
    if (outcome) await store(tx, execution, place, outcome)
    return outcome
  })

type Place = ReturnType<typeof placeOf>
const placeOf = (tx: Transaction, { organizationId, id }: SeededExecution, stepId: string) =>
  tx`organization_id = ${organizationId} and execution_id = ${id} and step_id = ${stepId}
    and visit = 1`

async function store(
  tx: Transaction,
  { organizationId, id }: SeededExecution,
  place: Place,
  outcome: StepOutcome,
): Promise<void> {
  if (outcome.kind === 'wait') {
    await tx`
      update execution_steps
      set status = 'executing', mail_id = ${outcome.mailId ?? null}
      where ${place}`
    return
  }
  if (outcome.kind === 'ended') {
    await executions.end(tx, organizationId, [id], outcome)
    return
  }
  const status = outcome.kind === 'done' ? 'completed' : outcome.kind
  const reason = 'reason' in outcome ? outcome.reason : null
  await tx`update execution_steps set status = ${status}, reason = ${reason} where ${place}`
  if (outcome.kind === 'failed') {
    const ending = { status: 'failed' as const, reason: outcome.reason }
    await executions.end(tx, organizationId, [id], ending, { cancelsRuns: false })
  }
}

/** Retries as the API does, and begins the next run. */
export const retry = (sql: Sql, { organizationId, id }: SeededExecution) =>
  transact(sql, async (tx) => {
    await tx`
      update executions
      set status = 'active', attempt = attempt + 1, finished_at = null, reason = null
      where organization_id = ${organizationId} and id = ${id} and status = 'failed'`
    await tx`
      update execution_steps
      set status = 'pending', try = try + 1, mail_id = null
      where organization_id = ${organizationId} and execution_id = ${id} and status = 'failed'`
  })

/** Undelivered messages that wake the execution. */
export const wakes = async (sql: Sql, { id }: SeededExecution): Promise<number> => {
  const rows = await sql`
    select from outbox
    where kind = 'wake_execution' and payload ->> 'executionId' = ${id} and done_at is null`
  return rows.length
}
