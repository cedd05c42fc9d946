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
      'Public, with a limit of 10 requests a minute and 100 an hour for each IP address. Failed look-ups are reported as `unknown`.',
    response: {
      200: { description: 'The report', content: { 'application/json': { schema: report } } },
    },
  })

  app.get(
    '/tools/email-check/:domain',
    {
      config,
      schema: {
        ...shared('getEmailCheck', 'Check the email setup of a domain', EmailReport),
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
        ...shared('checkEmail', 'Check the email setup of a domain', EmailReport),
        description:
          'Checks SPF, DKIM, DMARC, MX, MTA-STS, TLS-RPT, BIMI, blocklists and reverse DNS of a domain and returns a score from 0 to 100. Failed look-ups do not change the score.',
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
        ...shared('getSpfCheck', 'Check the SPF record of a domain', SpfReport),
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
        ...shared(
          'checkSpf',
          'Check the SPF record of a domain, or an IP address against it',
          SpfReport,
        ),
        description:
          'Reads the SPF record with everything that it includes, and counts look-ups as receivers do (RFC 7208, 4.6.4). With `ip`, the report includes the result for mail from that address.',
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
        ...shared('getDkimCheck', 'Check the DKIM keys of a domain', DkimReport),
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
        ...shared('checkDkim', 'Check the DKIM keys of a domain', DkimReport),
        description:
          'Without selectors, common ones are tried. If none of them has a key the result is `unknown`, since a domain can use any other selector.',
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
        ...shared('getBimiCheck', 'Check the BIMI logo of a domain', BimiReport),
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
        ...shared('checkBimi', 'Check the BIMI logo of a domain', BimiReport),
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
  ['dmarc-check', 'DmarcCheck', 'Check the DMARC policy of a domain', DmarcReport],
  ['mx-check', 'MxCheck', 'Check the mail servers of a domain', MxReport],
  ['mta-sts-check', 'MtaStsCheck', 'Check the MTA-STS policy of a domain', MtaStsReport],
  ['tls-rpt-check', 'TlsRptCheck', 'Check the TLS reporting of a domain', TlsRptReport],
]

const OF_SUBJECTS: readonly Row<'blocklist-check' | 'reverse-dns-check'>[] = [
  [
    'blocklist-check',
    'BlocklistCheck',
    'Check a domain or an IP address against blocklists',
    BlocklistReport,
  ],
  [
    'reverse-dns-check',
    'ReverseDnsCheck',
    'Check the reverse DNS of a domain or an IP address',
    ReverseDnsReport,
  ],
]

const answer = (reply: FastifyReply, { json }: KeptReport): FastifyReply =>
  reply.type('application/json; charset=utf-8').send(json)
