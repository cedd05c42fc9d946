import type { AddressInfo } from 'node:net'
import type { Logger } from 'pino'
import { buildApp } from '../../api/app.ts'
import type { Config } from '../config.ts'
import { connect } from '../store/sql.ts'
import { parseKeyring } from '../tokens.ts'
import { required } from './required.ts'
import { version } from './version.ts'

/** Serves the API until it is told to stop; requests in flight are answered first. */
export async function runApi(config: Config, log: Logger): Promise<void> {
  const sql = connect(required(config.databaseUrl, 'DATABASE_URL'), {
    name: 'letterloom-api',
    role: 'letterloom_api',
    max: 10,
  })
  const app = await buildApp({
    sql,
    keyring: parseKeyring(required(config.keys, 'LETTERLOOM_KEYS')),
    publicUrl: config.publicUrl,
    version,
    log,
    now: Date.now,
  })
  await app.listen({ host: config.host, port: config.port })
  const { port } = app.server.address() as AddressInfo
  log.info({ host: config.host, port }, 'the API listens')
  await new Promise<void>((resolve) => {
    process.once('SIGTERM', () => resolve()).once('SIGINT', () => resolve())
  })
  await app.close()
  await sql.end()
}
