import { uuidv7 } from '../../runtime/ids.ts'
import { connect, within } from './sql.ts'

/**
 * Number of queries on each connection. An idle transaction pooler is detected by the second one. A
 * busy one gives a statement any of its sessions, so every answer would have to come from the right
 * one by chance.
 */
const ROUNDS = 20
const STATEMENT_MS = 5_000

/**
 * Returns whether a connection has a Postgres session to itself. Behind a transaction pooler it
 * does not: settings of one connection, the organization above all, apply to others.
 *
 * Two connections get different organizations, as the pool sets them, and are then read in turn. A
 * session of one's own never returns another value, however busy the server is.
 */
export async function keepsSessions(url: string): Promise<boolean> {
  const pool = { name: 'letterloom-sessions', max: 1, statementTimeoutMs: STATEMENT_MS }
  const connections = [connect(url, pool), connect(url, pool)]
  const bound = connections.map((sql) => {
    const organizationId = uuidv7()
    return { organizationId, sql: within(sql, organizationId) }
  })
  try {
    for (let round = 0; round < ROUNDS; round++) {
      for (const { organizationId, sql } of bound) {
        const [row] = await sql.once(sql<{ told: string | null }[]>`
          select current_setting('letterloom.organization', true) as told`)
        if (row?.told !== organizationId) return false
      }
    }
    return true
  } finally {
    await Promise.all(connections.map((sql) => sql.end()))
  }
}
