import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply } from 'fastify'
import { addressedByHash } from '../../../src/keys/addresses.ts'
import type { Brand } from '../../../src/domain/content/brand.ts'
import { badRequest } from '../../../src/domain/errors.ts'
import { HttpError } from '../../http/http-error.ts'
import { Confirmed } from '../../../src/schemas/consent/confirmation.ts'
import { TokenParams } from '../../../src/schemas/consent/unsubscribe.ts'
import * as confirming from '../../../src/core/consent/confirm.ts'
import * as organizations from '../../../src/store/access/organizations.ts'
import { transact, within } from '../../../src/store/db/sql.ts'
import { addressHash, equal, type Link, readLink } from '../../../src/keys/tokens.ts'
import { escapeHtml } from '../../../src/domain/escape-html.ts'
import type { Deps } from '../../deps.ts'
import { failures } from '../../http/failures.ts'
import { keepPrivate, sendPage, wantsHtml } from '../../http/html-pages.ts'
import { acceptPunctuation, linkPage, PAGE_CONTENT } from '../../http/link-pages.ts'
import { voiceOf } from '../public-links.ts'

const MESSAGE = 'You are subscribed'
const ANY_TIME = 0

/** Double opt-in. Only the POST confirms, so that programs that follow links confirm nothing. */
export const confirmRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { sql, keyring, publicUrl, now } = deps
  acceptPunctuation(app)
  const url = '/confirm/:token'
  const config = linkPage((token) => readLink(keyring, 'confirm', token, now()))

  app.get(
    url,
    {
      config,
      schema: {
        tags: ['unsubscribe'],
        operationId: 'showConfirmation',
        summary: 'Show the confirmation page',
        description:
          'Shows the topic and a button. Opening the page does not confirm the subscription, so programs that follow links cannot confirm it. Fails with 410 if the link was replaced, has expired, or was mailed to an address that the contact no longer has.',
        params: TokenParams,
        response: { 200: { description: 'The page', content: PAGE_CONTENT }, ...failures(410) },
      },
    },
    async ({ params: { token }, headers: { accept } }, reply) => {
      const link = read(token)
      if (!link) return refuseForged(accept, reply)
      const confirmation = isOver(link)
        ? undefined
        : await confirming.find(within(sql, link.organizationId), link.organizationId, asLink(link))
      const brand = await brandOf(link)
      if (!confirmation || confirmation.state === 'over') return refuseOver(accept, reply, brand)
      if (confirmation.state === 'confirmed') return welcome(reply, confirmation, brand)
      const { say, page } = voiceOf(brand)
      const names = { topic: confirmation.topicName, organization: confirmation.organizationName }
      const action = escapeHtml(`${publicUrl}/confirm/${encodeURIComponent(token)}`)
      return sendPage(reply, {
        ...page,
        title: say('confirm.title'),
        body: `<p>${escapeHtml(say('confirm.question', names))}</p>
<form method="post" action="${action}"><button>${escapeHtml(say('confirm.button'))}</button></form>
<p>${escapeHtml(say('confirm.ignore'))}</p>`,
      })
    },
  )

  app.post(
    url,
    {
      config,
      schema: {
        tags: ['unsubscribe'],
        operationId: 'confirmSubscription',
        summary: 'Confirm a subscription',
        description:
          'Subscribes the contact to the topic of the token. A contact who unsubscribed from all mail becomes active again. Repeated requests have no further effect. Returns HTML if `Accept` asks for it, else JSON. Fails with 410 if the link was replaced, has expired, or was mailed to an address that the contact no longer has.',
        params: TokenParams,
        response: {
          200: {
            description: 'Subscribed. Repeated requests get the same response.',
            content: { 'application/json': { schema: Confirmed }, ...PAGE_CONTENT },
          },
          ...failures(410),
        },
      },
    },
    async ({ id: requestId, params: { token }, headers: { accept } }, reply) => {
      const link = read(token)
      if (!link) return refuseForged(accept, reply)
      if (isOver(link)) return refuseOver(accept, reply, await brandOf(link))
      const { organizationId } = link
      const confirmation = await transact(within(sql, organizationId), (tx) =>
        confirming.confirm(tx, organizationId, asLink(link), {
          address: addressedByHash(keyring, link.addressHash),
          requestId,
          at: new Date(now()).toISOString(),
        }),
      )
      if (confirmation?.state !== 'confirmed') return refuseOver(accept, reply, await brandOf(link))
      if (!wantsHtml(accept)) return keepPrivate(reply).send({ success: true, message: MESSAGE })
      return welcome(reply, confirmation, await brandOf(link))
    },
  )

  function read(token: string): ConfirmLink | undefined {
    const link = readLink(keyring, 'confirm', token, ANY_TIME)
    if (link?.topicId === undefined || link.generation === undefined) return undefined
    const { topicId, generation } = link
    return { ...link, topicId, generation }
  }

  const brandOf = ({ organizationId }: Link) =>
    organizations.findBrand(within(sql, organizationId), organizationId)

  const isOver = ({ expiresAt }: Link): boolean => expiresAt !== undefined && expiresAt <= now()
}

type ConfirmLink = Link & Required<Pick<Link, 'topicId' | 'generation'>>

const asLink = (link: ConfirmLink): confirming.ConfirmationLink => ({
  contactId: link.contactId,
  topicId: link.topicId,
  generation: link.generation,
  isMailed: (email) => equal(addressHash(link.organizationId, email), link.addressHash),
})

function welcome(
  reply: FastifyReply,
  { topicName: topic, organizationName: organization }: confirming.Confirmation,
  brand: Brand | undefined,
): FastifyReply {
  const { say, page } = voiceOf(brand)
  return sendPage(reply, {
    ...page,
    title: say('confirm.done'),
    body: `<p>${escapeHtml(say('confirm.thanks', { topic, organization }))}</p>`,
  })
}

function refuseForged(accept: string | undefined, reply: FastifyReply): FastifyReply {
  if (wantsHtml(accept)) {
    return sendPage(reply, {
      status: 400,
      title: 'This link does not work',
      body: '<p>It is not complete. Please use the link in the mail itself.</p>',
    })
  }
  throw badRequest('The confirmation link is not valid', [{ path: 'token', message: 'is invalid' }])
}

const OVER =
  'It was replaced by a newer one, is older than 30 days, or was mailed to another address. Use the newest mail, or subscribe again to get one'

function refuseOver(
  accept: string | undefined,
  reply: FastifyReply,
  brand: Brand | undefined,
): FastifyReply {
  if (wantsHtml(accept)) {
    const { say, page } = voiceOf(brand)
    return sendPage(reply, {
      ...page,
      status: 410,
      title: say('confirm.over'),
      body: `<p>${escapeHtml(say('confirm.overReason'))}</p>`,
    })
  }
  throw new HttpError('REQUEST_FAILED', `This confirmation link no longer works. ${OVER}`, {
    status: 410,
    reason: 'link_over',
  })
}
