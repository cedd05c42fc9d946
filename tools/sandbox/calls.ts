/** Counts calls of each action by account since the start: `ses:GetEmailIdentity`. */
export function createCalls() {
  const counts = new Map<string, Map<string, number>>()
  return {
    note: (account: string, action: string): void => {
      const own = counts.get(account) ?? new Map<string, number>()
      counts.set(account, own)
      own.set(action, (own.get(action) ?? 0) + 1)
    },
    of: (account: string): Record<string, number> => Object.fromEntries(counts.get(account) ?? []),
  }
}
export type Calls = ReturnType<typeof createCalls>
