import { createHash } from 'node:crypto'

/** A stored text: whole, or as its difference from a stored one. */
export interface Folded {
  /** Id of the stored text. Null: the text itself is in `inline`. */
  content: string | null
  /** Places in the stored text and their replacements, in turn. */
  changes?: (number | string)[]
  inline?: string
  separator?: string
}

interface Base {
  id: string
  parts: string[]
}

const MAX_BASES = 500
const MAX_INLINE = 2_048
/** A text that differs in more than this share is stored whole. */
const MAX_CHANGED = 0.25

/**
 * Compresses mails of one batch, which differ in a name and a few links: twenty kilobytes times a
 * million would be twenty gigabytes. Of texts with the same number of parts the first is stored
 * whole, and of the others only the differing parts. `keep` gets every text to store.
 */
export function createFolder(keep: (id: string, text: string) => void) {
  const bases = new Map<string, Base>()
  return {
    fold: (scope: string, text: string, separator: '<' | '\n'): Folded => {
      const parts = text.split(separator)
      const key = `${scope} ${separator} ${parts.length}`
      const base = bases.get(key)
      if (base) {
        const changes = differences(base.parts, parts, text.length * MAX_CHANGED)
        if (changes) return { content: base.id, changes, separator }
      }
      if (text.length <= MAX_INLINE) return { content: null, inline: text }
      const id = contentId(text)
      keep(id, text)
      bases.delete(key)
      bases.set(key, { id, parts })
      for (const oldest of bases.keys()) {
        if (bases.size <= MAX_BASES) break
        bases.delete(oldest)
      }
      return { content: id }
    },
    forget: (): void => bases.clear(),
  }
}

function differences(
  base: string[],
  parts: string[],
  limit: number,
): (number | string)[] | undefined {
  const changes: (number | string)[] = []
  let changed = 0
  let index = -1
  for (const part of parts) {
    index++
    if (part === base[index]) continue
    changed += part.length
    if (changed > limit) return undefined
    changes.push(index, part)
  }
  return changes
}

/** Restores a text from the stored one. */
export function unfold(folded: Folded, storedText: string | undefined): string {
  const { changes, separator, inline } = folded
  if (inline !== undefined) return inline
  if (storedText === undefined) return ''
  if (!changes || separator === undefined) return storedText
  const parts = storedText.split(separator)
  for (let at = 0; at < changes.length; at += 2) {
    parts[Number(changes[at])] = String(changes[at + 1])
  }
  return parts.join(separator)
}

/** A UUID made of the text's SHA-256. */
export function contentId(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`
}
