import { setMaxListeners } from 'node:events'
import { storeQueued } from '../core/delivery/receive-queued.ts'
import {
  type EventQueue,
  type EventQueues,
  MESSAGES_PER_POLL,
  type QueuedMessage,
  type QueueProblem,
  type QueueSource,
} from '../domain/delivery/event-queue.ts'
import type { Timings } from '../domain/delivery/timings.ts'
import { uuidv7 } from '../runtime/ids.ts'
import { noteEvent } from '../store/accounts/connections.ts'
import * as polls from '../store/accounts/event-queue-polls.ts'
import type { Sql } from '../store/db/sql.ts'
import { type ByteRoom, createByteRoom } from './byte-room.ts'
import { type Log, startLoop } from './loop.ts'

const MOST_QUEUES = 50
/** Receivers of one queue that has more than one can take. */
const MOST_RECEIVERS = 8
/**
 * Bytes of answers that a process holds at once, for all queues. Reading, parsing and storing an
 * answer takes several times its size, of a worker's heap of 192 MB. A larger one is read alone.
 */
const MOST_ANSWER_BYTES = 8 * 1024 * 1024
/** Size of small answers, about ten usual events. They have their own room. */
const SMALL_ANSWER_BYTES = 128 * 1024
const MOST_SMALL_BYTES = 2 * 1024 * 1024
/** Characters of bodies that are stored at once, and that several receivers bring at most. */
const MOST_CHARACTERS = 2 * 1024 * 1024
/** Wait while no turn ends. A turn that ends is followed by a look at once. */
const IDLE_MS = 1_000
/** Maximum of SQS. */
const LONGEST_WAIT_SECONDS = 20
const RETRY_MS = 1_000
/** Wait of a queue with large answers while such answers wait to be read. */
const CROWDED_MS = 1_000
/** Time after which the queue is released, so that others get their turn. */
const TURN_MS = 20_000

interface Deps {
  sql: Sql
  queues: EventQueues
  timings: Pick<Timings, 'leaseMs' | 'receivingGapMs'>
  log: Log
  onNotApplied?: (reason: string) => void
}

/**
 * Reads delivery events from the queues of connections, each polled by one worker at a time. A
 * message is deleted when its event is committed. If a worker dies in between, it is received again
 * as the same event.
 */
export function startEventQueuePoller(deps: Deps): { stop(): Promise<void> } {
  const workerId = uuidv7()
  const stopping = new AbortController()
  const turns = new Map<string, Promise<void>>()
  const noting = new Set<string>()
  const rooms = {
    small: createByteRoom(MOST_SMALL_BYTES),
    large: createByteRoom(MOST_ANSWER_BYTES),
  }
  // Every answer that waits for room listens to it.
  setMaxListeners(0, stopping.signal)

  const round = async (): Promise<boolean> => {
    const limit = MOST_QUEUES - turns.size
    if (limit === 0) return false
    const holdMs = deps.timings.leaseMs
    const claimedQueues = await polls.claim(deps.sql, { workerId, holdMs, limit })
    // Others may be due: nobody waits long at an empty queue.
    const isCrowded = claimedQueues.length === limit
    for (const source of claimedQueues) {
      const { connectionId } = source
      const turn = takeTurn(deps, source, {
        workerId,
        isCrowded,
        noting,
        rooms,
        signal: stopping.signal,
      })
        .catch((err: unknown) => deps.log.warn({ err, connectionId }, 'a queue was not polled'))
        .finally(() => {
          turns.delete(connectionId)
          loop.wake()
        })
      turns.set(connectionId, turn)
    }
    return false
  }
  const loop = startLoop({ name: 'event-queue-poller', idleMs: IDLE_MS, log: deps.log, round })
  return {
    stop: async () => {
      stopping.abort()
      await loop.stop()
      await Promise.all(turns.values())
    },
  }
}

interface Turn {
  workerId: string
  isCrowded: boolean
  noting: Set<string>
  /**
   * Room for the answers of all queues of the process. Small ones do not wait behind large ones.
   */
  rooms: { small: ByteRoom; large: ByteRoom }
  signal: AbortSignal
}

async function takeTurn(deps: Deps, source: QueueSource, turn: Turn): Promise<void> {
  const { sql, queues, log } = deps
  const { workerId, signal } = turn
  const queue = queues.open(source)
  const until = performance.now() + TURN_MS
  let receivers = 1
  try {
    while (!signal.aborted && performance.now() < until) {
      const outcome = await poll(deps, { queue, source, receivers, turn })
      if (signal.aborted && outcome.kind !== 'received') break
      if (outcome.kind !== 'received') {
        const { connectionId } = source
        const failures = await polls.recordProblem(sql, source, { workerId, problem: outcome.kind })
        log.warn({ connectionId, problem: outcome.kind, failures }, 'an event queue did not answer')
        return
      }
      if (!outcome.isMine) return
      if (outcome.count === 0) break
      // A queue with large answers goes behind the others while such answers wait to be read.
      if (outcome.characters > SMALL_ANSWER_BYTES && turn.rooms.large.isCrowded()) {
        await polls.release(sql, source, { workerId, waitMs: CROWDED_MS })
        return
      }
      const isFull = outcome.count >= (receivers * MESSAGES_PER_POLL * 4) / 5
      const fitsTwice = outcome.characters * 2 <= MOST_CHARACTERS
      receivers =
        isFull && fitsTwice ? Math.min(receivers * 2, MOST_RECEIVERS) : Math.ceil(receivers / 2)
    }
    await polls.release(sql, source, { workerId })
  } catch (error) {
    // Mostly what came could not be stored: as long as it is hidden, silence proves nothing.
    await polls.recordInterruption(sql, source, { workerId, waitMs: RETRY_MS }).catch(() => {})
    throw error
  } finally {
    queue.close()
  }
}

