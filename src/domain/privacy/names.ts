import { LONGEST_ADDRESS, normalAddress } from '../text.ts'

export interface PersonNames {
  /** Includes contacts with the same address that were deleted before. */
  contactIds: readonly string[]
  /**
   * A regular expression of Postgres, case-insensitive, for texts that may name the person. Null:
   * the person has no address and no number.
   */
  pattern: string | null
  namesIn: (text: string) => string[]
}

/** Characters before which no address begins, except those that also separate words. */
const LOCAL = /[\p{L}\p{M}\p{N}.!#$%&'*+/=?^_`{|}~-]/u
const DOMAIN =
  /^[\p{L}\p{M}\p{N}-]*[\p{L}\p{M}\p{N}](?:[.\u3002][\p{L}\p{M}\p{N}-]*[\p{L}\p{M}\p{N}])*/u
/** Characters that may be part of an address, but mostly separate words from one. */
const SEPARATORS = /[/=?&{|}]/g
const QUOTES = /^['`*~]+/
/** Remainder of an escaped control character in JSON, after the backslash. */
const ESCAPE = /^(?:[nrtbf]|u[0-9a-f]{4})/i

/**
 * Returns the whole addresses in a text in stored form, so that `joann@x.org` is not `ann@x.org`.
 * The text may be JSON. If the beginning of an address is ambiguous, each candidate is returned.
 */
export function addressesIn(text: string): string[] {
  const addresses = new Set<string>()
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
    const domain = DOMAIN.exec(text.slice(at + 1, at + LONGEST_ADDRESS))?.[0]
    if (domain === undefined) continue
    for (const local of localsBefore(text, at)) addresses.add(normalAddress(`${local}@${domain}`))
  }
  return [...addresses]
}

function localsBefore(text: string, at: number): string[] {
  let start = at
  const first = Math.max(0, at - LONGEST_ADDRESS)
  while (start > first && LOCAL.test(text.charAt(start - 1))) start--
  const run = text.slice(start, at)
  const rest = text.charAt(start - 1) === '\\' ? run.replace(ESCAPE, '') : run
  const begins = [
    run,
    rest,
    ...[...run.matchAll(SEPARATORS)].map(({ index }) => run.slice(index + 1)),
  ]
  return begins.flatMap((local) => [local, local.replace(QUOTES, '')]).filter((each) => each !== '')
}

const NUMBER = /\+?\d(?:[ ()./-]{0,3}\d)*/g
/** Fewest and most digits of a number (E.164). */
const FEWEST_DIGITS = 7
const MOST_DIGITS = 15
const LONGEST_NUMBER = 60

/**
 * Returns candidates for telephone numbers in a text, in stored form. Where several stand in a row,
 * the first may end after any of its groups.
 */
export function phonesIn(text: string): string[] {
  const numbers = new Set<string>()
  for (const [run] of text.matchAll(NUMBER)) {
    let digits = ''
    const groups = run
      .slice(0, LONGEST_NUMBER)
      .replace('(0)', ' ')
      .split(/[^\d]+/)
    for (const group of groups) {
      digits += group
      const number = digits.replace(/^00/, '')
      if (number.length > MOST_DIGITS) break
      if (number.length >= FEWEST_DIGITS) numbers.add(`+${number}`)
    }
  }
  return [...numbers]
}

const BETWEEN = String.raw`([ ()./-]|\(0\)){0,4}`

export const phonePattern = (phone: string): string => (phone.match(/\d/g) ?? []).join(BETWEEN)

export const ANY_PHONE = `[0-9](${BETWEEN}[0-9]){${FEWEST_DIGITS - 1}}`
