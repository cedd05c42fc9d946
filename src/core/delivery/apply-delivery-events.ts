import { createHash } from 'node:crypto'
import {
  contactStatus,
  COUNTED,
  type Delta,
  delta,
  noChange,
  peoplesDelta,
  awaitedOf,
  learn,
  type MailFacts,
} from '../../domain/delivery/delivery.ts'
import { parseStoredEvent, type SesEvent } from '../../domain/delivery/ses-event.ts'
import * as answeredCounts from '../../store/delivery/answered-counts.ts'
import { applyBouncesAndComplaints, type BounceOrComplaint } from '../consent/bounces.ts'
import * as batchVariants from '../../store/batches/batch-variants.ts'
import * as deliveryEvents from '../../store/delivery/delivery-events.ts'
import * as deliveryCounters from '../../store/delivery/delivery-counters.ts'
import * as mailFacts from '../../store/delivery/mail-facts.ts'
import { type Arrived, matchEngagements } from '../../store/flows/engagements.ts'
import { recordArrivals as recordProbeArrivals } from '../../store/delivery/probes.ts'
import * as outbox from '../../store/platform/outbox.ts'
import { findWaitingDays } from '../../store/delivery/waiting-days.ts'
import * as inboundEvents from '../../store/delivery/inbound-events.ts'
import {
  isPassing,
  isRefusedValue,
  type Sql,
  type Transaction,
  transact,
} from '../../store/db/sql.ts'
import { FIRST_TURN, lastTurn } from '../../store/db/turns.ts'
import type { Uuid } from '../../runtime/ids.ts'
import type { Keyring } from '../../keys/tokens.ts'
import { earliestTagged, type Times, timesOf } from './event-times.ts'
import { markDone, setAside } from './events-done.ts'
import { type MatchedEvent, matchUntagged, type ReadEvent } from './match-untagged.ts'

const MOST = 500

/** Organizations whose turn was last, by pool. */
const lastTurns = new WeakMap<Sql, Uuid>()

/** Prepares to take up to `most` waiting events for a transaction, of organizations in turn. */
async function findTaker(sql: Sql, most: number) {
  const days = await findWaitingDays(sql)
  return async (tx: Transaction): Promise<inboundEvents.WaitingEvent[]> => {
    const after = lastTurns.get(sql) ?? FIRST_TURN
    const taken = await inboundEvents.lockWaiting(tx, most, days, after)
    lastTurns.set(sql, lastTurn(taken, after))
    return taken
  }
}

/** Applies one set of waiting events in one transaction and returns how many there were. */
export async function applyEvents(
  sql: Sql,
  keyring: Keyring,
  most = MOST,
  onDuplicates: (count: number) => void = () => {},
): Promise<number> {
  const take = await findTaker(sql, most)
  const applied = await transact(sql, async (tx) => {
    const inbound = await take(tx)
    const duplicates = inbound.length > 0 ? await applyLocked(tx, keyring, inbound) : 0
    return { events: inbound.length, duplicates }
  })
  if (applied.duplicates > 0) onDuplicates(applied.duplicates)
  return applied.events
}

/** An event that fails through our fault is tried again for an hour. */
const TRY_AGAIN_MS = 30_000
const GIVE_UP_MS = 3_600_000

interface AppliedEvent {
  event: inboundEvents.WaitingEvent
  duplicates: number
  /** The event was put off or set aside. Undefined: it was applied. */
  refusal?: { error: unknown; isPutOff: boolean }
}

/**
 * Applies one waiting event in a transaction of its own. An event that fails does not stop others,
 * unless the database is unreachable: it is set aside if Postgres refuses a value of it, and else
 * put off for an hour, in which our mistake may be corrected. It is the same event that is set
 * aside: the first one may be another by then, since a second applier may have locked this one.
 * Undefined: no event waits.
 */
