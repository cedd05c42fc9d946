import { RAW, type Token, tokensOf } from './html-tokens.ts'
import { MARK } from './marks.ts'
import { withoutTracking } from './no-track.ts'
import { appendToBody } from './preheader.ts'
import { joined, type Layout } from './slotted-text.ts'

export interface HtmlLayout {
  /** The values are those of the outputs, then those of `links`, then the footer. */
  layout: Layout
  /** Links, and conditional comments with links, whose address depends on values of outputs. */
  links: readonly Layout[]
}

const IS_MARK = /[\uE000\uE001]/
/** Before a value, which would continue or begin the name of a tag. */
const OPEN_NAME = /<[^\s<>]*$/
/** Behind a value, which might be the hyphens that end the comment. */
const COMMENT_END = /\uE001-?>/

/**
 * Returns the layout of a complete HTML part, with its footer and without the tracking of our
 * links, from the layout of the rendered one with `count` outputs. Undefined: its tags may depend
 * on a value. Values are escaped, so they have no `<`, no `>` and no quotes.
 */
export function htmlLayoutOf(rendered: Layout, count: number): HtmlLayout | undefined {
  const isSafe = rendered.every(
    (piece, index) =>
      typeof piece === 'number' ||
      (!IS_MARK.test(piece) && (index === rendered.length - 1 || !OPEN_NAME.test(piece))),
  )
  if (!isSafe) return undefined
  const footer = markOf(count)
  const tokens = tokensOf(appendToBody(marked(rendered), footer))
  const layout: (string | number)[] = []
  const links: Layout[] = []
  let footerAt = 0
  for (const [index, token] of tokens.entries()) {
    const { kind, text } = token
    if (!IS_MARK.test(text)) {
      layout.push(hasLinks(token) ? withoutTracking(text) : text)
      continue
    }
    if (kind === 'comment' && COMMENT_END.test(text)) return undefined
    if (text.includes(footer)) {
      if (!isBetweenTags(token, tokens[index - 1])) return undefined
      const [before = '', after = ''] = text.split(footer)
      layout.push(...unmarked(before))
      footerAt = layout.push(count) - 1
      layout.push(...unmarked(after))
    } else if (hasLinks(token)) layout.push(count - 1 + links.push(unmarked(text)))
    else layout.push(...unmarked(text))
  }
  layout[footerAt] = count + links.length
  return { layout: joined(layout), links }
}

const markOf = (index: number): string => `\uE000${index}\uE001`

const marked = (layout: Layout): string =>
  layout.map((piece) => (typeof piece === 'string' ? piece : markOf(piece))).join('')

function unmarked(text: string): Layout {
  const pieces: (string | number)[] = []
  let at = 0
  for (const { 0: mark, 1: number, index } of text.matchAll(MARK)) {
    pieces.push(text.slice(at, index), Number(number))
    at = index + mark.length
  }
  return [...pieces, text.slice(at)]
}

const hasLinks = ({ kind, name, text }: Token): boolean =>
  kind === 'comment'
    ? text.startsWith('<!--[')
    : kind === 'start' && (name === 'a' || name === 'area')

/** Returns whether a token may contain tags: outside of open tags and elements of text. */
const isBetweenTags = ({ kind, text }: Token, before: Token | undefined): boolean =>
  kind === 'text' && !text.includes('<') && !(before?.kind === 'start' && RAW.has(before.name))
