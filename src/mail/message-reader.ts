import { type Message, readMessage, UnreadableMessage } from './message.ts'
import { startThread } from './start-thread.ts'

/** A message of this many bytes is read within 10 ms, whatever its lines are. */
const SMALL_BYTES = 32 * 1024
/** The most that reading a message takes is 600 MB: 15 MB in 250,000 lines. */
const MEMORY_MB = 1_024

export type MessageAnswer = { message: Message } | { unreadable: string }

/**
 * Reads messages as `readMessage` does. A large one is read in a thread of its own, one after
 * another: it may take seconds, in which everybody else is served.
 */
export function createMessageReader(): (bytes: Uint8Array) => Promise<Message> {
  let lastReading: Promise<unknown> = Promise.resolve()
  return (bytes) => {
    if (bytes.length <= SMALL_BYTES) return readMessage(bytes)
    const reading = lastReading.then(() => readInThread(bytes))
    lastReading = reading.catch(() => {})
    return reading
  }
}

function readInThread(bytes: Uint8Array): Promise<Message> {
  return new Promise((resolve, reject) => {
    startThread('message-thread', {
      name: 'letterloom-message',
      workerData: bytes,
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
    })
      .once('message', (answer: MessageAnswer) => {
        if ('message' in answer) resolve(answer.message)
        else reject(new UnreadableMessage(answer.unreadable))
      })
      .once('error', reject)
      .once('exit', () => reject(new Error('the thread ended before it had read the message')))
  })
}
