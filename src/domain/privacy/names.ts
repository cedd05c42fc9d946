import { LONGEST_ADDRESS, normalAddress } from '../text.ts'

/** A person in what is stored. */
export interface PersonNames {
  /** Those who were deleted before with the same address are the same person. */
  contactIds: readonly string[]
  /**
   * A regular expression of Postgres for texts that may name them, without regard to case; null:
   * they have neither an address nor a number.
   */
  pattern: string | null
  /** Returns those of their addresses and numbers that a text names, as they are stored. */
  namesIn: (text: string) => string[]
}

/** What an address cannot begin after, but for those that separate words as well. */
const LOCAL = /[\p{L}\p{M}\p{N}.!#$%&'*+/=?^_`{|}~-]/u
const DOMAIN =
  /^[\p{L}\p{M}\p{N}-]*[\p{L}\p{M}\p{N}](?:[.\u3002][\p{L}\p{M}\p{N}-]*[\p{L}\p{M}\p{N}])*/u
/** May be in an address; more often it stands between other words and one. */
const SEPARATORS = /[/=?&{|}]/g
const QUOTES = /^['`*~]+/
/** What is left of a space or a control character in JSON, after the backslash. */
const ESCAPE = /^(?:[nrtbf]|u[0-9a-f]{4})/i

/**
 * Returns the addresses that a text names, as they are stored: whole ones, so that `joann@x.org` is
 * not `ann@x.org`. The text may be JSON. Where it is not clear where an address begins, there are
 * several.
 */
export function addressesIn(text: string): string[] {
  const found = new Set<string>()
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
    const domain = DOMAIN.exec(text.slice(at + 1, at + LONGEST_ADDRESS))?.[0]
    if (domain === undefined) continue
    for (const local of localsBefore(text, at)) found.add(normalAddress(`${local}@${domain}`))
  }
  return [...found]
}

/** The local parts that may end at `at`. */
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

/** Digits with what people write between them. */
const NUMBER = /\+?\d(?:[ ()./-]{0,3}\d)*/g
/** Digits of a number (E.164): at least, at most. */
const FEWEST_DIGITS = 7
const MOST_DIGITS = 15
/** A longer one is no number. */
const LONGEST_NUMBER = 60

/**
 * Returns what may be telephone numbers in a text, as they are stored. Where several stand in a row
 * the first ends after any of its groups.
 */
export function phonesIn(text: string): string[] {
  const found = new Set<string>()
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
      if (number.length >= FEWEST_DIGITS) found.add(`+${number}`)
    }
  }
  return [...found]
}

/** What people write between the digits of a number, as a regular expression of Postgres. */
const BETWEEN = String.raw`([ ()./-]|\(0\)){0,4}`

/** A regular expression of Postgres for texts that may hold the number. */
export const phonePattern = (phone: string): string => (phone.match(/\d/g) ?? []).join(BETWEEN)

/** The same for any number. */
export const ANY_PHONE = `[0-9](${BETWEEN}[0-9]){${FEWEST_DIGITS - 1}}`