export async function applyNext(sql: Sql, keyring: Keyring): Promise<AppliedEvent | undefined> {
  let event: inboundEvents.WaitingEvent | undefined
  try {
    const take = await findTaker(sql, 1)
    const duplicates = await transact(sql, async (tx) => {
      ;[event] = await take(tx)
      return event ? applyLocked(tx, keyring, [event]) : 0
    })
    return event && { event, duplicates }
  } catch (error) {
    if (!event || isPassing(error)) throw error
    const isOld = event.isPutOff && Date.now() - Date.parse(event.receivedAt) > GIVE_UP_MS
    const isPutOff = !isRefusedValue(error) && !isOld
    if (isPutOff) await inboundEvents.putOff(sql, [event], TRY_AGAIN_MS)
    else await setAside(sql, event, error)
    return { event, duplicates: 0, refusal: { error, isPutOff } }
  }
}

/**
 * Applies locked events. They come in any order, any number of times, to any number of appliers:
 * the facts of a mail are a function of its events (`learn`), and every counter changes by the
 * difference. The events of a set may be of hundreds of organizations: each statement handles all
 * of them, and finds every row by its own organization. Locks are taken in one order everywhere,
 * each by its whole key: mails, addresses, contacts, stats, waits of executions, counts of answered
 * mails, probes, variants, batches. Returns the number of mails that were accepted a second time.
 */
async function applyLocked(
  tx: Transaction,
  keyring: Keyring,
  inbound: inboundEvents.WaitingEvent[],
): Promise<number> {
  const read = inbound.flatMap((stored): ReadEvent[] => {
    const event = parseStoredEvent(stored.body)
    return event ? [{ event, inbound: stored }] : []
  })
  const { matched, held, external } = await matchUntagged(
    tx,
    read.filter(({ event }) => event.isUntagged),
  )
  const probes = read.flatMap(({ event: { probeId: id }, inbound: from }) =>
    id === undefined ? [] : [{ ...from, id }],
  )

  const changes: Changes = {
    effects: [],
    engagements: [],
    stats: [],
    batches: new Map(),
    arrivals: [],
    applied: new Set(),
  }
  const { effects, engagements, stats, batches, arrivals, applied } = changes
  const duplicates = await applyToMails(tx, [...read.flatMap(byTag), ...matched], changes)
  await applyBouncesAndComplaints(tx, keyring, effects)
  if (stats.length > 0) await deliveryCounters.bumpStats(tx, stats)
  await matchEngagements(tx, engagements)
  if (arrivals.length > 0) await answeredCounts.recordArrivals(tx, arrivals)
  if (probes.length > 0) await recordProbeArrivals(tx, probes)
  await bumpBatches(tx, [...batches.values()])
  for (const { event, inbound: from } of read) if (event.isTrial) applied.add(from)
  if (held.length > 0) await inboundEvents.putOff(tx, held)
  await markDone(tx, { inbound, read, applied, held, external })
  return duplicates
}

/** Matches an event by its tag. A tag may only name a mail of the organization of its proof. */
function byTag({ event, inbound }: ReadEvent): MatchedEvent[] {
  const { tagged } = event
  if (!tagged || (tagged.organizationId ?? inbound.organizationId) !== inbound.organizationId) {
    return []
  }
  return [{ event, inbound, bucket: tagged.bucket, id: tagged.id }]
}

interface Changes {
  effects: BounceOrComplaint[]
  /** Engagements with mails of executions. */
  engagements: Arrived[]
  stats: deliveryCounters.StatsDelta[]
  batches: Map<string, deliveryCounters.BatchDelta>
  /** First events of mails whose calls were answered. */
  arrivals: answeredCounts.Arrival[]
  /** Events whose mail was found. */
  applied: Set<inboundEvents.WaitingEvent>
}

