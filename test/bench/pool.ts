/**
 * Whether a pool gets slower with every query: microseconds of this process' processor time a
 * query, the last tenth of a run against its first. The clock is shown beside it: on a machine that
 * others use it says more about them.
 *
 *   npx tsx test/bench/pool.ts [queries] [--stock]
 *
 * `--stock` asks the driver's own pool instead of ours. A Postgres of its own is thrown away
 * afterwards.
 */
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import postgres from 'postgres'
import { freePort } from '../../src/dev/ports.ts'
import { startPostgres } from '../../src/dev/postgres.ts'
import { connect, type Sql } from '../../src/store/db/sql.ts'

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { stock: { type: 'boolean', default: false } },
})
const QUERIES = Number(positionals[0] ?? 1_000_000)
const TENTHS = 10
const POOL_SIZE = 8
const CALLERS = [64, 2]
const WARM_QUERIES = 20_000
/** What the last tenth may cost of the first. */
const MOST_SLOWDOWN = 1.2

const folder = await mkdtemp(join(tmpdir(), 'letterloom-pool-'))
// As root, Postgres runs under another user, who must be able to come in.
await chmod(folder, 0o755)
const server = await startPostgres({
  folder: join(folder, 'postgres'),
  port: await freePort(),
  log: () => {},
})
try {
  for (const callers of CALLERS) {
    const sql: Sql = options.stock
      ? (postgres(server.url, { max: POOL_SIZE }) as unknown as Sql)
      : connect(server.url, { name: 'bench-pool', max: POOL_SIZE })
    await ask(sql, callers, WARM_QUERIES)
    const tenths: number[] = []
    const clock: number[] = []
    for (let tenth = 0; tenth < TENTHS; tenth++) {
      const before = process.cpuUsage()
      const startedAt = performance.now()
      await ask(sql, callers, QUERIES / TENTHS)
      const { user, system } = process.cpuUsage(before)
      tenths.push((user + system) / (QUERIES / TENTHS))
      clock.push(((performance.now() - startedAt) * 1_000) / (QUERIES / TENTHS))
    }
    await sql.end()
    const slowdown = (tenths.at(-1) ?? 0) / (tenths[0] ?? 1)
    const show = (each: number[]) => each.map((figure) => figure.toFixed(1)).join(' ')
    console.log(
      `${options.stock ? 'stock' : 'ours'}, ${callers} callers, ${QUERIES} queries: µs a query by tenths ${show(tenths)}, last to first ${slowdown.toFixed(2)}; by the clock ${show(clock)}`,
    )
    if (!options.stock && slowdown > MOST_SLOWDOWN) process.exitCode = 1
  }
} finally {
  await server.stop()
  await rm(folder, { recursive: true, force: true })
}

async function ask(sql: Sql, callers: number, queries: number): Promise<void> {
  let left = queries
  const caller = async (): Promise<void> => {
    while (left-- > 0) await sql`select ${left}::int as n`
  }
  await Promise.all(Array.from({ length: callers }, caller))
}
