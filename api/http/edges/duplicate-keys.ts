import { pathOf, type Place } from '../input-paths.ts'

/** An object or a list that is being read. */
interface Level {
  /** The key or the index that is being read. */
  at: string | number
  keys: Set<string> | undefined
  isKeyNext: boolean
}

/**
 * Returns the path of the first key that is there twice in one object of `text`, which is valid
 * JSON. The parser keeps the last one, other programs the first: what was checked on the way here
 * need not be what is acted upon.
 */
export function findDuplicateKey(text: string): string | undefined {
  const levels: Level[] = []
  for (let at = 0; at < text.length; at++) {
    const level = levels.at(-1)
    switch (text[at]) {
      case '{':
        levels.push({ at: '', keys: undefined, isKeyNext: true })
        break
      case '[':
        levels.push({ at: 0, keys: undefined, isKeyNext: false })
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
        const end = endOfString(text, at)
        if (level?.isKeyNext) {
          const key = keyOf(text.slice(at, end + 1))
          level.at = key
          level.isKeyNext = false
          level.keys ??= new Set()
          if (level.keys.has(key)) return pathOf(placeOf(levels))
          level.keys.add(key)
        }
        at = end
        break
      }
      case ' ':
        // A body may be megabytes of blanks, which cost four times as much one by one.
        if (text[at + 1] === ' ') at = endOfBlanks(text, at) - 1
        break
      default:
    }
  }
  return undefined
}

/** The first character from `start` on that is no blank. */
function endOfBlanks(text: string, start: number): number {
  const other = /[^ ]/g
  other.lastIndex = start
  return other.test(text) ? other.lastIndex - 1 : text.length
}

/** Where the string ends that begins at `start`. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); ; at = text.indexOf('"', at + 1)) {
    let backslashes = 0
    while (text[at - 1 - backslashes] === '\\') backslashes++
    if (backslashes % 2 === 0) return at
  }
}

const keyOf = (written: string): string =>
  written.includes('\\') ? String(JSON.parse(written)) : written.slice(1, -1)

const placeOf = (levels: readonly Level[]): Place | undefined =>
  levels.reduce<Place | undefined>((within, { at: key }) => ({ within, key }), undefined)
