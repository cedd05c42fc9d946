import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { acceptMails } from '../../../src/core/mails/accept-mails.ts'
import { type PreparedMail, prepareMails } from '../../../src/core/mails/prepare-mails.ts'
import { cancelMail, requireMail, rescheduleMail } from '../../../src/core/mails/single-mail.ts'
import { AppError, notFound } from '../../../src/domain/errors.ts'
import { type RowFailure, type RowFailures, rowFailures } from '../../../src/domain/row-failures.ts'
import { IdParams } from '../../../src/schemas/common.ts'
import type { EmailInput } from '../../../src/schemas/mails/email.ts'
import {
  ResendBatch,
  ResendBatchInput,
  ResendChangedEmail,
  ResendEmail,
  ResendEmailId,
  ResendEmailInput,
  ResendEmailPatch,
} from '../../../src/schemas/mails/resend.ts'
import { transact } from '../../../src/store/db/sql.ts'
import { actorOf } from '../../access/audit.ts'
import type { TenantDeps } from '../../deps.ts'
import { answerErrors } from '../../http/errors.ts'
import { resendFailures } from '../../http/failures.ts'
import { REQUEST_LIMITS } from '../../http/request-limits.ts'
import { type Row, rowChecker } from '../../http/row-checks.ts'
import { holdPreparedMails, preparedMailsOf } from '../prepared-mails.ts'
import {
  ACCOUNT_HEADER,
  inTheirNames,
  resendEmailView,
  resendErrorFields,
  toEmailInput,
} from '../resend-mail.ts'

const tags = ['resend']
const sending = { scope: 'send' } as const
const reading = { scope: ['read', 'send'] } as const
/** `permissive`: valid rows are accepted even if others fail. Otherwise all rows are, or none. */
const VALIDATION_HEADER = 'x-batch-validation'
const checkRows = rowChecker(ResendEmailInput)

/**
 * Resend's calls for sending, so that programs that use them only need another base address. Each
 * is a call of single mail with other names, and has no rules of its own.
 */
export const resendRoutes: FastifyPluginAsyncTypebox<TenantDeps> = async (app, deps) => {
  await app.register(sendRoutes, { ...deps, prefix: '/compat/resend' })
}

