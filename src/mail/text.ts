import { compile } from 'html-to-text'
import { isTag, mark, unmark } from './marks.ts'

const HEADINGS = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6']
/** Deeper than any mail builder nests; the parser's time grows with the square of the depth. */
const MAX_DEPTH = 500
/** Elements whose end tag is missing or optional: the parser closes them. */
const ENDLESS =
  /^(?:area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr|p|li|td|th|tr|dd|dt|tbody|thead|tfoot|option)$/i

const toText = compile({
  wordwrap: false,
  baseElements: { selectors: [], returnDomByDefault: true },
  selectors: [
    ...HEADINGS.map((selector) => ({ selector, options: { uppercase: false } })),
    { selector: 'a', options: { hideLinkHrefIfSameAsText: true, linkBrackets: ['(', ')'] } },
    { selector: 'img', format: 'skip' },
    { selector: 'style', format: 'skip' },
    { selector: 'script', format: 'skip' },
    // Tables lay mails out: a row is a line, and cells must not run into one another.
    {
      selector: 'table',
      format: 'block',
      options: { leadingLineBreaks: 1, trailingLineBreaks: 1 },
    },
    { selector: 'tr', format: 'block', options: { leadingLineBreaks: 1, trailingLineBreaks: 1 } },
    { selector: 'td', format: 'inlineSurround', options: { suffix: ' ' } },
    { selector: 'th', format: 'inlineSurround', options: { suffix: ' ' } },
  ],
})

/**
 * Returns the text part of an HTML part, also a template: words, lists and link addresses, with the
 * Liquid in its places. Made once for each content, not once for each mail.
 */
export function textOf(html: string): string {
  const { marked, liquid } = mark(html)
  return unmark(
    textOfMarked(marked, (index) => isTag(liquid[index])),
    liquid,
  )
}

/** The same of HTML that is no template. Throws a RangeError when it is nested too deep. */
export const textOfPlain = (html: string): string => textOfMarked(html, () => false)

function textOfMarked(marked: string, isTagAt: (index: number) => boolean): string {
  checkDepth(marked)
  return toText(withoutHead(marked, isTagAt))
    .split('\n')
    .map(trimEnd)
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

/** Nothing in `<head>` is text, but the Liquid tags there may set variables that the body uses. */
function withoutHead(marked: string, isTagAt: (index: number) => boolean): string {
  const start = marked.search(/<head[\s>]/i)
  const end = marked.search(/<\/head>/i)
  if (start < 0 || end < start) return marked
  const pieces = marked.slice(start, end).match(/\uE000\d+\uE001/g) ?? []
  const tags = pieces.filter((piece) => isTagAt(Number(piece.slice(1, -1))))
  return marked.slice(0, start) + tags.join('') + marked.slice(end)
}

/** Trims the end of a line; a regular expression would try each blank of the line as the first. */
function trimEnd(line: string): string {
  let end = line.length
  while (end > 0 && (line[end - 1] === ' ' || line[end - 1] === '\t')) end--
  return line.slice(0, end)
}

/**
 * Refuses HTML that is nested too deep. An end tag closes the element of its name and all open ones
 * within it; an end tag without a start tag closes nothing.
 */
export function checkDepth(html: string): void {
  const open: string[] = []
  for (const [, slash, tag = ''] of html.matchAll(/<(\/?)([a-z][a-z0-9]*)/gi)) {
    if (ENDLESS.test(tag)) continue
    const name = tag.toLowerCase()
    if (slash === '') {
      if (open.push(name) > MAX_DEPTH) throw new RangeError(`HTML nested deeper than ${MAX_DEPTH}`)
      continue
    }
    const at = open.lastIndexOf(name)
    if (at >= 0) open.length = at
  }
}
