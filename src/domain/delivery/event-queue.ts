/** A connection's queue. */
export interface QueueSource {
  organizationId: string
  connectionId: string
  accountId: string
  region: string
  externalId: string
  eventQueueUrl: string
}

export interface QueuedMessage {
  /** Receipt that deletes the message, valid for this receipt only. */
  receipt: string
  body: string
}

/**
 * Reasons for a missing answer of a queue.
 *
 * - `denied`: the role cannot be assumed, or may not read the queue
 * - `missing`: there is no such queue
 * - `throttled`, `failed`: too many calls; no answer
 */
const QUEUE_PROBLEMS = ['denied', 'missing', 'throttled', 'failed'] as const
export type QueueProblem = (typeof QUEUE_PROBLEMS)[number]

type Polled = { kind: 'received'; messages: QueuedMessage[] } | { kind: QueueProblem }

interface Poll {
  /** Seconds to wait at an empty queue. At least one, so that all of the queue is read. */
  waitSeconds: number
  /** Seconds for which nobody else receives the same messages. */
  hiddenSeconds: number
  signal: AbortSignal
  /**
   * Is awaited with the size of an answer before the answer is read: ten messages may have 10 MiB,
   * and many queues may answer at once. The caller gives the room back.
   */
  takeRoom: (bytes: number) => Promise<void>
}

/** A queue of delivery events, kept open while it is polled. */
export interface EventQueue {
  /** Receives up to `MESSAGES_PER_POLL` messages. Errors of the provider are results. */
  receive(poll: Poll): Promise<Polled>
  /** Deletes messages. Others come again. Returns the number of failures. */
  delete(messages: readonly QueuedMessage[]): Promise<number>
  close(): void
}

export interface EventQueues {
  open(source: QueueSource): EventQueue
}

/** Limit of SQS (SQS API reference, ReceiveMessage). */
export const MESSAGES_PER_POLL = 10

/** Requirements of a queue's URL: HTTPS, at SQS, of this account and region. */
export function queueUrlProblem(
  text: string,
  { accountId, region }: { accountId: string; region: string },
): string | undefined {
  const [, itsRegion, suffix, itsAccount] = QUEUE_URL.exec(text) ?? []
  if (itsRegion === undefined) return 'is not the URL of an SQS standard queue'
  if (itsAccount !== accountId) return 'is a queue of another account'
  const isChina = region.startsWith('cn-')
  if (itsRegion !== region || (suffix === '.cn') !== isChina) return 'is a queue of another region'
  return undefined
}

/** SQS developer guide, "Queue and message identifiers". */
const QUEUE_URL =
  /^https:\/\/sqs\.([a-z0-9-]{1,30})\.amazonaws\.com(\.cn)?\/([0-9]{12})\/[A-Za-z0-9_-]{1,80}$/
