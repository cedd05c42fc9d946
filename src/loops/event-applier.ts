import { createHash } from 'node:crypto'
import { addressed } from '../addresses.ts'
import {
  contactStatus,
  type Delta,
  delta,
  engagementOf,
  learn,
  type MailFacts,
} from '../domain/delivery.ts'
import { parseSesEvent, type SesEvent } from '../domain/ses-event.ts'
import * as answeredCounts from '../store/answered-counts.ts'
import * as consent from '../store/consent.ts'
import * as deliveryEvents from '../store/delivery-events.ts'
import { type Arrived, takeEngagements } from '../store/engagements.ts'
import { recordArrivals as recordProbeArrivals } from '../store/probes.ts'
import { isRefusedValue, type Sql, type Transaction, transact } from '../store/sql.ts'
import type { Keyring } from '../tokens.ts'
import { type Log, startLoop } from './loop.ts'

const EVENTS = 500
const IDLE_MS = 100

interface Deps {
  sql: Sql
  /** Addresses are known to the suppression list under its peppers. */
  keyring: Keyring
  log: Log
  /** Told how many mails turned out to have been accepted a second time. */
  onDuplicates?: ((count: number) => void) | undefined
}

/** Applies stored delivery events to mails, contacts and batches, in sets. */
export const startEventApplier = ({ sql, keyring, log, onDuplicates }: Deps) =>
  startLoop({
    name: 'event-applier',
    idleMs: IDLE_MS,
    log,
    round: async () => {
      try {
        return (await applyEvents(sql, keyring, EVENTS, onDuplicates)) === EVENTS
      } catch (error) {
        log.error({ err: error }, 'a set of events could not be applied; taking them one by one')
        await applyOneByOne({ sql, keyring, log, onDuplicates })
        return true
      }
    },
  })

/**
 * After a set that failed: its events by themselves, each in a transaction of its own. One that
 * fails again, for what it says and not for want of a database, is set aside with the reason: no
 * event of anybody may stop the others'. It is this very one that is set aside: what is first by
 * then may be another, since this one may be in the hands of a second applier.
 */
async function applyOneByOne({ sql, keyring, log, onDuplicates }: Deps): Promise<void> {
  for (let count = 0; count < EVENTS; count++) {
    let taken: deliveryEvents.Inbound | undefined
    try {
      const duplicates = await transact(sql, async (tx) => {
        ;[taken] = await deliveryEvents.takeWaiting(tx, 1)
        return taken ? applyTaken(tx, keyring, [taken]) : 0
      })
      if (duplicates > 0) onDuplicates?.(duplicates)
      if (!taken) return
    } catch (error) {
      if (!taken || !isRefusedValue(error)) throw error
      await deliveryEvents.setAside(sql, taken, String(error))
      const { receivedOn, position } = taken
      log.error({ err: error, receivedOn, position }, 'an event was set aside')
    }
  }
}

interface Tagged {
  event: SesEvent
  organizationId: string
  connectionId: string
  receivedAt: string
  bucket: string
  id: string
}

/** Applies one set of waiting events in one transaction and returns how many there were. */
export async function applyEvents(
  sql: Sql,
  keyring: Keyring,
  most = EVENTS,
  onDuplicates: (count: number) => void = () => {},
): Promise<number> {
  const applied = await transact(sql, async (tx) => {
    const inbound = await deliveryEvents.takeWaiting(tx, most)
    const duplicates = inbound.length > 0 ? await applyTaken(tx, keyring, inbound) : 0
    return { events: inbound.length, duplicates }
  })
  if (applied.duplicates > 0) onDuplicates(applied.duplicates)
  return applied.events
}

/**
 * Events come in any order, any number of times, to any number of appliers: what is known of a mail
 * is a function of the events seen (`learn`), and every counter moves by the difference. Locks are
 * taken in one order everywhere: mails by key, then of one organization after the other addresses,
 * contacts and subscriptions, then stats, which look at contacts once more, then what executions
 * wait for, what silence is judged by, batches. Returns how many mails these events showed to have
 * been accepted a second time.
 */
