import { compile, type DomNode } from 'html-to-text'
import { isHidden } from './hidden.ts'
import { attributesOf, tokensOf } from './html-tokens.ts'
import { isTag, MARK, mark, unmark } from './marks.ts'

const HEADINGS = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6']
/** Deeper than any mail builder nests. The parser's time grows with the square of the depth. */
const MAX_DEPTH = 500
const ENDLESS =
  /^(?:area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr|p|li|td|th|tr|dd|dt|tbody|thead|tfoot|option)$/i

const HIDDEN = 'data-letterloom-hidden'
const HIDDEN_LIQUID = /\uE002((?:\uE000\d+\uE001)*)\uE003/g

const toText = compile({
  formatters: {
    alternative: ({ attribs }, _walk, builder) => {
      const alternative: unknown = attribs?.['alt']
      if (typeof alternative === 'string') builder.addInline(alternative)
    },
    hidden: (element, _walk, builder) => {
      const marks = marksIn(element).join('')
      if (marks !== '') builder.addInline(`\uE002${marks}\uE003`)
    },
  },
  wordwrap: false,
  baseElements: { selectors: [], returnDomByDefault: true },
  selectors: [
    ...HEADINGS.map((selector) => ({ selector, options: { uppercase: false } })),
    { selector: 'a', options: { hideLinkHrefIfSameAsText: true, linkBrackets: ['(', ')'] } },
    { selector: 'img', format: 'alternative' },
    { selector: 'style', format: 'skip' },
    { selector: 'script', format: 'skip' },
    // Tables are used for layout: a row is a line, and cells must not run into each other.
    {
      selector: 'table',
      format: 'block',
      options: { leadingLineBreaks: 1, trailingLineBreaks: 1 },
    },
    { selector: 'tr', format: 'block', options: { leadingLineBreaks: 1, trailingLineBreaks: 1 } },
    { selector: 'td', format: 'inlineSurround', options: { suffix: ' ' } },
    { selector: 'th', format: 'inlineSurround', options: { suffix: ' ' } },
    { selector: `[${HIDDEN}]`, format: 'hidden' },
  ],
})

/**
 * Returns the text part of an HTML part or template: words, images' alternative texts, lists and
 * link addresses, with the Liquid in its places, and nothing that is hidden. Made once for each
 * content, not for each mail.
 */
export function textOf(html: string): string {
  const { marked, liquid } = mark(html)
  return unmark(
    textOfMarked(marked, (index) => isTag(liquid[index])),
    liquid,
  )
}

/** Does the same for HTML that is not a template. Throws a RangeError if it is nested too deep. */
export const textOfPlain = (html: string): string => textOfMarked(html, () => false)

function textOfMarked(marked: string, isTagAt: (index: number) => boolean): string {
  checkDepth(marked)
  return toText(withHiddenMarked(withoutHead(marked, isTagAt), isTagAt))
    .replace(HIDDEN_LIQUID, (_, marks: string) => onlyTags(marks, isTagAt))
    .split('\n')
    .map(trimEnd)
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

/** Removes `<head>`, but keeps its Liquid tags, which may set variables that the body uses. */
function withoutHead(marked: string, isTagAt: (index: number) => boolean): string {
  const start = marked.search(/<head[\s>]/i)
  const end = marked.search(/<\/head>/i)
  if (start < 0 || end < start) return marked
  return marked.slice(0, start) + onlyTags(marked.slice(start, end), isTagAt) + marked.slice(end)
}

/** Keeps the Liquid tags of a text. They may set variables, or open a block that ends elsewhere. */
const onlyTags = (text: string, isTagAt: (index: number) => boolean): string =>
  Array.from(text.matchAll(MARK))
    .filter(([, index]) => isTagAt(Number(index)))
    .map(([piece]) => piece)
    .join('')

/**
 * Marks hidden elements, such as a preview text of the author's. An element with Liquid tags
 * between its attributes may be visible to some and is not marked.
 */
function withHiddenMarked(marked: string, isTagAt: (index: number) => boolean): string {
  return tokensOf(marked)
    .map((token) => {
      if (token.kind !== 'start' || !isHidden(attributesOf(token))) return token.text
      if (onlyTags(token.text, isTagAt) !== '') return token.text
      const end = token.name.length + 1
      return `${token.text.slice(0, end)} ${HIDDEN}${token.text.slice(end)}`
    })
    .join('')
}

function marksIn({ data, children }: DomNode): string[] {
  const own = data?.match(MARK) ?? []
  return [...own, ...(children ?? []).flatMap(marksIn)]
}

/** Trims the end of a line. A regular expression would start anew at each blank of the line. */
function trimEnd(line: string): string {
  let end = line.length
  while (end > 0 && (line[end - 1] === ' ' || line[end - 1] === '\t')) end--
  return line.slice(0, end)
}

/**
 * Refuses HTML that is nested too deep. An end tag closes the element of its name and all open ones
 * within it. An end tag without a start tag closes nothing.
 */
export function checkDepth(html: string): void {
  const openElements: string[] = []
  for (const [, slash, tag = ''] of html.matchAll(/<(\/?)([a-z][a-z0-9]*)/gi)) {
    if (ENDLESS.test(tag)) continue
    const name = tag.toLowerCase()
    if (slash === '') {
      if (openElements.push(name) > MAX_DEPTH)
        throw new RangeError(`HTML nested deeper than ${MAX_DEPTH}`)
      continue
    }
    const at = openElements.lastIndexOf(name)
    if (at >= 0) openElements.length = at
  }
}
