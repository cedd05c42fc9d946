import {
  DeleteMessageBatchCommand,
  type Message,
  ReceiveMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs'
import {
  type EventQueue,
  type EventQueues,
  MESSAGES_PER_POLL,
  type QueuedMessage,
  type QueueSource,
} from '../../src/domain/delivery/event-queue.ts'
import { ask } from './asking.ts'
import type { Roles } from './roles.ts'
import type { Credentials } from './signature.ts'
import { signedWith } from './signed-with.ts'

/** Time beyond the poll's own wait at the queue. */
const ANSWER_MS = 5_000
const DELETE_MS = 5_000
/** SQS errors for a missing queue, in its own and the older protocol. */
const MISSING = ['QueueDoesNotExist', 'AWS.SimpleQueueService.NonExistentQueue']

/**
 * Polls queues in customers' accounts with SQS ReceiveMessage and DeleteMessageBatch. Requests go
 * to the service's own address in the connection's region: the queue's URL is a parameter and is
 * never called.
 */
export const createEventQueues = (roles: Roles): EventQueues => ({
  open: (source) => openQueue(roles, source),
})

function openQueue(roles: Roles, source: QueueSource): EventQueue {
  const { region, eventQueueUrl: QueueUrl } = source
  let opened: { credentials: Credentials; sqs: SQSClient } | undefined
  /** The client is kept for the lifetime of the credentials, so that its connections are reused. */
  const clientFor = (credentials: Credentials): SQSClient => {
    if (opened?.credentials === credentials) return opened.sqs
    opened?.sqs.destroy()
    opened = { credentials, sqs: createClient(region, credentials) }
    return opened.sqs
  }
  const asking = { roles, iamRole: source, purpose: 'queue', tries: 1 } as const

  return {
    receive: async ({ waitSeconds, hiddenSeconds, signal: callers, takeRoom }) => {
      const late = new AbortController()
      const signal = AbortSignal.any([callers, late.signal])
      let timer = setTimeout(() => late.abort(), waitSeconds * 1_000 + ANSWER_MS)
      const command = () => {
        const receiving = new ReceiveMessageCommand({
          QueueUrl,
          MaxNumberOfMessages: MESSAGES_PER_POLL,
          WaitTimeSeconds: waitSeconds,
          VisibilityTimeout: hiddenSeconds,
        })
        // The wait for room in memory is our time, not the provider's.
        beforeReading(receiving, async (bytes) => {
          clearTimeout(timer)
          await takeRoom(bytes)
          timer = setTimeout(() => late.abort(), ANSWER_MS)
        })
        return receiving
      }
      const answer = await ask({
        ...asking,
        signal,
        call: (credentials) =>
          clientFor(credentials)
            .send(command(), { abortSignal: signal })
            .then(({ Messages: messages = [] }) => messages, ifMissing),
      }).finally(() => clearTimeout(timer))
      if (answer.kind !== 'told') return answer
      if (answer.value === undefined) return { kind: 'missing' }
      return { kind: 'received', messages: answer.value.flatMap(toMessage) }
    },

    delete: async (messages) => {
      const signal = AbortSignal.timeout(DELETE_MS)
      const entries = messages.map(({ receipt }, at) => ({
        Id: String(at),
        ReceiptHandle: receipt,
      }))
      const command = () => new DeleteMessageBatchCommand({ QueueUrl, Entries: entries })
      const answer = await ask({
        ...asking,
        signal,
        call: (credentials) => clientFor(credentials).send(command(), { abortSignal: signal }),
      })
      return answer.kind === 'told' ? (answer.value.Failed?.length ?? 0) : messages.length
    },

    close: () => opened?.sqs.destroy(),
  }
}

/** Ten messages of SQS' maximum size with every character escaped. */
const LARGEST_ANSWER_BYTES = 60 * 1024 * 1024

/**
 * Calls `act` with the size of the answer when its headers have arrived. Until then, and until
 * `act` ends, the body stays with the provider and in the socket's buffer.
 */
function beforeReading(
  { middlewareStack }: ReceiveMessageCommand,
  act: (bytes: number) => Promise<void>,
): void {
  middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args)
      const length = Number(headersOf(result.response)['content-length'] ?? Number.NaN)
      await act(Number.isFinite(length) ? length : LARGEST_ANSWER_BYTES)
      return result
    },
    { step: 'deserialize', priority: 'low', name: 'waitForRoom' },
  )
}

function headersOf(response: unknown): Record<string, unknown> {
  const headers: unknown =
    typeof response === 'object' && response !== null ? Reflect.get(response, 'headers') : undefined
  return typeof headers === 'object' && headers !== null ? { ...headers } : {}
}

function createClient(region: string, credentials: Credentials): SQSClient {
  return new SQSClient({
    region,
    ...signedWith(credentials),
    maxAttempts: 1,
    useQueueUrlAsEndpoint: false,
    requestHandler: { connectionTimeout: 2_000 },
  })
}

const toMessage = ({ ReceiptHandle: receipt, Body: body }: Message): QueuedMessage[] =>
  receipt === undefined ? [] : [{ receipt, body: body ?? '' }]

function ifMissing(error: unknown): undefined {
  if (error instanceof Error && MISSING.includes(error.name)) return undefined
  throw error
}
