import type { Trigger } from '../../src/domain/flows/flow.ts'
import type { Uuid } from '../../src/runtime/ids.ts'
import type { Sql } from '../../src/store/db/sql.ts'
import { definitionOf, seedFlow, type StepSketch } from './flows.ts'

const STEPS: StepSketch[] = [{ id: 'rest', type: 'delay', config: { amount: 1, unit: 'minutes' } }]

/** An enabled flow of one delay with this trigger. Returns its id. */
export async function seedTriggered(
  sql: Sql,
  organizationId: Uuid,
  trigger: Trigger = { type: 'api' },
): Promise<Uuid> {
  return (await seedFlow(sql, organizationId, { trigger, steps: STEPS })).flowId
}

/** Changes the trigger of a flow's newest version. */
export async function changeTrigger(
  sql: Sql,
  organizationId: Uuid,
  flowId: Uuid,
  trigger: Trigger,
): Promise<void> {
  const definition = definitionOf({ trigger, steps: STEPS })
  await sql`
    insert into flow_versions (organization_id, flow_id, version, definition)
    select ${organizationId}, ${flowId}, version + 1, ${sql.json(definition)}
    from flows
    where id = ${flowId}`
  await sql`
    update flows set version = version + 1, trigger_type = ${trigger.type} where id = ${flowId}`
}
