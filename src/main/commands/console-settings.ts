import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Logger } from 'pino'
import type { ConsoleSettings } from '../../../api/deps.ts'
import type { Config } from '../../config.ts'

/** Undefined: the console was not built, as in a checkout that only ran the tests. */
export function consoleSettings(config: Config, log: Logger): ConsoleSettings | undefined {
  const here = fileURLToPath(import.meta.url)
  const root = here.endsWith('.js') ? '../../../' : '../../../dist/'
  const folder = fileURLToPath(new URL(`${root}console`, import.meta.url))
  if (!existsSync(join(folder, 'index.html'))) {
    log.warn({}, 'the web console was not built: npm run build')
    return undefined
  }
  const isDevelopment = config.mode === 'development'
  return {
    folder,
    isDevelopment,
    inboxUrl: isDevelopment ? config.awsEndpoint : undefined,
    temporalUiUrl: config.temporal.uiUrl,
  }
}
