import type { FastifyContextConfig, FastifyInstance } from 'fastify'
import { withoutPunctuation } from '../../src/domain/consent/link-token.ts'
import { REQUEST_LIMITS } from './request-limits.ts'

// Pages that a link of ours opens: its token is the whole proof.

export const FORM = 'application/x-www-form-urlencoded'

export const PAGE_CONTENT = { 'text/html': { schema: { type: 'string' } } }

/**
 * Returns the config of a page at `…/:token`. Callers with a token that `read` accepts are not
 * counted for their address.
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
 * Lets pages at `…/:token` ignore punctuation that a mail program took into the link of a text:
 * `https://…/<token>).`
 */
export function acceptPunctuation(app: FastifyInstance): void {
  app.addHook<{ Params: { token?: string } }>('preValidation', async ({ params }) => {
    if (typeof params.token === 'string') params.token = withoutPunctuation(params.token)
  })
}

export function acceptForms(
  app: FastifyInstance,
  fromForm: (text: string) => unknown,
  bodyLimit: number = REQUEST_LIMITS.formBytes,
): void {
  app.addContentTypeParser<string>(FORM, { parseAs: 'string', bodyLimit }, (_request, text, done) =>
    done(null, fromForm(text)),
  )
}
