import { createHash } from 'node:crypto'
import { addressed } from '../../keys/addresses.ts'
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
import { type Arrived, matchEngagements } from '../../store/flows/engagements.ts'
import { recordArrivals as recordProbeArrivals } from '../../store/delivery/probes.ts'
import * as outbox from '../../store/platform/outbox.ts'
import { findWaitingDays } from '../../store/delivery/waiting-days.ts'
import * as waitingEvents from '../../store/batches/waiting-events.ts'
import {
  isPassing,
  isRefusedValue,
  type Sql,
  type Transaction,
  transact,
} from '../../store/db/sql.ts'
import type { Uuid } from '../../runtime/ids.ts'
import type { Keyring } from '../../keys/tokens.ts'
import { earliestTagged, type Times, timesOf } from './event-times.ts'
import { markDone, setAside } from './events-done.ts'
import { type MatchedEvent, matchUntagged, type ReadEvent } from './match-untagged.ts'

/** Events of one transaction. */
const MOST = 500

/** Applies one set of waiting events in one transaction and returns how many there were. */
export async function applyEvents(
  sql: Sql,
  keyring: Keyring,
  most = MOST,
  onDuplicates: (count: number) => void = () => {},
): Promise<number> {
  const days = await findWaitingDays(sql)
  const applied = await transact(sql, async (tx) => {
    const inbound = await waitingEvents.lockWaiting(tx, most, days)
    const duplicates = inbound.length > 0 ? await applyLocked(tx, keyring, inbound) : 0
    return { events: inbound.length, duplicates }
  })
  if (applied.duplicates > 0) onDuplicates(applied.duplicates)
  return applied.events
}

/** An event that fails for a reason of ours is tried again this often, for so long. */
const TRY_AGAIN_MS = 30_000
const GIVE_UP_MS = 3_600_000

interface AppliedEvent {
  event: waitingEvents.Inbound
  duplicates: number
  /** Why it was put off or set aside; undefined: it was applied. */
  refusal?: { error: unknown; isPutOff: boolean }
}

/**
 * Applies one waiting event in a transaction of its own. One that fails, and not for want of a
 * database, stops no others: it is set aside when that is for what it says, and else put off, for
 * an hour at least, in which our mistake may be mended. It is this very one that is set aside: what
 * is first by then may be another, since a second applier may have locked this one. Undefined:
 * nothing waits.
 */
export async function applyNext(sql: Sql, keyring: Keyring): Promise<AppliedEvent | undefined> {
  let event: waitingEvents.Inbound | undefined
  try {
    const days = await findWaitingDays(sql)
    const duplicates = await transact(sql, async (tx) => {
      ;[event] = await waitingEvents.lockWaiting(tx, 1, days)
      return event ? applyLocked(tx, keyring, [event]) : 0
    })
    return event && { event, duplicates }
  } catch (error) {
    if (!event || isPassing(error)) throw error
    const isOld = event.isPutOff && Date.now() - Date.parse(event.receivedAt) > GIVE_UP_MS
    const isPutOff = !isRefusedValue(error) && !isOld
    if (isPutOff) await waitingEvents.putOff(sql, [event], TRY_AGAIN_MS)
    else await setAside(sql, event, error)
    return { event, duplicates: 0, refusal: { error, isPutOff } }
  }
}

/**
 * Events come in any order, any number of times, to any number of appliers: what is known of a mail
 * is a function of the events seen (`learn`), and every counter moves by the difference. Locks are
 * taken in one order everywhere: mails by key, then of one organization after the other addresses,
 * contacts and subscriptions, then stats, which look at contacts once more, then what executions
 * wait for, what silence is judged by, batches. Returns how many mails these events showed to have
 * been accepted a second time.
 */
