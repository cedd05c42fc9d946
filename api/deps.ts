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

/** Everything the API reaches the world through. */
export interface Deps {
  /**
   * On behalf of nobody: sees no organization's rows, only what security-definer functions tell.
   */
  sql: Sql
  /**
   * Searches, as `letterloom_search`: sees every organization's rows, so each query must name
   * the organization. A pool of its own: a slow search waits for searches only.
   */
  searchSql: Sql
  /** Signs and verifies public links. */
  keyring: Keyring
  /** Without a trailing slash; every link we hand out begins with it, never with `Host`. */
  publicUrl: string
  /** Whom customers' roles are to trust; undefined: the operator has not said. */
  principalArn: string | undefined
  /** The operator's own mail works: invitations can be mailed. */
  sendsNotices: boolean
  /** Of package.json. */
  version: string
  log: FastifyBaseLogger | { level: string }
  metrics: Metrics
  /** Whose `X-Forwarded-For` is believed: addresses, ranges, `loopback`; none by default. */
  trustedProxies: readonly string[]
  /** Pages whose scripts may call the API: `https://app.example.com`. */
  corsOrigins: readonly string[]
  /** Checks what callers wrote. Its creator closes it. */
  renderer: Renderer
  /** Counts requests for all processes. Its creator closes it. */
  limiter: Limiter
  /** Asks the customers' accounts. */
  asker: Asker
  /** The public deliverability tools: all that looks something up for strangers. */
  toolbox: Toolbox
  /** Reaches the public internet only: the provider's own hosts, for messages of SNS. */
  fetcher: Fetcher
  /** Is told which delivery events were answered badly. Its creator stops it. */
  receiving: Pick<Receiving, 'refused'>
  /** While the event loop is later than this, milliseconds, requests are refused. */
  mostLoopDelayMs: number
  /** Milliseconds since 1970. */
  now: () => number
  /** Waits for the given milliseconds. */
  pause: (ms: number) => Promise<unknown>
}

/** What the routes of a caller get: storage is theirs through `request.caller` only. */
export type TenantDeps = Omit<Deps, 'sql'>
