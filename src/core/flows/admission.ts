import { type Uuid, uuidv7 } from '../../runtime/ids.ts'
import * as contactLocks from '../../store/contacts/locks.ts'
import type { Transaction } from '../../store/db/sql.ts'
import { bump, type Change } from '../../store/flows/counters.ts'
import * as entries from '../../store/flows/entries.ts'
import * as starting from '../../store/flows/starts.ts'
import type { Start } from '../../store/flows/starts.ts'
import { brake, stop } from './brake.ts'
import * as outbox from '../../store/platform/outbox.ts'

/**
 * Starts that are admitted at once. A request may cause a thousand for each of many flows, and the
 * data of all would exceed the memory of a process.
 */
export const MOST_STARTS = 1_000
/** Bytes of the starts' data in one statement. */
const MOST_BYTES = 1_048_576

/**
 * - `started`: written, with the outbox message that starts its workflow
 * - `repeated`: the same cause started one before
 * - `dropped`: re-entry, re-entry delay or cooldown of the flow refuse it, or the brake does
 * - `gone`: there is no such contact any more
 */
export type Admission =
  | { outcome: 'started'; executionId: Uuid }
  | { outcome: 'repeated' | 'dropped' | 'gone' }

/**
 * Admits contacts to flows, in a constant number of statements. A caller with more than
 * `MOST_STARTS` admits so many at a time, flow by flow and contact by contact. Returns the outcomes
 * in the given order. Dropped starts are counted.
 *
 * Locks the contacts in the order of their ids, so that decisions about one contact follow each
 * other. A caller that holds later locks (executions) holds these already. The relay decides later
 * how many run at once (`maxConcurrentExecutions`): see `admitWithinLimit`.
 */
export async function admit(
  tx: Transaction,
  organizationId: Uuid,
  starts: readonly Start[],
  requestId: string | undefined,
): Promise<Admission[]> {
  if (starts.length === 0) return []
  const contactIds = starts.map(({ contactId }) => contactId)
  const present = await contactLocks.lockAll(tx, organizationId, contactIds)
  const causes = await starting.listKnownCauses(tx, organizationId, starts)
  const knownCauses = new Set(causes.map(({ flowId, dedupeKey }) => causeOf(flowId, dedupeKey)))
  const newStarts: Start[] = []
  const outcomes = new Map<Start, Admission>()
  for (const start of starts) {
    const cause = causeOf(start.flow.id, start.dedupeKey)
    if (!present.has(start.contactId)) outcomes.set(start, { outcome: 'gone' })
    else if (knownCauses.has(cause)) outcomes.set(start, { outcome: 'repeated' })
    else newStarts.push(start)
    knownCauses.add(cause)
  }
  const entering = await enterAll(tx, organizationId, newStarts)
  const executionIds = await write(tx, organizationId, entering, requestId)
  await bump(tx, organizationId, changes(newStarts, executionIds))
  return starts.map((start) => {
    const executionId = executionIds.get(start)
    if (executionId !== undefined) return { outcome: 'started', executionId }
    return outcomes.get(start) ?? { outcome: 'dropped' }
  })
}

const causeOf = (flowId: Uuid, dedupeKey: Uuid): string => `${flowId} ${dedupeKey}`

/** Admits contacts flow by flow, in the order of the flows' ids. */
async function enterAll(
  tx: Transaction,
  organizationId: Uuid,
  starts: readonly Start[],
): Promise<Start[]> {
  const byFlow = new Map<Uuid, Start[]>()
  for (const start of starts) {
    const startsOfFlow = byFlow.get(start.flow.id)
    if (startsOfFlow) startsOfFlow.push(start)
    else byFlow.set(start.flow.id, [start])
  }
  const entering: Start[] = []
  for (const [, some] of [...byFlow].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const flow = some[0]?.flow
    if (flow) entering.push(...(await enter(tx, organizationId, flow, some)))
  }
  return entering
}

async function enter(
  tx: Transaction,
  organizationId: Uuid,
  flow: entries.EnteredFlow,
  starts: readonly Start[],
): Promise<Start[]> {
  const { allowReentry, reentryDelaySeconds, contactCooldownSeconds } = flow.settings
  // Any rule admits at most the first of a set: it is live, and started just now.
  const isOnce = !allowReentry || reentryDelaySeconds > 0 || contactCooldownSeconds > 0
  const seenContacts = new Set<Uuid>()
  const candidates = starts.filter(({ contactId }) => {
    const isFirst = !seenContacts.has(contactId)
    seenContacts.add(contactId)
    return isFirst || !isOnce
  })
  const { passed, stopped } = await brake(tx, organizationId, flow, candidates)
  const contactIds = passed.map(({ contactId }) => contactId)
  const admitted = await entries.enter(tx, organizationId, flow, contactIds)
  await stop(tx, organizationId, flow, stopped)
  return passed.filter(({ contactId }) => admitted.has(contactId))
}

async function write(
  tx: Transaction,
  organizationId: Uuid,
  starts: readonly Start[],
  requestId: string | undefined,
): Promise<Map<Start, Uuid>> {
  const ids = new Map(starts.map((start) => [start, uuidv7()]))
  for (const some of byBytes(ids)) await starting.insertAll(tx, organizationId, some, requestId)
  const messages = [...ids].map(([{ flow, contactId }, executionId]) => ({
    kind: 'start_execution' as const,
    payload: { executionId, attempt: 1, flowId: flow.id, contactId },
  }))
  await outbox.putAll(tx, organizationId, messages, requestId)
  return ids
}

/**
 * Groups starts by the size of their JSON data, up to the limit of one statement. Each may have 32
 * KiB.
 */
function* byBytes(ids: ReadonlyMap<Start, Uuid>): Generator<starting.NewExecution[]> {
  let some: starting.NewExecution[] = []
  let bytes = 0
  for (const [start, id] of ids) {
    const data = JSON.stringify(start.data)
    const size = Buffer.byteLength(data)
    if (some.length > 0 && bytes + size > MOST_BYTES) {
      yield some
      some = []
      bytes = 0
    }
    some.push({ ...start, id, data })
    bytes += size
  }
  if (some.length > 0) yield some
}

const changes = (starts: readonly Start[], executionIds: ReadonlyMap<Start, Uuid>): Change[] =>
  starts.map((start) => ({
    flowId: start.flow.id,
    counter: executionIds.has(start) ? 'started' : 'dropped',
    by: 1,
  }))
