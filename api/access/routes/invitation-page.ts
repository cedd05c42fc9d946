import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { acceptInvitation, findInvited } from '../../../src/core/access/accept-invitation.ts'
import type { Brand } from '../../../src/domain/content/brand.ts'
import { FAILURES_LAST_MS, SHORTEST_PASSWORD } from '../../../src/domain/access/login.ts'
import { AppError, badRequest, conflict } from '../../../src/domain/errors.ts'
import { HttpError } from '../../http/http-error.ts'
import { LONGEST_NAME } from '../../../src/domain/text.ts'
import { readInvitation } from '../../../src/keys/invitation-links.ts'
import { Accepted, AcceptanceInput } from '../../../src/schemas/access/invitation.ts'
import { TokenParams } from '../../../src/schemas/consent/unsubscribe.ts'
import * as organizations from '../../../src/store/access/organizations.ts'
import * as sessions from '../../../src/store/access/sessions.ts'
import { transact, within } from '../../../src/store/db/sql.ts'
import { addressSubject, sha256 } from '../../../src/keys/tokens.ts'
import { escapeHtml } from '../../../src/domain/escape-html.ts'
import type { Deps } from '../../deps.ts'
import { failures } from '../../http/failures.ts'
import { keepPrivate, sendPage, wantsHtml } from '../../http/html-pages.ts'
import {
  acceptForms,
  acceptPunctuation,
  FORM,
  linkPage,
  PAGE_CONTENT,
} from '../../http/link-pages.ts'
import { REQUEST_LIMITS } from '../../http/request-limits.ts'
import type { LoginGuard } from '../login.ts'

const MESSAGE = 'You are a member now'

interface Proof {
  verifiedHash: string | null
  newHash: string | null
}

/**
 * The page on which a person accepts an invitation. It looks the same for everybody. The link
 * proves that the address is the person's. A person with an account proves it with their password,
 * too. Only the answer to a valid link tells whether there is an account.
 */
