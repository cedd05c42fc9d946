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
import * as consent from '../store/consent.ts'
import * as deliveryEvents from '../store/delivery-events.ts'
import { type Arrived, takeEngagements } from '../store/engagements.ts'
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
}

/** Applies stored delivery events to mails, contacts and batches, in sets. */
export const startEventApplier = ({ sql, keyring, log }: Deps) =>
  startLoop({
    name: 'event-applier',
    idleMs: IDLE_MS,
    log,
    round: async () => {
      try {
        return (await applyEvents(sql, keyring)) === EVENTS
      } catch (error) {
        log.error({ err: error }, 'a set of events could not be applied; taking them one by one')
        await applyOneByOne({ sql, keyring, log })
        return true
      }
    },
  })

/**
 * After a set that failed: its events by themselves, each in a transaction of its own. One that
 * fails again, for what it says and not for want of a database, is set aside with the reason: no
 * event of anybody may stop the others'.
 */
async function applyOneByOne({ sql, keyring, log }: Deps): Promise<void> {
  for (let count = 0; count < EVENTS; count++) {
    try {
      if ((await applyEvents(sql, keyring, 1)) === 0) return
    } catch (error) {
      if (!isRefusedValue(error)) throw error
      await transact(sql, async (tx) => {
        const [event] = await deliveryEvents.takeWaiting(tx, 1)
        if (event) await deliveryEvents.setAside(tx, event, String(error))
      })
      log.error({ err: error }, 'an event was set aside')
    }
  }
}

interface Tagged {
  event: SesEvent
  organizationId: string
  connectionId: string
  bucket: string
  id: string
}

/**
 * Applies one set of waiting events in one transaction and answers how many there were.
 *
 * Events come in any order, any number of times, to any number of appliers: what is known of a mail
 * is a function of the events seen (`learn`), and every counter moves by the difference. Locks are
 * taken in one order everywhere: mails by key, then of one organization after the other addresses,
 * contacts and subscriptions, then stats, which look at contacts once more, then what executions
 * wait for, batches, connections.
 */
export const applyEvents = (sql: Sql, keyring: Keyring, most = EVENTS): Promise<number> =>
  transact(sql, async (tx) => {
    const inbound = await deliveryEvents.takeWaiting(tx, most)
    if (inbound.length === 0) return 0

    const parsed = inbound.flatMap(({ organizationId, connectionId, body }) => {
      const event = parseSesEvent(detailOf(body))
      return event ? [{ event, organizationId, connectionId }] : []
    })
    const tagged = parsed.flatMap(({ event, organizationId, connectionId }): Tagged[] => {
      const { tagged } = event
      // The proof decides whose event it is; a tag that names another organization is not ours.
      if (!tagged || (tagged.organizationId ?? organizationId) !== organizationId) return []
      return [{ event, organizationId, connectionId, bucket: tagged.bucket, id: tagged.id }]
    })

    const effects: Effect[] = []
    const engagements = new Map<string, Arrived[]>()
    const stats: deliveryEvents.StatsDelta[] = []
    const batches = new Map<string, deliveryEvents.BatchDelta>()
    for (const group of groups(tagged)) {
      await applyToBucket(tx, group, { effects, engagements, stats, batches })
    }
    await raiseAddresses(tx, keyring, effects)
    if (stats.length > 0) await deliveryEvents.bumpStats(tx, stats)
    for (const organizationId of [...engagements.keys()].toSorted()) {
      await takeEngagements(tx, organizationId, engagements.get(organizationId) ?? [])
    }
    await deliveryEvents.bumpBatches(tx, [...batches.values()])
    for (const { organizationId, connectionId, at } of watermarks(parsed)) {
      await deliveryEvents.moveWatermark(tx, organizationId, connectionId, at)
    }
    await deliveryEvents.markApplied(tx, inbound)
    return inbound.length
  })

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
}

/** The events of one organization's bucket: one partition, one lock order. */
async function applyToBucket(tx: Transaction, group: Tagged[], changes: Changes): Promise<void> {
  const [first] = group
  if (!first) return
  const place = { organizationId: first.organizationId, bucket: first.bucket }
  const byMail = groupBy(group, ({ id }) => id)
  const mails = await deliveryEvents.lockMails(tx, place, [...byMail.keys()].toSorted())

  const changed: deliveryEvents.MailRow[] = []
  const proven: deliveryEvents.MailRow[] = []
  const timeline: deliveryEvents.TimelineEntry[] = []
  for (const mail of mails) {
    const events = (byMail.get(mail.id) ?? []).filter(
      ({ connectionId }) => connectionId === mail.connectionId,
    )
    const after = events.reduce<MailFacts>((facts, { event }) => learn(facts, event), mail)
    // Of an erased mail only its kind and time: what else an event says may name the person.
    const isErased = mail.recipient === null
    for (const { event } of events) timeline.push(entry(mail.id, event, isErased))
    if (events.length === 0) continue

    const row = { ...mail, ...after, ...(isErased ? { error: null } : {}) }
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
}

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
    changes.batches.set(mail.batchId, { organizationId, batchId: mail.batchId, delta: moved })
    return
  }
  for (const name of Object.keys(moved)) {
    if (isCounted(name, known.delta)) known.delta[name] += moved[name]
  }
}

const isCounted = (name: string, delta: Delta): name is keyof Delta => name in delta

function entry(logId: string, event: SesEvent, isErased: boolean): deliveryEvents.TimelineEntry {
  const { kind, occurredAt, distinct } = event
  const fingerprint = createHash('sha256').update(distinct).digest().subarray(0, 16)
  return { logId, kind, fingerprint, occurredAt, data: isErased ? {} : event.data }
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

/** The latest acceptance each connection reports; events that are not ours count too. */
function watermarks(parsed: { event: SesEvent; organizationId: string; connectionId: string }[]) {
  const latest = new Map<string, { organizationId: string; connectionId: string; at: string }>()
  for (const { event, organizationId, connectionId } of parsed) {
    if (event.kind !== 'send') continue
    const known = latest.get(connectionId)
    if (known && known.at >= event.mailTimestamp) continue
    latest.set(connectionId, { organizationId, connectionId, at: event.mailTimestamp })
  }
  return [...latest.values()].toSorted((a, b) => (a.connectionId < b.connectionId ? -1 : 1))
}

const detailOf = (body: unknown): unknown =>
  typeof body === 'object' && body !== null ? Reflect.get(body, 'detail') : undefined
