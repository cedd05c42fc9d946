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
          'Whether mail to an address could arrive',
          'Looks at the syntax and asks the domain name system; the mail server is not asked, so that a mailbox exists is not known.',
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
          'What the header of a mail says',
          'The way of the mail with its delays, what the receiving server found, signatures and alignment. Nobody is asked anything.',
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
          'Whether a mail satisfies RFC 8058 and the rules for bulk mail',
          'Checks List-Unsubscribe, List-Unsubscribe-Post, the signature that has to cover them, From, DMARC and SPF, as Google, Yahoo and Microsoft ask of bulk senders. The addresses in the mail are never called.',
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
          'Writes a DMARC record',
          'The record for what is wished, and where to publish it. Nobody is asked anything.',
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
