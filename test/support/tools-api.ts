import { type App, buildApp } from '../../api/app.ts'
import { createMetrics } from '../../api/http/metrics.ts'
import type { Limiter } from '../../api/limits/limiter.ts'
import type { Toolbox } from '../../src/core/deliverability/toolbox.ts'
import { processRenderer } from '../../src/mail/renderer.ts'
import { connect } from '../../src/store/db/sql.ts'
import { offlineFetcher } from './toolbox.ts'
import { newKeyringText, parseKeyring } from '../../src/keys/tokens.ts'

/** Allows every request, since limits are not tested here. */
export const unlimited: Limiter = {
  take: async (_subject, windows) => {
    const [window = { limit: 1, seconds: 1 }] = windows
    return {
      allowed: true,
      windows,
      nearest: { ...window, remaining: window.limit, resetSeconds: 1 },
      retryAfterSeconds: 0,
    }
  },
  close: async () => {},
}

/**
 * The whole API without a database, which the tools do not need. A query fails. Connections of a
 * trusted proxy are not counted for its address.
 */
export async function startToolsApi(
  toolbox: Toolbox,
  limiter: Limiter = unlimited,
  trustedProxies: string[] = [],
): Promise<App> {
  // Never connected: a pool connects when it is asked something.
  const sql = connect('postgres://127.0.0.1:1/none', { name: 'none', max: 1 })
  const app = await buildApp({
    sql,
    searchSql: sql,
    keyring: parseKeyring(newKeyringText()),
    publicUrl: 'http://127.0.0.1:3000',
    principalArn: undefined,
    sendsNotices: false,
    version: '1.0.0',
    log: { level: 'silent' },
    metrics: createMetrics(),
    trustedProxies,
    corsOrigins: [],
    limiter,
    renderer: processRenderer(),
    asker: {
      ask: async () => {
        throw new Error('nobody is asked')
      },
    },
    toolbox,
    fetcher: offlineFetcher,
    receiving: { refused: () => {} },
    allowsHttpHooks: false,
    console: undefined,
    mostLoopDelayMs: Number.POSITIVE_INFINITY,
    now: Date.now,
    pause: async () => {},
  })
  await app.ready()
  return app
}
