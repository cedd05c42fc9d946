import { createHash } from 'node:crypto'
import {
  awaitedOf,
  contactStatus,
  COUNTED,
  type Delta,
  delta,
  learn,
  type MailFacts,
  noChange,
  peoplesDelta,
} from '../../domain/delivery/delivery.ts'
import { engagementsOf } from '../../domain/delivery/engagement.ts'
import type { SesEvent } from '../../domain/delivery/ses-event.ts'
import type { Engagement } from '../../domain/flows/steps/wait-for-email-engagement.ts'
import type { Transaction } from '../../store/db/sql.ts'
import type { Arrival } from '../../store/delivery/answered-counts.ts'
import type { BatchDelta, StatsDelta } from '../../store/delivery/delivery-counters.ts'
import * as deliveryEvents from '../../store/delivery/delivery-events.ts'
import type { WaitingEvent } from '../../store/delivery/inbound-events.ts'
import * as mailFacts from '../../store/delivery/mail-facts.ts'
import type { Arrived } from '../../store/flows/engagements.ts'
import type { HookFact } from '../../store/hooks/hook-facts.ts'
import * as outbox from '../../store/platform/outbox.ts'
import type { BounceOrComplaint } from '../consent/bounces.ts'
import { type ChangedMail, hookFactsOf } from './mail-hooks.ts'
import type { MatchedEvent } from './match-untagged.ts'

/** Changes that follow from the events of mails, for other tables. */
export interface Changes {
  effects: BounceOrComplaint[]
  /** Engagements with mails of executions. */
  engagements: Arrived[]
  stats: StatsDelta[]
  batches: Map<string, BatchDelta>
  /** First events of mails whose calls were answered. */
  arrivals: Arrival[]
  /** Facts that webhook endpoints may want to know. */
  hooks: HookFact[]
  /** Events whose mail was found. */
  applied: Set<WaitingEvent>
  /** Mails that were accepted a second time. */
  duplicates: number
}

/**
 * Folds events into the facts of their mails (`learn`), which are locked, and writes the facts and
 * the timelines. Returns what follows for other tables.
 */
export async function foldEvents(
  tx: Transaction,
  matched: readonly MatchedEvent[],
): Promise<Changes> {
  const changes = noChanges()
  if (matched.length === 0) return changes
  const byMail = groupBy(matched, (each) => keyOf(placeOf(each)))
  const places = [...byMail.values()].flatMap(([first]) => (first ? placeOf(first) : []))
  const mails = await mailFacts.lock(tx, places)

  const changedMails: ChangedMail[] = []
  const proven: mailFacts.MailRow[] = []
  const timeline: deliveryEvents.TimelineEntry[] = []
  const otherAcceptances: (mailFacts.MailKey & { connectionId: string; messageId: string })[] = []
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
      if (event.messageId !== messageId)
        otherAcceptances.push({ ...mail, messageId: event.messageId })
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
    const change = delta(mail, row)
    changedMails.push({ before: mail, after: row, events: events.map(({ event }) => event) })
    if (change.sent === 1) proven.push({ ...row, messageId })
    count(changes, row, {
      moved: change,
      ofPeople: peoplesDelta(mail, row),
      times: timesOf(after, events),
    })
    if (mail.executionId !== null) changes.engagements.push(...engagementsWith(mail, events))
    changes.effects.push(...effectsOf(mail, events))
  }
  if (changedMails.length > 0)
    await mailFacts.update(
      tx,
      changedMails.map(({ after }) => after),
    )
  if (proven.length > 0) await recordSent(tx, proven)
  changes.hooks = await hookFactsOf(tx, changedMails)
  if (timeline.length > 0) await deliveryEvents.append(tx, timeline)
  if (otherAcceptances.length > 0) await countDuplicates(tx, otherAcceptances, mails, changes)
  return changes
}

/** Records acceptances beyond the first, and counts the new ones. */
async function countDuplicates(
  tx: Transaction,
  acceptances: Parameters<typeof mailFacts.recordDuplicates>[1],
  mails: readonly mailFacts.MailRow[],
  changes: Changes,
): Promise<void> {
  const duplicates = await mailFacts.recordDuplicates(tx, acceptances)
  const batchIds = new Map(mails.map((mail) => [keyOf(mail), mail.batchId]))
  for (const duplicate of duplicates) {
    const batch = changes.batches.get(batchIds.get(keyOf(duplicate)) ?? '')
    if (batch) batch.duplicates++
  }
  changes.duplicates = duplicates.length
}

const noChanges = (): Changes => ({
  effects: [],
  engagements: [],
  stats: [],
  batches: new Map(),
  arrivals: [],
  hooks: [],
  applied: new Set(),
  duplicates: 0,
})

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
  const existingBatch = changes.batches.get(batchId)
  const batch = existingBatch ?? {
    organizationId,
    batchId,
    delta: moved,
    variants: new Map(),
    duplicates: 0,
  }
  changes.batches.set(batchId, batch)
  if (existingBatch) add(existingBatch.delta, moved)
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

/**
 * Returns the time of the first tagged event. Silence about another mail is judged by tagged events
 * only: that mail's events are found by their tag, while its message id may be unknown.
 */
const earliestTagged = (events: readonly MatchedEvent[]): string | null =>
  events
    .flatMap(({ event, inbound }) => (event.isUntagged ? [] : [inbound.receivedAt]))
    .toSorted()
    .at(0) ?? null

type Times = Pick<StatsDelta, 'sentAt' | 'openedAt' | 'clickedAt'>

/**
 * Returns the latest times in a mail's events, even if they change no figure: the latest is the
 * same in any order of events. The time of sending is null if the call was answered, which tells
 * it.
 */
function timesOf({ claimedAt }: MailFacts, events: readonly MatchedEvent[]): Times {
  const last = (times: string[]): string | null => times.toSorted().at(-1) ?? null
  const lastOf = (engagement: Engagement) =>
    last(
      events.flatMap(({ event }) =>
        engagementsOf(event).some((each) => each === engagement) ? [event.occurredAt] : [],
      ),
    )
  return {
    sentAt: claimedAt === null ? last(events.map(({ event }) => event.mailTimestamp)) : null,
    openedAt: lastOf('opened'),
    clickedAt: lastOf('clicked'),
  }
}