interface Polling {
  queue: EventQueue
  source: QueueSource
  receivers: number
  turn: Turn
}

type PollOutcome =
  | { kind: 'received'; count: number; characters: number; isMine: boolean }
  | { kind: QueueProblem }

async function poll(deps: Deps, { queue, source, receivers, turn }: Polling): Promise<PollOutcome> {
  const { sql, timings } = deps
  const { leaseMs: holdMs, receivingGapMs: gapMs } = timings
  const { workerId, isCrowded, signal } = turn
  const hiddenSeconds = Math.ceil(holdMs / 1_000)
  // The hold outlasts the wait, and storing what came.
  const patient = Math.min(LONGEST_WAIT_SECONDS, Math.floor((holdMs / 1_000) * 0.7))
  const waitSeconds = receivers > 1 || isCrowded ? 1 : Math.max(1, patient)
  const beganAt = performance.now()
  const request = { waitSeconds, hiddenSeconds, signal }
  const settled = await Promise.allSettled(
    Array.from({ length: receivers }, () => receive(deps, { queue, source, turn }, request)),
  )
  const answers = settled.map((each) => {
    if (each.status === 'rejected') throw each.reason
    return each.value
  })
  const count = answers.reduce((sum, each) => sum + each.count, 0)
  const characters = answers.reduce((sum, each) => sum + each.characters, 0)
  const problem = answers.map(({ kind }) => kind).find((kind) => kind !== 'received')
  if (problem !== undefined && count === 0) return { kind: problem }
  const answer = { workerId, tookMs: performance.now() - beganAt, holdMs, gapMs }
  const isMine = await polls.recordAnswer(sql, source, { ...answer, isEmpty: count === 0 })
  return { kind: 'received', count, characters, isMine }
}

interface Answer {
  kind: 'received' | QueueProblem
  count: number
  characters: number
}

/**
 * Receives, stores and deletes one answer of the queue. Each answer has its own room: one that
 * waits for room while another of its poll holds some could wait for ever.
 */
async function receive(
  deps: Deps,
  { queue, source, turn }: Omit<Polling, 'receivers'>,
  request: { waitSeconds: number; hiddenSeconds: number; signal: AbortSignal },
): Promise<Answer> {
  let giveBack = (): void => {}
  const takeRoom = async (bytes: number): Promise<void> => {
    giveBack()
    const room = bytes <= SMALL_ANSWER_BYTES ? turn.rooms.small : turn.rooms.large
    giveBack = await room.take(bytes, request.signal)
  }
  try {
    const answer = await queue.receive({ ...request, takeRoom })
    if (answer.kind !== 'received') return { kind: answer.kind, count: 0, characters: 0 }
    const { kind, messages } = answer
    for (const set of inSets(messages)) await keep(deps, { queue, source, turn }, set)
    return { kind, count: messages.length, characters: charactersOf(messages) }
  } finally {
    giveBack()
  }
}

/** Splits messages into sets, since storing takes several times their memory. */
function inSets(messages: readonly QueuedMessage[]): QueuedMessage[][] {
  const sets: QueuedMessage[][] = []
  for (const message of messages) {
    const last = sets.at(-1)
    if (last && charactersOf([...last, message]) <= MOST_CHARACTERS) last.push(message)
    else sets.push([message])
  }
  return sets
}

const charactersOf = (messages: readonly QueuedMessage[]): number =>
  messages.reduce((sum, { body }) => sum + body.length, 0)

async function keep(
  deps: Deps,
  { queue, source, turn }: Omit<Polling, 'receivers'>,
  messages: readonly QueuedMessage[],
): Promise<void> {
  const { sql, log, onNotApplied } = deps
  const { isHeard, notApplied, refused } = await storeQueued(sql, source, messages)
  const { connectionId } = source
  for (const { reason, isKept } of notApplied) {
    onNotApplied?.(reason)
    if (isKept) log.warn({ connectionId, reason }, 'an event from a queue is kept and not applied')
  }
  for (const err of refused) log.error({ err, connectionId }, 'a message cannot be stored')
  if (isHeard) note(deps, source, turn)
  await deleteAll(queue, messages, { log, connectionId })
}

/**
 * Records that events arrive. Nobody waits for it, since the row may be locked. One at a time, so
 * that no other connection of the pool waits.
 */
function note({ sql, log }: Deps, source: QueueSource, { noting }: Turn): void {
  const { organizationId, connectionId } = source
  if (noting.has(connectionId)) return
  noting.add(connectionId)
  noteEvent(sql, organizationId, connectionId)
    .catch((err: unknown) => log.warn({ err, connectionId }, 'an event could not be noted'))
    .finally(() => noting.delete(connectionId))
}

/** Deletes messages. Those that cannot be deleted are received again as the same events. */
async function deleteAll(
  queue: EventQueue,
  messages: readonly QueuedMessage[],
  { log, connectionId }: { log: Log; connectionId: string },
): Promise<void> {
  const pages: QueuedMessage[][] = []
  for (let from = 0; from < messages.length; from += MESSAGES_PER_POLL) {
    pages.push(messages.slice(from, from + MESSAGES_PER_POLL))
  }
  const failedCounts = await Promise.all(pages.map((page) => queue.delete(page)))
  const count = failedCounts.reduce((sum, each) => sum + each, 0)
  if (count > 0) log.warn({ connectionId, messages: count }, 'messages could not be deleted')
}
