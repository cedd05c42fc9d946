import { Server, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { endConnection } from './traffic.ts'

/** Age of silence after which a connection is closed. Before, a request may be under way. */
const IDLE_MS = 1_000
const LOOK_EVERY_MS = 20
/** Milliseconds without a new connection after which no answered client is coming back. */
const QUIET_MS = 50
/**
 * If it never gets quiet, the port is closed after this time, when all waiting connections were
 * accepted.
 */
const QUIET_WITHIN_MS = 1_000

interface Drain {
  /** Time for which connections are still accepted, so that a load balancer notices the end. */
  delayMs: number
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
  const acceptedSockets: Socket[] = []
  const listeners = server.rawListeners('connection')
  server.removeAllListeners('connection').on('connection', (socket: Socket) => {
    acceptedSockets.push(socket.on('error', () => socket.destroy()))
  })

  const begunAt = performance.now()
  let lastAt = begunAt
  for (let at = begunAt; at - lastAt < QUIET_MS && at - begunAt < QUIET_WITHIN_MS; ) {
    const before = acceptedSockets.length
    await new Promise((resolve) => setImmediate(resolve))
    at = performance.now()
    if (acceptedSockets.length > before) lastAt = at
  }
  // oxlint-disable-next-line typescript/unbound-method
  Reflect.apply(Server.prototype.close, server, [])

  for (const socket of acceptedSockets) {
    for (const listener of listeners) Reflect.apply(listener, server, [socket])
  }
}
