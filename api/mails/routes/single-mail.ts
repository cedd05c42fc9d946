import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { acceptMails } from '../../../src/core/mails/accept-mails.ts'
import { type PreparedMail, prepareMails } from '../../../src/core/mails/prepare-mails.ts'
import {
  cancelMail,
  readMailBody,
  requireMail,
  rescheduleMail,
} from '../../../src/core/mails/single-mail.ts'
import { AppError } from '../../../src/domain/errors.ts'
import { type RowFailures, rowFailures, toldFailures } from '../../../src/domain/row-failures.ts'
import { IdParams } from '../../../src/schemas/common.ts'
import {
  Email,
  EmailAccepted,
  EmailBatchInput,
  EmailBody,
  EmailBatchResult,
  type EmailBatchRow,
  EmailInput,
  EmailPatch,
} from '../../../src/schemas/mails/email.ts'
import { transact } from '../../../src/store/db/sql.ts'
import { actorOf } from '../../access/audit.ts'
import type { TenantDeps } from '../../deps.ts'
import { failures } from '../../http/failures.ts'
import { REQUEST_LIMITS } from '../../http/request-limits.ts'
import { type Row, rowChecker } from '../../http/row-checks.ts'
import { holdPreparedMails, preparedMailsOf } from '../prepared-mails.ts'

const tags = ['email']
const sending = { scope: 'send' } as const
const reading = { scope: ['read', 'send'] } as const
const checkRows = rowChecker(EmailInput)

/** Single mail. The mail queue sends it before all other mail of its account. */
export const singleMailRoutes: FastifyPluginAsyncTypebox<TenantDeps> = async (app, deps) => {
  const { keyring, publicUrl, renderer, now } = deps
  holdPreparedMails(app)

  /** Runs in a `preHandler`: no transaction is open while mails are rendered. */
  async function prepare(
    request: FastifyRequest,
    rows: readonly Row<EmailInput>[],
    failures: RowFailures,
  ): Promise<void> {
    const { organizationId, sql } = request.caller
    const inputs = rows.map(({ row }) => row)
    const made = await prepareMails(sql, organizationId, inputs, {
      keyring,
      publicUrl,
      renderer,
      now: now(),
    })
    const mails = made.map((mail, position) => ({ index: rows[position]?.index ?? position, mail }))
    request.preparedMails = { mails, failures }
  }

  const accept = ({ tx, caller: { organizationId } }: FastifyRequest, mails: PreparedMail[]) =>
    acceptMails(tx, organizationId, mails, { keyring, now: now() })

  app.post(
    '/v1/email/send',
    {
      config: sending,
      bodyLimit: REQUEST_LIMITS.mailBytes,
      schema: {
        tags,
        operationId: 'sendEmail',
        summary: 'Send one mail to one address, now or later',
        description:
          'For receipts, passwords and what else a person asked for: it goes before batches and workflows, without unsubscribe links, also to who has unsubscribed. An address that bounced, complained or is suppressed is not mailed: 202 with status `suppressed`. The mail is stored when this is answered, whatever happens next.',
        body: EmailInput,
        response: { 202: EmailAccepted },
      },
      preHandler: (request) => prepare(request, [{ index: 0, row: request.body }], rowFailures('')),
    },
    async (request, reply) => {
      const { mails } = preparedMailsOf(request)
      const made = mails[0]?.mail
      if (made === undefined || made instanceof AppError) {
        throw made ?? new Error('a mail was prepared')
      }
      const [accepted] = await accept(request, [made])
      if (!accepted) throw new Error('a mail is accepted or refused')
      reply.code(202)
      return accepted
    },
  )

  app.post(
    '/v1/email/send/batch',
    {
      config: sending,
      bodyLimit: REQUEST_LIMITS.mailBytes,
      schema: {
        tags,
        operationId: 'sendEmails',
        summary: 'Send up to 100 mails, each to one address',
        description:
          'Each row is what `/v1/email/send` takes. Good rows are accepted when others fail, whatever is wrong with those; `errorDetails` says which and why.',
        body: EmailBatchInput,
        response: { 202: EmailBatchResult },
      },
      preHandler: async (request) => {
        const failures = rowFailures('emails')
        await prepare(request, await checkRows(request, request.body.emails, failures), failures)
      },
    },
    async (request, reply) => {
      const { mails, failures } = preparedMailsOf(request)
      const good: { index: number; mail: PreparedMail }[] = []
      for (const { index, mail } of mails) {
        if (mail instanceof AppError) failures.add(index, mail)
        else good.push({ index, mail })
      }
      const accepted = await accept(
        request,
        good.map(({ mail }) => mail),
      )
      const kept = accepted.map((row, position) => ({ ...row, index: good[position]?.index ?? 0 }))
      const failed = failures.list()
      const refused = failed.map(
        ({ index, message: error }): EmailBatchRow => ({
          index,
          id: null,
          status: 'refused',
          error,
        }),
      )
      reply.code(202)
      return {
        success: failed.length === 0,
        accepted: kept.length,
        failed: failed.length,
        results: [...kept, ...refused].sort((a, b) => a.index - b.index),
        ...toldFailures('emails', failed),
      }
    },
  )

  app.get(
    '/v1/email/:id',
    {
      config: reading,
      schema: {
        tags,
        operationId: 'getEmail',
        summary: 'Get a mail and what became of it',
        description:
          'The timeline is in the log: `/v1/email/logs/{messageId}`, which takes this id.',
        params: IdParams,
        response: { 200: Email },
      },
    },
    ({ caller: { organizationId, sql }, params: { id } }) => requireMail(sql, organizationId, id),
  )

  app.get(
    '/v1/email/:id/body',
    {
      config: { scope: 'full' },
      schema: {
        tags,
        operationId: 'getEmailBody',
        summary: 'Read what a mail said',
        description:
          'For 7 days after its time, unless `retainBody` was false: then, and afterwards, 404. For owners, admins and keys of scope `full`; the audit trail says who read it. Links by which the recipient unsubscribes, confirms or chooses topics lead nowhere. Attachments are named, not answered.',
        params: IdParams,
        response: { 200: EmailBody },
      },
    },
    (request) => {
      const { organizationId, sql } = request.caller
      const { id } = request.params
      return readMailBody(sql, organizationId, { id, keyring }, actorOf(request, now))
    },
  )

  app.patch(
    '/v1/email/:id',
    {
      config: sending,
      schema: {
        tags,
        operationId: 'rescheduleEmail',
        summary: 'Send a mail that waits at another time',
        description: 'Works until the mail is taken to be sent, else 409.',
        params: IdParams,
        body: EmailPatch,
        response: { 200: Email, ...failures(409) },
      },
    },
    (request) => {
      const { caller, params, body } = request
      const { organizationId, sql } = caller
      const change = { id: params.id, scheduledFor: body.scheduledFor }
      return transact(sql, (tx) =>
        rescheduleMail(tx, organizationId, change, actorOf(request, now)),
      )
    },
  )

  app.post(
    '/v1/email/:id/cancel',
    {
      config: sending,
      schema: {
        tags,
        operationId: 'cancelEmail',
        summary: 'Take a mail back that waits',
        description: 'Works until the mail is taken to be sent, else 409. What it says is deleted.',
        params: IdParams,
        response: { 200: Email, ...failures(409) },
      },
    },
    ({ tx, caller: { organizationId }, params: { id } }) => cancelMail(tx, organizationId, id),
  )
}
