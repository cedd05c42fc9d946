import { CLOCK_SKEW_MS, HELD_MS, nextLookMs } from '../../domain/delivery/external-mail.ts'
import { type SesEvent, toDetail } from '../../domain/delivery/ses-event.ts'
import { isEventKind } from '../../domain/status.ts'
import { dayBucket, timeOf, type Uuid, uuidv7 } from '../../runtime/ids.ts'
import * as plans from '../../store/access/plans.ts'
import { type Executor, type Sql, transact, type Transaction } from '../../store/db/sql.ts'
import * as externalMails from '../../store/delivery/external-mails.ts'
import * as inboundEvents from '../../store/delivery/inbound-events.ts'
import { listFull, type UnappliedEvent } from '../../store/delivery/unapplied-events.ts'
import { addressHash } from '../../keys/tokens.ts'

/** A stored event with its parsed body. */
export interface ReadEvent {
  event: SesEvent
  inbound: inboundEvents.WaitingEvent
}

/** An event whose mail is known. */
export interface MatchedEvent extends ReadEvent {
  bucket: Uuid
  id: Uuid
}

interface Matches {
  matched: MatchedEvent[]
  /** Events that may be about a mail whose call is open. They are looked at again. */
  held: inboundEvents.WaitingEvent[]
  /** Events about other programs' mail: those that get rows, and those without room. */
  external: { stored: ReadEvent[]; dropped: ReadEvent[] }
}

/**
 * Finds the mails of events without a tag of ours, by the provider's message id and within their
 * connection. A message id that is not ours is another program's mail: each recipient that the
 * event names gets a row of the ledger, unless its connection has no room left today. While a call
 * is open that may be this mail's, the event waits. Events in no list name no recipient.
 */
export async function matchUntagged(
  tx: Transaction,
  untagged: readonly ReadEvent[],
): Promise<Matches> {
  if (untagged.length === 0) {
    return { matched: [], held: [], external: { stored: [], dropped: [] } }
  }
  const matched: MatchedEvent[] = []
  const heldEvents: inboundEvents.WaitingEvent[] = []
  const strangers: ReadEvent[] = []
  const questions = untagged.map(({ event, inbound }) => ({ event, ...inbound }))
  const answers = await findOurs(tx, questions)
  for (const [index, read] of untagged.entries()) {
    const { mail = null, mayBeOurs = false } = answers[index] ?? {}
    if (mail) matched.push({ ...read, ...mail })
    else if (mayBeOurs) heldEvents.push(read.inbound)
    else strangers.push(read)
  }
  const youngEvents = (await leaveOutOld(tx, strangers)).filter(
    ({ event: { recipients } }) => recipients.length > 0,
  )
  const connectionIds = new Set(youngEvents.map(({ inbound }) => inbound.connectionId))
  const full = youngEvents.length === 0 ? new Set() : await listFull(tx, [...connectionIds])
  const storableEvents = youngEvents.filter(({ inbound }) => !full.has(inbound.connectionId))
  return {
    matched: [...matched, ...(await matchExternal(tx, storableEvents))],
    held: heldEvents,
    external: {
      stored: storableEvents,
      dropped: youngEvents.filter(({ inbound }) => full.has(inbound.connectionId)),
    },
  }
}

/** Returns how an event about another program's mail counts for its connection's day. */
export const countedExternal = (
  { event: { recipients, data }, inbound }: ReadEvent,
  isStored: boolean,
): UnappliedEvent => ({
  organizationId: inbound.organizationId,
  connectionId: inbound.connectionId,
  reason: 'external',
  rows: recipients.length,
  bytes: recipients.length * Buffer.byteLength(JSON.stringify(data)),
  isUnread: false,
  isStored,
})

const DAY_MS = 86_400_000
/** The provider's events about a delivery come within days. */
const YOUNG_DAYS = 30

/**
 * Returns events whose mail is younger than the retention of logs. The message id of an older one
 * is unknown, ours or not: it would be counted again, as another program's.
 */
async function leaveOutOld(
  tx: Transaction,
  strangers: readonly ReadEvent[],
): Promise<readonly ReadEvent[]> {
  const now = Date.now()
  const daysSince = ({ event }: ReadEvent) => (now - Date.parse(event.mailTimestamp)) / DAY_MS
  if (strangers.every((read) => daysSince(read) < YOUNG_DAYS)) return strangers
  const longestDays = await plans.findLongestRetention(tx)
  return strangers.filter((read) => daysSince(read) < longestDays)
}

