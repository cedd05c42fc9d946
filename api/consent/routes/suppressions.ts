import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { addressed } from '../../../src/keys/addresses.ts'
import { allows } from '../../../src/domain/access/access.ts'
import { isPhoneReason, type PhoneReason } from '../../../src/domain/consent/sms-status.ts'
import { notFound, refuse } from '../../../src/domain/errors.ts'
import type { Uuid } from '../../../src/runtime/ids.ts'
import { Success } from '../../../src/schemas/common.ts'
import {
  Suppression,
  SuppressionInput,
  SuppressionList,
  SuppressionListQuery,
  SuppressionParams,
} from '../../../src/schemas/consent/suppression.ts'
import { requirePhone } from '../../../src/core/contacts/input-rules.ts'
import {
  removePhone,
  removeSuppression,
  suppressAddress,
  suppressPhone,
} from '../../../src/core/consent/suppressions.ts'
import { type Executor, transact } from '../../../src/store/db/sql.ts'
import * as phoneConsents from '../../../src/store/consent/phone-consents.ts'
import * as suppressions from '../../../src/store/consent/suppressions.ts'
import { toE164 } from '../../../src/text/phones.ts'
import { audit } from '../../access/audit.ts'
import { decodeCursor } from '../../http/cursor.ts'
import { HttpError } from '../../http/http-error.ts'
import type { TenantDeps } from '../../deps.ts'
import { pageOf } from '../../http/pages.ts'

const tags = ['suppressions']
const writing = { scope: 'contacts' } as const
/**
 * Returns whether a message would do harm: a mail to the account's reputation, a text to a person
 * who opted out is against the law in many countries.
 */
const isGrave = ({ reason, source }: Suppression): boolean =>
  reason === 'complained' ||
  reason === 'opted_out' ||
  (reason === 'suppressed' && source === 'event')

/** Addresses and phone numbers that receive no messages, whether or not a contact has them. */
export const suppressionRoutes: FastifyPluginAsyncTypebox<TenantDeps> = async (
  app,
  { keyring, now },
) => {
  app.get(
    '/v1/suppressions',
    {
      config: { scope: ['read', 'contacts'] },
      schema: {
        tags,
        operationId: 'listSuppressions',
        summary: 'List suppressed addresses or phone numbers, newest first',
        description:
          '`email` or `phone` returns the entry of one address or number. It also finds entries whose text was erased, by its hash. `channel=sms` lists the phone numbers that receive no text messages.',
        querystring: SuppressionListQuery,
        response: { 200: SuppressionList },
      },
    },
    async ({ caller: { organizationId, sql }, query }) => {
      const { limit, cursor, reason, email, phone } = query
      const { channel = phone === undefined ? 'email' : 'sms' } = query
      const scope = {
        list: 'suppressions',
        organizationId,
        filters: { channel, reason, email, phone },
      }
      const text = phone === undefined ? email : requirePhone(phone)
      const filters = {
        address: text === undefined ? undefined : addressed(keyring, organizationId, text),
        before: decodeCursor(scope, cursor),
        limit: limit + 1,
      }
      const rows = await listOf(sql, organizationId, channel, { ...filters, reason })
      const { page, nextCursor } = pageOf(rows, limit, scope)
      return { data: page, nextCursor }
    },
  )

  app.post(
    '/v1/suppressions',
    {
      config: writing,
      schema: {
        tags,
        operationId: 'suppressAddress',
        summary: 'Suppress an address or a phone number',
        description:
          'The default reason of an address is `suppressed`: it never receives mail again. That of a phone number is `opted_out`: it receives no text messages. The contact that has it gets the reason as its `emailStatus` or `smsStatus`, unless it has a worse one. If it is on the list already, its reason can only become worse. The response is then 200 with the effective entry.',
        body: SuppressionInput,
        response: { 200: Suppression, 201: Suppression },
      },
    },
    async ({ tx, id: requestId, caller: { organizationId }, body }, reply) => {
      const { email, phone, reason } = body
      if ((email === undefined) === (phone === undefined)) {
        refuse('email', 'or phone is needed, and not both')
      }
      const address = addressed(keyring, organizationId, email ?? requirePhone(phone ?? ''))
      const { entry, isNew } =
        email === undefined
          ? await suppressPhone(tx, organizationId, { address, reason: phoneReason(reason) })
          : await suppressAddress(
              tx,
              organizationId,
              { address, reason: mailReason(reason) },
              requestId,
            )
      reply.code(isNew ? 201 : 200)
      return entry
    },
  )

  app.delete(
    '/v1/suppressions/:email',
    {
      config: writing,
      schema: {
        tags,
        operationId: 'removeSuppression',
        summary: 'Remove an address or a phone number from the suppression list',
        description:
          'Does not change the contact: a contact who unsubscribed or opted out must be resubscribed. Entries for complaints, for suppressions by the provider and for opt-outs of text messages require the scope `full`. The removal is recorded in the audit events.',
        params: SuppressionParams,
        response: { 200: Success },
      },
    },
    async (request) => {
      const { caller, params } = request
      const { organizationId, sql, scopes } = caller
      const phone = params.email.includes('@') ? undefined : toE164(params.email)
      const address = addressed(keyring, organizationId, phone ?? params.email)
      const remove = phone === undefined ? removeSuppression : removePhone
      await transact(sql, async (tx) => {
        const entry = await remove(tx, organizationId, address, (suppression) => {
          if (!isGrave(suppression) || allows(scopes, 'full')) return
          const message = `An entry whose reason is ${suppression.reason} is removed with the scope "full"`
          throw new HttpError('FORBIDDEN', message, {
            reason: 'insufficient_scope',
            headers: { 'www-authenticate': 'Bearer error="insufficient_scope", scope="full"' },
          })
        })
        if (!entry) throw notFound('Suppression')
        const subject = { kind: 'suppression', id: entry.id }
        const detail = { reason: entry.reason }
        await audit(tx, request, now, { action: 'suppression.removed', subject, detail })
      })
      return { success: true as const }
    },
  )
}

type GivenReason = SuppressionInput['reason']

function phoneReason(reason: GivenReason = 'opted_out'): PhoneReason {
  if (isPhoneReason(reason)) return reason
  return refuse('reason', 'of a phone number must be opted_out or invalid')
}

function mailReason(reason: GivenReason = 'suppressed'): suppressions.Reason {
  if (!isPhoneReason(reason)) return reason
  return refuse('reason', `of an email address cannot be ${reason}`)
}

/** Entries of one channel. A reason of the other channel is refused. */
function listOf(
  sql: Executor,
  organizationId: Uuid,
  channel: 'email' | 'sms',
  { reason, ...filters }: suppressions.ListFilters<Suppression['reason']>,
) {
  if (channel === 'email') {
    const mailFilter = reason === undefined ? reason : mailReason(reason)
    return suppressions.list(sql, organizationId, { ...filters, reason: mailFilter })
  }
  const phoneFilter = reason === undefined ? reason : phoneReason(reason)
  return phoneConsents.list(sql, organizationId, { ...filters, reason: phoneFilter })
}
