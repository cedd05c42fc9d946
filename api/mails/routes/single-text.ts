import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { shownSince } from '../../../src/core/access/plan.ts'
import {
  acceptText,
  cancelText,
  listTextLogs,
  readTextBody,
  requirePhone,
  requireText,
  rescheduleText,
} from '../../../src/core/mails/single-text.ts'
import { bucketStart } from '../../../src/runtime/ids.ts'
import { IdParams } from '../../../src/schemas/common.ts'
import {
  Text,
  TextAccepted,
  TextBody,
  TextInput,
  TextLogList,
  TextLogListQuery,
  TextPatch,
} from '../../../src/schemas/mails/text.ts'
import { transact } from '../../../src/store/db/sql.ts'
import { actorOf } from '../../access/audit.ts'
import type { TenantDeps } from '../../deps.ts'
import { decodeCursor } from '../../http/cursor.ts'
import { failures } from '../../http/failures.ts'
import { pageOf } from '../../http/pages.ts'

const tags = ['sms']
const sending = { scope: 'send' } as const
const reading = { scope: ['read', 'send'] } as const

/** Single text messages. */
export const singleTextRoutes: FastifyPluginAsyncTypebox<TenantDeps> = async (app, deps) => {
  const { keyring, now } = deps

  app.post(
    '/v1/sms/send',
    {
      config: sending,
      schema: {
        tags,
        operationId: 'sendText',
        summary: 'Send one text message to one number, now or later',
        description:
          'For codes, reminders and other texts that a person asked for. It is never sent to a number whose person opted out, or that was found not to exist: the answer is a 202 with the status `opted_out` or `suppressed`, and a text that waits is not sent either. It needs no opt-in. The text is stored before you get the answer, and leaves once at most. The account needs `features.sms`.',
        body: TextInput,
        response: { 202: TextAccepted },
      },
    },
    async ({ tx, caller: { organizationId }, body }, reply) => {
      const accepted = await acceptText(tx, organizationId, body, { keyring, now: now() })
      reply.code(202)
      return accepted
    },
  )

  app.get(
    '/v1/sms/logs',
    {
      config: { scope: 'read' },
      schema: {
        tags,
        operationId: 'listTextLogs',
        summary: 'List text messages with their status, newest first',
        description: 'Logs of mails are in `/v1/email/logs`.',
        querystring: TextLogListQuery,
        response: { 200: TextLogList },
      },
    },
    async ({ caller: { organizationId, sql }, query: { limit, cursor, ...filters } }) => {
      const scope = { list: 'sms-logs', organizationId, filters }
      const { status, recipient } = filters
      const rows = await listTextLogs(sql, organizationId, {
        status,
        recipient: recipient === undefined ? undefined : requirePhone('recipient', recipient),
        oldest: bucketStart(await shownSince(sql, organizationId, now())),
        before: decodeCursor(scope, cursor),
        limit: limit + 1,
      })
      const { page, nextCursor } = pageOf(rows, limit, scope)
      return { logs: page, nextCursor }
    },
  )

  app.get(
    '/v1/sms/:id',
    {
      config: reading,
      schema: {
        tags,
        operationId: 'getText',
        summary: 'Get a text message and its status',
        description: 'Its body is not included: use `/v1/sms/{id}/body`.',
        params: IdParams,
        response: { 200: Text },
      },
    },
    ({ caller: { organizationId, sql }, params: { id } }) => requireText(sql, organizationId, id),
  )

  app.get(
    '/v1/sms/:id/body',
    {
      config: { scope: 'full' },
      schema: {
        tags,
        operationId: 'getTextBody',
        summary: 'Get the body of a text message',
        description:
          'Available for 7 days after the sending time. Later, or with `retainBody: false`, the answer is a 404. Requires an owner, an admin or a key of scope `full`, and each read is audited.',
        params: IdParams,
        response: { 200: TextBody },
      },
    },
    (request) => {
      const { organizationId, sql } = request.caller
      const { id } = request.params
      return readTextBody(sql, organizationId, { id, keyring }, actorOf(request, now))
    },
  )

  app.patch(
    '/v1/sms/:id',
    {
      config: sending,
      schema: {
        tags,
        operationId: 'rescheduleText',
        summary: 'Reschedule a waiting text message',
        description:
          'You can reschedule a text until its sending begins. Later the answer is a 409.',
        params: IdParams,
        body: TextPatch,
        response: { 200: Text, ...failures(409) },
      },
    },
    ({ caller: { organizationId, sql }, params: { id }, body: { scheduledFor } }) =>
      transact(sql, (tx) => rescheduleText(tx, organizationId, { id, scheduledFor }, now())),
  )

  app.post(
    '/v1/sms/:id/cancel',
    {
      config: sending,
      schema: {
        tags,
        operationId: 'cancelText',
        summary: 'Cancel a waiting text message',
        description:
          'You can cancel a text until its sending begins. Later the answer is a 409. Its body is deleted.',
        params: IdParams,
        response: { 200: Text, ...failures(409) },
      },
    },
    ({ tx, caller: { organizationId }, params: { id } }) => cancelText(tx, organizationId, id),
  )
}
