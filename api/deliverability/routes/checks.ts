import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply } from 'fastify'
import type { TSchema } from 'typebox'
import type { CheckTool, KeptReport } from '../../../src/core/deliverability/toolbox.ts'
import {
  BimiReport,
  BlocklistReport,
  DkimReport,
  DmarcReport,
  EmailReport,
  MtaStsReport,
  MxReport,
  ReverseDnsReport,
  SpfReport,
  TlsRptReport,
} from '../../../src/schemas/deliverability/checks.ts'
import {
  BimiInput,
  BimiQuery,
  DomainInput,
  DomainParams,
  SelectorQuery,
  SelectorsInput,
  SpfInput,
  SubjectInput,
  SubjectParams,
} from '../../../src/schemas/deliverability/inputs.ts'
import type { Deps } from '../../deps.ts'
import { domainOr400, ipOr400, subjectOr400 } from '../subjects.ts'

/**
 * Tools that look up domains and addresses. They are public and limited per IP address. Each one
 * exists as a GET, whose address can be shared, and as a POST, which accepts more.
 */
export const toolCheckRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, { toolbox }) => {
  const config = { public: true }

  const shared = (operationId: string, summary: string, report: TSchema) => ({
    tags: ['tools'],
    operationId,
    summary,
    description:
      'Public, and counted for the address of the caller: 10 a minute, 100 an hour. What could not be looked up is `unknown`.',
    response: {
      200: { description: 'The report', content: { 'application/json': { schema: report } } },
    },
  })

  app.get(
    '/tools/email-check/:domain',
    {
      config,
      schema: {
        ...shared('getEmailCheck', 'Everything about a domain, with a grade', EmailReport),
        params: DomainParams,
        querystring: SelectorQuery,
      },
    },
    async ({ params, query: { selector } }, reply) => {
      const domain = domainOr400(params.domain)
      const input = { domain, selectors: selector === undefined ? undefined : [selector] }
      return answer(reply, await toolbox.check('email-check', domain, input))
    },
  )
  app.post(
    '/tools/email-check',
    {
      config,
      schema: {
        ...shared('checkEmail', 'Everything about a domain, with a grade', EmailReport),
        description:
          'SPF, DKIM, DMARC, MX, MTA-STS, TLS-RPT, BIMI, blocklists and reverse DNS of a domain, with a score from 0 to 100. What could not be looked up counts neither for nor against it.',
        body: SelectorsInput,
      },
    },
    async ({ body: { domain: given, selectors } }, reply) => {
      const domain = domainOr400(given)
      return answer(reply, await toolbox.check('email-check', domain, { domain, selectors }))
    },
  )

  app.get(
    '/tools/spf-check/:domain',
    {
      config,
      schema: {
        ...shared('getSpfCheck', 'The SPF record, with all it includes', SpfReport),
        params: DomainParams,
      },
    },
    async ({ params }, reply) => {
      const domain = domainOr400(params.domain)
      return answer(reply, await toolbox.check('spf-check', domain, { domain }))
    },
  )
  app.post(
    '/tools/spf-check',
    {
      config,
      schema: {
        ...shared('checkSpf', 'The SPF record, and whether an address passes', SpfReport),
        description:
          'Reads the record with everything that it includes and counts look-ups as receivers do (RFC 7208, 4.6.4). With `ip` it says what the result for mail from there is.',
        body: SpfInput,
      },
    },
    async ({ body: { domain: given, ip, ...rest } }, reply) => {
      const domain = domainOr400(given)
      const input = { ...rest, domain, ip: ip === undefined ? undefined : ipOr400(ip) }
      return answer(reply, await toolbox.check('spf-check', domain, input))
    },
  )

  app.get(
    '/tools/dkim-check/:domain',
    {
      config,
      schema: {
        ...shared('getDkimCheck', 'DKIM keys of a domain', DkimReport),
        params: DomainParams,
        querystring: SelectorQuery,
      },
    },
    async ({ params, query: { selector } }, reply) => {
      const domain = domainOr400(params.domain)
      const input = { domain, selectors: selector === undefined ? undefined : [selector] }
      return answer(reply, await toolbox.check('dkim-check', domain, input))
    },
  )
  app.post(
    '/tools/dkim-check',
    {
      config,
      schema: {
        ...shared('checkDkim', 'DKIM keys of a domain', DkimReport),
        description:
          'Without selectors common ones are tried; that none of them has a key is `unknown`, because a domain can sign with any other.',
        body: SelectorsInput,
      },
    },
    async ({ body: { domain: given, selectors } }, reply) => {
      const domain = domainOr400(given)
      return answer(reply, await toolbox.check('dkim-check', domain, { domain, selectors }))
    },
  )

  app.get(
    '/tools/bimi-check/:domain',
    {
      config,
      schema: {
        ...shared('getBimiCheck', 'The logo beside mail of a domain', BimiReport),
        params: DomainParams,
        querystring: BimiQuery,
      },
    },
    async ({ params, query: { selector } }, reply) => {
      const domain = domainOr400(params.domain)
      return answer(reply, await toolbox.check('bimi-check', domain, { domain, selector }))
    },
  )
  app.post(
    '/tools/bimi-check',
    {
      config,
      schema: {
        ...shared('checkBimi', 'The logo beside mail of a domain', BimiReport),
        body: BimiInput,
      },
    },
    async ({ body: { domain: given, selector } }, reply) => {
      const domain = domainOr400(given)
      return answer(reply, await toolbox.check('bimi-check', domain, { domain, selector }))
    },
  )

  for (const [tool, name, summary, report] of OF_DOMAINS) {
    app.get(
      `/tools/${tool}/:domain`,
      { config, schema: { ...shared(`get${name}`, summary, report), params: DomainParams } },
      async ({ params }, reply) => {
        const domain = domainOr400(params.domain)
        return answer(reply, await toolbox.check(tool, domain, { domain }))
      },
    )
    app.post(
      `/tools/${tool}`,
      { config, schema: { ...shared(`run${name}`, summary, report), body: DomainInput } },
      async ({ body }, reply) => {
        const domain = domainOr400(body.domain)
        return answer(reply, await toolbox.check(tool, domain, { domain }))
      },
    )
  }

  for (const [tool, name, summary, report] of OF_SUBJECTS) {
    app.get(
      `/tools/${tool}/:domain`,
      { config, schema: { ...shared(`get${name}`, summary, report), params: SubjectParams } },
      async ({ params }, reply) => {
        const { subject, ...input } = subjectOr400(params.domain)
        return answer(reply, await toolbox.check(tool, subject, input))
      },
    )
    app.post(
      `/tools/${tool}`,
      { config, schema: { ...shared(`run${name}`, summary, report), body: SubjectInput } },
      async ({ body }, reply) => {
        const { subject, ...input } = subjectOr400(body.domain)
        return answer(reply, await toolbox.check(tool, subject, input))
      },
    )
  }
}

type Row<Tool extends CheckTool> = readonly [Tool, name: string, summary: string, TSchema]

const OF_DOMAINS: readonly Row<'dmarc-check' | 'mx-check' | 'mta-sts-check' | 'tls-rpt-check'>[] = [
  ['dmarc-check', 'DmarcCheck', 'The DMARC policy of a domain', DmarcReport],
  ['mx-check', 'MxCheck', 'Where mail to a domain arrives', MxReport],
  ['mta-sts-check', 'MtaStsCheck', 'Whether mail to a domain has to be encrypted', MtaStsReport],
  ['tls-rpt-check', 'TlsRptCheck', 'Where failed encryption is reported', TlsRptReport],
]

const OF_SUBJECTS: readonly Row<'blocklist-check' | 'reverse-dns-check'>[] = [
  ['blocklist-check', 'BlocklistCheck', 'Lists of senders of spam', BlocklistReport],
  ['reverse-dns-check', 'ReverseDnsCheck', 'Names of addresses that send mail', ReverseDnsReport],
]

/** Sends the cached report, which is already serialized. */
const answer = (reply: FastifyReply, { json }: KeptReport): FastifyReply =>
  reply.type('application/json; charset=utf-8').send(json)