async function applyTaken(
  tx: Transaction,
  keyring: Keyring,
  inbound: deliveryEvents.Inbound[],
): Promise<number> {
  const parsed = inbound.flatMap(({ organizationId, connectionId, receivedAt, body }) => {
    const event = parseSesEvent(detailOf(body))
    return event ? [{ event, organizationId, connectionId, receivedAt }] : []
  })
  const tagged = parsed.flatMap(({ event, ...proven }): Tagged[] => {
    const { tagged } = event
    // The proof decides whose event it is; a tag that names another organization is not ours.
    if (!tagged || (tagged.organizationId ?? proven.organizationId) !== proven.organizationId) {
      return []
    }
    return [{ event, ...proven, bucket: tagged.bucket, id: tagged.id }]
  })
  const probes = parsed.flatMap(({ event, organizationId, connectionId, receivedAt }) =>
    event.probeId === undefined
      ? []
      : [{ organizationId, connectionId, receivedAt, id: event.probeId }],
  )

  const effects: Effect[] = []
  const engagements = new Map<string, Arrived[]>()
  const stats: deliveryEvents.StatsDelta[] = []
  const batches = new Map<string, deliveryEvents.BatchDelta>()
  const arrivals: answeredCounts.Arrival[] = []
  let duplicates = 0
  for (const group of groups(tagged)) {
    const changes = { effects, engagements, stats, batches, arrivals }
    duplicates += await applyToBucket(tx, group, changes)
  }
  await raiseAddresses(tx, keyring, effects)
  if (stats.length > 0) await deliveryEvents.bumpStats(tx, stats)
  for (const organizationId of [...engagements.keys()].toSorted()) {
    await takeEngagements(tx, organizationId, engagements.get(organizationId) ?? [])
  }
  if (arrivals.length > 0) await answeredCounts.recordArrivals(tx, arrivals)
  if (probes.length > 0) await recordProbeArrivals(tx, probes)
  await deliveryEvents.bumpBatches(tx, [...batches.values()])
  await deliveryEvents.markApplied(tx, inbound)
  return duplicates
}

/** What an event says of the address that was mailed, whoever has it by now. */
interface Effect {
  organizationId: string
  recipient: string
  status: consent.Raise['status']
  occurredAt: string
}

