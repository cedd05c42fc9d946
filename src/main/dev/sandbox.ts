import type { Logger } from 'pino'
import type { Config } from '../../config.ts'
import { startSandbox } from '../../../tools/sandbox/index.ts'
import { DEFAULT_SETTINGS } from '../../../tools/sandbox/settings.ts'
import { PRODUCTION_TIMINGS } from '../../domain/delivery/timings.ts'
import { whenStopped } from '../programs/lifetime.ts'
import { required } from '../programs/required.ts'

export async function runSandbox(config: Config, log: Logger, stopped: AbortSignal): Promise<void> {
  const eventTimeScale = config.timings.doubtMs / PRODUCTION_TIMINGS.doubtMs
  const sandbox = await startSandbox({
    host: '127.0.0.1',
    port: config.dev.sandboxPort,
    databaseUrl: required(config.databaseUrl, 'DATABASE_URL'),
    log,
    settings: {
      signatureMaxAgeMs: config.timings.signatureMs,
      // The bus is as much faster as everything else, but never gives up an event within a day:
      // after an hour of debugging the API the events of its mail are still wanted.
      eventTimeScale,
      eventKeepMs: DEFAULT_SETTINGS.eventKeepMs / eventTimeScale,
      eventMaxRetries: Math.round(DEFAULT_SETTINGS.eventMaxRetries / eventTimeScale),
      // What the system manages is measured here, not what AWS allows.
      eventRatePerSecond: 0,
    },
  })
  log.info({ url: sandbox.url }, 'the provider sandbox listens')
  await whenStopped(stopped)
  await sandbox.stop()
}
