import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import { Connection } from '@temporalio/client'
import { type App, buildApp } from '../../../api/app.ts'
import { createAsker } from '../../../api/accounts/asker.ts'
import { drain } from '../../../api/http/edges/drain.ts'
import { MOST_LOOP_DELAY_MS } from '../../../api/http/edges/pressure.ts'
import { createMetrics } from '../../../api/http/metrics.ts'
import { startReceiving } from '../../core/delivery/receiving.ts'
import type { Config } from '../../config.ts'
import { createRenderer } from '../../mail/renderer.ts'
import { connect } from '../../store/db/sql.ts'
import { listening, serveInternal } from './internal.ts'
import { consoleSettings } from '../commands/console-settings.ts'
import { checkedKeyring } from './keys.ts'
import { whenStopped } from './lifetime.ts'
import { limiterOf } from '../commands/limiter.ts'
import { startClockKeeper } from '../../loops/clock-keeper.ts'
import { createReadiness } from './readiness.ts'
import { measureRenderer } from './renderer-metrics.ts'
import { required, temporalAddress, temporalConnection } from './required.ts'
import { createTemporalClient } from '../commands/temporal-client.ts'
import { publicFetcher, toolboxOf } from './toolbox.ts'
import { version } from './version.ts'
import { waitForSessions } from './wait-for-sessions.ts'

/**
 * Time from the closing of the port. docker-compose.yml waits longer than this and the delay
 * before.
 */
const LAST_ANSWER_MS = 20_000
const LAST_STATEMENT_SECONDS = 5
/**
 * Pool for searches. A search of millions without an index takes longer than anybody waits for
 * more.
 */
const SEARCH_POOL = {
  name: 'letterloom-search',
  role: 'letterloom_search',
  max: 3,
  statementTimeoutMs: 5_000,
} as const

interface ApiOptions {
  console: boolean
  stopped: AbortSignal
}

export async function runApi(config: Config, log: Logger, options: ApiOptions): Promise<void> {
  const { stopped } = options
  const databaseUrl = required(config.databaseUrl, 'DATABASE_URL')
  const keyring = checkedKeyring(config)
  const sql = connect(databaseUrl, { name: 'letterloom-api', role: 'letterloom_api', max: 10 })
  const searchSql = connect(databaseUrl, SEARCH_POOL)
  const metrics = createMetrics()
  const limiter = limiterOf(databaseUrl, log, () => metrics.rateLimiterFailOpen.inc())
  const renderer = createRenderer()
  measureRenderer(metrics.registry, renderer)
  const temporal = lazyTemporal(config)
  const receiving = startReceiving({ sql, gapMs: config.timings.receivingGapMs, log })
  const clock = startClockKeeper({ sql, log })
  const app = await buildApp({
    sql,
    searchSql,
    keyring,
    publicUrl: config.publicUrl,
    principalArn: config.awsPrincipalArn,
    sendsNotices: config.notices.from !== undefined,
    version,
    log,
    metrics,
    trustedProxies: config.trustedProxies,
    corsOrigins: config.corsOrigins,
    limiter,
    renderer,
    asker: createAsker({ client: temporal, log }),
    toolbox: toolboxOf(config),
    fetcher: publicFetcher(config),
    receiving,
    mostLoopDelayMs: MOST_LOOP_DELAY_MS,
    now: clock.now,
    pause,
    allowsHttpHooks: config.mode === 'development',
    console: options.console ? consoleSettings(config, log) : undefined,
  })
  const readiness = createReadiness({
    databaseUrl,
    role: 'letterloom_api',
    temporalAddress: temporalAddress(config),
    needsTemporal: false,
    notices: config.notices.from === undefined ? 'off' : 'on',
    clock,
    isServing: () => app.server.listening,
    isDraining: () => app.traffic.isDraining,
  })
  // Before the first request: a process that cannot be watched must not serve.
  const closeInternal = await serveInternal({
    address: config.internal,
    registry: metrics.registry,
    readiness: readiness.ask,
    log,
  })
  await waitForSessions(databaseUrl, log, stopped)
  if (!stopped.aborted) await listen(app, config, log)

  await whenStopped(stopped)
  await closeApp(app, config, log)
  await Promise.all([receiving.stop(), clock.stop()])
  await renderer.close()
  await closeInternal()
  await limiter.close()
  await temporal.connection.close()
  await Promise.all([
    readiness.close(),
    ...[sql, searchSql].map((pool) => pool.end({ timeout: LAST_STATEMENT_SECONDS })),
  ])
  log.info({}, 'stopped')
}

async function listen(app: App, config: Config, log: Logger): Promise<void> {
  const { host } = config
  await listening('PORT', config, app.listen({ host, port: config.port }))
  const { port } = app.server.address() as AddressInfo
  log.info({ host, port }, 'the API listens')
}

async function closeApp(app: App, { drainSeconds }: Config, log: Logger): Promise<void> {
  log.info({ drainSeconds }, 'shutdown requested')
  const cut = await drain(app, { delayMs: drainSeconds * 1_000, deadlineMs: LAST_ANSWER_MS })
  if (cut > 0) log.warn({ requests: cut }, 'requests were cut off')
  await app.close()
}

/** Connects on first use, so that the API starts and serves without Temporal. */
function lazyTemporal(config: Config) {
  return createTemporalClient(config, Connection.lazy(temporalConnection(config)))
}
