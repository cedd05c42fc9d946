import type { Token } from './html-tokens.ts'
import { MARK } from './marks.ts'

const NAME = /^\{%-?\s*(\w+)/
const BLOCKS = new Set(['if', 'unless', 'case', 'for', 'tablerow', 'capture', 'comment', 'raw'])

function stepOf(piece: string | undefined): number {
  const name = NAME.exec(piece ?? '')?.[1] ?? ''
  if (BLOCKS.has(name)) return 1
  return name.startsWith('end') ? -1 : 0
}

/**
 * Returns the number of open Liquid blocks at each token of a marked source. A token in a block may
 * be rendered once, many times or not at all.
 */
export function depthsOf(tokens: readonly Token[], liquid: readonly string[]): number[] {
  let depth = 0
  return tokens.map(({ text }) => {
    const before = depth
    for (const [, index] of text.matchAll(MARK)) depth += stepOf(liquid[Number(index)])
    return before
  })
}
