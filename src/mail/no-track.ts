import { hasOwnLink } from '../domain/consent/link-token.ts'
import { attributesOf, type Token, tokensOf } from './html-tokens.ts'
import { escapeHtml } from './liquid.ts'

/** SES does not rewrite the link of an element with this attribute (SES developer guide). */
const NO_TRACK = 'ses:no-track'
/** Conditional comments for Outlook on Windows, which have elements in them. */
const CONDITIONAL = /^<!--\[if[^\]]*\]>/i

/**
 * Returns a rendered mail in which SES does not replace links to our own pages by links that count
 * clicks: unsubscribing is not engagement, and link blockers refuse the links of SES. `urls` are
 * such links without a token, as in previews.
 */
export function withoutTracking(html: string, urls: readonly string[] = []): string {
  const own = urls.map(escapeHtml)
  const isOwn = (text: string) => own.some((url) => text.includes(url)) || hasOwnLink(text)
  return isOwn(html) ? mark(html, isOwn) : html
}

function mark(html: string, isOwn: (text: string) => boolean): string {
  return tokensOf(html)
    .map((token) => {
      const inner = CONDITIONAL.exec(token.kind === 'comment' ? token.text : '')?.[0]
      if (inner !== undefined) return inner + mark(token.text.slice(inner.length), isOwn)
      return isTrackedLink(token, isOwn)
        ? `${token.text.slice(0, token.name.length + 1)} ${NO_TRACK}${token.text.slice(token.name.length + 1)}`
        : token.text
    })
    .join('')
}

function isTrackedLink(token: Token, isOwn: (text: string) => boolean): boolean {
  if (token.kind !== 'start' || (token.name !== 'a' && token.name !== 'area')) return false
  if (!isOwn(token.text)) return false
  const attributes = attributesOf(token)
  return isOwn(attributes.get('href') ?? '') && !attributes.has(NO_TRACK)
}
