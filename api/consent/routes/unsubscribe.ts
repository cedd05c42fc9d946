import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { preferencesSince, preferencesUrl } from '../../../src/keys/preferences-links.ts'
import { TokenParams, Unsubscribed } from '../../../src/schemas/consent/unsubscribe.ts'
import * as contacts from '../../../src/store/contacts/contacts.ts'
import * as organizations from '../../../src/store/access/organizations.ts'
import { within } from '../../../src/store/db/sql.ts'
import * as topics from '../../../src/store/consent/topics.ts'
import {
  addressHash,
  equal,
  readUnsubscribe,
  type UnsubscribeLink,
} from '../../../src/keys/tokens.ts'
import type { Say } from '../../../src/domain/content/wording.ts'
import { maskAddress } from '../../../src/domain/privacy/mask.ts'
import { escapeHtml } from '../../../src/domain/escape-html.ts'
import type { Deps } from '../../deps.ts'
import { keepPrivate, sendPage, wantsHtml } from '../../http/html-pages.ts'
import { acceptPunctuation, linkPage, PAGE_CONTENT } from '../../http/link-pages.ts'
import { unsubscribeByLink, refuseLink, voiceOf } from '../public-links.ts'
import { REQUEST_LIMITS } from '../../http/request-limits.ts'

const MESSAGE = 'You are unsubscribed'

/**
 * One-click unsubscribe (RFC 8058). Only the POST unsubscribes, so that programs that follow links
 * change nothing.
 */
export const unsubscribeRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { sql, keyring, publicUrl, now } = deps
  acceptPunctuation(app)
  const url = '/unsubscribe/:token'
  // Mail providers post for many people from few addresses.
  const config = linkPage((token) => readUnsubscribe(keyring, token))

  // Mail providers post forms, multipart or nothing at all, and any body unsubscribes the person.
  // Only the page's own form can ask for more than the token allows.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser<Buffer>(
    '*',
    { parseAs: 'buffer', bodyLimit: REQUEST_LIMITS.formBytes },
    (_request, body, done) => done(null, new URLSearchParams(body.toString('latin1'))),
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
        summary: 'Show the unsubscribe page',
        description:
          'Shows the masked address and a button to unsubscribe. A second button unsubscribes from all mail if the mail belonged to a topic. Opening the page does not unsubscribe, so programs that follow links cannot unsubscribe anybody.',
        params: TokenParams,
        response: { 200: { description: 'The page', content: PAGE_CONTENT } },
      },
    },
    async ({ params: { token }, headers: { accept } }, reply) => {
      const link = readUnsubscribe(keyring, token)
      if (!link) return refuseLink(accept, reply)
      const { say, page, topic, email, preferences } = await describe(link, token)
      const address = email === undefined ? say('unsubscribe.thisAddress') : maskAddress(email)
      const question =
        topic === undefined
          ? say('unsubscribe.question', { address })
          : say('unsubscribe.topicQuestion', { topic, address })
      return sendPage(reply, {
        ...page,
        title: say('unsubscribe.title'),
        body: `<p>${escapeHtml(question)}</p>
<form method="post" action="${actionOf(token)}"><button>${escapeHtml(say('unsubscribe.button'))}</button></form>
${topic === undefined ? '' : everything(token, say)}${preferences}`,
      })
    },
  )

  app.post(
    url,
    {
      config,
      bodyLimit: REQUEST_LIMITS.formBytes,
      schema: {
        tags: ['unsubscribe'],
        operationId: 'unsubscribe',
        summary: 'Unsubscribe with one click',
        description:
          'Implements RFC 8058. Unsubscribes the contact of the token from the topic of the mail, or from all mail, whatever the body contains. The form field `scope=all` always unsubscribes from all mail. Repeated requests have no further effect. Returns HTML if `Accept` asks for it, else JSON.',
        params: TokenParams,
        response: {
          200: {
            description: 'Unsubscribed. Repeated requests get the same response.',
            content: { 'application/json': { schema: Unsubscribed }, ...PAGE_CONTENT },
          },
        },
      },
    },
    async ({ id, body, params: { token }, headers: { accept } }, reply) => {
      const link = readUnsubscribe(keyring, token)
      if (!link) return refuseLink(accept, reply)
      const isAll = body instanceof URLSearchParams && body.get('scope') === 'all'
      const chosen = isAll ? { ...link, topicId: undefined } : link
      await unsubscribeByLink(within(sql, link.organizationId), keyring, chosen, id)
      if (!wantsHtml(accept)) return keepPrivate(reply).send({ success: true, message: MESSAGE })
      const { say, page, topic, preferences } = await describe(link, token, isAll)
      const done =
        topic === undefined
          ? say('unsubscribe.doneText')
          : say('unsubscribe.topicDoneText', { topic })
      return sendPage(reply, {
        ...page,
        title: say('unsubscribe.done'),
        body: `<p>${escapeHtml(done)}</p>
${topic === undefined ? '' : everything(token, say)}${preferences}`,
      })
    },
  )

  const actionOf = (token: string): string =>
    escapeHtml(`${publicUrl}/unsubscribe/${encodeURIComponent(token)}`)

  const everything = (token: string, say: Say): string =>
    `<form method="post" action="${actionOf(token)}"><button class="quiet" name="scope" value="all">${escapeHtml(say('unsubscribe.everything'))}</button></form>`

  /** Describes a link for a page. The address is shown only if it is the mailed one. */
  async function describe(link: UnsubscribeLink, token: string, isAll = false) {
    const { organizationId, contactId, topicId } = link
    const tenant = within(sql, organizationId)
    const [brand, contact, topic] = await Promise.all([
      organizations.findBrand(tenant, organizationId),
      contacts.find(tenant, organizationId, { id: contactId }),
      topicId === undefined || isAll ? undefined : topics.find(tenant, organizationId, topicId),
    ])
    const contactEmail = contact?.email ?? ''
    const email = equal(addressHash(organizationId, contactEmail), link.addressHash)
      ? contactEmail
      : undefined
    const since = preferencesSince(keyring, token, link, now())
    const href =
      email === undefined || since === undefined
        ? undefined
        : preferencesUrl(keyring, publicUrl, link, since)
    const { say, page } = voiceOf(brand)
    const preferences =
      href === undefined
        ? ''
        : `<p><a href="${escapeHtml(href)}">${escapeHtml(say('unsubscribe.choose'))}</a></p>`
    return { say, page, topic: topic?.name, email, preferences }
  }
}
