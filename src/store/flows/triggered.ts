import {
  type Settings,
  type Trigger,
  triggerKey,
  type TriggerType,
} from '../../domain/flows/flow.ts'
import type { Uuid } from '../../runtime/ids.ts'
import type { Executor } from '../db/sql.ts'
import type { Linked } from '../../domain/flows/rings.ts'

export interface TriggeredFlow {
  id: Uuid
  version: number
  triggerType: TriggerType
  triggerKey: string | null
  trigger: Trigger
  settings: Settings
}

interface TriggerQuestion {
  anyOf: readonly TriggerType[]
  keyed: { types: readonly TriggerType[]; keys: readonly string[] }
}

/**
 * Lists enabled flows with one of these triggers. Called for every write of a contact, and mostly
 * finds nothing: one index look-up for flows with any object of a type, and one for each name or
 * id.
 */
export async function list(
  sql: Executor,
  organizationId: Uuid,
  { anyOf, keyed }: TriggerQuestion,
): Promise<TriggeredFlow[]> {
  const enabled = (types: readonly TriggerType[]) => sql`
    select id, version, trigger_type, trigger_key
    from flows
    where organization_id = ${organizationId} and enabled
      and trigger_type = any(${[...new Set(types)]}::text[])`
  const keys = [...new Set(keyed.keys)]
  const parts = [
    ...(anyOf.length > 0 ? [sql`${enabled(anyOf)} and trigger_key is null`] : []),
    ...(keys.length > 0
      ? [sql`${enabled(keyed.types)} and trigger_key = any(${keys}::text[])`]
      : []),
  ]
  return sql<TriggeredFlow[]>`
    select f.id, f.version, f.trigger_type, f.trigger_key, v.definition -> 'trigger' as trigger,
      v.definition -> 'settings' as settings
    from (${parts.map((part, i) => (i === 0 ? part : sql`union all ${part}`))}) f
    join flow_versions v on v.organization_id = ${organizationId} and v.flow_id = f.id
      and v.version = f.version
    order by f.id`
}

export async function isWatched(
  sql: Executor,
  organizationId: Uuid,
  segmentId: Uuid,
): Promise<boolean> {
  const [flow] = await sql`
    select
    from flows
    where organization_id = ${organizationId} and enabled
      and trigger_type in ('segment_entry', 'segment_exit') and trigger_key = ${segmentId}
    limit 1`
  return flow !== undefined
}

/** Number of enabled flows with this trigger. Exact while the organization is locked. */
export async function countEnabled(
  sql: Executor,
  organizationId: Uuid,
  trigger: Trigger,
): Promise<number> {
  const key = triggerKey(trigger)
  const [row] = await sql<{ count: number }[]>`
    select count(*) as count
    from flows
    where organization_id = ${organizationId} and enabled and trigger_type = ${trigger.type}
      and ${key === null ? sql`trigger_key is null` : sql`trigger_key = ${key}`}`
  return row?.count ?? 0
}

/** Flows whose steps are checked. Further ones are ignored. */
const MOST_LOOKED_AT = 500

/**
 * Lists enabled flows that segments and topics start repeatedly, with the steps that change what
 * such triggers read.
 */
export const listLinked = (sql: Executor, organizationId: Uuid, besides: Uuid | undefined) => sql<
  Linked[]
>`
  select f.id, f.name, v.definition -> 'trigger' as trigger, v.definition -> 'settings' as settings,
    jsonb_path_query_array(v.definition, ${WRITING}::jsonpath) as steps
  from flows f
  join flow_versions v on v.organization_id = f.organization_id and v.flow_id = f.id
    and v.version = f.version
  where f.organization_id = ${organizationId} and f.enabled
    and f.trigger_type in ('segment_entry', 'segment_exit', 'topic_subscribed', 'topic_unsubscribed')
    and f.id is distinct from ${besides ?? null}::uuid
    and (v.definition #>> '{settings,allowReentry}')::boolean
  order by f.id
  limit ${MOST_LOOKED_AT}`

const WRITING = `$.steps[*] ? (@.type == "update_contact" || @.type == "subscribe_topic"
  || @.type == "unsubscribe_topic" || @.type == "send_email")`