/** The list and the contacts, in the order of their organizations. */
async function raiseAddresses(
  tx: Transaction,
  keyring: Keyring,
  effects: readonly Effect[],
): Promise<void> {
  const byOrganization = groupBy(effects, ({ organizationId }) => organizationId)
  for (const organizationId of [...byOrganization.keys()].toSorted()) {
    const raises = (byOrganization.get(organizationId) ?? []).map(
      ({ recipient, status, occurredAt }): consent.Raise => ({
        address: addressed(keyring, organizationId, recipient),
        status,
        source: 'event',
        occurredAt,
      }),
    )
    await consent.raise(tx, organizationId, raises)
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
}

/**
 * The events of one organization's bucket: one partition, one lock order. Returns how many second
 * acceptances they told of.
 */
async function applyToBucket(tx: Transaction, group: Tagged[], changes: Changes): Promise<number> {
  const [first] = group
  if (!first) return 0
  const place = { organizationId: first.organizationId, bucket: first.bucket }
  const byMail = groupBy(group, ({ id }) => id)
  const mails = await deliveryEvents.lockMails(tx, place, [...byMail.keys()].toSorted())

  const changed: deliveryEvents.MailRow[] = []
  const proven: deliveryEvents.MailRow[] = []
  const timeline: deliveryEvents.TimelineEntry[] = []
  const others: { mailId: string; connectionId: string; messageId: string }[] = []
  for (const mail of mails) {
    const events = (byMail.get(mail.id) ?? []).filter(
      ({ connectionId }) => connectionId === mail.connectionId,
    )
    const after = events.reduce<MailFacts>((facts, { event }) => learn(facts, event), mail)
    // Of an erased mail only its kind and time: what else an event says may name the person.
    const isErased = mail.recipient === null
    for (const { event } of events) {
      timeline.push(entry({ ...mail, messageId: after.messageId }, event, isErased))
      if (event.messageId === after.messageId) continue
      const { connectionId } = mail
      others.push({ mailId: mail.id, connectionId, messageId: event.messageId })
    }
    if (events.length === 0) continue

    const firstEventAt = mail.firstEventAt ?? earliest(events)
    // Whoever made the mail knows its subject best, but may be gone before it was written.
    const subject = mail.subject ?? events.find(({ event }) => event.subject)?.event.subject ?? null
    const hidden = isErased ? { error: null, subject: null } : {}
    const row = { ...mail, ...after, firstEventAt, subject, ...hidden }
    if (mail.firstEventAt === null && mail.state === 'sent' && mail.claimedAt !== null) {
      const { connectionId, claimedAt } = mail
      const { organizationId } = place
      changes.arrivals.push({ organizationId, connectionId, claimedAt, receivedAt: firstEventAt })
    }
    const moved = delta(mail, row)
    changed.push(row)
    if (moved.sent === 1) proven.push(row)
    count(changes, place.organizationId, row, { moved, activeAt: lastActivity(events) })
    if (mail.executionId !== null) noteEngagements(changes, place.organizationId, mail.id, events)
    for (const { event } of events) {
      const status = contactStatus(event)
      if (!status || !mail.recipient) continue
      changes.effects.push({
        organizationId: place.organizationId,
        recipient: mail.recipient,
        status,
        occurredAt: event.occurredAt,
      })
    }
  }
  if (changed.length > 0) await deliveryEvents.updateMails(tx, place, changed)
  if (proven.length > 0) await deliveryEvents.recordSent(tx, place, proven)
  if (timeline.length > 0) await deliveryEvents.append(tx, place, timeline)
  if (others.length === 0) return 0
  const duplicates = await deliveryEvents.recordDuplicates(tx, place, others)
  for (const { id } of duplicates) {
    const batchId = mails.find((mail) => mail.id === id)?.batchId
    const batch = batchId ? changes.batches.get(batchId) : undefined
    if (batch) batch.duplicates++
  }
  return duplicates.length
}

const earliest = (events: readonly Tagged[]): string =>
  events.map(({ receivedAt }) => receivedAt).reduce((a, b) => (a < b ? a : b))

function noteEngagements(
  { engagements }: Changes,
  organizationId: string,
  mailId: string,
  events: readonly Tagged[],
): void {
  const known = engagements.get(organizationId) ?? []
  for (const { event } of events) {
    const engagement = engagementOf(event)
    if (engagement !== undefined) known.push({ mailId, engagement, at: event.occurredAt })
  }
  engagements.set(organizationId, known)
}

/** When the person last did something with the mail: an open or a click, the first or not. */
function lastActivity(events: readonly Tagged[]): string | null {
  const times = events.flatMap(({ event: { kind, occurredAt } }) =>
    kind === 'open' || kind === 'click' ? [occurredAt] : [],
  )
  return times.toSorted().at(-1) ?? null
}

function count(
  changes: Changes,
  organizationId: string,
  mail: deliveryEvents.MailRow,
  { moved, activeAt }: { moved: Delta; activeAt: string | null },
) {
  const { sent, opened, clicked } = moved
  if (mail.contactId && (sent !== 0 || opened !== 0 || clicked !== 0 || activeAt !== null)) {
    const at = mail.clickedAt ?? mail.openedAt ?? mail.sentAt ?? new Date(0).toISOString()
    const { contactId } = mail
    changes.stats.push({ organizationId, contactId, sent, opened, clicked, at, activeAt })
  }
  if (!mail.batchId) return
  const known = changes.batches.get(mail.batchId)
  if (!known) {
    const { batchId } = mail
    changes.batches.set(batchId, { organizationId, batchId, delta: moved, duplicates: 0 })
    return
  }
  for (const name of Object.keys(moved)) {
    if (isCounted(name, known.delta)) known.delta[name] += moved[name]
  }
}

const isCounted = (name: string, delta: Delta): name is keyof Delta => name in delta

/** Of a second acceptance the timeline also shows the message id. */
function entry(
  mail: Pick<deliveryEvents.MailRow, 'id' | 'messageId'>,
  event: SesEvent,
  isErased: boolean,
): deliveryEvents.TimelineEntry {
  const { kind, occurredAt, distinct, messageId } = event
  const fingerprint = createHash('sha256').update(distinct).digest().subarray(0, 16)
  const data = messageId === mail.messageId ? event.data : { ...event.data, messageId }
  return { logId: mail.id, kind, fingerprint, occurredAt, data: isErased ? {} : data }
}

/** Events by organization and bucket, in the order of those keys. */
function groups(tagged: Tagged[]): Tagged[][] {
  const byPlace = groupBy(tagged, ({ organizationId, bucket }) => `${organizationId} ${bucket}`)
  return [...byPlace.keys()].toSorted().map((key) => byPlace.get(key) ?? [])
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

const detailOf = (body: unknown): unknown =>
  typeof body === 'object' && body !== null ? Reflect.get(body, 'detail') : undefined
