import { escapeHtml } from './liquid.ts'
import { mapPieces } from './pieces.ts'

const HIDDEN =
  'display:none;font-size:1px;line-height:1px;max-height:0;max-width:0;opacity:0;overflow:hidden;mso-hide:all'
/** Invisible, so that inboxes do not go on with the beginning of the mail behind a short text. */
const FILL = '&#847;&zwnj;&nbsp;'.repeat(60)

/** `html` with the preview text, hidden, at the beginning of its body; its Liquid stays Liquid. */
export function withPreheader(html: string, previewText: string): string {
  const shown = mapPieces(previewText, escapeHtml)
  return insertAt(bodyStart(html), html, `<div style="${HIDDEN}">${shown}${FILL}</div>`)
}

/** `html` with `part` at the end of its body. */
export function appendToBody(html: string, part: string): string {
  const end = html.toLowerCase().lastIndexOf('</body')
  return insertAt(end < 0 ? html.length : end, html, part)
}

const insertAt = (at: number, html: string, part: string): string =>
  html.slice(0, at) + part + html.slice(at)

/**
 * Where the body tag ends, past quoted attributes and Liquid in it; without one, behind a doctype:
 * nothing may stand before that.
 */
function bodyStart(html: string): number {
  const tag = html.search(/<body[\s>]/i)
  if (tag < 0) return /^\s*<!doctype[^>]*>/i.exec(html)?.[0].length ?? 0
  // The length of every piece is kept, and no `>` of a piece of Liquid can be taken for the tag's.
  const bare = mapPieces(html, String, (piece) => ' '.repeat(piece.length)).slice(tag)
  const end = /^<body(?:"[^"]*"|'[^']*'|[^"'>])*>/i.exec(bare)?.[0].length
  return end === undefined ? 0 : tag + end
}
