import type * as Queues from '../../activities/aws/event-queue.ts'
import type * as Roles from '../../activities/aws/roles.ts'
import type { EventQueue, EventQueues } from '../../src/domain/delivery/event-queue.ts'
import type * as Applier from '../../src/loops/event-applier.ts'
import type * as Poller from '../../src/loops/event-queue-poller.ts'
import type * as Database from '../../src/store/db/sql.ts'
import type * as Tokens from '../../src/keys/tokens.ts'
import type { Work } from './event-workers.ts'

/**
 * A worker's loops for delivery events, compiled, which may be killed as by kill -9: before a
 * statement that follows the first change of a mail, after it has received messages, or after it
 * has stored them and before it deletes them.
 */
const load = (path: string): Promise<unknown> =>
  import(new URL(`../../dist/${path}`, import.meta.url).href)
const { connect } = (await load('src/store/db/sql.js')) as typeof Database
const { parseKeyring } = (await load('src/keys/tokens.js')) as typeof Tokens
const { startEventApplier } = (await load('src/loops/event-applier.js')) as typeof Applier
const { startEventQueuePoller } = (await load('src/loops/event-queue-poller.js')) as typeof Poller

const { databaseUrl, keys, polls, death, timings } = JSON.parse(process.argv[2] ?? '') as Work
/** Share of the statements that may be its last. */
const ONE_IN = 6
const die = (): void => void process.kill(process.pid, 'SIGKILL')
const log = { info: () => {}, warn: () => {}, error: () => {} }
let isApplying = false
const sql = connect(databaseUrl, {
  name: 'event-worker',
  role: 'letterloom_worker',
  max: 4,
  onQuery: (query) => {
    isApplying ||= /update messages/.test(query)
    if (death === 'applying' && isApplying && Math.random() * ONE_IN < 1) die()
  },
})

function dying(queue: EventQueue): EventQueue {
  return {
    close: () => queue.close(),
    receive: async (poll) => {
      const received = await queue.receive(poll)
      if (death === 'received' && received.kind === 'received' && received.messages.length > 0)
        die()
      return received
    },
    delete: async (messages) => {
      if (death === 'stored') die()
      return queue.delete(messages)
    },
  }
}

startEventApplier({ sql, keyring: parseKeyring(keys), log })
if (polls) {
  const { createEventQueues } = (await load('activities/aws/event-queue.js')) as typeof Queues
  const { createRoles } = (await load('activities/aws/roles.js')) as typeof Roles
  const realQueues = createEventQueues(createRoles())
  const queues: EventQueues = { open: (source) => dying(realQueues.open(source)) }
  startEventQueuePoller({ sql, queues, timings, log })
}
process.send?.('begun')
