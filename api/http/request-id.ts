import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { uuidv7 } from '../../src/runtime/ids.ts'

export const REQUEST_ID_HEADER = 'x-request-id'
const ACCEPTABLE = /^[A-Za-z0-9._-]{1,128}$/
/** Our tokens and access keys of AWS. Put here by mistake, they would be logged. */
const SECRET = /(?:loom|loomses|whsec)_|(?:AKIA|ASIA)[A-Z0-9]{12}/

/** Returns the caller's own id if it is harmless in logs and headers, otherwise a new one. */
export function requestId({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const header = headers[REQUEST_ID_HEADER]
  const isHarmless = typeof header === 'string' && ACCEPTABLE.test(header) && !SECRET.test(header)
  return isHarmless ? header : uuidv7()
}

export function answerRequestId(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.header(REQUEST_ID_HEADER, request.id)
    done()
  })
}
