import { breather } from '../breather.ts'
import type { Settings, Trigger, TriggerType } from '../domain/flow.ts'
import { hashedId, type Uuid, uuidv7 } from '../ids.ts'
import { admit, type Start } from './admission.ts'
import { loadFilters } from './event-filters.ts'
import type { Executor, Transaction } from './sql.ts'

/** Something happened to a contact that may start executions. */
export type Occurrence = { contactId: Uuid } & (
  | {
      type: 'event'
      name: string
      /** Of the stored event. */
      eventId: Uuid
      properties: Record<string, unknown>
    }
  | { type: 'contact_created' | 'contact_updated' }
  | { type: 'topic_subscribed' | 'topic_unsubscribed'; topicId: Uuid }
  | { type: 'segment_entry' | 'segment_exit'; segmentId: Uuid }
)

/**
 * Starts the executions that follow from what happened, in the transaction in which it happens: as
 * rows and promises in the outbox. Their contacts' rows are locked by the caller. Answers how many
 * executions were written for each occurrence, in the order given.
 *
 * `trigger.data` of an execution is the event's properties, `{topicId, topicSlug}` of a topic,
 * `{segmentId}` of a segment, else nothing.
 */
export async function fire(
  tx: Transaction,
  organizationId: Uuid,
  occurrences: readonly Occurrence[],
  requestId: string | undefined,
): Promise<number[]> {
  const none = occurrences.map(() => 0)
  if (occurrences.length === 0) return none
  const flows = await listTriggered(tx, organizationId, occurrences)
  if (flows.length === 0) return none

  const slugs = await slugsOf(tx, organizationId, occurrences)
  const byPlace = grouped(flows)
  const breathe = breather()
  const met: { at: number; occurrence: Occurrence; flow: TriggeredFlow }[] = []
  for (const [at, occurrence] of occurrences.entries()) {
    await breathe()
    for (const place of placesOf(occurrence)) {
      for (const flow of byPlace.get(place) ?? []) met.push({ at, occurrence, flow })
    }
  }
  const caused = await listFitting(tx, organizationId, met)
  const starts = caused.map(({ flow, occurrence }) => startOf(flow, occurrence, slugs))
  const admissions = await admit(tx, organizationId, starts, requestId)
  const started = [...none]
  for (const [i, { at }] of caused.entries()) {
    if (admissions[i]?.outcome === 'started') started[at] = (started[at] ?? 0) + 1
  }
  return started
}

interface TriggeredFlow {
  id: Uuid
  version: number
  triggerType: TriggerType
  triggerKey: string | null
  trigger: Trigger
  settings: Settings
}

interface Met {
  occurrence: Occurrence
  flow: TriggeredFlow
}

/** Without the events that a filter of their flow leaves out. */
async function listFitting<T extends Met>(
  tx: Transaction,
  organizationId: Uuid,
  met: readonly T[],
): Promise<T[]> {
  const filterOf = ({ trigger }: TriggeredFlow) =>
    trigger.type === 'event' ? (trigger.filter ?? null) : null
  const filtered = met.map(({ flow, occurrence: { contactId } }) => ({
    contactId,
    filter: filterOf(flow),
  }))
  const fits = await loadFilters(tx, organizationId, filtered)
  const breathe = breather()
  const fitting: T[] = []
  for (const each of met) {
    const { flow, occurrence } = each
    const properties = occurrence.type === 'event' ? occurrence.properties : {}
    // A thousand events, each with the filters of every flow that its name starts.
    await breathe()
    if (fits({ contactId: occurrence.contactId, filter: filterOf(flow) }, properties)) {
      fitting.push(each)
    }
  }
  return fitting
}

/** Triggers of these types say what they are about. */
const NAMED: readonly TriggerType[] = ['event', 'segment_entry', 'segment_exit']

/** What a trigger must be about, beside its type. */
function keyOf(occurrence: Occurrence): string | null {
  switch (occurrence.type) {
    case 'event':
      return occurrence.name
    case 'topic_subscribed':
    case 'topic_unsubscribed':
      return occurrence.topicId
    case 'segment_entry':
    case 'segment_exit':
      return occurrence.segmentId
    case 'contact_created':
    case 'contact_updated':
      return null
  }
}

