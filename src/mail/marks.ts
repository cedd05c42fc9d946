import { piecesOf } from './pieces.ts'

/**
 * A source whose Liquid is replaced: each piece is its number between two private-use characters.
 */
export interface Marked {
  marked: string
  liquid: readonly string[]
}

export const MARK = /\uE000(\d+)\uE001/g

/**
 * Replaces the Liquid of a source by marks, so that its quotes, brackets and blanks do not disturb
 * parsers of the rest.
 */
export function mark(source: string): Marked {
  const liquid: string[] = []
  const marked = piecesOf(source)
    .map((piece) =>
      piece.liquid
        ? `\uE000${liquid.push(piece.text) - 1}\uE001`
        : piece.text.replace(/[\uE000\uE001]/g, ''),
    )
    .join('')
  return { marked, liquid }
}

export const unmark = (marked: string, liquid: readonly string[]): string =>
  marked.replace(MARK, (_, index: string) => liquid[Number(index)] ?? '')

export const isTag = (piece: string | undefined): boolean => piece?.startsWith('{%') ?? false