const sendRoutes: FastifyPluginAsyncTypebox<TenantDeps> = async (app, deps) => {
  const { keyring, publicUrl, renderer, now } = deps
  holdPreparedMails(app)

  answerErrors(app, resendErrorFields)

  // Of the calls that there are not, too.
  app.setNotFoundHandler(() => {
    throw notFound('Route')
  })

  /** Runs in a `preHandler`: no transaction is open while mails are rendered. */
  async function prepare(
    request: FastifyRequest,
    rows: readonly Row<ResendEmailInput>[],
    failures: RowFailures,
  ): Promise<void> {
    const { organizationId, sql } = request.caller
    const account = request.headers[ACCOUNT_HEADER]
    const inputs = rows.map(({ row }) =>
      toEmailInput(row, typeof account === 'string' ? account : undefined),
    )
    const good = inputs.filter((input): input is EmailInput => !(input instanceof AppError))
    const options = { keyring, publicUrl, renderer, now: now() }
    const preparedMails = (await prepareMails(sql, organizationId, good, options)).values()
    const mails = inputs.map((input, position) => {
      const mail = input instanceof AppError ? input : preparedMails.next().value
      if (mail === undefined) throw new Error('a mail is made or refused')
      const index = rows[position]?.index ?? position
      return { index, mail: mail instanceof AppError ? inTheirNames(mail) : mail }
    })
    request.preparedMails = { mails, failures }
  }

  const accept = ({ tx, caller: { organizationId } }: FastifyRequest, mails: PreparedMail[]) =>
    acceptMails(tx, organizationId, mails, { keyring, now: now() })

  app.post(
    '/emails',
    {
      config: sending,
      bodyLimit: REQUEST_LIMITS.mailBytes,
      schema: {
        tags,
        operationId: 'sendResendEmail',
        summary: 'Send one mail to one address, as Resend’s POST /emails',
        description:
          'The same as `/v1/email/send`, with Resend’s fields. If several accounts are connected, the header `X-Letterloom-Account` names one.',
        body: ResendEmailInput,
        response: { ...resendFailures, 200: ResendEmailId },
      },
      preHandler: (request) => prepare(request, [{ index: 0, row: request.body }], rowFailures('')),
    },
    async (request) => {
      const mail = preparedMailsOf(request).mails[0]?.mail
      if (mail === undefined || mail instanceof AppError) {
        throw mail ?? new Error('a mail was prepared')
      }
      const [accepted] = await accept(request, [mail])
      if (!accepted) throw new Error('a mail is accepted or refused')
      return { id: accepted.id }
    },
  )

  app.post(
    '/emails/batch',
    {
      config: sending,
      bodyLimit: REQUEST_LIMITS.mailBytes,
      schema: {
        tags,
        operationId: 'sendResendEmails',
        summary: 'Send up to 100 mails, as Resend’s POST /emails/batch',
        description:
          'One invalid row refuses all rows. With the header `x-batch-validation: permissive` valid rows are accepted, and `errors` lists the others.',
        body: ResendBatchInput,
        response: { ...resendFailures, 200: ResendBatch },
      },
      preHandler: async (request) => {
        const failures = rowFailures('')
        await prepare(request, await checkRows(request, request.body, failures), failures)
      },
    },
    async (request) => {
      const { mails, failures } = preparedMailsOf(request)
      const good: PreparedMail[] = []
      for (const { index, mail } of mails) {
        if (mail instanceof AppError) failures.add(index, mail)
        else good.push(mail)
      }
      const refused = failures.list()
      const isPermissive = request.headers[VALIDATION_HEADER] === 'permissive'
      const [first] = refused
      if (first && !isPermissive) throw refusalOf(first)
      const accepted = await accept(request, good)
      const data = accepted.map(({ id }) => ({ id }))
      if (!isPermissive) return { data }
      return { data, errors: refused.map(({ index, message }) => ({ index, message })) }
    },
  )

  app.get(
    '/emails/:id',
    {
      config: reading,
      schema: {
        tags,
        operationId: 'getResendEmail',
        summary: 'Get a mail and its status, as Resend’s GET /emails/{id}',
        description: 'The content is not included: use `/v1/email/{id}/body`.',
        params: IdParams,
        response: { ...resendFailures, 200: ResendEmail },
      },
    },
    async ({ caller: { organizationId, sql }, params: { id } }) =>
      resendEmailView(await requireMail(sql, organizationId, id)),
  )

  app.patch(
    '/emails/:id',
    {
      config: sending,
      schema: {
        tags,
        operationId: 'rescheduleResendEmail',
        summary: 'Reschedule a waiting mail, as Resend’s PATCH /emails/{id}',
        description: 'Works until the mail is taken to be sent, else 409.',
        params: IdParams,
        body: ResendEmailPatch,
        response: { ...resendFailures, 200: ResendChangedEmail },
      },
    },
    async (request) => {
      const { caller, params, body } = request
      const change = { id: params.id, scheduledFor: body.scheduled_at }
      const { id } = await transact(caller.sql, (tx) =>
        rescheduleMail(tx, caller.organizationId, change, actorOf(request, now)).catch(
          (error: unknown) => {
            throw error instanceof AppError ? inTheirNames(error) : error
          },
        ),
      )
      return { object: 'email' as const, id }
    },
  )

  app.post(
    '/emails/:id/cancel',
    {
      config: sending,
      schema: {
        tags,
        operationId: 'cancelResendEmail',
        summary: 'Cancel a waiting mail, as Resend’s POST /emails/{id}/cancel',
        description: 'Works until the mail is taken to be sent, else 409.',
        params: IdParams,
        response: { ...resendFailures, 200: ResendChangedEmail },
      },
    },
    async ({ tx, caller: { organizationId }, params }) => {
      const { id } = await cancelMail(tx, organizationId, params.id)
      return { object: 'email' as const, id }
    },
  )
}

const refusalOf = ({ code, reason, message, details }: RowFailure): AppError =>
  new AppError(code, message, { reason, ...(details === undefined ? {} : { details }) })