interface UntaggedEvent
  extends Pick<inboundEvents.WaitingEvent, 'organizationId' | 'connectionId' | 'receivedAt'> {
  event: SesEvent
}

/** Returns the mails of ours that events without a tag are about, in the order of the events. */
export const findOurs = (sql: Executor, events: readonly UntaggedEvent[]) =>
  externalMails.findOurs(
    sql,
    events.map(({ event: { messageId, mailTimestamp: acceptedAt }, ...from }) => ({
      messageId,
      acceptedAt,
      ...from,
    })),
    { heldMs: HELD_MS, clockSkewMs: CLOCK_SKEW_MS },
  )

/** Matches events with the rows of other programs' mails, and inserts missing rows. */
async function matchExternal(
  tx: Transaction,
  strangers: readonly ReadEvent[],
): Promise<MatchedEvent[]> {
  const addressedMails = strangers.flatMap((read) =>
    read.event.recipients.map((recipient) => ({ read, recipient, ...mailOf(read, recipient) })),
  )
  if (addressedMails.length === 0) return []
  const mails = new Map(addressedMails.map(({ key, mail }) => [key, mail]))
  const firstLookMs = nextLookMs(0) ?? 0
  const existingRows = await externalMails.remember(tx, [...mails.values()], firstLookMs)
  const rows = new Map(existingRows.map((row) => [keyOf(row), row]))
  const newMails = new Map(
    addressedMails.flatMap(({ key, recipient, read: { event, inbound } }) => {
      const row = rows.get(key)
      if (!row || row.id !== mails.get(key)?.id) return []
      const times = { sentAt: event.mailTimestamp, createdAt: inbound.receivedAt }
      return [[key, { ...row, recipient, ...times }]]
    }),
  )
  if (newMails.size > 0) await externalMails.insertMails(tx, [...newMails.values()])
  return addressedMails.flatMap(({ key, read }) => {
    const row = rows.get(key)
    return row ? [{ ...read, bucket: row.bucket, id: row.id }] : []
  })
}

/** Returns the row that a recipient gets if there is none. */
function mailOf({ event: { messageId }, inbound }: ReadEvent, recipient: string) {
  const { organizationId, connectionId } = inbound
  const id = uuidv7()
  const mail = {
    organizationId,
    connectionId,
    messageId,
    addressHash: addressHash(organizationId, recipient),
    bucket: dayBucket(id),
    id,
  }
  return { key: keyOf(mail), mail }
}

const keyOf = (mail: Omit<externalMails.ExternalMail, 'bucket' | 'id'>): string =>
  [mail.organizationId, mail.connectionId, mail.addressHash.toString('hex'), mail.messageId].join()

/**
 * Checks again whether mails of other programs are ours: their message ids may have become known
 * later. Their events are stored again and find the mail, and their rows are deleted. Returns the
 * number of checked mails.
 */
export const rematch = (sql: Sql, limit: number): Promise<number> =>
  transact(sql, async (tx) => {
    const dueMails = await externalMails.lockDue(tx, limit)
    const ours = dueMails.filter(({ isOurs }) => isOurs)
    const foreignMails = dueMails.filter(({ isOurs }) => !isOurs)
    const now = Date.now()
    if (foreignMails.length > 0) {
      const looked = foreignMails.map((mail) => ({
        ...mail,
        waitMs: nextLookMs(now - timeOf(mail.id)) ?? null,
      }))
      await externalMails.lookAgain(tx, looked)
    }
    for (const mail of ours.toSorted((a, b) => (a.id < b.id ? -1 : 1))) await giveBack(tx, mail)
    if (ours.length > 0) await externalMails.forget(tx, ours)
    return dueMails.length
  })

async function giveBack(tx: Transaction, mail: externalMails.ExternalMail): Promise<void> {
  const { organizationId, bucket, id, connectionId } = mail
  const row = { organizationId, bucket, ids: [id] }
  const timelineEntries = await externalMails.listTimelines(tx, row)
  const events = timelineEntries.flatMap(({ kind, ...event }, index) => {
    if (!isEventKind(kind)) return []
    const { messageId, subject, sentAt: timestamp } = event
    const detail = toDetail({ kind, ...event }, { messageId, subject, timestamp })
    return [
      {
        organizationId,
        connectionId,
        envelopeId: `rematch ${id} ${index}`,
        body: JSON.stringify({ detail }),
      },
    ]
  })
  await inboundEvents.putBack(tx, events)
  await externalMails.remove(tx, row)
}
