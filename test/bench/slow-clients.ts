/**
 * What a thousand clients that never finish their requests cost the others: p99 of a read with and
 * without them, and what became of them.
 *
 *   npm run build && npx tsx test/bench/slow-clients.ts [sockets] [seconds]
 *
 * A Postgres of its own is thrown away afterwards.
 */
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import autocannon from 'autocannon'
import { freePort } from '../../src/dev/ports.ts'
import { startPostgres } from '../../src/dev/postgres.ts'
import { createOrganization } from '../../src/main/organizations.ts'
import { migrate } from '../../src/store/db/migrate.ts'
import { connect } from '../../src/store/db/sql.ts'
import { startApiProcess } from '../support/api-process.ts'
import { openSlowSockets } from '../support/slow-sockets.ts'

const [sockets = 1_000, seconds = 60] = process.argv.slice(2).map(Number)
/** A second; what other callers ask while the machine is anything but full. */
const RATE = 150
const CONNECTIONS = 10
const BASELINE_SECONDS = Math.min(seconds, 20)

const folder = await mkdtemp(join(tmpdir(), 'letterloom-slow-'))
// As root, Postgres runs under another user, who must be able to come in.
await chmod(folder, 0o755)
const port = await freePort()
const postgres = await startPostgres({ folder: join(folder, 'postgres'), port, log: () => {} })
const sql = connect(postgres.url, { name: 'bench', max: 2 })
try {
  await migrate(sql)
  const owner = { name: 'Bench', ownerEmail: 'owner@example.com', ownerName: 'Owner' }
  const { key } = await createOrganization(sql, owner)
  await sql`update organizations set plan = 'enterprise'`
  const api = await startApiProcess(postgres.url)
  const read = (duration: number) =>
    autocannon({
      url: `${api.url}/v1/contacts`,
      headers: { authorization: `Bearer ${key}` },
      connections: CONNECTIONS,
      overallRate: RATE,
      duration,
    })
  await read(3)
  const baseline = await read(BASELINE_SECONDS)
  const slow = await openSlowSockets(api.port, sockets)
  const beside = await read(seconds)
  console.log(
    `p99 ${baseline.latency.p99} ms alone, ${beside.latency.p99} ms beside ${sockets} slow sockets: ratio ${(beside.latency.p99 / baseline.latency.p99).toFixed(2)}; refusals and errors ${beside.non2xx + beside.errors}`,
  )
  console.log(
    `${slow.closed()} of ${sockets} closed by the server within ${seconds} s, told ${JSON.stringify(slow.told())}`,
  )
  slow.stop()
  await api.stop()
} finally {
  await sql.end()
  await postgres.stop()
  await rm(folder, { recursive: true, force: true })
}
