import type { FastifyContextConfig, FastifyInstance } from 'fastify'
import { withoutPunctuation } from '../../src/domain/consent/link-token.ts'
import { REQUEST_LIMITS } from './request-limits.ts'

// Pages that a link of ours opens: its token is the whole proof.

/** The media type of an HTML form without files. */
export const FORM = 'application/x-www-form-urlencoded'

/** What such a page answers to a browser, as the document says it. */
export const PAGE_CONTENT = { 'text/html': { schema: { type: 'string' } } }

/**
 * Returns the config of a page at `…/:token`: whoever brings a token that `read` accepts is vouched
 * for, and not counted for the address.
 */
export const linkPage = (read: (token: string) => unknown): FastifyContextConfig => ({
  public: true,
  isPage: true,
  vouch: ({ param }) => {
    const token = withoutPunctuation(param('token'))
    return read(token) ? { token } : undefined
  },
})

/**
 * Lets the pages of a plugin at `…/:token` take the token with what a mail program took into the
 * link of a text: `https://…/<token>).`
 */
export function acceptPunctuation(app: FastifyInstance): void {
  app.addHook<{ Params: { token?: string } }>('preValidation', async ({ params }) => {
    if (typeof params.token === 'string') params.token = withoutPunctuation(params.token)
  })
}

/** Lets the routes of a plugin take a form, of which `fromForm` makes their body. */
export function acceptForms(
  app: FastifyInstance,
  fromForm: (text: string) => unknown,
  bodyLimit: number = REQUEST_LIMITS.formBytes,
): void {
  app.addContentTypeParser<string>(FORM, { parseAs: 'string', bodyLimit }, (_request, text, done) =>
    done(null, fromForm(text)),
  )
}