/** Writes the facts of events to their mails. Returns the number of new second acceptances. */
async function applyToMails(
  tx: Transaction,
  matched: readonly MatchedEvent[],
  changes: Changes,
): Promise<number> {
  if (matched.length === 0) return 0
  const byMail = groupBy(matched, (each) => keyOf(placeOf(each)))
  const places = [...byMail.values()].flatMap(([first]) => (first ? placeOf(first) : []))
  const mails = await mailFacts.lock(tx, places)

  const changed: mailFacts.MailRow[] = []
  const proven: mailFacts.MailRow[] = []
  const timeline: deliveryEvents.TimelineEntry[] = []
  const others: (mailFacts.MailKey & { connectionId: string; messageId: string })[] = []
  for (const mail of mails) {
    const events = (byMail.get(keyOf(mail)) ?? []).filter(
      ({ inbound }) => inbound.connectionId === mail.connectionId,
    )
    for (const { inbound } of events) changes.applied.add(inbound)
    const after = events.reduce<MailFacts>((facts, { event }) => learn(facts, event), mail)
    if (events.length === 0) continue
    // Of an erased mail only its kind and time: what else an event says may name the person.
    const isErased = mail.recipient === null
    // Another may turn out to be the first; this one is counted as the mail's own all the same.
    const messageId = mail.messageId ?? after.messageId
    for (const { event } of events) {
      timeline.push(entry(mail, event, { isErased, isKnownBy: after.claimedAt && after.messageId }))
      if (event.messageId !== messageId) others.push({ ...mail, messageId: event.messageId })
    }

    const firstEventAt = mail.firstEventAt ?? earliestTagged(events)
    // The worker that made the mail knows its subject best, but may be lost before it wrote it.
    const subject = mail.subject ?? events.find(({ event }) => event.subject)?.event.subject ?? null
    const hidden = isErased ? { error: null, subject: null } : {}
    const row = { ...mail, ...after, firstEventAt, subject, ...hidden }
    const isHeard = mail.firstEventAt === null && firstEventAt !== null
    if (isHeard && mail.state === 'sent' && mail.claimedAt !== null) {
      const { organizationId, connectionId, claimedAt } = mail
      changes.arrivals.push({ organizationId, connectionId, claimedAt, receivedAt: firstEventAt })
    }
    const moved = delta(mail, row)
    changed.push(row)
    if (moved.sent === 1) proven.push({ ...row, messageId })
    count(changes, row, { moved, ofPeople: peoplesDelta(mail, row), times: timesOf(after, events) })
    if (mail.executionId !== null) changes.engagements.push(...engagementsWith(mail, events))
    changes.effects.push(...effectsOf(mail, events))
  }
  if (changed.length > 0) await mailFacts.update(tx, changed)
  if (proven.length > 0) await recordSent(tx, proven)
  if (timeline.length > 0) await deliveryEvents.append(tx, timeline)
  if (others.length === 0) return 0
  const duplicates = await mailFacts.recordDuplicates(tx, others)
  const batchIds = new Map(mails.map((mail) => [keyOf(mail), mail.batchId]))
  for (const duplicate of duplicates) {
    const batch = changes.batches.get(batchIds.get(keyOf(duplicate)) ?? '')
    if (batch) batch.duplicates++
  }
  return duplicates.length
}

/** Returns a text that identifies the mail. */
const keyOf = ({ organizationId, bucket, id }: mailFacts.MailKey): string =>
  `${organizationId} ${bucket} ${id}`

const placeOf = ({ bucket, id, inbound: { organizationId } }: MatchedEvent) => ({
  organizationId,
  bucket,
  id,
})

/** Returns the bounces and complaints that change the status of the mail's address. */
function effectsOf(
  { organizationId, recipient }: mailFacts.MailRow,
  events: readonly MatchedEvent[],
): BounceOrComplaint[] {
  if (recipient === null) return []
  return events.flatMap(({ event }) => {
    const status = contactStatus(event)
    return status ? [{ organizationId, recipient, status, occurredAt: event.occurredAt }] : []
  })
}

/**
 * Records mails that only an event proved to be sent: their message ids, so that they are not sent
 * again. Wakes executions that wait for them.
 */
