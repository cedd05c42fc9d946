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

/** Queues that a worker polls at once; most of that is waiting. */
const MOST_QUEUES = 50
/** Receivers of one queue that has more than one can take. */
const MOST_RECEIVERS = 8
/**
 * The most that a process holds of the answers of all queues. Reading, parsing and storing one
 * takes several times its size, of a worker's heap of 192 MB. A larger one is read alone.
 */
const MOST_ANSWER_BYTES = 8 * 1024 * 1024
/** Small answers, which is ten usual events, have room of their own. */
const SMALL_ANSWER_BYTES = 128 * 1024
const MOST_SMALL_BYTES = 2 * 1024 * 1024
/** Of bodies: what is stored at once, and what several receivers should bring at most. */
const MOST_CHARACTERS = 2 * 1024 * 1024
/** A turn that ends is followed by a look at once. */
const IDLE_MS = 1_000
/** SQS' own most. */
const LONGEST_WAIT_SECONDS = 20
/** After a turn that failed. */
const RETRY_MS = 1_000
/** Until a queue whose answers are large is asked again, where such answers wait to be read. */
const CROWDED_MS = 1_000
/** Then the queue is given back, so that others have their turn. */
const TURN_MS = 20_000

interface Deps {
  sql: Sql
  queues: EventQueues
  timings: Pick<Timings, 'leaseMs' | 'receivingGapMs'>
  log: Log
  /** Told why an event is not applied. */
  onNotApplied?: (reason: string) => void
}

/**
 * Takes delivery events from the queues of connections, each polled by one worker at a time. A
 * message is deleted when its event is committed: a worker that dies in between leaves it to be
 * received again, as the same event.
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
    const found = await polls.claim(deps.sql, { workerId, holdMs, limit })
    // Others may be due: nobody waits long at an empty queue.
    const isCrowded = found.length === limit
    for (const source of found) {
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
  /** Connections of which it is being noted that events come. */
  noting: Set<string>
  /** For the answers of all queues of the process. Small ones do not wait behind large ones. */
  rooms: { small: ByteRoom; large: ByteRoom }
  signal: AbortSignal
}

/** Polls a queue until it is empty, or the turn is over. */
async function takeTurn(deps: Deps, source: QueueSource, turn: Turn): Promise<void> {
  const { sql, queues, log } = deps
  const { workerId, signal } = turn
  const queue = queues.open(source)
  const until = performance.now() + TURN_MS
  let receivers = 1
  try {
    while (!signal.aborted && performance.now() < until) {
      const found = await poll(deps, { queue, source, receivers, turn })
      if (signal.aborted && found.kind !== 'received') break
      if (found.kind !== 'received') {
        const { connectionId } = source
        const failures = await polls.recordProblem(sql, source, { workerId, problem: found.kind })
        log.warn({ connectionId, problem: found.kind, failures }, 'an event queue did not answer')
        return
      }
      if (!found.isMine) return
      if (found.count === 0) break
      // A queue with large answers goes behind the others while such answers wait to be read.
      if (found.characters > SMALL_ANSWER_BYTES && turn.rooms.large.isCrowded()) {
        await polls.release(sql, source, { workerId, waitMs: CROWDED_MS })
        return
      }
      const isFull = found.count >= (receivers * MESSAGES_PER_POLL * 4) / 5
      const fitsTwice = found.characters * 2 <= MOST_CHARACTERS
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

/** Several receivers, each of which receives, stores and deletes. */
async function poll(deps: Deps, { queue, source, receivers, turn }: Polling): Promise<PollOutcome> {
  const { sql, timings } = deps
  const { leaseMs: holdMs, receivingGapMs: gapMs } = timings
  const { workerId, isCrowded, signal } = turn
  const hiddenSeconds = Math.ceil(holdMs / 1_000)
  // The hold outlasts the wait, and storing what came.
  const patient = Math.min(LONGEST_WAIT_SECONDS, Math.floor((holdMs / 1_000) * 0.7))
  const waitSeconds = receivers > 1 || isCrowded ? 1 : Math.max(1, patient)
  const beganAt = performance.now()
  const asked = { waitSeconds, hiddenSeconds, signal }
  const settled = await Promise.allSettled(
    Array.from({ length: receivers }, () => receive(deps, { queue, source, turn }, asked)),
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
 * One answer of the queue, stored and deleted. Each answer has its own room: one that waited for
 * room while another of its poll held some could wait for ever.
 */
async function receive(
  deps: Deps,
  { queue, source, turn }: Omit<Polling, 'receivers'>,
  asked: { waitSeconds: number; hiddenSeconds: number; signal: AbortSignal },
): Promise<Answer> {
  let giveBack = (): void => {}
  const takeRoom = async (bytes: number): Promise<void> => {
    giveBack()
    const room = bytes <= SMALL_ANSWER_BYTES ? turn.rooms.small : turn.rooms.large
    giveBack = await room.take(bytes, asked.signal)
  }
  try {
    const answer = await queue.receive({ ...asked, takeRoom })
    if (answer.kind !== 'received') return { kind: answer.kind, count: 0, characters: 0 }
    const { kind, messages } = answer
    for (const set of inSets(messages)) await keep(deps, { queue, source, turn }, set)
    return { kind, count: messages.length, characters: charactersOf(messages) }
  } finally {
    giveBack()
  }
}

/** Storing takes several times the memory of what is stored. */
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

/** Stores messages, and deletes them then. */
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
 * Notes that events come. Nobody waits for it: the row may be locked. One at a time, so that no
 * connection of the pool waits beside it.
 */
function note({ sql, log }: Deps, source: QueueSource, { noting }: Turn): void {
  const { organizationId, connectionId } = source
  if (noting.has(connectionId)) return
  noting.add(connectionId)
  noteEvent(sql, organizationId, connectionId)
    .catch((err: unknown) => log.warn({ err, connectionId }, 'an event could not be noted'))
    .finally(() => noting.delete(connectionId))
}

/** What could not be deleted comes again, as the same event. */
async function deleteAll(
  queue: EventQueue,
  messages: readonly QueuedMessage[],
  { log, connectionId }: { log: Log; connectionId: string },
): Promise<void> {
  const pages: QueuedMessage[][] = []
  for (let from = 0; from < messages.length; from += MESSAGES_PER_POLL) {
    pages.push(messages.slice(from, from + MESSAGES_PER_POLL))
  }
  const left = await Promise.all(pages.map((page) => queue.delete(page)))
  const count = left.reduce((sum, each) => sum + each, 0)
  if (count > 0) log.warn({ connectionId, messages: count }, 'messages could not be deleted')
}
