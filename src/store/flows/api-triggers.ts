import type { TriggerType } from '../../domain/flows/flow.ts'
import { isUuid, type Uuid } from '../../runtime/ids.ts'
import type { EnteredFlow } from './entries.ts'
import type { Executor } from '../db/sql.ts'

export interface TriggerableFlow extends EnteredFlow {
  name: string
  enabled: boolean
  triggerType: TriggerType
}

/** Finds a flow by its id, otherwise by its slug. Undefined: it does not exist, or is deleted. */
export async function findFlow(
  sql: Executor,
  organizationId: Uuid,
  idOrSlug: string,
): Promise<TriggerableFlow | undefined> {
  const flows = await sql<TriggerableFlow[]>`
    select f.id, f.name, f.enabled, f.version, f.trigger_type, v.definition -> 'settings' as settings
    from flows f
    join flow_versions v on v.organization_id = f.organization_id and v.flow_id = f.id
      and v.version = f.version
    where f.organization_id = ${organizationId} and f.deleted_at is null
      and (f.id = ${isUuid(idOrSlug) ? idOrSlug : null}::uuid or f.slug = ${idOrSlug})`
  return flows.find(({ id }) => id === idOrSlug.toLowerCase()) ?? flows[0]
}

/** Returns the id of the flow with this id or slug. A deleted one is found by its id only. */
export async function findFlowId(
  sql: Executor,
  organizationId: Uuid,
  idOrSlug: string,
): Promise<Uuid | undefined> {
  const ids = await sql<{ id: Uuid }[]>`
    select id
    from flows
    where organization_id = ${organizationId}
      and (id = ${isUuid(idOrSlug) ? idOrSlug : null}::uuid
        or slug = ${idOrSlug} and deleted_at is null)`
  return (ids.find(({ id }) => id === idOrSlug.toLowerCase()) ?? ids[0])?.id
}
