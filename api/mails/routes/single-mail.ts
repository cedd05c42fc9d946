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
    const preparedMails = await prepareMails(sql, organizationId, inputs, {
      keyring,
      publicUrl,
      renderer,
      now: now(),
    })
    const mails = preparedMails.map((mail, position) => ({
      index: rows[position]?.index ?? position,
      mail,
    }))
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
          'For receipts, password resets and other mail that a person asked for. It is sent before batches and workflows, has no unsubscribe links, and also goes to unsubscribed contacts. An address that bounced, complained or is suppressed is not mailed: the answer is a 202 with the status `suppressed`. The mail is stored before you get the answer, whatever happens next.',
        body: EmailInput,
        response: { 202: EmailAccepted },
      },
      preHandler: (request) => prepare(request, [{ index: 0, row: request.body }], rowFailures('')),
    },
    async (request, reply) => {
      const { mails } = preparedMailsOf(request)
      const preparedMail = mails[0]?.mail
      if (preparedMail === undefined || preparedMail instanceof AppError) {
        throw preparedMail ?? new Error('a mail was prepared')
      }
      const [accepted] = await accept(request, [preparedMail])
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
          'Each row has the fields of `/v1/email/send`. Valid rows are accepted even if others fail. `errorDetails` names the failed rows and the reasons.',
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
      const acceptedRows = accepted.map((row, position) => ({
        ...row,
        index: good[position]?.index ?? 0,
      }))
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
        accepted: acceptedRows.length,
        failed: failed.length,
        results: [...acceptedRows, ...refused].sort((a, b) => a.index - b.index),
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
        summary: 'Get a mail and its status',
        description: 'For the timeline, use `/v1/email/logs/{messageId}` with this id.',
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
        summary: 'Get the body of a mail',
        description:
          'Available for 7 days after the sending time. Later, or with `retainBody: false`, the answer is a 404. Requires an owner, an admin or a key of scope `full`, and each read is audited. Links to unsubscribe, confirm or choose topics are disabled. Attachments are listed without their content.',
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
        summary: 'Reschedule a waiting mail',
        description:
          'You can reschedule a mail until its sending begins. Later the answer is a 409.',
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
        summary: 'Cancel a waiting mail',
        description:
          'You can cancel a mail until its sending begins. Later the answer is a 409. Its content is deleted.',
        params: IdParams,
        response: { 200: Email, ...failures(409) },
      },
    },
    ({ tx, caller: { organizationId }, params: { id } }) => cancelMail(tx, organizationId, id),
  )
}
