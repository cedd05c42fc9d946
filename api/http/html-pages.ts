import { randomBytes } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import { type Look, pageStyle } from './page-style.ts'

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '')

/** Whether a browser asks: mail providers and programs do not accept text/html by name. */
export const wantsHtml = (accept: string | undefined): boolean =>
  /(?:^|,)\s*text\/html\s*(?:;|,|$)/i.test(accept ?? '')

interface Page {
  title: string
  /** HTML, in which values from outside are escaped. */
  body: string
  status?: number
  /** Of the organization whose page it is. */
  look?: Look | undefined
}

/**
 * Sends a page for people. It loads nothing, cannot be framed and is not cached: its address is a
 * secret of the person it was mailed to.
 */
export function sendPage(reply: FastifyReply, page: Page): FastifyReply {
  const { title, body, status = 200, look } = page
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
<title>${escapeHtml(look === undefined ? title : `${title} – ${look.name}`)}</title>
<style nonce="${nonce}">${pageStyle(look)}</style>
</head>
<body><main>${sender(look)}<h1>${escapeHtml(title)}</h1>${body}</main></body>
</html>
`)
}

const sender = (look: Look | undefined): string =>
  look === undefined ? '' : `<p class="sender">${escapeHtml(look.name)}</p>`

export const keepPrivate = (reply: FastifyReply): FastifyReply =>
  reply.headers({
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-robots-tag': 'noindex',
    'x-content-type-options': 'nosniff',
  })
