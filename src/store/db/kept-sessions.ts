import { uuidv7 } from '../../runtime/ids.ts'
import { connect, within } from './sql.ts'

/**
 * How often each connection is asked. A pooler of transactions that is idle is found at the second
 * time. One that is busy with others gives a statement any of its sessions: every answer would have
 * to come from the right one by chance.
 */
const ROUNDS = 20
const STATEMENT_MS = 5_000

/**
 * Whether a connection has a session of Postgres to itself. Behind a pooler of transactions it does
 * not: what one connection was told, the organization above all, others read.
 *
 * Two connections are told different organizations, as the pool does it, and then asked in turn. A
 * session of one's own never answers with something else, however busy the server is.
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
