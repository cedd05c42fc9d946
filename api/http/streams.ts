import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'

/**
 * Responds with text while it is produced, no faster than the client reads. A failure in the middle
 * breaks the connection, so that nobody takes a part for the whole.
 */
export const sendStream = (reply: FastifyReply, chunks: AsyncIterable<string>, type: string) =>
  reply.type(type).header('cache-control', 'no-store').send(Readable.from(chunks))
