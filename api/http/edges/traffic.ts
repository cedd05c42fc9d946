import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Metrics } from '../metrics.ts'

/** What is going on between this process and its callers. */
interface Traffic {
  /** Responses that are owed, or on their way to a reader. */
  readonly inFlight: ReadonlySet<ServerResponse>
  readonly sockets: ReadonlySet<Socket>
  /** From now on every answer ends its connection, so that callers go to another process. */
  isDraining: boolean
}

declare module 'fastify' {
  interface FastifyInstance {
    readonly traffic: Traffic
  }
}

/** Keeps account of requests and connections as `app.traffic`. Add it before all other hooks. */
export function countTraffic(app: FastifyInstance, metrics: Metrics): void {
  const inFlight = new Set<ServerResponse>()
  const sockets = new Set<Socket>()
  const traffic: Traffic = { inFlight, sockets, isDraining: false }
  app.decorate('traffic', traffic)

  const server: Server = app.server
  server.on('connection', (socket) => {
    sockets.add(socket)
    metrics.sockets.inc()
    socket.once('close', () => {
      sockets.delete(socket)
      metrics.sockets.dec()
    })
  })
  // As the server sees them, not by hooks: what is refused before routing is owed an answer as
  // well.
  server.on('request', (request, response) => {
    inFlight.add(response)
    if (traffic.isDraining) endConnection(response)
    metrics.requestsInFlight.inc()
    const leave = (): void => {
      if (inFlight.delete(response)) metrics.requestsInFlight.dec()
    }
    response.on('close', leave)
    if (response.socket === null) leaveWithSocket(request.socket, response, leave)
  })
}

/** The answer, unless it is on its way already, is the last of its connection. */
export function endConnection(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('connection', 'close')
}

/**
 * A pipelined request's answer has no socket before its turn, and Node never closes it when the
 * caller is gone by then: it would be owed for ever.
 */
function leaveWithSocket(socket: Socket, response: ServerResponse, leave: () => void): void {
  // As many as the caller sent at once.
  socket.setMaxListeners(0).once('close', leave)
  response.on('close', () => socket.off('close', leave))
}
