import { createRequire } from 'node:module'
import { initWasm, inline } from '@css-inline/css-inline-wasm'
import { attributesOf, RAW, type Token, tokensOf } from './html-tokens.ts'
import { depthsOf } from './liquid-blocks.ts'
import { isTag, MARK, mark, unmark } from './marks.ts'
import { checkDepth } from './text.ts'
import { boundedModule } from './wasm.ts'

const LEFT = 'data-css-inline="ignore"'
/** Elements that a parser adds where they are left out. They change nothing in how mail looks. */
const IMPLIED = new Set(['html', 'head', 'body', 'tbody'])
/** Values of attributes. After their removal only the marks beside them remain. */
const VALUES = /"[^"]*"|'[^']*'|=\s*[^\s"'>]+/g

let isReady = false

/** Loads the inliner once in a thread, on demand, since most mail has no styles. */
export async function prepareInliner(): Promise<void> {
  if (isReady) return
  const path = createRequire(import.meta.url).resolve('@css-inline/css-inline-wasm/index_bg.wasm')
  // Its types name a parameter that its code calls deprecated.
  await initWasm({ module_or_path: boundedModule(path) })
  isReady = true
}

/**
 * Writes the rules of `<style>` into their elements, since some mail programs read no `<style>`.
 * The `<style>` elements stay, for media queries, for pointer states, and for elements whose
 * attributes are Liquid. A style sheet that only some recipients get, since it stands in a block of
 * Liquid or contains one, is not inlined, and neither are the elements that its rules match: an
 * inlined rule would win against it.
 *
 * Returns undefined if inlining would change the HTML itself: its tags depend on Liquid, or are not
 * closed. Throws a RangeError if elements are nested too deep.
 */
export function inlineStyles(html: string): string | undefined {
  if (!/<style[\s>]/i.test(html)) return html
  const { marked, liquid } = mark(html)
  checkDepth(marked)
  const tokens = tokensOf(marked)
  const conditional = conditionalSheets(tokens, liquid)
  const ignoredTokens = new Set([...conditional, ...reachedBy(tokens, conditional, liquid)])
  const attributes: string[] = []
  const shielded = tokens.map((_, at) => shield(tokens, at, ignoredTokens, attributes)).join('')
  const restored = tokensOf(unshield(inline(shielded, OPTIONS), attributes))
  const implied = findImplied(tokens, restored)
  if (implied === undefined) return undefined
  const torn = tornByBlocks(restored, implied, depthsOf(restored, liquid))
  const remainingTexts = restored.filter((_, at) => !torn.has(at)).map(({ text }) => text)
  return unmark(remainingTexts.join(''), liquid)
}

const OPTIONS = {
  keepStyleTags: true,
  keepLinkTags: true,
  loadRemoteStylesheets: false,
  applyWidthAttributes: true,
} as const

function conditionalSheets(tokens: readonly Token[], liquid: readonly string[]): Set<number> {
  const depths = depthsOf(tokens, liquid)
  const hasBranch = (text: string) =>
    [...text.matchAll(MARK)].some(([, index]) => isTag(liquid[Number(index)]))
  const isConditional = ({ kind, name }: Token, at: number) =>
    kind === 'start' &&
    name === 'style' &&
    ((depths[at] ?? 0) > 0 || hasBranch(tokens[at + 1]?.text ?? ''))
  return new Set(tokens.flatMap((token, at) => (isConditional(token, at) ? [at] : [])))
}

function reachedBy(
  tokens: readonly Token[],
  sheets: ReadonlySet<number>,
  liquid: readonly string[],
): number[] {
  if (sheets.size === 0) return []
  const probe = tokens.map((token, at) => {
    if (token.kind === 'start') {
      if (token.name === 'style') return sheets.has(at) ? '<style>' : `<style ${LEFT}>`
      return unstyled(token, at)
    }
    if (token.kind !== 'text') return token.text
    if (!sheets.has(at - 1)) return token.text.replace(MARK, '<!--$&-->')
    return token.text.replace(MARK, (_, index) => (isTag(liquid[Number(index)]) ? '' : 'x'))
  })
  return tokensOf(inline(probe.join(''), OPTIONS)).flatMap((token) => {
    const attributes = token.kind === 'start' ? attributesOf(token) : undefined
    return attributes?.has('style') ? [Number(attributes.get(PLACE))] : []
  })
}

const PLACE = 'data-place'

function unstyled(token: Token, at: number): string {
  const attributes = [...attributesOf(token)].map(([key, value]) =>
    key === 'style' || hasMark(key) ? '' : ` ${key}="${value.replaceAll('"', '&quot;')}"`,
  )
  return `<${token.name} ${PLACE}="${at}"${attributes.join('')}>`
}

/**
 * Replaces a token by one that the parser keeps in place. The parser moves text out of tables but
 * leaves comments; it reorders attributes, so those with Liquid between them are set aside; and it
 * would take Liquid in a style sheet for a part of a selector. Tokens in `left` are kept, too.
 */
function shield(
  tokens: readonly Token[],
  at: number,
  ignoredTokens: ReadonlySet<number>,
  attributes: string[],
): string {
  const { kind, text, name } = tokens[at] ?? NOTHING
  if (kind === 'text') {
    const { kind: outer, name: element } = tokens[at - 1] ?? NOTHING
    const isRaw = outer === 'start' && RAW.has(element)
    return isRaw ? text : text.replace(MARK, '<!--$&-->')
  }
  if (kind !== 'start') return text
  const rest = text.slice(name.length + 1)
  const isLeft = ignoredTokens.has(at) || (name === 'style' && hasMark(tokens[at + 1]?.text ?? ''))
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

/**
 * Returns the places of tags that the parser added. Undefined: any other tag, comment or piece of
 * Liquid of the source has moved.
 */
function findImplied(before: readonly Token[], after: readonly Token[]): Set<number> | undefined {
  const expectedParts = before.flatMap(skeletonOf)
  const implied = new Set<number>()
  let at = 0
  for (const [place, token] of after.entries()) {
    for (const each of skeletonOf(token)) {
      if (each === expectedParts[at]) at++
      else if (IMPLIED.has(each.replace('/', ''))) implied.add(place)
      else return undefined
    }
  }
  return at === expectedParts.length ? implied : undefined
}

/**
 * Returns the places of added tags in a block of Liquid, and of their counterparts: a table body
 * that begins in a loop and ends after it would begin more often than it ends.
 */
function tornByBlocks(
  tokens: readonly Token[],
  implied: ReadonlySet<number>,
  depths: readonly number[],
): Set<number> {
  const torn = new Set<number>()
  const openElements: { name: string; place: number }[] = []
  for (const [place, { kind, name }] of tokens.entries()) {
    if (!IMPLIED.has(name)) continue
    if (kind === 'start') openElements.push({ name, place })
    if (kind !== 'end') continue
    const at = openElements.findLastIndex((each) => each.name === name)
    const [start] = at < 0 ? [] : openElements.splice(at)
    const pair = start ? [start.place, place] : [place]
    if (!pair.some((each) => (depths[each] ?? 0) > 0)) continue
    for (const each of pair) if (implied.has(each)) torn.add(each)
  }
  return torn
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
