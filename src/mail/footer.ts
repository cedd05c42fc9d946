import type { MailBrand } from '../domain/content/brand.ts'
import { escapeHtml } from './liquid.ts'
import { appendToBody } from './preheader.ts'

interface Parts {
  html: string
  text: string
}

interface Footed {
  organization: MailBrand
  unsubscribeUrl: string
  preferencesUrl?: string | undefined
}

const LINKS = { unsubscribe: 'Unsubscribe', preferences: 'Preferences' }

/**
 * Returns a marketing mail with the unsubscribe link and the organization's postal address, added
 * where the author left them out. The rendered parts are checked, not the template: a link inside
 * an `if` may be missing.
 */
export function withFooter<Mail extends Parts>(mail: Mail, footed: Footed): Mail {
  return {
    ...mail,
    html: appendToBody(
      mail.html,
      footerOf('html', (text) => mail.html.includes(text), footed),
    ),
    text: mail.text + footerOf('plain', (text) => mail.text.includes(text), footed),
  }
}

/** Returns the footer of one rendered part. `includes` tells what the part has in it. */
export function footerOf(
  syntax: 'html' | 'plain',
  includes: (text: string) => boolean,
  footed: Footed,
): string {
  const { unsubscribeUrl, preferencesUrl } = footed
  const { name, postalAddress = null, links: words = LINKS } = footed.organization
  const lines = postalAddress === null ? [] : postalAddress.split('\n')
  const links = [
    { text: words.unsubscribe, url: unsubscribeUrl },
    ...(preferencesUrl === undefined ? [] : [{ text: words.preferences, url: preferencesUrl }]),
  ]
  const format = syntax === 'html' ? escapeHtml : String
  const missing = {
    linkColor: footed.organization.linkColor ?? COLOR,
    links: includes(format(unsubscribeUrl)) ? [] : links,
    address: lines.every((line) => includes(format(line))) ? [] : [name, ...lines],
  }
  return syntax === 'html' ? htmlFooter(missing) : textFooter(missing)
}

interface Missing {
  links: readonly { text: string; url: string }[]
  address: readonly string[]
  linkColor: string
}

/** Readable on white. The underline tells links from text without relying on colour. */
const COLOR = '#595959'

function htmlFooter({ links, address, linkColor }: Missing): string {
  const anchors = links.map(
    ({ text, url }) =>
      `<a href="${escapeHtml(url)}" style="color:${linkColor};text-decoration:underline">${escapeHtml(text)}</a>`,
  )
  const lines = [anchors.join(' &middot; '), address.map(escapeHtml).join(' &middot; ')]
  const visibleLines = lines.filter((line) => line !== '')
  if (visibleLines.length === 0) return ''
  return `<p style="margin:24px 0;font:12px sans-serif;color:${COLOR};text-align:center">${visibleLines.join('<br>')}</p>`
}

function textFooter({ links, address }: Missing): string {
  const lines = [...links.map(({ text, url }) => `${text}: ${url}`), ...address]
  return lines.length === 0 ? '' : `\n\n${lines.join('\n')}\n`
}
