import type { Uuid } from '../ids.ts'

/** Shorter words are compared with beginnings only. */
export const SHORTEST_ANYWHERE = 3
/** Neighbouring threes that the index is asked for, of a word with digits. */
const RUN = 3
/** Threes that it is asked for of a word without. */
const MOST_LETTERED = 4
/** Letters of a name that many addresses have, as `info` and `max` are. */
const SHORT_NAME = 4
/** Threes of the domain that are asked for as well then. */
const MOST_OF_DOMAIN = 2
/** Digits of an id that name the span it was made in: of 50 days, … of a quarter of a second. */
const SPAN_DIGITS = [4, 5, 6, 7, 8, 9, 10]
const MOST_DIGITS = 10
/** Digits of the time that an id begins with, and where a dash stands in it. */
const TIME_DIGITS = 12
const DASH_AT = 8

/** What is searched for, as addresses and numbers are stored. Empty: nothing. */
export function wordOf(text: string): string {
  const word = text.trim().toLowerCase()
  // Separators alone are in no number, and nothing is no search.
  return (isNumber(word) && word.replace(/[\s()./-]/g, '')) || word
}

/** A number, whole or in part, with the separators that people write and we do not store. */
const isNumber = (word: string): boolean => /^[+\d\s()./-]+$/.test(word) && /^\+|[\s()]/.test(word)

/**
 * The parts of a word that the index is asked for: a short word is one, without its `@` or `+`; a
 * longer one has threes. Not all of them, since each is compared with every place that the rarest
 * has. Three neighbours that have digits are rarer than letters alone, and at the end of a number
 * rarer than at its beginning. Of an address it is the name with the first letter of the domain,
 * since domains are shared; a short name is shared as well.
 */
export function partsOf(word: string): string[] {
  const [name = '', domain = ''] = word.split('@', 2)
  const isAddress = name !== '' && domain !== ''
  const threes = threesOf(isAddress ? `${name}@${domain.slice(0, 1)}` : word)
  if (threes.length === 0) return [word.replace(/^[@+](?=[^@+])/, '')]
  const runs = threes.slice(0, Math.max(1, threes.length - RUN + 1)).map((_, at) => {
    const run = threes.slice(at, at + RUN)
    return { run, digits: run.filter((three) => /\d/.test(three)).length }
  })
  const most = Math.max(...runs.map(({ digits }) => digits))
  if (most > 0) return runs.findLast(({ digits }) => digits === most)?.run ?? threes
  const parts = apart(threes.slice(0, -1)).slice(0, MOST_LETTERED - 1)
  const shared = isAddress && name.length <= SHORT_NAME ? apart(threesOf(domain.slice(1))) : []
  return [...parts, ...threes.slice(-1), ...shared.slice(0, MOST_OF_DOMAIN)]
}

/** Every three in a row. */
const threesOf = (word: string): string[] => {
  const letters = Array.from(word)
  return letters.slice(2).map((_, at) => letters.slice(at, at + 3).join(''))
}

/** Those that share no letter. */
const apart = (threes: readonly string[]) => threes.filter((_, at) => at % 3 === 0)

/** When an id was made: milliseconds since 1970. */
export const madeAt = (id: Uuid): number =>
  Number.parseInt(id.replace('-', '').slice(0, TIME_DIGITS), 16)

/**
 * Spans of time, as the index has them, that together are the time from one moment to another,
 * milliseconds since 1970, or begin earlier, but not before `leastMs`, or by less than the shortest
 * span. As few as that allows: long ones, and before them shorter ones.
 */
export function spansBetween(fromMs: number, toMs: number, leastMs: number): string[] {
  const spans: string[] = []
  let end = toMs
  for (const digits of SPAN_DIGITS) {
    const ms = 16 ** (TIME_DIGITS - digits)
    const first = Math.floor(fromMs / ms)
    const isEnough = first * ms >= leastMs || digits === MOST_DIGITS
    for (let n = isEnough ? first : first + 1; n * ms <= end; n++) spans.push(named(n, digits))
    if (isEnough) break
    end = Math.min(end, (first + 1) * ms - 1)
  }
  return spans
}

function named(span: number, digits: number): string {
  const text = span.toString(16).padStart(digits, '0')
  return digits > DASH_AT ? `${text.slice(0, DASH_AT)}-${text.slice(DASH_AT)}` : text
}
