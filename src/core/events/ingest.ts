import type { Uuid } from '../../runtime/ids.ts'
import { type EventKey, textOf } from '../../domain/events/event-key.ts'
import * as namedContacts from '../../store/contacts/named-contacts.ts'
import { Superseded, type Transaction } from '../../store/db/sql.ts'
import * as eventIds from '../../store/events/event-ids.ts'
import * as events from '../../store/events/events.ts'
import * as eventUsage from '../../store/events/usage.ts'
import { fire } from '../flows/triggers.ts'
import { matchEvents } from '../flows/wait-matching.ts'
import * as eventContacts from './resolve-contacts.ts'

export interface IncomingEvent extends eventContacts.Subject {
  properties: Record<string, unknown>
  propertiesJson: string
  /** ISO 8601. Undefined: now. */
  occurredAt?: string | undefined
  isLate: boolean
}

export type Ingested =
  | { kind: 'stored'; id: Uuid; contactCreated: boolean; started: number; resumed: number }
  | { kind: 'duplicate' }
  | { kind: 'failed'; why: eventContacts.Missing }

const DUPLICATE: Ingested = { kind: 'duplicate' }

interface Candidate {
  index: number
  event: IncomingEvent
  contactId: Uuid
  isNew: boolean
}

interface Options extends eventContacts.Options {
  /** Month in which the events count: its first day, UTC. */
  month: string
}

/**
 * Stores events with all their consequences, in the caller's transaction, and counts them. Returns
 * the outcomes in the given order. An event without a contact fails alone. `counted` is absent if
 * nothing is stored. Its `current` is null if the quota is used up: then the caller must roll the
 * transaction back.
 *
 * Locks, in this order: addresses of created contacts, ids of events, contacts, then the
 * consequences, usage. If nothing follows, waits instead of contacts (`events.insert`). So the
 * caller may not hold locks of contacts.
 *
 * `isMixed`: the events are of several requests, and each must be stored as if it were alone.
 * Throws `NotMixable` if one of them does more than being stored.
 */
export async function ingest(
  tx: Transaction,
  organizationId: Uuid,
  incoming: readonly IncomingEvent[],
  { month, ...options }: Options,
): Promise<{ outcomes: Ingested[]; countedUsage?: eventUsage.CountedUsage }> {
  const resolved = await eventContacts.resolve(tx, organizationId, incoming, options)
  const outcomes: Ingested[] = []
  const candidates: Candidate[] = []
  for (const [index, event] of incoming.entries()) {
    const resolvedContact = resolved[index]
    outcomes.push(
      resolvedContact && 'missing' in resolvedContact
        ? { kind: 'failed', why: resolvedContact.missing }
        : DUPLICATE,
    )
    if (!resolvedContact || !('contactId' in resolvedContact)) continue
    const { contactId, isNew } = resolvedContact
    candidates.push({ index, event, contactId, isNew })
  }
  const { isMixed = false } = options
  // Two events of one contact may bear on each other.
  const contactIds = new Set(candidates.map(({ contactId }) => contactId))
  if (isMixed && contactIds.size < candidates.length) throw new eventContacts.NotMixable()
  const { storedCandidates, storedEvents, missing } = await store(tx, organizationId, candidates)
  for (const { index, why } of missing) outcomes[index] = { kind: 'failed', why }
  if (!storedEvents) return { outcomes }
  // What follows from an event names the request that it came with.
  if (isMixed && storedEvents.isLocked) throw new eventContacts.NotMixable()
  const effects = storedEvents.isLocked
    ? await follow(tx, organizationId, storedCandidates, storedEvents, options.requestId)
    : NO_EFFECTS
  for (const [position, { index, isNew }] of storedCandidates.entries()) {
    outcomes[index] = {
      kind: 'stored',
      id: storedEvents.idOf(position),
      contactCreated: isNew,
      started: effects.started.get(position) ?? 0,
      resumed: effects.resumed.get(position) ?? 0,
    }
  }
  const usage = { organizationId, month, count: storedCandidates.length }
  if (storedEvents.isLocked) return { outcomes, countedUsage: await eventUsage.record(tx, usage) }

  const follows = events.mayFollow(tx, organizationId, timelyNames(storedCandidates))
  const countedUsage = await eventUsage.record(tx, usage, follows)
  if (countedUsage.isHindered) throw new Superseded()
  return { outcomes, countedUsage }
}

interface StoredCandidates {
  storedCandidates: readonly Candidate[]
  storedEvents: events.StoredEvents | undefined
  missing: { index: number; why: eventContacts.Missing }[]
}

