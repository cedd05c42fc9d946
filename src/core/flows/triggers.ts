import { breather } from '../../breather.ts'
import type { TriggerType } from '../../domain/flows/flow.ts'
import { hashedId, type Uuid, uuidv7 } from '../../ids.ts'
import * as topics from '../../store/consent/topics.ts'
import type { Transaction } from '../../store/db/sql.ts'
import type { Start } from '../../store/flows/starts.ts'
import * as triggered from '../../store/flows/triggered.ts'
import type { TriggeredFlow } from '../../store/flows/triggered.ts'
import { loadFilters } from './event-filters.ts'
import { admit } from './admission.ts'

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
 * rows and outbox messages. Their contacts' rows are locked by the caller. Returns how many
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
  const byGroup = grouped(flows)
  const breathe = breather()
  const met: { at: number; occurrence: Occurrence; flow: TriggeredFlow }[] = []
  for (const [at, occurrence] of occurrences.entries()) {
    await breathe()
    for (const group of groupsOf(occurrence)) {
      for (const flow of byGroup.get(group) ?? []) met.push({ at, occurrence, flow })
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

interface Met {
  occurrence: Occurrence
  flow: TriggeredFlow
}

/** Those whose events fit the filter of their flow. */
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

/** Triggers of these types name what they are about. */
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

/** The group of flows with such a trigger. No key: any. */
const groupOf = (type: TriggerType, key: string | null): string =>
  key === null ? type : `${type} ${key}`

const groupsOf = (occurrence: Occurrence): string[] => {
  const { type } = occurrence
  return [...new Set([groupOf(type, null), groupOf(type, keyOf(occurrence))])]
}

function grouped(flows: readonly TriggeredFlow[]): Map<string, TriggeredFlow[]> {
  const byGroup = new Map<string, TriggeredFlow[]>()
  for (const flow of flows) {
    const group = groupOf(flow.triggerType, flow.triggerKey)
    const known = byGroup.get(group)
    if (known) known.push(flow)
    else byGroup.set(group, [flow])
  }
  return byGroup
}

/** Enabled flows that may be started by one of these. */
function listTriggered(
  tx: Transaction,
  organizationId: Uuid,
  occurrences: readonly Occurrence[],
): PromiseLike<TriggeredFlow[]> {
  const keyed = occurrences.filter((occurrence) => keyOf(occurrence) !== null)
  const free = occurrences.filter(({ type }) => !NAMED.some((named) => named === type))
  return triggered.list(tx, organizationId, {
    anyOf: free.map(({ type }) => type),
    keyed: {
      types: keyed.map(({ type }) => type),
      keys: keyed.flatMap((occurrence) => keyOf(occurrence) ?? []),
    },
  })
}

/** Slugs of the topics that these are about. */
const slugsOf = (tx: Transaction, organizationId: Uuid, occurrences: readonly Occurrence[]) =>
  topics.listSlugs(
    tx,
    organizationId,
    occurrences.flatMap((occurrence) => ('topicId' in occurrence ? [occurrence.topicId] : [])),
  )

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
      // A contact that is unsubscribed cannot unsubscribe again and end what this started.
      return { ...start, data, ...(type === 'topic_subscribed' ? { topicId } : {}) }
    }
    case 'segment_entry':
    case 'segment_exit':
      return { ...start, data: { segmentId: occurrence.segmentId } }
  }
}