async function recordSent(tx: Transaction, mails: mailFacts.MailRow[]): Promise<void> {
  await mailFacts.recordMessageIds(tx, mails)
  await mailFacts.unqueue(tx, mails)
  const wakes = mails.flatMap(({ organizationId, executionId }) =>
    executionId === null
      ? []
      : [
          {
            organizationId,
            message: { kind: 'wake_execution', payload: { executionId } } as const,
          },
        ],
  )
  await outbox.putEach(tx, wakes)
}

/** Updates the figures of batches and of their variants, those of completed batches too. */
async function bumpBatches(
  tx: Transaction,
  deltas: readonly deliveryCounters.BatchDelta[],
): Promise<void> {
  const changed = deltas.filter(
    ({ delta, duplicates, variants }) =>
      duplicates !== 0 ||
      [delta, ...[...variants.values()].flatMap(({ share, rest }) => [share, rest])].some((each) =>
        COUNTED.some((name) => each[name] !== 0),
      ),
  )
  const variants = changed.flatMap(({ organizationId, batchId, variants: ofBatch }) =>
    [...ofBatch].map(([position, moved]) => ({ organizationId, batchId, position, ...moved })),
  )
  if (variants.length > 0) await batchVariants.bump(tx, variants)
  if (changed.length > 0) await deliveryCounters.bumpBatches(tx, changed)
}

/** Returns the engagements in a mail's events that executions may wait for. */
const engagementsWith = (
  { organizationId, id }: mailFacts.MailRow,
  events: readonly MatchedEvent[],
): Arrived[] =>
  events.flatMap(({ event }) =>
    awaitedOf(event).map((engagement) => ({
      organizationId,
      mailId: id,
      engagement,
      at: event.occurredAt,
    })),
  )

function count(
  changes: Changes,
  mail: mailFacts.MailRow,
  { moved, ofPeople, times }: { moved: Delta; ofPeople: Delta; times: Times },
) {
  const { sent, opened, clicked } = ofPeople
  const { organizationId, contactId } = mail
  const isChanged = sent !== 0 || Object.values(times).some((time) => time !== null)
  if (contactId && isChanged) {
    changes.stats.push({ organizationId, contactId, sent, opened, clicked, ...times })
  }
  if (!mail.batchId) return
  const { batchId, variant, isOfRest } = mail
  const known = changes.batches.get(batchId)
  const batch = known ?? {
    organizationId,
    batchId,
    delta: moved,
    variants: new Map(),
    duplicates: 0,
  }
  changes.batches.set(batchId, batch)
  if (known) add(known.delta, moved)
  if (variant === null) return
  const figures = batch.variants.get(variant) ?? { share: noChange(), rest: noChange() }
  batch.variants.set(variant, figures)
  add(isOfRest ? figures.rest : figures.share, ofPeople)
}

function add(sum: Delta, moved: Delta): void {
  for (const name of COUNTED) sum[name] += moved[name]
}

/** Returns an entry of the timeline. It shows the message id where that is a second one. */
function entry(
  mail: mailFacts.MailRow,
  event: SesEvent,
  { isErased, isKnownBy }: { isErased: boolean; isKnownBy: string | null },
): deliveryEvents.TimelineEntry {
  const { kind, occurredAt, distinct, messageId } = event
  const fingerprint = createHash('sha256').update(distinct).digest().subarray(0, 16)
  const data = messageId === isKnownBy ? event.data : { ...event.data, messageId }
  return { mail, kind, fingerprint, occurredAt, data: isErased ? {} : data }
}

/** Does what `Map.groupBy` does in newer versions of Node. */
function groupBy<T>(items: readonly T[], key: (item: T) => string): Map<string, T[]> {
  const grouped = new Map<string, T[]>()
  for (const item of items) {
    const group = grouped.get(key(item))
    if (group) group.push(item)
    else grouped.set(key(item), [item])
  }
  return grouped
}
