/** What was typed into forms and not saved; of one person, in one organization, in this tab. */
const PREFIX = 'draft:'

const keyOf = (owner: string, form: string): string => `${PREFIX}${owner}:${form}`

export function readDraft(owner: string, form: string): Record<string, string> {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(keyOf(owner, form)) ?? '{}')
    if (typeof stored !== 'object' || stored === null) return {}
    return Object.fromEntries(
      Object.entries(stored).filter(
        (entry): entry is [string, string] => typeof entry[1] === 'string',
      ),
    )
  } catch {
    return {}
  }
}

export function keepDraft(owner: string, form: string, values: Record<string, string>): void {
  try {
    sessionStorage.setItem(keyOf(owner, form), JSON.stringify(values))
  } catch {
    // Storage is full or off: the form itself still has what was typed.
  }
}

export const dropDraft = (owner: string, form: string): void =>
  sessionStorage.removeItem(keyOf(owner, form))

/** Whoever signs out leaves nothing behind. */
export function dropDrafts(): void {
  for (const key of Object.keys(sessionStorage)) {
    if (key.startsWith(PREFIX)) sessionStorage.removeItem(key)
  }
}
