import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { startSandbox } from '../dev/sandbox/index.ts'
import { required } from './required.ts'

/** Serves the provider sandbox until it is told to stop. */
export async function runSandbox(config: Config, log: Logger): Promise<void> {
  const sandbox = await startSandbox({
    host: '127.0.0.1',
    port: config.dev.sandboxPort,
    databaseUrl: required(config.databaseUrl, 'DATABASE_URL'),
    log,
    settings: { signatureMaxAgeMs: config.timings.signatureMs },
  })
  log.info({ url: sandbox.url }, 'the provider sandbox listens')
  await new Promise<void>((resolve) => {
    process.once('SIGTERM', () => resolve()).once('SIGINT', () => resolve())
  })
  await sandbox.stop()
}
