import { randomBytes } from 'node:crypto'
import type { FastifyReply } from 'fastify'

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '')

/** Whether a person's browser asks; mail providers and programs do not name text/html. */
export const wantsHtml = (accept: string | undefined): boolean =>
  /(?:^|,)\s*text\/html\s*(?:;|,|$)/i.test(accept ?? '')

const STYLE = `
body { font: 16px/1.5 system-ui, sans-serif; color: #1c1e21; background: #f5f6f7; margin: 0 }
main { max-width: 28rem; margin: 15vh auto 0; padding: 2rem; background: #ffffff; border-radius: 8px }
h1 { font-size: 1.25rem; margin: 0 0 1rem }
button { font: inherit; padding: .6rem 1.2rem; border: 0; border-radius: 6px; color: #ffffff; background: #1f4fd8 }
`

interface Page {
  title: string
  /** HTML; whatever comes from outside in it was escaped. */
  body: string
  status?: number
}

/**
 * A page for people, that loads nothing, cannot be framed, and is kept by nobody: its address is a
 * secret of the person it was mailed to.
 */
export function sendPage(reply: FastifyReply, { title, body, status = 200 }: Page): FastifyReply {
  const nonce = randomBytes(16).toString('base64')
  const policy = [
    "default-src 'none'",
    `style-src 'nonce-${nonce}'`,
    "form-action 'self'",
    "frame-ancestors 'none'",
  ]
  return keepPrivate(reply)
    .code(status)
    .header('content-security-policy', policy.join('; '))
    .type('text/html; charset=utf-8')
    .send(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style nonce="${nonce}">${STYLE}</style>
</head>
<body><main><h1>${escapeHtml(title)}</h1>${body}</main></body>
</html>
`)
}

export const keepPrivate = (reply: FastifyReply): FastifyReply =>
  reply.headers({
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-robots-tag': 'noindex',
    'x-content-type-options': 'nosniff',
  })
