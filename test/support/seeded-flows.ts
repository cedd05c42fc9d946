import type { Definition, Step, Transition, Trigger } from '../../src/domain/flow.ts'
import { type Uuid, uuidv7 } from '../../src/ids.ts'
import type { Sql } from '../../src/store/sql.ts'

interface FlowSeed {
  trigger?: Trigger
  steps?: Step[]
  transitions?: Transition[]
  enabled?: boolean
}

/** A flow and its first version, as rows; answers its id. */
export async function seedFlow(
  sql: Sql,
  organizationId: Uuid,
  { trigger = { type: 'api' }, steps = DELAY, transitions = [], enabled = true }: FlowSeed = {},
): Promise<Uuid> {
  const flowId = uuidv7()
  await sql`
    insert into flows (organization_id, id, slug, name, enabled, version, trigger_type,
      sealed_secret)
    values (${organizationId}, ${flowId}, ${flowId}, 'Welcome', ${enabled}, 1, ${trigger.type}, '')`
  await addVersion(sql, organizationId, flowId, 1, { trigger, steps, transitions })
  return flowId
}

const DELAY: Step[] = [
  { id: 'rest', type: 'delay', name: 'Rest', config: { amount: 1, unit: 'minutes' } },
]

/** A flow's newest version has another trigger from now on. */
export async function changeTrigger(
  sql: Sql,
  organizationId: Uuid,
  flowId: Uuid,
  trigger: Trigger,
): Promise<void> {
  const [flow] = await sql<{ version: number }[]>`
    select version from flows where id = ${flowId}`
  const version = (flow?.version ?? 0) + 1
  await addVersion(sql, organizationId, flowId, version, { trigger })
  await sql`
    update flows
    set version = ${version}, trigger_type = ${trigger.type}
    where id = ${flowId}`
}

async function addVersion(
  sql: Sql,
  organizationId: Uuid,
  flowId: Uuid,
  version: number,
  seed: FlowSeed & { trigger: Trigger },
): Promise<void> {
  const { trigger, steps = DELAY, transitions = [] } = seed
  const definition: Definition = {
    trigger,
    entry: steps[0]?.id ?? '',
    steps,
    transitions,
    settings: {
      allowReentry: true,
      reentryDelaySeconds: 0,
      maxConcurrentExecutions: null,
      contactCooldownSeconds: 0,
      exitOn: { events: [] },
    },
  }
  await sql`
    insert into flow_versions (organization_id, flow_id, version, definition)
    values (${organizationId}, ${flowId}, ${version}, ${sql.json(definition as never)})`
}
