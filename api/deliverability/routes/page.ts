import { wantsHtml } from '../../http/html-pages.ts'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import type { Report, Toolbox } from '../../../src/core/deliverability/toolbox.ts'
import { AppError } from '../../../src/domain/errors.ts'
import { isAddress } from '../../../src/domain/text.ts'
import { DMARC_POLICIES } from '../../../src/core/deliverability/dmarc-record.ts'
import { type DmarcInput, LONGEST_MAIL } from '../../../src/schemas/deliverability/mail.ts'
import type { Deps } from '../../deps.ts'
import { acceptForms, FORM, PAGE_CONTENT } from '../../http/link-pages.ts'
import { REQUEST_LIMITS } from '../../http/request-limits.ts'
import { runAddress, runDmarcGenerator, runHeaders, runUnsubscribe } from '../mail-tools.ts'
import { FORMS, type ToolForm, type Values } from '../page-forms.ts'
import { sendToolsPage } from '../page.ts'
import { domainOr400, ipOr400, subjectOr400 } from '../subjects.ts'

const MOST_FIELDS = 20
const LONGEST_FIELD = 1_024
const field = (description: string) =>
  Type.Optional(Type.String({ maxLength: LONGEST_FIELD, description }))

/**
 * The HTML page of the tools. Checks of a domain are GETs, so that the address of a report can be
 * shared. Pasted texts are POSTs.
 */
export const toolsPageRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, { toolbox }) => {
  const config = { public: true, isPage: true } as const
  const response = { 200: { description: 'The page', content: PAGE_CONTENT } }

  acceptForms(
    app,
    // Reads few more pairs than the largest form has.
    (text) => Object.fromEntries(new URLSearchParams(text.split('&', MOST_FIELDS).join('&'))),
    REQUEST_LIMITS.bodyBytes,
  )

  app.get(
    '/tools',
    {
      config,
      schema: {
        tags: ['tools'],
        operationId: 'showTools',
        summary: 'Show the tools page',
        description:
          'Shows a form for each tool, and a report if a domain is given. The page needs no script.',
        querystring: Type.Object({
          tool: field('Which tool; absent: email-check.'),
          domain: field('What is checked.'),
          selector: field('Of DKIM.'),
          ip: field('Of SPF.'),
          policy: field('Of the DMARC generator.'),
          rua: field('Of the DMARC generator.'),
          fill: field('What stands in the form without being checked.'),
        }),
        response,
      },
    },
    async ({ query, headers: { accept } }, reply) => {
      const form = formOf(query.tool)
      const { fill = '', ...rest } = query
      const values: Values = { ...present(rest), domain: query.domain ?? fill }
      if (query.domain === undefined || form.isPosted) return sendToolsPage(reply, { form, values })
      return sendToolsPage(reply, {
        form,
        values,
        ...(await outcomeOf(toolbox, form, values, accept)),
      })
    },
  )

  app.post(
    '/tools',
    {
      config,
      bodyLimit: REQUEST_LIMITS.bodyBytes,
      schema: {
        tags: ['tools'],
        operationId: 'postTools',
        summary: 'Check pasted text on the tools page',
        description:
          'Send a mail, a header or an address from a form. Returns the page with its report.',
        consumes: ['application/json', FORM],
        body: Type.Object(
          {
            tool: field('Which tool.'),
            address: Type.Optional(Type.String({ maxLength: LONGEST_FIELD })),
            headers: Type.Optional(Type.String({ maxLength: LONGEST_MAIL })),
            message: Type.Optional(Type.String({ maxLength: LONGEST_MAIL })),
          },
          { examples: [{ tool: 'validate-address', address: 'ada@example.com' }] },
        ),
        response,
      },
    },
    async ({ body, headers: { accept } }, reply) => {
      const form = formOf(body.tool)
      const values = present(body)
      return sendToolsPage(reply, {
        form,
        values,
        ...(await outcomeOf(toolbox, form, values, accept)),
      })
    },
  )
}

const formOf = (tool: string | undefined): ToolForm => {
  const [first] = FORMS
  const shownForm = FORMS.find((form) => form.tool === tool) ?? first
  if (!shownForm) throw new RangeError('there is one form at least')
  return shownForm
}

const present = (fields: Record<string, string | undefined>): Values =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )

/**
 * Returns the report, or the message for the browser: refusals of the input appear beside the form.
 */
async function outcomeOf(
  toolbox: Toolbox,
  form: ToolForm,
  values: Values,
  accept: string | undefined,
): Promise<{ report?: Report; problem?: string; status?: number }> {
  try {
    return { report: await runForm(toolbox, form.tool, values) }
  } catch (error) {
    const isShown = wantsHtml(accept) && error instanceof AppError && error.code === 'BAD_REQUEST'
    if (!isShown) throw error
    return { problem: sentenceOf(error), status: 400 }
  }
}

const sentenceOf = ({ message }: AppError): string =>
  `${message.charAt(0).toUpperCase()}${message.slice(1)}.`

async function runForm(toolbox: Toolbox, tool: string, values: Values): Promise<Report> {
  const { domain: given = '', selector = '', ip = '' } = values
  const selectors = selector.trim() === '' ? undefined : [selectorOr400(selector)]
  switch (tool) {
    case 'validate-address':
      return runAddress(toolbox, values['address'] ?? '')
    case 'headers':
      return runHeaders(toolbox, values['headers'] ?? '')
    case 'unsubscribe-check':
      return runUnsubscribe(toolbox, values['message'] ?? '')
    case 'dmarc-generator':
      return runDmarcGenerator(toolbox, wishOf(values))
    case 'blocklist-check':
    case 'reverse-dns-check': {
      const { subject, ...input } = subjectOr400(given)
      return (await toolbox.check(tool, subject, input)).report
    }
  }
  const domain = domainOr400(given)
  switch (tool) {
    case 'spf-check': {
      const input = { domain, ip: ip.trim() === '' ? undefined : ipOr400(ip) }
      return (await toolbox.check(tool, domain, input)).report
    }
    case 'dkim-check':
      return (await toolbox.check(tool, domain, { domain, selectors })).report
    case 'dmarc-check':
    case 'mx-check':
    case 'mta-sts-check':
    case 'tls-rpt-check':
    case 'bimi-check':
      return (await toolbox.check(tool, domain, { domain })).report
    default:
      return (await toolbox.check('email-check', domain, { domain, selectors })).report
  }
}

function selectorOr400(text: string): string {
  const selector = text.trim()
  if (/^[a-z0-9_](?:[a-z0-9_.-]{0,61}[a-z0-9_])?$/i.test(selector)) return selector
  throw new AppError(
    'BAD_REQUEST',
    'The selector must contain only letters, digits, dots and hyphens',
  )
}

function wishOf({ domain = '', policy, rua = '' }: Values): DmarcInput {
  const wantedPolicy = DMARC_POLICIES.find((each) => each === policy) ?? 'none'
  const address = rua.trim()
  if (address !== '' && !isAddress(address)) {
    throw new AppError('BAD_REQUEST', 'The address for reports must be an email address')
  }
  return {
    domain,
    policy: wantedPolicy,
    ...(address === '' ? {} : { aggregateReports: [address] }),
  }
}