async function applyLocked(
  tx: Transaction,
  keyring: Keyring,
  inbound: waitingEvents.Inbound[],
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

  const effects: Effect[] = []
  const engagements = new Map<string, Arrived[]>()
  const stats: deliveryEvents.StatsDelta[] = []
  const batches = new Map<string, deliveryEvents.BatchDelta>()
  const arrivals: answeredCounts.Arrival[] = []
  const applied = new Set<waitingEvents.Inbound>()
  let duplicates = 0
  for (const group of groups([...read.flatMap(byTag), ...matched])) {
    const changes = { effects, engagements, stats, batches, arrivals, applied }
    duplicates += await applyToBucket(tx, group, changes)
  }
  await applyEffects(tx, keyring, effects)
  if (stats.length > 0) await deliveryEvents.bumpStats(tx, stats)
  for (const organizationId of [...engagements.keys()].toSorted()) {
    await matchEngagements(tx, organizationId, engagements.get(organizationId) ?? [])
  }
  if (arrivals.length > 0) await answeredCounts.recordArrivals(tx, arrivals)
  if (probes.length > 0) await recordProbeArrivals(tx, probes)
  for (const batch of changedBatches([...batches.values()])) {
    for (const [position, moved] of [...batch.variants].toSorted(([a], [b]) => a - b)) {
      await batchVariants.bump(tx, { ...batch, position }, moved)
    }
    await deliveryEvents.bumpBatch(tx, batch)
  }
  for (const { event, inbound: from } of read) if (event.isTrial) applied.add(from)
  if (held.length > 0) await waitingEvents.putOff(tx, held)
  await markDone(tx, { inbound, read, applied, held, external })
  return duplicates
}

/** The mail that an event's tag names: one of the organization that the event's proof names. */
function byTag({ event, inbound }: ReadEvent): MatchedEvent[] {
  const { tagged } = event
  if (!tagged || (tagged.organizationId ?? inbound.organizationId) !== inbound.organizationId) {
    return []
  }
  return [{ event, inbound, bucket: tagged.bucket, id: tagged.id }]
}

interface Effect extends BounceOrComplaint {
  organizationId: string
}

/** Changes the suppression list and the contacts, in the order of their organizations. */
async function applyEffects(
  tx: Transaction,
  keyring: Keyring,
  effects: readonly Effect[],
): Promise<void> {
  const byOrganization = groupBy(effects, ({ organizationId }) => organizationId)
  for (const organizationId of [...byOrganization.keys()].toSorted()) {
    const given = byOrganization.get(organizationId) ?? []
    const addressOf = (email: string) => addressed(keyring, organizationId, email)
    await applyBouncesAndComplaints(tx, organizationId, given, addressOf)
  }
}

interface Changes {
  effects: Effect[]
  /** With mails of executions, by organization. */
  engagements: Map<string, Arrived[]>
  stats: deliveryEvents.StatsDelta[]
  batches: Map<string, deliveryEvents.BatchDelta>
  /** First events of mails whose calls were answered. */
  arrivals: answeredCounts.Arrival[]
  /** Events that a mail was found for. */
  applied: Set<waitingEvents.Inbound>
}

/**
 * The events of one organization's bucket: one partition, one lock order. Returns how many second
 * acceptances they told of.
 */
async function applyToBucket(
  tx: Transaction,
  group: MatchedEvent[],
  changes: Changes,
): Promise<number> {
  const [first] = group
  if (!first) return 0
  const {
    bucket,
    inbound: { organizationId },
  } = first
  const key = { organizationId, bucket }
  const byMail = groupBy(group, ({ id }) => id)
  const mails = await deliveryEvents.lockMails(tx, key, [...byMail.keys()].toSorted())

  const changed: deliveryEvents.MailRow[] = []
  const proven: deliveryEvents.MailRow[] = []
  const timeline: deliveryEvents.TimelineEntry[] = []
  const others: { mailId: string; connectionId: string; messageId: string }[] = []
  for (const mail of mails) {
    const events = (byMail.get(mail.id) ?? []).filter(
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
      timeline.push(
        entry(mail.id, event, { isErased, isKnownBy: after.claimedAt && after.messageId }),
      )
      if (event.messageId === messageId) continue
      const { connectionId } = mail
      others.push({ mailId: mail.id, connectionId, messageId: event.messageId })
    }

    const firstEventAt = mail.firstEventAt ?? earliestTagged(events)
    // The worker that made the mail knows its subject best, but may be lost before it wrote it.
    const subject = mail.subject ?? events.find(({ event }) => event.subject)?.event.subject ?? null
    const hidden = isErased ? { error: null, subject: null } : {}
    const row = { ...mail, ...after, firstEventAt, subject, ...hidden }
    const isHeard = mail.firstEventAt === null && firstEventAt !== null
    if (isHeard && mail.state === 'sent' && mail.claimedAt !== null) {
      const { connectionId, claimedAt } = mail
      changes.arrivals.push({ organizationId, connectionId, claimedAt, receivedAt: firstEventAt })
    }
    const moved = delta(mail, row)
    changed.push(row)
    if (moved.sent === 1) proven.push({ ...row, messageId })
    const ofPeople = peoplesDelta(mail, row)
    count(changes, organizationId, row, { moved, ofPeople, times: timesOf(after, events) })
    if (mail.executionId !== null) noteEngagements(changes, organizationId, mail.id, events)
    changes.effects.push(...effectsOf(mail, organizationId, events))
  }
  if (changed.length > 0) await deliveryEvents.updateMails(tx, key, changed)
  if (proven.length > 0) await recordSent(tx, key, proven)
  if (timeline.length > 0) await deliveryEvents.append(tx, key, timeline)
  if (others.length === 0) return 0
  const duplicates = await deliveryEvents.recordDuplicates(tx, key, others)
  for (const { id } of duplicates) {
    const batchId = mails.find((mail) => mail.id === id)?.batchId
    const batch = batchId ? changes.batches.get(batchId) : undefined
    if (batch) batch.duplicates++
  }
  return duplicates.length
}