export const invitationPageRoutes: FastifyPluginAsyncTypebox<Deps & { guard: LoginGuard }> = async (
  app,
  deps,
) => {
  const { sql, keyring, publicUrl, now, guard } = deps
  acceptPunctuation(app)
  const url = '/invitations/:token'
  const read = (token: string) => readInvitation(keyring, token, now())
  const config = linkPage(read)

  acceptForms(app, fromForm)

  app.get(
    url,
    {
      config,
      schema: {
        tags,
        operationId: 'showInvitation',
        summary: 'Show the invitation page',
        description:
          'The page asks for a password and is the same for people with and without an account. Opening it changes nothing. Fails with 410 if the link was used, revoked or replaced, or has expired.',
        params: TokenParams,
        response: { 200: { description: 'The page', content: PAGE_CONTENT }, ...failures(410) },
      },
    },
    async ({ params: { token }, headers: { accept } }, reply) => {
      const link = read(token)
      if (!link) return refuseOver(accept, reply)
      const tenant = within(sql, link.organizationId)
      if (!(await findInvited(tenant, link, now()))) return refuseOver(accept, reply)
      return showForm(reply, token, await organizations.findBrand(tenant, link.organizationId))
    },
  )

  app.post(
    url,
    {
      config,
      // Passwords can be guessed here, too.
      onRequest: guard.countTry,
      bodyLimit: REQUEST_LIMITS.formBytes,
      schema: {
        tags,
        operationId: 'acceptInvitation',
        summary: 'Accept an invitation',
        description:
          'Send the password of the account with the invited address, or a password for a new account. Wrong passwords count as failed login attempts. Returns HTML if `Accept` asks for it, else JSON. Fails with 409 `password_not_set` if the account belongs to another organization and has no password: ask its operator to set one. Fails with 410 if the link was used, revoked or replaced, or has expired.',
        consumes: ['application/json', FORM],
        params: TokenParams,
        body: AcceptanceInput,
        response: {
          200: {
            description: 'Accepted. The person can log in now.',
            content: { 'application/json': { schema: Accepted }, ...PAGE_CONTENT },
          },
          ...failures(409, 410),
        },
      },
    },
    async (request, reply) => {
      const { id: requestId, body, params, headers } = request
      const { accept } = headers
      const link = read(params.token)
      if (!link) return refuseOver(accept, reply)
      const { organizationId } = link
      const tenant = within(sql, organizationId)
      const invited = await findInvited(tenant, link, now())
      if (!invited) return refuseOver(accept, reply)
      const brand = await organizations.findBrand(tenant, organizationId)
      const proof = await prove(request, reply, invited.email, body.password)
      if (proof instanceof AppError) {
        if (!wantsHtml(accept)) throw proof
        return showForm(reply, params.token, brand, proof)
      }
      const acceptance = { ...proof, name: body.name, requestId, now: now() }
      const outcome = await transact(tenant, (tx) => acceptInvitation(tx, link, acceptance))
      if (outcome === 'over') return refuseOver(accept, reply)
      if (outcome === 'changed') {
        const refusal = proof.verifiedHash === null ? noPassword() : changedMeanwhile()
        if (!wantsHtml(accept)) throw refusal
        return showForm(reply, params.token, brand, refusal)
      }
      if (!wantsHtml(accept)) return keepPrivate(reply).send({ success: true, message: MESSAGE })
      const organization = escapeHtml(brand?.name ?? '')
      return sendPage(reply, {
        brand,
        title: MESSAGE,
        body: `<p>You can work with ${organization} now: log in with your address and your password.</p>`,
      })
    },
  )

  async function prove(
    request: FastifyRequest,
    reply: FastifyReply,
    email: string,
    password: string,
  ): Promise<Proof | AppError> {
    const account = sha256(addressSubject(keyring, email))
    const since = new Date(now() - FAILURES_LAST_MS).toISOString()
    const { passwordHash } = await sessions.lookUp(sql, { email, account, since })
    if (passwordHash !== null) {
      const person = await guard.verify(request, reply, { email, password })
      return person ? { verifiedHash: person.passwordHash, newHash: null } : wrongPassword()
    }
    // Counts characters as the schema of a changed password does.
    if (Array.from(password).length < SHORTEST_PASSWORD) return tooShort()
    return { verifiedHash: null, newHash: await guard.passwords.hash(password) }
  }

  function showForm(
    reply: FastifyReply,
    token: string,
    brand: Brand | undefined,
    refusal?: AppError,
  ): FastifyReply {
    const action = escapeHtml(`${publicUrl}/invitations/${encodeURIComponent(token)}`)
    const organization = escapeHtml(brand?.name ?? '')
    const problem = refusal
      ? `<p role="alert"><strong>${escapeHtml(refusal.message)}.</strong></p>`
      : ''
    return sendPage(reply, {
      brand,
      title: 'You are invited',
      status: refusal ? (refusal.code === 'CONFLICT' ? 409 : 400) : 200,
      body: `<p>${organization} invites you to work with them on Letterloom.</p>${problem}
<form method="post" action="${action}">
<label>Password<input type="password" name="password" required maxlength="256" autocomplete="current-password">
<small>Of the account that you have with the invited address. If you have none, choose one of at least ${SHORTEST_PASSWORD} characters.</small></label>
<label>Your name<input type="text" name="name" maxlength="${LONGEST_NAME}" autocomplete="name"><small>Only if you have no account yet.</small></label>
<button>Accept</button></form>
<p>If you do not know ${organization}, close this page: nothing happens.</p>`,
    })
  }
}

const tags = ['account']

function fromForm(text: string): Record<string, string> {
  const fields = [...new URLSearchParams(text)]
  return Object.fromEntries(fields.filter(([name, value]) => name !== 'name' || value !== ''))
}

const wrongPassword = () =>
  badRequest(
    'This is not the password of the account with the invited address',
    [{ path: 'password', message: 'is not the password of the account' }],
    'wrong_password',
  )

const tooShort = () =>
  badRequest(
    `A new account needs a password of at least ${SHORTEST_PASSWORD} characters`,
    [{ path: 'password', message: `must have at least ${SHORTEST_PASSWORD} characters` }],
    'password_too_short',
  )

const noPassword = () =>
  conflict(
    'The account with the invited address has no password. Ask the operator to set one (letterloom user set-password)',
    { reason: 'password_not_set' },
  )

const changedMeanwhile = () =>
  conflict('The account has changed in the meantime. Try again.', { reason: 'account_changed' })

const OVER = 'It was used, revoked or replaced by a newer one, or is older than seven days'

/** The answer is the same for every invalid link, so that it reveals nothing about the person. */
function refuseOver(accept: string | undefined, reply: FastifyReply): FastifyReply {
  if (wantsHtml(accept)) {
    return sendPage(reply, {
      status: 410,
      title: 'This invitation no longer works',
      body: `<p>${OVER}. Nothing has changed. Please use the link in the newest mail, or ask whoever invited you for another.</p>`,
    })
  }
  throw new HttpError('REQUEST_FAILED', `This invitation no longer works. ${OVER}`, {
    status: 410,
    reason: 'link_over',
  })
}
