import type { FastifyBaseLogger } from 'fastify'
import type { Toolbox } from '../src/core/deliverability/toolbox.ts'
import type { Asker } from '../src/core/accounts/ask-provider.ts'
import type { Fetcher } from '../src/net/fetch.ts'
import type { Renderer } from '../src/mail/renderer.ts'
import type { Sql } from '../src/store/db/sql.ts'
import type { Keyring } from '../src/keys/tokens.ts'
import type { Limiter } from './limits/limiter.ts'
import type { Metrics } from './http/metrics.ts'
import type { Receiving } from '../src/core/delivery/receiving.ts'

export interface ConsoleSettings {
  folder: string
  isDevelopment: boolean
  /** Address that shows that mail instead. */
  inboxUrl: string | undefined
  temporalUiUrl: string | undefined
}

export interface Deps {
  /**
   * Pool without an organization. It sees no organization's rows, only results of security-definer
   * functions.
   */
  sql: Sql
  /**
   * Searches as `letterloom_search`: sees every organization's rows, so each query must name the
   * organization. A separate pool, so that a slow search delays searches only.
   */
  searchSql: Sql
  keyring: Keyring
  /** Without a trailing slash. Every link in our answers begins with it, never with `Host`. */
  publicUrl: string
  /** Principal that customers' roles trust. Undefined: not configured. */
  principalArn: string | undefined
  /** The operator's own mail is configured, so that invitations can be mailed. */
  sendsNotices: boolean
  version: string
  log: FastifyBaseLogger | { level: string }
  metrics: Metrics
  /**
   * Proxies whose `X-Forwarded-For` is trusted: addresses, ranges, `loopback`. Empty by default.
   */
  trustedProxies: readonly string[]
  /** Origins whose scripts may call the API: `https://app.example.com`. */
  corsOrigins: readonly string[]
  renderer: Renderer
  limiter: Limiter
  asker: Asker
  toolbox: Toolbox
  /** Reaches the public internet only: the provider's own hosts, for messages of SNS. */
  fetcher: Fetcher
  /** Webhook endpoints may have no TLS: in development. */
  allowsHttpHooks: boolean
  /** Receives refused delivery events. Stopped by its creator. */
  receiving: Pick<Receiving, 'refused'>
  /** Delay of the event loop, in milliseconds, above which requests are refused. */
  mostLoopDelayMs: number
  now: () => number
  /** Undefined: the web console is not served. */
  console: ConsoleSettings | undefined
  pause: (ms: number) => Promise<unknown>
}

/** Dependencies of routes with a caller. They reach storage through `request.caller` only. */
export type TenantDeps = Omit<Deps, 'sql'>
