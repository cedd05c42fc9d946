import { escapeHtml } from './liquid.ts'
import { mapPieces } from './pieces.ts'

const HIDDEN =
  'display:none;font-size:1px;line-height:1px;max-height:0;max-width:0;opacity:0;overflow:hidden;mso-hide:all'
/**
 * Invisible characters. Without them inboxes show the beginning of the mail after a short preview
 * text.
 */
const FILL = '&#847;&zwnj;&nbsp;'.repeat(60)

/** Inserts the hidden preview text at the beginning of the body. Its Liquid stays Liquid. */
export function withPreheader(html: string, previewText: string): string {
  return insertAt(bodyStart(html), html, preheaderOf(previewText))
}

/** Undoes `withPreheader`. Returns `html` itself if another version of it made the part. */
export function withoutPreheader(html: string, previewText: string): string {
  const part = preheaderOf(previewText)
  const at = html.indexOf(part)
  return at < 0 ? html : html.slice(0, at) + html.slice(at + part.length)
}

const preheaderOf = (previewText: string): string =>
  `<div style="${HIDDEN}">${mapPieces(previewText, escapeHtml)}${FILL}</div>`

export function appendToBody(html: string, part: string): string {
  let end = html.length
  for (const { index } of html.matchAll(/<\/body/gi)) end = index
  return insertAt(end, html, part)
}

const insertAt = (at: number, html: string, part: string): string =>
  html.slice(0, at) + part + html.slice(at)

/**
 * Returns the end of the body tag, past quoted attributes and Liquid in it. Without a body tag it
 * is the end of the doctype, which must come first.
 */
function bodyStart(html: string): number {
  const tag = html.search(/<body[\s>]/i)
  if (tag < 0) return /^\s*<!doctype[^>]*>/i.exec(html)?.[0].length ?? 0
  // The length of every piece is preserved, and a `>` in Liquid cannot be mistaken for the tag's.
  const bare = mapPieces(html, String, (piece) => ' '.repeat(piece.length)).slice(tag)
  const end = /^<body(?:"[^"]*"|'[^']*'|[^"'>])*>/i.exec(bare)?.[0].length
  return end === undefined ? 0 : tag + end
}
