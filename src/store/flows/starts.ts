import type { Uuid } from '../../runtime/ids.ts'
import type { Transaction } from '../db/sql.ts'
import type { EnteredFlow } from './entries.ts'

export interface Start {
  flow: EnteredFlow
  contactId: Uuid
  /** `trigger.data`, at most 32 KiB, which the caller checks. */
  data: Record<string, unknown>
  /** Hash of the cause. A cause starts one execution of a flow, however often it is repeated. */
  dedupeKey: Uuid
  eventId?: Uuid
  occurredAt?: string
  /** Topic whose subscription causes the start. Unsubscribing from it cancels the execution. */
  topicId?: Uuid
  /** The cause is a segment or a topic, which flows change. Too many such starts are dropped. */
  isBraked?: boolean
}

/**
 * Lists causes that have already started executions. A separate statement, so that it sees what was
 * committed when the contacts' locks were granted.
 */
export const listKnownCauses = (
  tx: Transaction,
  organizationId: Uuid,
  starts: readonly Start[],
) => tx<{ flowId: Uuid; dedupeKey: Uuid }[]>`
  select e.flow_id, e.dedupe_key
  from unnest(
    ${starts.map(({ flow }) => flow.id)}::uuid[],
    ${starts.map(({ dedupeKey }) => dedupeKey)}::uuid[]
  ) as cause (flow_id, dedupe_key)
  join executions e on e.organization_id = ${organizationId} and e.flow_id = cause.flow_id
    and e.dedupe_key = cause.dedupe_key`

export type NewExecution = Omit<Start, 'data'> & { id: Uuid; data: string }

export const insertAll = (
  tx: Transaction,
  organizationId: Uuid,
  executions: readonly NewExecution[],
  requestId: string | undefined,
) => tx`
  insert into executions (organization_id, id, flow_id, version, contact_id, topic_id, event_id,
    occurred_at, data, dedupe_key, request_id)
  select ${organizationId}, id, flow_id, version, contact_id, topic_id, event_id, occurred_at,
    data::jsonb, dedupe_key, ${requestId ?? null}
  from unnest(
    ${executions.map(({ id }) => id)}::uuid[],
    ${executions.map(({ flow }) => flow.id)}::uuid[],
    ${executions.map(({ flow }) => flow.version)}::integer[],
    ${executions.map(({ contactId }) => contactId)}::uuid[],
    ${executions.map(({ topicId }) => topicId ?? null)}::uuid[],
    ${executions.map(({ eventId }) => eventId ?? null)}::uuid[],
    ${executions.map(({ occurredAt }) => occurredAt ?? null)}::timestamptz[],
    ${executions.map(({ data }) => data)}::text[],
    ${executions.map(({ dedupeKey }) => dedupeKey)}::uuid[]
  ) as start (id, flow_id, version, contact_id, topic_id, event_id, occurred_at,
    data, dedupe_key)`
