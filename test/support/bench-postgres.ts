import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../src/main/dev/ports.ts'
import { startPostgres } from '../../src/main/dev/postgres.ts'
import { makeLogins } from '../../src/store/db/logins.ts'

export type Server = Awaited<ReturnType<typeof startPostgres>>

/** Runs a benchmark with its own temporary Postgres without fsync. */
export async function withPostgres(measure: (server: Server) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'letterloom-bench-'))
  // As root, Postgres runs under another user, who must be able to come in.
  await chmod(folder, 0o755)
  const server = await startPostgres({
    folder: join(folder, 'postgres'),
    port: await freePort(),
    log: () => {},
    settings: { fsync: 'off' },
  })
  try {
    await makeLogins(server.url)
    await measure(server)
  } finally {
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  }
}
