import type { Linked } from '../../domain/flows/rings.ts'
import type { Uuid } from '../../runtime/ids.ts'
import type { Executor } from '../db/sql.ts'

/** Flows whose steps are looked at; of more of them the first. */
const MOST_LOOKED_AT = 500

/**
 * Enabled flows that segments and topics start again and again, with those of their steps that
 * change what such triggers read.
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
