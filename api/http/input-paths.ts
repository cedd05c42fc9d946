import type { ErrorDetail } from '../../src/domain/errors.ts'
import { LONGEST_MESSAGE, LONGEST_SHOWN, shown } from '../../src/domain/text.ts'

/** Details of one refusal. More would help nobody, and each costs its sender one byte. */
export const MOST_DETAILS = 100

/**
 * Place of a value in the input. A chain instead of a text, since most places are never named, and
 * each path would be as long as its keys.
 */
export interface Place {
  within: Place | undefined
  key: string | number
}

/**
 * Returns `steps[0].config.url`, shortened and without unprintable characters. Empty: the input
 * itself.
 */
export function pathOf(place: Place | undefined): string {
  const keys: string[] = []
  for (let at = place; at !== undefined; at = at.within) {
    const isFirst = at.within === undefined
    const name = typeof at.key === 'number' ? `[${at.key}]` : at.key.slice(0, LONGEST_SHOWN + 1)
    keys.push(isFirst || typeof at.key === 'number' ? name : `.${name}`)
  }
  return shown(keys.toReversed().join(''))
}

export const answerable = (details: readonly ErrorDetail[]): ErrorDetail[] =>
  details.slice(0, MOST_DETAILS).map((detail) => ({
    ...detail,
    path: shown(detail.path),
    message: shown(detail.message, LONGEST_MESSAGE),
  }))

export const answerableMessage = (message: string): string => shown(message, LONGEST_MESSAGE)
