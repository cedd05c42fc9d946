export interface InexactNumber {
  keys: (string | number)[]
  at: number
  writtenNumber: string
}

export const INEXACT_NUMBER = 'is a number that cannot be stored exactly. Send it as a string'

const LONGEST_NUMBER = 400
/** Significant digits that represent any double. */
const MOST_DIGITS = 17
/** Significant digits that every double preserves. */
const KEPT_DIGITS = 15
const LEAST_NORMAL = 2 ** -1022

/**
 * Returns whether JavaScript preserves a number as written. Whole numbers, such as ids, must be
 * preserved to the last digit. Others may be rounded beyond 17 significant digits, which many
 * programs write for every number (0.10000000000000001 for 0.1).
 */
export function isExactNumber(writtenNumber: string): boolean {
  const number = Number(writtenNumber)
  if (writtenNumber.length > LONGEST_NUMBER || !Number.isFinite(number)) return false
  if (String(number) === writtenNumber) return true
  const isNormal = Math.abs(number) >= LEAST_NORMAL
  const mantissaLength = writtenNumber.search(EXPONENT)
  if (isNormal && (mantissaLength < 0 ? writtenNumber.length : mantissaLength) <= KEPT_DIGITS)
    return true
  const writtenDecimal = decimalOf(writtenNumber)
  const keptDecimal = decimalOf(String(number))
  if (
    writtenDecimal.digits === keptDecimal.digits &&
    writtenDecimal.exponent === keptDecimal.exponent
  )
    return true
  const { length } = writtenDecimal.digits
  const isFraction = writtenDecimal.exponent < 0
  return isFraction && number !== 0 && length > KEPT_DIGITS && length <= MOST_DIGITS
}

const EXPONENT = /e/i

function decimalOf(writtenNumber: string): { digits: string; exponent: number } {
  const [mantissa = '', exponent = '0'] = writtenNumber.toLowerCase().replace(/^-/, '').split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  const all = (whole + fraction).replace(/^0+/, '')
  let length = all.length
  while (all[length - 1] === '0') length--
  const digits = all.slice(0, length)
  const zeros = all.length - length
  return digits === ''
    ? { digits, exponent: 0 }
    : { digits, exponent: Number(exponent) - fraction.length + zeros }
}

/** Finds numbers that may be inexact, and texts that look so: 16 digits, or a long exponent. */
const SUSPICIOUS = /(?:^|[:,[\s])-?\d(?:[\d.]{15}|[\d.]*e[+-]?\d{3})/i
const NUMBER = /[\d.e+-]+/iy

/** Returns at most `most` numbers of a valid JSON text that JavaScript would change. */
export const findInexactNumbers = (text: string, most: number): InexactNumber[] =>
  SUSPICIOUS.test(text) ? locate(text, most) : []

interface Level {
  at: string | number
  isKeyNext: boolean
}

function locate(text: string, most: number): InexactNumber[] {
  const inexactNumbers: InexactNumber[] = []
  const levels: Level[] = []
  for (let at = 0; at < text.length && inexactNumbers.length < most; at++) {
    const level = levels.at(-1)
    const character = text.charAt(at)
    switch (character) {
      case '{':
      case '[':
        levels.push({ at: character === '[' ? 0 : '', isKeyNext: character === '{' })
        break
      case '}':
      case ']':
        levels.pop()
        break
      case ',':
        if (typeof level?.at === 'number') level.at++
        else if (level) level.isKeyNext = true
        break
      case '"': {
        const end = endOfText(text, at)
        if (level?.isKeyNext) {
          level.at = String(JSON.parse(text.slice(at, end + 1)))
          level.isKeyNext = false
        }
        at = end
        break
      }
      default: {
        if (character !== '-' && !(character >= '0' && character <= '9')) break
        NUMBER.lastIndex = at
        const token = NUMBER.exec(text)?.[0] ?? character
        if (!isExactNumber(token)) {
          inexactNumbers.push({ keys: levels.map((each) => each.at), at, writtenNumber: token })
        }
        at += token.length - 1
      }
    }
  }
  return inexactNumbers
}

function endOfText(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let backslashes = 0
    while (text[at - 1 - backslashes] === '\\') backslashes++
    if (backslashes % 2 === 0) return at
  }
  return text.length
}

/** Returns the JSON text with strings in place of the numbers that JavaScript would change. */
export function withExactNumbers(text: string): string {
  let end = 0
  const parts = findInexactNumbers(text, Infinity).flatMap(({ at, writtenNumber }) => {
    const before = text.slice(end, at)
    end = at + writtenNumber.length
    return [before, `"${writtenNumber}"`]
  })
  return parts.join('') + text.slice(end)
}
