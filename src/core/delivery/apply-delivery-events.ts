import { COUNTED } from '../../domain/delivery/delivery.ts'
import { parseStoredEvent } from '../../domain/delivery/ses-event.ts'
import type { Keyring } from '../../keys/tokens.ts'
import type { Uuid } from '../../runtime/ids.ts'
import * as batchVariants from '../../store/batches/batch-variants.ts'
import {
  isPassing,
  isRefusedValue,
  type Sql,
  type Transaction,
  transact,
} from '../../store/db/sql.ts'
import { FIRST_TURN, lastTurn } from '../../store/db/turns.ts'
import * as answeredCounts from '../../store/delivery/answered-counts.ts'
import * as deliveryCounters from '../../store/delivery/delivery-counters.ts'
import * as inboundEvents from '../../store/delivery/inbound-events.ts'
import { recordArrivals as recordProbeArrivals } from '../../store/delivery/probes.ts'
import { findWaitingDays } from '../../store/delivery/waiting-days.ts'
import * as hookFacts from '../../store/hooks/hook-facts.ts'
import { matchEngagements } from '../../store/flows/engagements.ts'
import { applyBouncesAndComplaints } from '../consent/bounces.ts'
import { markDone, setAside } from './events-done.ts'
import { foldEvents } from './fold-events.ts'
import { type MatchedEvent, matchUntagged, type ReadEvent } from './match-untagged.ts'

const MOST = 500

/** Organizations whose turn was last, by pool. */
const lastTurns = new WeakMap<Sql, Uuid>()

/** Prepares to take up to `most` waiting events for a transaction, of organizations in turn. */
async function findTaker(sql: Sql, most: number) {
  const days = await findWaitingDays(sql)
  return async (tx: Transaction): Promise<inboundEvents.WaitingEvent[]> => {
    const after = lastTurns.get(sql) ?? FIRST_TURN
    const takenEvents = await inboundEvents.lockWaiting(tx, most, days, after)
    lastTurns.set(sql, lastTurn(takenEvents, after))
    return takenEvents
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

  const changes = await foldEvents(tx, [...read.flatMap(byTag), ...matched])
  const { effects, engagements, stats, batches, arrivals, applied, duplicates } = changes
  await applyBouncesAndComplaints(tx, keyring, effects)
  if (stats.length > 0) await deliveryCounters.bumpStats(tx, stats)
  await matchEngagements(tx, engagements)
  if (arrivals.length > 0) await answeredCounts.recordArrivals(tx, arrivals)
  if (probes.length > 0) await recordProbeArrivals(tx, probes)
  await bumpBatches(tx, [...batches.values()])
  await hookFacts.record(tx, changes.hooks)
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
