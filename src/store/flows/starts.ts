import { type Uuid, uuidv7 } from '../../ids.ts'
import type { Transaction } from '../db/sql.ts'
import type { EnteredFlow } from './entries.ts'

/** One contact that is to enter a flow. */
export interface Start {
  flow: EnteredFlow
  contactId: Uuid
  /** `trigger.data`: at most 32 KiB, which the caller checks. */
  data: Record<string, unknown>
  /** A hash of what causes it: one cause starts one execution of a flow, however often it comes. */
  dedupeKey: Uuid
  /** The event that causes it. */
  eventId?: Uuid
  /** The topic whose subscription causes it: unsubscribing from it cancels the execution. */
  topicId?: Uuid
}

/**
 * Those of the causes that started executions before. A statement of its own: it sees what was
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

/** Writes pending executions and returns their ids by what they start. */
export async function insertAll<T extends Start>(
  tx: Transaction,
  organizationId: Uuid,
  starts: readonly T[],
  requestId: string | undefined,
): Promise<Map<T, Uuid>> {
  const ids = new Map(starts.map((start) => [start, uuidv7()]))
  if (starts.length === 0) return ids
  await tx`
    insert into executions (organization_id, id, flow_id, version, contact_id, topic_id, event_id,
      data, dedupe_key, request_id)
    select ${organizationId}, id, flow_id, version, contact_id, topic_id, event_id, data::jsonb,
      dedupe_key, ${requestId ?? null}
    from unnest(
      ${[...ids.values()]}::uuid[],
      ${starts.map(({ flow }) => flow.id)}::uuid[],
      ${starts.map(({ flow }) => flow.version)}::integer[],
      ${starts.map(({ contactId }) => contactId)}::uuid[],
      ${starts.map(({ topicId }) => topicId ?? null)}::uuid[],
      ${starts.map(({ eventId }) => eventId ?? null)}::uuid[],
      ${starts.map(({ data }) => JSON.stringify(data))}::text[],
      ${starts.map(({ dedupeKey }) => dedupeKey)}::uuid[]
    ) as start (id, flow_id, version, contact_id, topic_id, event_id, data, dedupe_key)`
  return ids
}
