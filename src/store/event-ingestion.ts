import type { Uuid } from '../ids.ts'
import * as eventContacts from './event-contacts.ts'
import * as eventIds from './event-ids.ts'
import * as events from './events.ts'
import { fire } from './flow-triggers.ts'
import type { Transaction } from './sql.ts'
import { takeEvents } from './waits.ts'

export interface IncomingEvent extends eventContacts.Subject {
  name: string
  properties: Record<string, unknown>
  /** The same as JSON. */
  propertiesJson: string
  /** ISO time; undefined: now. */
  occurredAt?: string | undefined
  /** It happened too long ago to start or resume anything. */
  isLate: boolean
}

export type Ingested =
  | { kind: 'stored'; id: Uuid; contactCreated: boolean; started: number; resumed: number }
  | { kind: 'duplicate' }
  | { kind: 'failed'; why: eventContacts.Missing }

/** An event whose contact is known. */
interface Candidate {
  index: number
  event: IncomingEvent
  contactId: Uuid
  isNew: boolean
}

/**
 * Stores events with all that follows from them, in the caller's transaction; what became of each,
 * in the order given. Who has no contact fails and takes nobody along. Usage is counted by the
 * caller, as the last thing of the transaction.
 *
 * Locks, in this order: addresses of contacts that are made, ids of events, contacts, then what
 * follows. So no contact may be locked by the caller before.
 */
export async function ingest(
  tx: Transaction,
  organizationId: Uuid,
  incoming: readonly IncomingEvent[],
  options: eventContacts.Options,
): Promise<Ingested[]> {
  const resolved = await eventContacts.resolve(tx, organizationId, incoming, options)
  const outcomes: Ingested[] = []
  const candidates: Candidate[] = []
  for (const [index, event] of incoming.entries()) {
    const found = resolved[index]
    outcomes.push(
      found && 'missing' in found ? { kind: 'failed', why: found.missing } : { kind: 'duplicate' },
    )
    if (!found || !('contactId' in found)) continue
    const { contactId, isNew } = found
    candidates.push({ index, event, contactId, isNew })
  }
  const { stored, made, missing } = await store(tx, organizationId, candidates)
  for (const { index, why } of missing) outcomes[index] = { kind: 'failed', why }
  if (!made) return outcomes
  const { started, resumed } = await follow(tx, organizationId, stored, made, options.requestId)
  for (const [position, { index, isNew }] of stored.entries()) {
    outcomes[index] = {
      kind: 'stored',
      id: made.ids[position] ?? '',
      contactCreated: isNew,
      started: started.get(position) ?? 0,
      resumed: resumed.get(position) ?? 0,
    }
  }
  return outcomes
}

interface Kept {
  stored: readonly Candidate[]
  /** Undefined: nothing is stored. */
  made: events.Stored | undefined
  missing: { index: number; why: eventContacts.Missing }[]
}

/** Stores what is no duplicate; those whose contact is gone are taken out, and then it is again. */
async function store(
  tx: Transaction,
  organizationId: Uuid,
  candidates: readonly Candidate[],
): Promise<Kept> {
  const missing: Kept['missing'] = []
  for (let given = candidates; ; ) {
    const { fresh, before } = await withoutDuplicates(tx, organizationId, given)
    if (fresh.length === 0) return { stored: [], made: undefined, missing }
    const made = await events.insert(tx, organizationId, fresh)
    if (made) return { stored: fresh, made, missing }

    await eventIds.forget(tx, organizationId, idsOf(fresh))
    // All at once, also of those that were duplicates within the request: the first of them may be
    // the one that fails. Whoever is there is locked by now.
    const wanted = [...new Set(given.map(({ contactId }) => contactId))]
    const there = await events.present(tx, organizationId, wanted)
    const gone = given.filter(
      ({ contactId, event: { eventId = '' } }) => !there.has(contactId) && !before.has(eventId),
    )
    const goneIds = gone.map(({ contactId }) => contactId)
    const foreign = await eventContacts.strangers(tx, organizationId, goneIds)
    for (const { index, contactId } of gone) {
      missing.push({ index, why: foreign.has(contactId) ? 'foreign' : 'unknown' })
    }
    const failed = new Set(gone)
    given = given.filter((each) => !failed.has(each))
  }
}

const idsOf = (given: readonly Candidate[]): string[] =>
  given.flatMap(({ event: { eventId } }) => eventId ?? [])

/** Of those that have one id the first one counts, unless another request has had it before. */
async function withoutDuplicates(
  tx: Transaction,
  organizationId: Uuid,
  given: readonly Candidate[],
): Promise<{ fresh: readonly Candidate[]; before: ReadonlySet<string> }> {
  const seen = new Set<string>()
  const first = given.filter(({ event: { eventId } }) => {
    if (eventId === undefined) return true
    if (seen.has(eventId)) return false
    seen.add(eventId)
    return true
  })
  const before = await eventIds.remember(tx, organizationId, [...seen])
  if (before.size === 0) return { fresh: first, before }
  const fresh = first.filter(({ event: { eventId = '' } }) => !before.has(eventId))
  return { fresh, before }
}

interface Effects {
  /** Executions by the position of the event; absent: none. */
  started: Map<number, number>
  resumed: Map<number, number>
}

/** What follows from stored events. */
async function follow(
  tx: Transaction,
  organizationId: Uuid,
  stored: readonly Candidate[],
  { ids, receivedAt }: events.Stored,
  requestId: string | undefined,
): Promise<Effects> {
  const started = new Map<number, number>()
  const resumed = new Map<number, number>()
  const names = new Set(stored.flatMap(({ event }) => (event.isLate ? [] : event.name)))
  if (names.size === 0) return { started, resumed }
  const { mayResume, mayStart } = await events.consequences(tx, organizationId, [...names])
  if (!mayResume && !mayStart) return { started, resumed }

  const timely = stored.flatMap(({ event, contactId }, position) => {
    const { isLate, name, properties } = event
    const id = ids[position] ?? ''
    return isLate ? [] : [{ position, id, contactId, name, properties, receivedAt }]
  })
  // First those who wait: what an event starts does not wait for that event.
  if (mayResume) {
    const counts = await takeEvents(tx, organizationId, timely)
    for (const [i, { position }] of timely.entries()) resumed.set(position, counts[i] ?? 0)
  }
  if (mayStart) {
    const occurrences = timely.map(({ id, contactId, name, properties }) => ({
      type: 'event' as const,
      contactId,
      name,
      eventId: id,
      properties,
    }))
    const counts = await fire(tx, organizationId, occurrences, requestId)
    for (const [i, { position }] of timely.entries()) started.set(position, counts[i] ?? 0)
    // An event may end what an earlier one of the same request has started.
    if (mayResume && timely.length > 1 && counts.some((count) => count > 0)) {
      await takeEvents(tx, organizationId, timely)
    }
  }
  return { started, resumed }
}
