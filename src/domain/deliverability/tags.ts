export interface TagList {
  tags: ReadonlyMap<string, string>
  problems: string[]
}

const MOST_TAGS = 100
const MOST_PROBLEMS = 10
const NAME = /^[a-z][a-z0-9_-]*$/i

/** Parses a tag list of bounded length. The first of equal tags counts. */
export function parseTags(text: string): TagList {
  const tags = new Map<string, string>()
  const problems: string[] = []
  for (const part of text.split(';', MOST_TAGS)) {
    if (part.trim() === '') continue
    if (problems.length === MOST_PROBLEMS) break
    const at = part.indexOf('=')
    const name = (at < 0 ? part : part.slice(0, at)).trim().toLowerCase()
    if (at < 0 || !NAME.test(name)) problems.push(`“${part.trim().slice(0, 60)}” is not tag=value`)
    else if (tags.has(name)) problems.push(`The tag ${name} is given twice`)
    else tags.set(name, part.slice(at + 1).trim())
  }
  return { tags, problems }
}

/** Returns whether the first tag of a record is `v` with exactly this value. */
export const hasVersion = (text: string, version: string): boolean =>
  new RegExp(`^\\s*v\\s*=\\s*${version}\\s*(?:;|$)`).test(text)
