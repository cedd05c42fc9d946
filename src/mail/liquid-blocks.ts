import type { Token } from './html-tokens.ts'
import { MARK } from './marks.ts'

const NAME = /^\{%-?\s*(\w+)/
/** Tags that another one ends. */
const BLOCKS = new Set(['if', 'unless', 'case', 'for', 'tablerow', 'capture', 'comment', 'raw'])

/** How a piece of Liquid changes how many blocks are open. */
function stepOf(piece: string | undefined): number {
  const name = NAME.exec(piece ?? '')?.[1] ?? ''
  if (BLOCKS.has(name)) return 1
  return name.startsWith('end') ? -1 : 0
}

/**
 * Returns how many blocks of Liquid are open where each token of a marked source begins: what
 * stands in one may be rendered, or not, or often.
 */
export function depthsOf(tokens: readonly Token[], liquid: readonly string[]): number[] {
  let depth = 0
  return tokens.map(({ text }) => {
    const before = depth
    for (const [, index] of text.matchAll(MARK)) depth += stepOf(liquid[Number(index)])
    return before
  })
}
