import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { PreparedMail } from '../../src/core/mails/prepare-mails.ts'
import type { AppError } from '../../src/domain/errors.ts'
import type { RowFailures } from '../../src/domain/row-failures.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Mails of the request that were checked and rendered before its transaction. */
    preparedMails: PreparedMails | undefined
  }
}

export interface PreparedMails {
  mails: { index: number; mail: PreparedMail | AppError }[]
  failures: RowFailures
}

/** Routes prepare mails in a `preHandler`, while no transaction is open. */
export const holdPreparedMails = (app: Pick<FastifyInstance, 'decorateRequest'>): void =>
  void app.decorateRequest('preparedMails', undefined)

export function preparedMailsOf({ preparedMails }: FastifyRequest): PreparedMails {
  if (!preparedMails) throw new Error('mails are prepared before they are written')
  return preparedMails
}
