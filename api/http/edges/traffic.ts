import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Metrics } from '../metrics.ts'

interface Traffic {
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

export function endConnection(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('connection', 'close')
}

/**
 * Removes pipelined answers when their socket closes. Before its turn an answer has no socket, so
 * Node never closes it, and it would count as unsent for ever.
 */
function leaveWithSocket(socket: Socket, response: ServerResponse, leave: () => void): void {
  // As many as the caller sent at once.
  socket.setMaxListeners(0).once('close', leave)
  response.on('close', () => socket.off('close', leave))
}
