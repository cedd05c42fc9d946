import { createRequire } from 'node:module'
import { initWasm, inline } from '@css-inline/css-inline-wasm'
import { RAW, type Token, tokensOf } from './html-tokens.ts'
import { MARK, mark, unmark } from './marks.ts'
import { checkDepth } from './text.ts'
import { boundedModule } from './wasm.ts'

/** An element that the inliner leaves alone. */
const LEFT = 'data-css-inline="ignore"'
/** What a parser adds where it is left out, and nothing that mail would look different for. */
const IMPLIED = new Set(['html', 'head', 'body', 'tbody'])
/** Values of attributes: where they are taken away, the marks that are left stand beside them. */
const VALUES = /"[^"]*"|'[^']*'|=\s*[^\s"'>]+/g

let isReady = false

/** Loads the inliner, once in a thread: most mail has no styles. */
export async function prepareInliner(): Promise<void> {
  if (isReady) return
  const path = createRequire(import.meta.url).resolve('@css-inline/css-inline-wasm/index_bg.wasm')
  // Its types name the parameter that its code calls deprecated.
  await initWasm({ module_or_path: boundedModule(path) })
  isReady = true
}

/**
 * Writes the rules of `<style>` into the elements that they are for, since some mail programs read
 * no `<style>`. Those stay as well: for media queries, for what a pointer does, and for elements
 * whose attributes are Liquid.
 *
 * Undefined when that would change what the HTML says: when its tags depend on Liquid, or are not
 * closed. Throws a RangeError when elements are nested too deep.
 */
export function inlineStyles(html: string): string | undefined {
  if (!/<style[\s>]/i.test(html)) return html
  const { marked, liquid } = mark(html)
  checkDepth(marked)
  const tokens = tokensOf(marked)
  const attributes: string[] = []
  const shielded = tokens.map((_, at) => shield(tokens, at, attributes)).join('')
  const inlined = inline(shielded, {
    keepStyleTags: true,
    keepLinkTags: true,
    loadRemoteStylesheets: false,
    applyWidthAttributes: true,
  })
  const restored = unshield(inlined, attributes)
  return isSame(tokens, tokensOf(restored)) ? unmark(restored, liquid) : undefined
}

/**
 * A token that the parser keeps in its place: it moves text out of tables, comments stay; and it
 * would order attributes anew, so those with Liquid between them are put away. Liquid in a style
 * sheet would be taken for a part of a selector.
 */
function shield(tokens: readonly Token[], at: number, attributes: string[]): string {
  const { kind, text, name } = tokens[at] ?? NOTHING
  if (kind === 'text') {
    const { kind: outer, name: element } = tokens[at - 1] ?? NOTHING
    const isRaw = outer === 'start' && RAW.has(element)
    return isRaw ? text : text.replace(MARK, '<!--$&-->')
  }
  if (kind !== 'start') return text
  const rest = text.slice(name.length + 1)
  const isLeft = name === 'style' && hasMark(tokens[at + 1]?.text ?? '')
  if (!isLeft && !hasMark(rest.replace(VALUES, ''))) return text
  const index = attributes.push(rest.slice(0, rest.endsWith('/>') ? -2 : -1)) - 1
  return `<${name} ${LEFT} data-shielded="${index}">`
}

const NOTHING: Token = { kind: 'text', text: '', name: '' }
const hasMark = (text: string): boolean => text.includes('\uE000')

const SHIELDED = new RegExp(`\\s${LEFT} data-shielded="(\\d+)"`, 'g')

const unshield = (inlined: string, attributes: readonly string[]): string =>
  inlined
    .replace(SHIELDED, (_, index: string) => attributes[Number(index)] ?? '')
    .replace(/<!--(\uE000\d+\uE001)-->/g, '$1')

/** Whether the tags, comments and Liquid of a source are still there, each in its place. */
function isSame(before: readonly Token[], after: readonly Token[]): boolean {
  const wanted = before.flatMap(skeletonOf)
  let at = 0
  for (const each of after.flatMap(skeletonOf)) {
    if (each === wanted[at]) at++
    else if (!IMPLIED.has(each.replace('/', ''))) return false
  }
  return at === wanted.length
}

function skeletonOf({ kind, text, name }: Token): string[] {
  const marks = text.match(MARK) ?? []
  switch (kind) {
    case 'start':
      return [name, ...marks.toSorted()]
    case 'end':
      return [`/${name}`]
    case 'comment':
      return [text]
    case 'declaration':
      return []
    case 'text':
      return marks
  }
}
