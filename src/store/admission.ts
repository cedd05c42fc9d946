import type { Settings } from '../domain/flow.ts'
import { type Uuid, uuidv7 } from '../ids.ts'
import { bump, type Change } from './flow-counters.ts'
import * as outbox from './outbox.ts'
import type { Transaction } from './sql.ts'

/** The version of a flow that executions would run, and what it says of who may enter. */
export interface EnteredFlow {
  id: Uuid
  version: number
  settings: Pick<Settings, 'allowReentry' | 'reentryDelaySeconds' | 'contactCooldownSeconds'>
}

/** One contact that is to enter a flow. */
export interface Start {
  flow: EnteredFlow
  contactId: Uuid
  /** `trigger.data`: at most 32 KiB, which the caller sees to. */
  data: Record<string, unknown>
  /** A hash of what causes it: one cause, one execution of a flow, however often it is told. */
  dedupeKey: Uuid
  /** The event that causes it. */
  eventId?: Uuid
  /** The topic whose subscription causes it: leaving the topic cancels the execution. */
  topicId?: Uuid
}

/**
 * - `started`: written, with the promise that starts its workflow
 * - `repeated`: the same cause started one before
 * - `dropped`: re-entry, re-entry delay or cooldown of the flow refuse it
 * - `gone`: there is no such contact any more
 */
export type Admission =
  | { outcome: 'started'; executionId: Uuid }
  | { outcome: 'repeated' | 'dropped' | 'gone' }

/**
 * Lets contacts into flows, in a handful of statements whatever their number. Answers what became
 * of each, in the order given. What was dropped is counted.
 *
 * Locks the contacts in the order of their ids, so that everything about one contact is decided one
 * after the other; a caller that holds later locks (executions) holds these already. How many run
 * at once (`maxConcurrentExecutions`) is decided later, by the relay: see `letIn`.
 */
export async function admit(
  tx: Transaction,
  organizationId: Uuid,
  starts: readonly Start[],
  requestId: string | undefined,
): Promise<Admission[]> {
  if (starts.length === 0) return []
  const present = await lockContacts(tx, organizationId, starts)
  const known = await listKnown(tx, organizationId, starts)
  const fresh: Start[] = []
  const outcomes = new Map<Start, Admission>()
  for (const start of starts) {
    const key = keyOf(start)
    if (!present.has(start.contactId)) outcomes.set(start, { outcome: 'gone' })
    else if (known.has(key)) outcomes.set(start, { outcome: 'repeated' })
    else fresh.push(start)
    known.add(key)
  }
  const entering = await enterAll(tx, organizationId, fresh)
  const written = await write(tx, organizationId, entering, requestId)
  await bump(tx, organizationId, changes(fresh, written))
  return starts.map((start) => {
    const executionId = written.get(start)
    if (executionId !== undefined) return { outcome: 'started', executionId }
    return outcomes.get(start) ?? { outcome: 'dropped' }
  })
}

const keyOf = ({ flow, dedupeKey }: Start): string => `${flow.id} ${dedupeKey}`

async function lockContacts(
  tx: Transaction,
  organizationId: Uuid,
  starts: readonly Start[],
): Promise<Set<Uuid>> {
  const rows = await tx<{ id: Uuid }[]>`
    select id
    from contacts
    where organization_id = ${organizationId}
      and id = any(${[...new Set(starts.map(({ contactId }) => contactId))]}::uuid[])
    order by id
    for no key update`
  return new Set(rows.map(({ id }) => id))
}

/** What started executions before. A statement of its own: it is as new as the contacts' locks. */
async function listKnown(
  tx: Transaction,
  organizationId: Uuid,
  starts: readonly Start[],
): Promise<Set<string>> {
  const rows = await tx<{ flowId: Uuid; dedupeKey: Uuid }[]>`
    select e.flow_id, e.dedupe_key
    from unnest(
      ${starts.map(({ flow }) => flow.id)}::uuid[],
      ${starts.map(({ dedupeKey }) => dedupeKey)}::uuid[]
    ) as cause (flow_id, dedupe_key)
    join executions e on e.organization_id = ${organizationId} and e.flow_id = cause.flow_id
      and e.dedupe_key = cause.dedupe_key`
  return new Set(rows.map(({ flowId, dedupeKey }) => `${flowId} ${dedupeKey}`))
}

/** Those that may enter, flow by flow in the order of their ids. */
async function enterAll(
  tx: Transaction,
  organizationId: Uuid,
  starts: readonly Start[],
): Promise<Start[]> {
  const byFlow = new Map<Uuid, Start[]>()
  for (const start of starts) {
    const others = byFlow.get(start.flow.id)
    if (others) others.push(start)
    else byFlow.set(start.flow.id, [start])
  }
  const entering: Start[] = []
  for (const [, some] of [...byFlow].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const flow = some[0]?.flow
    if (flow) entering.push(...(await enter(tx, organizationId, flow, some)))
  }
  return entering
}

/**
 * One conditional upsert: a row is written where the contact was never in the flow, changed where
 * the flow's settings let it in again, and left alone where they do not.
 */
async function enter(
  tx: Transaction,
  organizationId: Uuid,
  { id, settings }: EnteredFlow,
  starts: readonly Start[],
): Promise<Start[]> {
  const { allowReentry, reentryDelaySeconds: delay, contactCooldownSeconds: cooldown } = settings
  // Any rule lets at most the first of a set in: it is live, and started just now.
  const isOnce = !allowReentry || delay > 0 || cooldown > 0
  const seen = new Set<Uuid>()
  const candidates = starts.filter(({ contactId }) => {
    const isFirst = !seen.has(contactId)
    seen.add(contactId)
    return isFirst || !isOnce
  })
  const rows = await tx<{ contactId: Uuid }[]>`
    insert into flow_entries as e (organization_id, flow_id, contact_id, entries, live,
      last_started_at)
    select ${organizationId}, ${id}, contact_id, count(*), count(*), clock_timestamp()
    from unnest(${candidates.map(({ contactId }) => contactId)}::uuid[]) as start (contact_id)
    group by contact_id
    order by contact_id
    on conflict (organization_id, flow_id, contact_id) do update
    set entries = e.entries + excluded.entries,
      live = e.live + excluded.live,
      last_started_at = greatest(e.last_started_at, excluded.last_started_at)
    where ${allowReentry}
      and (${delay} = 0
        or e.last_started_at <= clock_timestamp() - ${delay} * interval '1 second')
      and (${cooldown} = 0
        or e.live = 0
          and (e.last_ended_at is null
            or e.last_ended_at <= clock_timestamp() - ${cooldown} * interval '1 second'))
    returning contact_id`
  const admitted = new Set(rows.map(({ contactId }) => contactId))
  return candidates.filter(({ contactId }) => admitted.has(contactId))
}

/** The executions, and the promises that start their workflows. */
async function write(
  tx: Transaction,
  organizationId: Uuid,
  starts: readonly Start[],
  requestId: string | undefined,
): Promise<Map<Start, Uuid>> {
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
  const promises = [...ids].map(([{ flow, contactId }, executionId]) => ({
    kind: 'start_execution' as const,
    payload: { executionId, attempt: 1, flowId: flow.id, contactId },
  }))
  await outbox.putAll(tx, organizationId, promises, requestId)
  return ids
}

const changes = (asked: readonly Start[], written: ReadonlyMap<Start, Uuid>): Change[] =>
  asked.map((start) => ({
    flowId: start.flow.id,
    counter: written.has(start) ? 'started' : 'dropped',
    by: 1,
  }))