/** Stores events that are not duplicates. If a contact is gone, stores again without its events. */
async function store(
  tx: Transaction,
  organizationId: Uuid,
  candidates: readonly Candidate[],
): Promise<StoredCandidates> {
  const missing: StoredCandidates['missing'] = []
  for (let remaining = candidates; ; ) {
    const { newCandidates, before } = await withoutDuplicates(tx, organizationId, remaining)
    if (newCandidates.length === 0)
      return { storedCandidates: [], storedEvents: undefined, missing }
    const storedEvents = await events.insert(
      tx,
      organizationId,
      newCandidates,
      timelyNames(newCandidates),
    )
    if (storedEvents) return { storedCandidates: newCandidates, storedEvents, missing }

    await eventIds.forget(tx, organizationId, newCandidates.flatMap(keysOf))
    // All contacts at once, also of duplicates within the request: the first of them may be the
    // one that fails.
    const contactIds = [...new Set(remaining.map(({ contactId }) => contactId))]
    const there = await namedContacts.listPresent(tx, organizationId, contactIds)
    const gone = remaining.filter(
      (each) => !there.has(each.contactId) && !keysOf(each).some((key) => before.has(textOf(key))),
    )
    const goneIds = gone.map(({ contactId }) => contactId)
    const foreign = await namedContacts.listForeign(tx, organizationId, goneIds)
    for (const { index, contactId } of gone) {
      missing.push({ index, why: foreign.has(contactId) ? 'foreign' : 'unknown' })
    }
    const failed = new Set(gone)
    remaining = remaining.filter((each) => !failed.has(each))
  }
}

const keysOf = ({ contactId, event: { eventId, name } }: Candidate): EventKey[] =>
  eventId === undefined ? [] : [{ eventId, name, contactId }]

/** Removes events whose key an earlier event of the request or an earlier request has. */
async function withoutDuplicates(
  tx: Transaction,
  organizationId: Uuid,
  candidates: readonly Candidate[],
): Promise<{ newCandidates: readonly Candidate[]; before: ReadonlySet<string> }> {
  const firstKeys = new Map<string, EventKey>()
  const first = candidates.filter((each) => {
    const [key] = keysOf(each)
    if (key === undefined) return true
    const text = textOf(key)
    if (firstKeys.has(text)) return false
    firstKeys.set(text, key)
    return true
  })
  const knownKeys = await eventIds.remember(tx, organizationId, [...firstKeys.values()])
  const before = new Set(knownKeys.map(textOf))
  if (before.size === 0) return { newCandidates: first, before }
  const newCandidates = first.filter((each) => !keysOf(each).some((key) => before.has(textOf(key))))
  return { newCandidates, before }
}

interface Effects {
  /** Started executions by the index of the event. Absent: none. */
  started: ReadonlyMap<number, number>
  resumed: ReadonlyMap<number, number>
}

const NO_EFFECTS: Effects = { started: new Map(), resumed: new Map() }

/** Returns the names of events that are recent enough to start or resume executions. */
function timelyNames(candidates: readonly Candidate[]): string[] {
  const names = new Set<string>()
  for (const { event } of candidates) if (!event.isLate) names.add(event.name)
  return [...names]
}

/** Starts and resumes executions because of stored events, whose contacts are locked. */
async function follow(
  tx: Transaction,
  organizationId: Uuid,
  candidates: readonly Candidate[],
  { idOf, receivedAt }: events.StoredEvents,
  requestId: string | undefined,
): Promise<Effects> {
  const { mayResume, mayStart } = await events.consequences(
    tx,
    organizationId,
    timelyNames(candidates),
  )
  if (!mayResume && !mayStart) return NO_EFFECTS

  const started = new Map<number, number>()
  const resumed = new Map<number, number>()
  const timely = candidates.flatMap(({ event, contactId }, position) => {
    const { isLate, name, properties, occurredAt = receivedAt } = event
    if (isLate) return []
    return [{ position, id: idOf(position), contactId, name, properties, occurredAt, receivedAt }]
  })
  // Waits come first: an execution that an event starts must not be resumed by it.
  if (mayResume) {
    const counts = await matchEvents(tx, organizationId, timely)
    for (const [i, { position }] of timely.entries()) resumed.set(position, counts[i] ?? 0)
  }
  if (mayStart) {
    const occurrences = timely.map(({ id, contactId, name, properties, occurredAt }) => ({
      type: 'event' as const,
      contactId,
      name,
      eventId: id,
      properties,
      occurredAt,
    }))
    const counts = await fire(tx, organizationId, occurrences, requestId)
    for (const [i, { position }] of timely.entries()) started.set(position, counts[i] ?? 0)
    // An event may end what an earlier one of the same request has started.
    if (mayResume && timely.length > 1 && counts.some((count) => count > 0)) {
      await matchEvents(tx, organizationId, timely)
    }
  }
  return { started, resumed }
}
