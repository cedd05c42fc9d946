import { randomBytes } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import type { Brand } from '../../src/domain/content/brand.ts'
import type { Language } from '../../src/domain/content/wording.ts'
import { escapeHtml } from '../../src/domain/escape-html.ts'
import { pageStyle } from './page-style.ts'

export const wantsHtml = (accept: string | undefined): boolean =>
  /(?:^|,)\s*text\/html\s*(?:;|,|$)/i.test(accept ?? '')

interface Page {
  title: string
  /** HTML, in which values from outside are escaped. */
  body: string
  status?: number
  /** Language of the page. Absent: English. */
  language?: Language | undefined
  brand?: Brand | undefined
  style?: string
  /** Search engines may show the page, since its address is not a secret. */
  isIndexed?: boolean
}

/**
 * Sends a page for people. It loads nothing, cannot be framed and is not cached: by default its
 * address is a secret of the person to whom it was mailed.
 */
export function sendPage(reply: FastifyReply, page: Page): FastifyReply {
  const { title, body, status = 200, language = 'en', brand, style = '', isIndexed } = page
  const nonce = randomBytes(16).toString('base64')
  const policy = [
    "default-src 'none'",
    `style-src 'nonce-${nonce}'`,
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ]
  keepPrivate(reply)
  if (isIndexed) reply.removeHeader('x-robots-tag')
  return reply
    .code(status)
    .header('content-security-policy', policy.join('; '))
    .type('text/html; charset=utf-8')
    .send(`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(brand === undefined ? title : `${title} – ${brand.name}`)}</title>
<style nonce="${nonce}">${pageStyle(brand)}${style}</style>
</head>
<body><main>${sender(brand)}<h1>${escapeHtml(title)}</h1>${body}</main></body>
</html>
`)
}

const sender = (brand: Brand | undefined): string =>
  brand === undefined ? '' : `<p class="sender">${escapeHtml(brand.name)}</p>`

export const keepPrivate = (reply: FastifyReply): FastifyReply =>
  reply.headers({
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-robots-tag': 'noindex',
    'x-content-type-options': 'nosniff',
  })
