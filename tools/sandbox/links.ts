import type { Body } from './ledger.ts'
import { renderTemplate } from './template.ts'

const LINK = /<a\b[^>]*?\bhref\s*=\s*["'](https?:\/\/[^"']+)["']/gi
/** Links that a simulated reader does not click, since unsubscribing is no engagement. */
const NOT_FOLLOWED = /unsubscribe|preferences|ses:no-track/i

/** The first link that a reader would click. */
export function findLink(body: Body): string | null {
  const html = htmlOf(body)
  for (const [tag, link] of html.matchAll(LINK)) {
    if (link !== undefined && !NOT_FOLLOWED.test(tag)) return link.replaceAll('&amp;', '&')
  }
  return null
}

function htmlOf(body: Body): string {
  switch (body.kind) {
    case 'raw':
      return Buffer.from(body.base64, 'base64').toString('utf8')
    case 'template':
      return renderTemplate(body.html ?? '', body.data)
    case 'whole':
      return body.html ?? ''
  }
}