/** Where flows of a trigger are found. No key: any. */
const placeOf = (type: TriggerType, key: string | null): string =>
  key === null ? type : `${type} ${key}`

const placesOf = (occurrence: Occurrence): string[] => {
  const { type } = occurrence
  return [...new Set([placeOf(type, null), placeOf(type, keyOf(occurrence))])]
}

function grouped(flows: readonly TriggeredFlow[]): Map<string, TriggeredFlow[]> {
  const byPlace = new Map<string, TriggeredFlow[]>()
  for (const flow of flows) {
    const place = placeOf(flow.triggerType, flow.triggerKey)
    const known = byPlace.get(place)
    if (known) known.push(flow)
    else byPlace.set(place, [flow])
  }
  return byPlace
}

/**
 * Enabled flows that may be started by one of these. This runs whenever a contact is written, and
 * mostly finds nothing: one look into one index for flows about anything of a type, and one for
 * each name or id.
 */
async function listTriggered(
  sql: Executor,
  organizationId: Uuid,
  occurrences: readonly Occurrence[],
): Promise<TriggeredFlow[]> {
  const keyed = occurrences.filter((occurrence) => keyOf(occurrence) !== null)
  const free = occurrences.filter(({ type }) => !NAMED.some((named) => named === type))
  const enabled = (of: readonly Occurrence[]) => sql`
    select id, version, trigger_type, trigger_key
    from flows
    where organization_id = ${organizationId} and enabled
      and trigger_type = any(${[...new Set(of.map(({ type }) => type))]}::text[])`
  const keys = [...new Set(keyed.flatMap((occurrence) => keyOf(occurrence) ?? []))]
  const parts = [
    ...(free.length > 0 ? [sql`${enabled(free)} and trigger_key is null`] : []),
    ...(keys.length > 0 ? [sql`${enabled(keyed)} and trigger_key = any(${keys}::text[])`] : []),
  ]
  return sql<TriggeredFlow[]>`
    select f.id, f.version, f.trigger_type, f.trigger_key, v.definition -> 'trigger' as trigger,
      v.definition -> 'settings' as settings
    from (${parts.map((part, i) => (i === 0 ? part : sql`union all ${part}`))}) f
    join flow_versions v on v.organization_id = ${organizationId} and v.flow_id = f.id
      and v.version = f.version
    order by f.id`
}

/** Slugs of the topics that these are about. */
async function slugsOf(
  sql: Executor,
  organizationId: Uuid,
  occurrences: readonly Occurrence[],
): Promise<Map<Uuid, string>> {
  const ids = occurrences.flatMap((occurrence) =>
    'topicId' in occurrence ? [occurrence.topicId] : [],
  )
  if (ids.length === 0) return new Map()
  const topics = await sql<{ id: Uuid; slug: string }[]>`
    select id, slug
    from topics
    where organization_id = ${organizationId} and id = any(${[...new Set(ids)]}::uuid[])`
  return new Map(topics.map(({ id, slug }) => [id, slug]))
}

function startOf(
  { id, version, settings }: TriggeredFlow,
  occurrence: Occurrence,
  slugs: ReadonlyMap<Uuid, string>,
): Start {
  const { type, contactId } = occurrence
  const start = { flow: { id, version, settings }, contactId, data: {}, dedupeKey: uuidv7() }
  switch (type) {
    case 'event': {
      const { eventId, properties: data } = occurrence
      return { ...start, data, eventId, dedupeKey: hashedId(type, eventId) }
    }
    case 'contact_created':
      return { ...start, dedupeKey: hashedId(type, contactId) }
    case 'contact_updated':
      return start
    case 'topic_subscribed':
    case 'topic_unsubscribed': {
      const { topicId } = occurrence
      const data = { topicId, topicSlug: slugs.get(topicId) ?? null }
      // Who left a topic cannot leave what that started by leaving it again.
      return { ...start, data, ...(type === 'topic_subscribed' ? { topicId } : {}) }
    }
    case 'segment_entry':
    case 'segment_exit':
      return { ...start, data: { segmentId: occurrence.segmentId } }
  }
}
