/** How long what was too slow is rendered apart. */
const ISOLATION_MS = 60_000
/** So many slow contents in that time, and all of their organization is rendered apart. */
const SLOW_CONTENTS = 3
const MOST_REMEMBERED = 1_000

interface Rendering {
  organization: string
  content: string
}

/** Remembers which contents and organizations were too slow. `now` returns milliseconds. */
export function createIsolation(now: () => number) {
  /** Until when each content of an organization is apart. */
  const slow = new Map<string, Map<string, number>>()

  const isApartUntil = (until: number | undefined): boolean => (until ?? 0) > now()

  return {
    /** A mail of the content was too slow. What was slow longest ago is forgotten first. */
    noteSlow: ({ organization, content }: Rendering): void => {
      const contents = slow.get(organization) ?? new Map<string, number>()
      slow.delete(organization)
      slow.set(organization, contents)
      contents.delete(content)
      contents.set(content, now() + ISOLATION_MS)
      forgetOldest(contents)
      forgetOldest(slow)
    },

    isApart: ({ organization, content }: Rendering): boolean =>
      isApartUntil(slow.get(organization)?.get(content)) || isOrganizationApart(organization),

    isOrganizationApart,
  }

  function isOrganizationApart(organization: string): boolean {
    const last = [...(slow.get(organization)?.values() ?? [])].slice(-SLOW_CONTENTS)
    return last.length === SLOW_CONTENTS && last.every(isApartUntil)
  }
}

function forgetOldest(remembered: Map<string, unknown>): void {
  const [oldest] = remembered.keys()
  if (remembered.size > MOST_REMEMBERED && oldest !== undefined) remembered.delete(oldest)
}
