import type { ErrorDetail } from '../../src/domain/errors.ts'
import { LONGEST_MESSAGE, LONGEST_SHOWN, shown } from '../../src/domain/text.ts'

/** Details of one refusal: more of them help nobody, and each costs its sender one byte. */
export const MOST_DETAILS = 100

/**
 * Where a value lies in the input. A chain instead of a text: most places are never named, and the
 * path of each would be as long as the keys on its way.
 */
export interface Place {
  within: Place | undefined
  key: string | number
}

/** `steps[0].config.url`, cut and without what cannot be written; empty of the input itself. */
export function pathOf(place: Place | undefined): string {
  const keys: string[] = []
  for (let at = place; at !== undefined; at = at.within) {
    const isFirst = at.within === undefined
    const name = typeof at.key === 'number' ? `[${at.key}]` : at.key.slice(0, LONGEST_SHOWN + 1)
    keys.push(isFirst || typeof at.key === 'number' ? name : `.${name}`)
  }
  return shown(keys.toReversed().join(''))
}

/** Details as they may be sent, wherever they come from: not too many, none too long. */
export const answerable = (details: readonly ErrorDetail[]): ErrorDetail[] =>
  details.slice(0, MOST_DETAILS).map((detail) => ({
    ...detail,
    path: shown(detail.path),
    message: shown(detail.message, LONGEST_MESSAGE),
  }))

/** A message as it may be answered. */
export const answerableMessage = (message: string): string => shown(message, LONGEST_MESSAGE)