/** What events of a mail do to its address. */
function effectsOf(
  { recipient }: deliveryEvents.MailRow,
  organizationId: string,
  events: readonly MatchedEvent[],
): Effect[] {
  if (recipient === null) return []
  return events.flatMap(({ event }) => {
    const status = contactStatus(event)
    return status ? [{ organizationId, recipient, status, occurredAt: event.occurredAt }] : []
  })
}

/**
 * Mails that only an event proved to be sent: their message ids, and no second try for them.
 * Executions that wait for them are woken.
 */
async function recordSent(
  tx: Transaction,
  key: deliveryEvents.BucketKey,
  mails: deliveryEvents.MailRow[],
): Promise<void> {
  await deliveryEvents.recordMessageIds(tx, key, mails)
  await deliveryEvents.unqueue(tx, key, mails)
  const wakes = mails.flatMap(({ executionId }) =>
    executionId === null ? [] : [{ kind: 'wake_execution' as const, payload: { executionId } }],
  )
  await outbox.putAll(tx, key.organizationId, wakes, undefined)
}

/** Batches whose figures move, in the order of their keys; a completed one is corrected too. */
const changedBatches = (deltas: readonly deliveryEvents.BatchDelta[]) =>
  deltas
    .filter(
      ({ delta, duplicates, variants }) =>
        duplicates !== 0 ||
        [delta, ...[...variants.values()].flatMap(({ share, rest }) => [share, rest])].some(
          (each) => COUNTED.some((name) => each[name] !== 0),
        ),
    )
    .toSorted((a, b) => (a.batchId < b.batchId ? -1 : 1))

function noteEngagements(
  { engagements }: Changes,
  organizationId: string,
  mailId: string,
  events: readonly MatchedEvent[],
): void {
  const known = engagements.get(organizationId) ?? []
  for (const { event } of events) {
    for (const engagement of awaitedOf(event)) {
      known.push({ mailId, engagement, at: event.occurredAt })
    }
  }
  engagements.set(organizationId, known)
}

function count(
  changes: Changes,
  organizationId: string,
  mail: deliveryEvents.MailRow,
  { moved, ofPeople, times }: { moved: Delta; ofPeople: Delta; times: Times },
) {
  const { sent, opened, clicked } = ofPeople
  const { contactId } = mail
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

/** Of another acceptance the timeline also shows the message id. */
function entry(
  logId: Uuid,
  event: SesEvent,
  { isErased, isKnownBy }: { isErased: boolean; isKnownBy: string | null },
): deliveryEvents.TimelineEntry {
  const { kind, occurredAt, distinct, messageId } = event
  const fingerprint = createHash('sha256').update(distinct).digest().subarray(0, 16)
  const data = messageId === isKnownBy ? event.data : { ...event.data, messageId }
  return { logId, kind, fingerprint, occurredAt, data: isErased ? {} : data }
}

/** By organization and bucket, in the order of those keys. */
function groups(events: readonly MatchedEvent[]): MatchedEvent[][] {
  const byBucket = groupBy(events, ({ inbound, bucket }) => `${inbound.organizationId} ${bucket}`)
  return [...byBucket.keys()].toSorted().map((key) => byBucket.get(key) ?? [])
}

/** `Map.groupBy` of newer Nodes. */
function groupBy<T>(items: readonly T[], key: (item: T) => string): Map<string, T[]> {
  const grouped = new Map<string, T[]>()
  for (const item of items) {
    const group = grouped.get(key(item))
    if (group) group.push(item)
    else grouped.set(key(item), [item])
  }
  return grouped
}
