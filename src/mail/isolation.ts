const ISOLATION_MS = 60_000
/** Slow contents in that time after which all of the organization is rendered apart. */
const SLOW_CONTENTS = 3
const MOST_REMEMBERED = 1_000

interface Rendering {
  organization: string
  content: string
}

/** Tracks which contents and organizations were too slow. `now` returns milliseconds. */
export function createIsolation(now: () => number) {
  const slow = new Map<string, Map<string, number>>()

  const isApartUntil = (until: number | undefined): boolean => (until ?? 0) > now()

  return {
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
