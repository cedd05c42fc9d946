import { Server, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { endConnection } from './traffic.ts'

/**
 * After it a connection on which nothing is asked is closed; before it a request may be under way.
 */
const IDLE_MS = 1_000
const LOOK_EVERY_MS = 20
/** Without a new connection for this long, no client that was answered is coming back. */
const QUIET_MS = 50
/** If it never gets quiet, the port is closed all the same, after everybody who waits was taken. */
const QUIET_WITHIN_MS = 1_000

interface Drain {
  /** How long to go on accepting connections, so that a load balancer takes notice. */
  delayMs: number
  /** After this much more time, clients that still wait are cut off. */
  deadlineMs: number
}

/**
 * Stops a listening API so that every request it was given is answered. From now on each answer
 * ends its connection; after `delayMs` no new ones are accepted; those that are open end with the
 * answer that they are owed, or when nobody asks anything on them. Resolves to the number of
 * requests that were not answered in time.
 */
export async function drain(app: FastifyInstance, { delayMs, deadlineMs }: Drain): Promise<number> {
  const { traffic, server } = app
  traffic.isDraining = true
  for (const response of traffic.inFlight) endConnection(response)
  await sleep(delayMs)
  await stopListening(server)
  const closedAt = performance.now()
  while (traffic.sockets.size > 0 && performance.now() - closedAt < deadlineMs) {
    if (performance.now() - closedAt > IDLE_MS) {
      server.closeIdleConnections()
      for (const socket of traffic.sockets) if (socket.bytesRead === 0) socket.destroy()
    }
    await sleep(LOOK_EVERY_MS)
  }
  const cut = traffic.inFlight.size
  server.closeAllConnections()
  return cut
}

/**
 * A connection that the kernel has accepted and we have not is reset when the port closes, and the
 * kernel cannot be told to stop. So connections are taken and nothing is answered, until nobody
 * comes any more: each turn of the event loop takes one, and there is little else to do. The port
 * is closed in the same breath as such a turn; then those who were taken are served.
 *
 * Not http.Server's own `close`: it closes idle connections at once, and a request that is on its
 * way on one of them would be answered with a reset. It also stops looking for slow clients.
 */
async function stopListening(server: FastifyInstance['server']): Promise<void> {
  const taken: Socket[] = []
  const listeners = server.rawListeners('connection')
  server.removeAllListeners('connection').on('connection', (socket: Socket) => {
    taken.push(socket.on('error', () => socket.destroy()))
  })

  const begunAt = performance.now()
  let lastAt = begunAt
  for (let at = begunAt; at - lastAt < QUIET_MS && at - begunAt < QUIET_WITHIN_MS; ) {
    const before = taken.length
    await new Promise((resolve) => setImmediate(resolve))
    at = performance.now()
    if (taken.length > before) lastAt = at
  }
  // oxlint-disable-next-line typescript/unbound-method
  Reflect.apply(Server.prototype.close, server, [])

  for (const socket of taken) {
    for (const listener of listeners) Reflect.apply(listener, server, [socket])
  }
}
