import type { Sql } from '../../src/store/db/sql.ts'

export interface Suppression {
  address: string
  reason: 'BOUNCE' | 'COMPLAINT'
  createdAt: string
}

interface Row extends Suppression {
  account: string
  region: string
}

/** Account-level suppression lists, in memory and in Postgres. */
export async function loadSuppressions(sql: Sql) {
  const lists = new Map<string, Map<string, Suppression>>()
  const key = (account: string, region: string): string => `${account} ${region}`

  const rows = await sql<Row[]>`
    select account, region, address, reason, created_at
    from sandbox.suppressions
    order by created_at`
  for (const { account, region, ...entry } of rows) {
    const list = lists.get(key(account, region)) ?? new Map<string, Suppression>()
    list.set(entry.address, entry)
    lists.set(key(account, region), list)
  }

  return {
    list: (account: string, region: string): Suppression[] => [
      ...(lists.get(key(account, region))?.values() ?? []),
    ],
    find: (account: string, region: string, address: string): Suppression | undefined =>
      lists.get(key(account, region))?.get(address.toLowerCase()),

    put: async (
      account: string,
      region: string,
      suppression: Pick<Suppression, 'address' | 'reason'>,
    ): Promise<void> => {
      const address = suppression.address.toLowerCase()
      const createdAt = new Date().toISOString()
      await sql`
        insert into sandbox.suppressions (account, region, address, reason, created_at)
        values (${account}, ${region}, ${address}, ${suppression.reason}, ${createdAt})
        on conflict (account, region, address) do update
        set reason = excluded.reason, created_at = excluded.created_at`
      const list = lists.get(key(account, region)) ?? new Map<string, Suppression>()
      list.set(address, { address, reason: suppression.reason, createdAt })
      lists.set(key(account, region), list)
    },

    /** False: it was not on the list. */
    remove: async (account: string, region: string, address: string): Promise<boolean> => {
      const lower = address.toLowerCase()
      await sql`
        delete from sandbox.suppressions
        where account = ${account} and region = ${region} and address = ${lower}`
      return lists.get(key(account, region))?.delete(lower) ?? false
    },
  }
}
export type Suppressions = Awaited<ReturnType<typeof loadSuppressions>>
