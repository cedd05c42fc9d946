import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyContextConfig } from 'fastify'
import { badRequest } from '../../src/domain/errors.ts'
import { TokenParams, Unsubscribed } from '../../src/schemas/unsubscribe.ts'
import * as batches from '../../src/store/batches.ts'
import * as contacts from '../../src/store/contacts.ts'
import { within } from '../../src/store/sql.ts'
import { addressHash, equal, readUnsubscribe, type UnsubscribeLink } from '../../src/tokens.ts'
import type { Deps } from '../deps.ts'
import { escapeHtml, keepPrivate, sendPage, wantsHtml } from '../html.ts'

const BODY_LIMIT = 64 * 1024
/**
 * A mail whose claim was committed before we were asked is gone after this: see the order of a
 * send.
 */
const SETTLING_MS = 2_000
const MESSAGE = 'You are unsubscribed'

/** One-click unsubscribe, RFC 8058: only the POST acts, so that nothing that follows links does. */
export const unsubscribeRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { sql, keyring, publicUrl } = deps
  const url = '/unsubscribe/:token'
  const config: FastifyContextConfig = {
    public: true,
    // Mail providers post for many people from few addresses.
    vouch: ({ param }) => {
      const token = param('token')
      return readUnsubscribe(keyring, token) ? { token } : undefined
    },
  }
  const page = { 'text/html': { schema: { type: 'string' } } }

  // Mail providers post forms, multipart or nothing at all; what they post says nothing we need.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    '*',
    { parseAs: 'buffer', bodyLimit: BODY_LIMIT },
    (_request, _body, done) => done(null, undefined),
  )
  app.addHook('onRequest', async ({ raw }) => {
    delete raw.headers['content-type']
  })

  app.get(
    url,
    {
      config,
      schema: {
        tags: ['unsubscribe'],
        operationId: 'showUnsubscribe',
        summary: 'A page with a button; changes nothing',
        description:
          'The masked address and a button. Opening it unsubscribes nobody, so that programs that follow links cannot.',
        params: TokenParams,
        response: { 200: { description: 'The page', content: page } },
      },
    },
    async ({ params: { token }, headers: { accept } }, reply) => {
      const link = readUnsubscribe(keyring, token)
      if (!link) return refuse(accept, reply)
      const address = escapeHtml(await maskedAddress(link))
      const action = escapeHtml(`${publicUrl}/unsubscribe/${encodeURIComponent(token)}`)
      return sendPage(reply, {
        title: 'Unsubscribe',
        body: `<p>No more mail to ${address}?</p>
<form method="post" action="${action}"><button>Unsubscribe</button></form>`,
      })
    },
  )

  app.post(
    url,
    {
      config,
      bodyLimit: BODY_LIMIT,
      schema: {
        tags: ['unsubscribe'],
        operationId: 'unsubscribe',
        summary: 'Unsubscribe with one click',
        description:
          'RFC 8058: whatever the body says, the person of the token gets no more mail. Repeating it is fine. HTML when `Accept` names it, else JSON.',
        params: TokenParams,
        response: {
          200: {
            description: 'Unsubscribed; repeating it is fine',
            content: { 'application/json': { schema: Unsubscribed }, ...page },
          },
        },
      },
    },
    async ({ params: { token }, headers: { accept } }, reply) => {
      const link = readUnsubscribe(keyring, token)
      if (!link) return refuse(accept, reply)
      const { organizationId, contactId, batchId } = link
      const tenant = within(sql, organizationId)
      await contacts.unsubscribe(tenant, organizationId, contactId, batchId)
      // "You are unsubscribed" must be true when it is read: a mail on its way is waited for.
      if (await batches.isBeingMailed(tenant, organizationId, contactId)) await sleep(SETTLING_MS)
      if (wantsHtml(accept)) {
        return sendPage(reply, {
          title: MESSAGE,
          body: '<p>You will get no more mail from us.</p>',
        })
      }
      return keepPrivate(reply).send({ success: true, message: MESSAGE })
    },
  )

  /** Only as long as the address is the one that was mailed: the link may have been handed on. */
  async function maskedAddress(link: UnsubscribeLink): Promise<string> {
    const { organizationId, contactId } = link
    const contact = await contacts.find(within(sql, organizationId), organizationId, {
      id: contactId,
    })
    const email = contact?.email ?? ''
    const isSame = equal(addressHash(organizationId, email), link.addressHash)
    return isSame ? mask(email) : 'this address'
  }
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/**
 * `ada@example.com` → `a••@e••••••.com`: enough to know one's own, not enough to learn another's.
 */
function mask(email: string): string {
  const [local = '', domain = ''] = email.split('@')
  const dot = domain.lastIndexOf('.')
  return `${dim(local)}@${dim(domain.slice(0, dot))}${domain.slice(dot)}`
}

const dim = (text: string): string =>
  `${text.slice(0, 1)}${'•'.repeat(Math.max(text.length - 1, 2))}`

function refuse(accept: string | undefined, reply: Parameters<typeof sendPage>[0]) {
  if (wantsHtml(accept)) {
    return sendPage(reply, {
      status: 400,
      title: 'This link does not work',
      body: '<p>It is not complete. Please use the link in the mail itself.</p>',
    })
  }
  throw badRequest('The unsubscribe link is not valid', [
    { path: 'token', message: 'is not one of ours' },
  ])
}
