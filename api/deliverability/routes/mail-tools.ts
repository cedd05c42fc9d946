import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply } from 'fastify'
import type { TSchema } from 'typebox'
import type { Report } from '../../../src/core/deliverability/toolbox.ts'
import {
  AddressInput,
  AddressReport,
  DmarcInput,
  DmarcRecordReport,
  HeaderReport,
  HeadersInput,
  MailInput,
  UnsubscribeReport,
} from '../../../src/schemas/deliverability/mail.ts'
import type { Deps } from '../../deps.ts'
import { runAddress, runDmarcGenerator, runHeaders, runUnsubscribe } from '../mail-tools.ts'

/**
 * Tools that check a text from the body. Their reports are not cached, since the text belongs to
 * the caller.
 */
export const mailToolRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, { toolbox }) => {
  const config = { public: true }
  const shared = (operationId: string, summary: string, description: string, report: TSchema) => ({
    tags: ['tools'],
    operationId,
    summary,
    description,
    response: {
      200: { description: 'The report', content: { 'application/json': { schema: report } } },
    },
  })

  app.post(
    '/tools/validate-address',
    {
      config,
      schema: {
        ...shared(
          'validateAddress',
          'Validate an email address',
          'Checks the syntax of the address and the DNS records of its domain. The mail server is not asked, so the check cannot tell whether the mailbox exists.',
          AddressReport,
        ),
        body: AddressInput,
      },
    },
    async ({ body: { address } }, reply) => answer(reply, await runAddress(toolbox, address)),
  )
  app.post(
    '/tools/headers',
    {
      config,
      schema: {
        ...shared(
          'analyzeHeaders',
          'Analyze the header of a mail',
          'Returns the route of the mail with its delays, the results of the receiving server, signatures and alignment. The tool makes no look-ups.',
          HeaderReport,
        ),
        body: HeadersInput,
      },
    },
    async ({ body: { headers } }, reply) => answer(reply, await runHeaders(toolbox, headers)),
  )
  app.post(
    '/tools/unsubscribe-check',
    {
      config,
      schema: {
        ...shared(
          'checkUnsubscribeMail',
          'Check a mail against the rules for bulk senders',
          'Checks RFC 8058 and the rules of Google, Yahoo and Microsoft: List-Unsubscribe, List-Unsubscribe-Post, the signature that must cover them, From, DMARC and SPF. Addresses in the mail are never called.',
          UnsubscribeReport,
        ),
        body: MailInput,
      },
    },
    async ({ body: { message } }, reply) => answer(reply, await runUnsubscribe(toolbox, message)),
  )
  app.post(
    '/tools/dmarc-generator',
    {
      config,
      schema: {
        ...shared(
          'generateDmarc',
          'Generate a DMARC record',
          'Returns the record for the requested policy and the name to publish it at. The tool makes no look-ups.',
          DmarcRecordReport,
        ),
        body: DmarcInput,
      },
    },
    async ({ body }, reply) => answer(reply, await runDmarcGenerator(toolbox, body)),
  )
}

const answer = (reply: FastifyReply, report: Report): FastifyReply =>
  reply.type('application/json; charset=utf-8').send(JSON.stringify(report))
