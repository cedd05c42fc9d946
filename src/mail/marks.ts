import { piecesOf } from './pieces.ts'

/** A source without its Liquid: each piece is its number between two private-use characters. */
export interface Marked {
  marked: string
  /** The pieces of Liquid, by their numbers. */
  liquid: readonly string[]
}

/** A mark, as it stands in a marked source. */
export const MARK = /\uE000(\d+)\uE001/g

/**
 * Replaces the Liquid of a source by marks, so that its quotes, brackets and blanks mean nothing to
 * what reads the rest.
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

/** A marked text with its Liquid. */
export const unmark = (marked: string, liquid: readonly string[]): string =>
  marked.replace(MARK, (_, index: string) => liquid[Number(index)] ?? '')

export const isTag = (piece: string | undefined): boolean => piece?.startsWith('{%') ?? false
