import { pathOf, type Place } from '../input-paths.ts'

/**
 * Finds keys that occur twice in one object of a JSON text. The parser keeps the last one, other
 * programs the first: what was checked on the way here need not be what is acted upon.
 *
 * Cheap: members are counted in the text and in what it became, and only when the numbers differ is
 * the text read again, for the path. `text` must be what `parsed` was made of.
 */
export function findDuplicateKey(text: string, parsed: unknown): string | undefined {
  return countWritten(text) === countKept(parsed) ? undefined : pathOfDuplicate(text)
}

/** Strings that a colon follows. */
function countWritten(text: string): number {
  let count = 0
  for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', at)) {
    at = endOfString(text, at)
    while (isBlank(text.charCodeAt(at))) at++
    if (text[at] === ':') count++
  }
  return count
}

/** The place after the string that begins at `start`. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); ; at = text.indexOf('"', at + 1)) {
    let backslashes = 0
    while (text[at - 1 - backslashes] === '\\') backslashes++
    if (backslashes % 2 === 0) return at + 1
  }
}

/** Space, tab and the two line breaks. */
const isBlank = (code: number): boolean =>
  code === 0x20 || code === 0x09 || code === 0x0a || code === 0x0d

function countKept(parsed: unknown): number {
  let count = 0
  const waiting = [parsed]
  const wait = (child: unknown): void => {
    if (typeof child === 'object' && child !== null) waiting.push(child)
  }
  while (waiting.length > 0) {
    const value = waiting.pop()
    if (typeof value !== 'object' || value === null) continue
    if (Array.isArray(value)) {
      for (const child of value) wait(child)
      continue
    }
    const object: Readonly<Record<string, unknown>> = Object(value)
    for (const key in object) {
      count++
      wait(object[key])
    }
  }
  return count
}

interface Level {
  /** Absent in an array. */
  keys: Set<string> | undefined
  /** The key or the index that is being read. */
  at: string | number
}

const placeOf = (levels: readonly Level[]): Place | undefined =>
  levels.reduce<Place | undefined>((within, { at: key }) => ({ within, key }), undefined)

function pathOfDuplicate(text: string): string | undefined {
  const levels: Level[] = []
  for (let at = 0; at < text.length; at++) {
    const level = levels.at(-1)
    switch (text[at]) {
      case '{':
        levels.push({ keys: new Set(), at: '' })
        break
      case '[':
        levels.push({ keys: undefined, at: 0 })
        break
      case '}':
      case ']':
        levels.pop()
        break
      case ',':
        if (typeof level?.at === 'number') level.at++
        break
      case '"': {
        const start = at
        at = endOfString(text, start)
        while (isBlank(text.charCodeAt(at))) at++
        if (text[at] !== ':' || level?.keys === undefined) {
          at-- // the loop steps over one character, which may be a bracket
          break
        }
        const key = String(JSON.parse(text.slice(start, text.lastIndexOf('"', at) + 1)))
        level.at = key
        if (level.keys.has(key)) return pathOf(placeOf(levels))
        level.keys.add(key)
        break
      }
      default:
    }
  }
  return undefined
}
