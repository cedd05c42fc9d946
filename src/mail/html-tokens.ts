/** A part of an HTML source. The tokens of a source join to the source. */
export interface Token {
  kind: 'text' | 'comment' | 'start' | 'end' | 'declaration'
  text: string
  name: string
}

const TAG_NAME = /<\/?([a-z][a-z0-9:-]*)/iy
const TAG_REST = /(?:"[^"]*"|'[^']*'|[^>"'])*>/y
/** Elements whose content is text, whatever it looks like. */
export const RAW = new Set(['style', 'script', 'title', 'textarea', 'xmp'])

export function tokensOf(html: string): Token[] {
  const tokens: Token[] = []
  let at = 0
  const push = (kind: Token['kind'], end: number, name = ''): void => {
    if (end > at) tokens.push({ kind, text: html.slice(at, end), name })
    at = end
  }
  while (at < html.length) {
    const next = html.indexOf('<', at)
    push('text', next < 0 ? html.length : next)
    if (at >= html.length) break
    if (html.startsWith('<!--', at)) {
      const end = html.indexOf('-->', at + 4)
      push('comment', end < 0 ? html.length : end + 3)
      continue
    }
    if (html.startsWith('<!', at) || html.startsWith('<?', at)) {
      const end = html.indexOf('>', at)
      push('declaration', end < 0 ? html.length : end + 1)
      continue
    }
    const name = nameAt(html, at)
    if (name === undefined) {
      push('text', at + 1)
      continue
    }
    // A tag that is never closed. Nothing after it is read again, which would take quadratic time.
    const end = endOfTag(html, at + 1)
    if (end === undefined) {
      push('text', html.length)
      break
    }
    const isEnd = html[at + 1] === '/'
    push(isEnd ? 'end' : 'start', end, name)
    if (!isEnd && RAW.has(name)) push('text', endOfRaw(html, name, at))
  }
  return tokens
}

function nameAt(html: string, at: number): string | undefined {
  TAG_NAME.lastIndex = at
  return TAG_NAME.exec(html)?.[1]?.toLowerCase()
}

function endOfTag(html: string, at: number): number | undefined {
  TAG_REST.lastIndex = at
  return TAG_REST.test(html) ? TAG_REST.lastIndex : undefined
}

function endOfRaw(html: string, name: string, from: number): number {
  const end = new RegExp(`</${name}[\\s/>]`, 'gi')
  end.lastIndex = from
  return end.exec(html)?.index ?? html.length
}

const ATTRIBUTE = /([^\s"'/>=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?/g

/** Attributes of a start tag by lower-case name. The first of equal names wins. */
export function attributesOf({ text, name }: Token): Map<string, string> {
  const attributes = new Map<string, string>()
  const inside = text.slice(name.length + 1)
  for (const [, key = '', double, single, bare] of inside.matchAll(ATTRIBUTE)) {
    const lower = key.toLowerCase()
    if (!attributes.has(lower)) attributes.set(lower, double ?? single ?? bare ?? '')
  }
  return attributes
}
