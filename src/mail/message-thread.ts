/**
 * The thread that reads one large message and ends. It has no keys, storage or network. No file
 * imports this one: `message-reader.ts` starts it.
 */
import { parentPort, workerData } from 'node:worker_threads'
import type { MessageAnswer } from './message-reader.ts'
import { readMessage, UnreadableMessage } from './message.ts'

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port, no window
const answer = (ready: MessageAnswer): void => parentPort?.postMessage(ready)

try {
  answer({ message: await readMessage(workerData) })
} catch (error) {
  if (!(error instanceof UnreadableMessage)) throw error
  answer({ unreadable: error.message })
}
