import { breather } from '../../runtime/breather.ts'
import type { TriggerType } from '../../domain/flows/flow.ts'
import { hashedId, type Uuid, uuidv7 } from '../../runtime/ids.ts'
import * as topics from '../../store/consent/topics.ts'
import type { Transaction } from '../../store/db/sql.ts'
import type { Start } from '../../store/flows/starts.ts'
import * as triggered from '../../store/flows/triggered.ts'
import type { TriggeredFlow } from '../../store/flows/triggered.ts'
import { type Filtered, loadFilters } from './event-filters.ts'
import { admit, MOST_STARTS } from './admission.ts'

export type Occurrence = { contactId: Uuid } & (
  | {
      type: 'event'
      name: string
      eventId: Uuid
      properties: Record<string, unknown>
      /** Time of the event according to its sender, ISO 8601. Absent: now. */
      occurredAt?: string
    }
  | { type: 'contact_created' | 'contact_updated' }
  | {
      type: 'topic_subscribed' | 'topic_unsubscribed'
      topicId: Uuid
      byStep?: boolean
    }
  | { type: 'segment_entry' | 'segment_exit'; segmentId: Uuid }
)

/**
 * Starts the executions that follow from occurrences, in the same transaction: as rows and outbox
 * messages. The caller has locked the contacts' rows. Returns the number of executions for each
 * occurrence, in the given order.
 *
 * Changes of one topic of a contact by steps start a flow at most once a minute.
 *
 * `trigger.data` of an execution has the event's properties, `{topicId, topicSlug}` for a topic,
 * `{segmentId}` for a segment, otherwise nothing.
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
  const started = [...none]
  for await (const fitting of listFitting(tx, organizationId, flows, occurrences)) {
    // Of those admitted together, what happened first starts first.
    const some = fitting.toSorted((a, b) => a.at - b.at)
    const starts = some.map(({ flow, occurrence }) => startOf(flow, occurrence, slugs))
    const admissions = await admit(tx, organizationId, starts, requestId)
    for (const [i, { at }] of some.entries()) {
      if (admissions[i]?.outcome === 'started') started[at] = (started[at] ?? 0) + 1
    }
  }
  return started
}

interface Met extends Filtered {
  at: number
  occurrence: Occurrence
  flow: TriggeredFlow
}

/**
 * Yields occurrences that match the filters of their flows, in groups, since there may be millions.
 */
async function* listFitting(
  tx: Transaction,
  organizationId: Uuid,
  flows: readonly TriggeredFlow[],
  occurrences: readonly Occurrence[],
): AsyncGenerator<Met[], undefined> {
  const byGroup = grouped(occurrences)
  const filtering = flows.filter((flow) => filterOf(flow) !== null)
  const fits = await loadFilters(tx, organizationId, listMet(filtering, byGroup))
  const breathe = breather()
  let some: Met[] = []
  for (const met of listMet(flows, byGroup)) {
    const { occurrence } = met
    const properties = occurrence.type === 'event' ? occurrence.properties : {}
    // A thousand events, each with the filters of every flow that its name starts.
    await breathe()
    if (!fits(met, properties)) continue
    some.push(met)
    if (some.length < MOST_STARTS) continue
    yield some
    some = []
  }
  if (some.length > 0) yield some
}

const filterOf = ({ trigger }: TriggeredFlow) =>
  trigger.type === 'event' ? (trigger.filter ?? null) : null

type Occasion = Pick<Met, 'at' | 'occurrence'>

/**
 * Yields flow by flow and contact by contact. Rows of entries are locked in this order everywhere.
 */
function* listMet(
  flows: readonly TriggeredFlow[],
  byGroup: ReadonlyMap<string, readonly Occasion[]>,
): Generator<Met, undefined> {
  for (const flow of flows) {
    const filter = filterOf(flow)
    for (const placement of byGroup.get(groupOf(flow.triggerType, flow.triggerKey)) ?? []) {
      yield { ...placement, contactId: placement.occurrence.contactId, flow, filter }
    }
  }
}

/** Triggers of these types name an object. */
const NAMED: readonly TriggerType[] = ['event', 'segment_entry', 'segment_exit']

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

/** Returns the group of flows with such a trigger. No key: any object. */
const groupOf = (type: TriggerType, key: string | null): string =>
  key === null ? type : `${type} ${key}`

const groupsOf = (occurrence: Occurrence): string[] => {
  const { type } = occurrence
  return [...new Set([groupOf(type, null), groupOf(type, keyOf(occurrence))])]
}

const byContact = ({ occurrence: a }: Occasion, { occurrence: b }: Occasion): number =>
  a.contactId < b.contactId ? -1 : Number(a.contactId > b.contactId)

function grouped(occurrences: readonly Occurrence[]): Map<string, Occasion[]> {
  const byGroup = new Map<string, Occasion[]>()
  const placements = occurrences.map((occurrence, at) => ({ at, occurrence }))
  for (const each of placements.toSorted(byContact)) {
    for (const group of groupsOf(each.occurrence)) {
      const groupPlacements = byGroup.get(group)
      if (groupPlacements) groupPlacements.push(each)
      else byGroup.set(group, [each])
    }
  }
  return byGroup
}

function listTriggered(
  tx: Transaction,
  organizationId: Uuid,
  occurrences: readonly Occurrence[],
): PromiseLike<TriggeredFlow[]> {
  const keyed = occurrences.filter((occurrence) => keyOf(occurrence) !== null)
  const free = occurrences.filter(({ type }) => !NAMED.some((namedType) => namedType === type))
  return triggered.list(tx, organizationId, {
    anyOf: free.map(({ type }) => type),
    keyed: {
      types: keyed.map(({ type }) => type),
      keys: keyed.flatMap((occurrence) => keyOf(occurrence) ?? []),
    },
  })
}

const slugsOf = (tx: Transaction, organizationId: Uuid, occurrences: readonly Occurrence[]) =>
  topics.listSlugs(
    tx,
    organizationId,
    occurrences.flatMap((occurrence) => ('topicId' in occurrence ? [occurrence.topicId] : [])),
  )

const MINUTE_MS = 60_000

function startOf(
  { id, version, settings }: TriggeredFlow,
  occurrence: Occurrence,
  slugs: ReadonlyMap<Uuid, string>,
): Start {
  const { type, contactId } = occurrence
  const start = { flow: { id, version, settings }, contactId, data: {}, dedupeKey: uuidv7() }
  switch (type) {
    case 'event': {
      const { eventId, properties: data, occurredAt } = occurrence
      const when = occurredAt === undefined ? {} : { occurredAt }
      return { ...start, data, eventId, ...when, dedupeKey: hashedId(type, eventId) }
    }
    case 'contact_created':
      return { ...start, dedupeKey: hashedId(type, contactId) }
    case 'contact_updated':
      return start
    case 'topic_subscribed':
    case 'topic_unsubscribed': {
      const { topicId, byStep = false } = occurrence
      const data = { topicId, topicSlug: slugs.get(topicId) ?? null }
      // Flows whose steps start each other would go round as fast as they are started.
      const minute = Math.floor(Date.now() / MINUTE_MS)
      const once = byStep ? { dedupeKey: hashedId(type, contactId, topicId, minute) } : {}
      // A contact that is unsubscribed cannot unsubscribe again and end what this started.
      return {
        ...start,
        isBraked: true,
        data,
        ...once,
        ...(type === 'topic_subscribed' ? { topicId } : {}),
      }
    }
    case 'segment_entry':
    case 'segment_exit':
      return { ...start, isBraked: true, data: { segmentId: occurrence.segmentId } }
  }
}
