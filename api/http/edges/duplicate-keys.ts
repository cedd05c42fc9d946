import { pathOf, type Place } from '../input-paths.ts'

interface Level {
  at: string | number
  keys: Set<string> | undefined
  isKeyNext: boolean
}

interface DuplicateKeys {
  path: string | undefined
  rows: ReadonlyMap<number, string>
}

/** Lists of rows are never longer, so later rows need not be searched. */
const MOST_ROWS = 1_000

/** Returns the path of the first repeated key in an object of `text`. */
export const findDuplicateKey = (text: string): string | undefined => findDuplicateKeys(text).path

/**
 * Finds keys that are there twice in one object of `text`, which is valid JSON. The parser keeps
 * the last one, other programs the first: what was checked on the way here need not be what is
 * acted upon. `list` names the member whose rows are refused each by itself.
 */
export function findDuplicateKeys(text: string, list?: string): DuplicateKeys {
  const levels: Level[] = []
  const rows = new Map<number, string>()
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
          if (level.keys.has(key)) {
            const row = rowOf(levels, list)
            if (row === undefined) return { path: pathOf(placeOf(levels)), rows }
            if (row < MOST_ROWS && !rows.has(row)) rows.set(row, pathOf(placeOf(levels.slice(2))))
          }
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
  return { path: undefined, rows }
}

function rowOf([body, rows, row]: readonly Level[], list: string | undefined): number | undefined {
  const isRow = list !== undefined && body?.at === list && row !== undefined
  return isRow && typeof rows?.at === 'number' ? rows.at : undefined
}

function endOfBlanks(text: string, start: number): number {
  const other = /[^ ]/g
  other.lastIndex = start
  return other.test(text) ? other.lastIndex - 1 : text.length
}

function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); ; at = text.indexOf('"', at + 1)) {
    let backslashes = 0
    while (text[at - 1 - backslashes] === '\\') backslashes++
    if (backslashes % 2 === 0) return at
  }
}

const keyOf = (literal: string): string =>
  literal.includes('\\') ? String(JSON.parse(literal)) : literal.slice(1, -1)

const placeOf = (levels: readonly Level[]): Place | undefined =>
  levels.reduce<Place | undefined>((within, { at: key }) => ({ within, key }), undefined)
