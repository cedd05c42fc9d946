/** A text with slots: each number is the index of a value. Many recipients' texts share one. */
export type Layout = readonly (string | number)[]

/** One recipient's text. */
export interface SlottedText {
  layout: Layout
  values: readonly string[]
}

export const textOf = ({ layout, values }: SlottedText): string =>
  layout.map((piece) => (typeof piece === 'string' ? piece : values[piece])).join('')

export function lengthOf({ layout, values }: SlottedText): number {
  let length = 0
  for (const piece of layout)
    length += (typeof piece === 'string' ? piece : values[piece])?.length ?? 0
  return length
}

/** Returns the layout with neighbouring texts as one. */
export function joined(layout: Layout): Layout {
  const pieces: (string | number)[] = []
  for (const piece of layout) {
    const last = pieces.at(-1)
    if (typeof piece === 'string' && typeof last === 'string')
      pieces[pieces.length - 1] = last + piece
    else if (piece !== '') pieces.push(piece)
  }
  return pieces
}

/** Half a character (a surrogate) at an end of a text: its other half may be beside it. */
const HALF_AT_END = /^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/

export const isTorn = (text: string): boolean => HALF_AT_END.test(text)
