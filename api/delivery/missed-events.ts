import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { SLOW_ANSWER_MS } from '../../src/core/delivery/receiving.ts'
import type { Uuid } from '../../src/runtime/ids.ts'
import type { Deps } from '../deps.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Connection of the request's event, once it is known. */
    eventConnection: Whose | undefined
  }
}

interface Whose {
  organizationId: Uuid
  id: Uuid
}

/**
 * Tells `receiving` which requests of the routes of `app` got an error, a late answer or none.
 * Returns a function by which a route names the connection of a request's event.
 */
export function tellMissedEvents(app: FastifyInstance, { receiving }: Pick<Deps, 'receiving'>) {
  app.decorateRequest('eventConnection', undefined)

  app.addHook('onResponse', (request, reply, done) => {
    const isSlow = reply.elapsedTime > SLOW_ANSWER_MS
    const whose = request.eventConnection
    if (reply.statusCode >= 500 || (whose && (reply.statusCode === 429 || isSlow))) {
      receiving.refused(whose)
    }
    done()
  })

  return (request: FastifyRequest, reply: FastifyReply, whose: Whose): void => {
    request.eventConnection = whose
    reply.raw.once('close', () => {
      if (!reply.raw.writableEnded) receiving.refused(whose)
    })
  }
}
