import type { FastifyBaseLogger } from 'fastify'
import type { Renderer } from '../src/mail/renderer.ts'
import type { Sql } from '../src/store/sql.ts'
import type { Keyring } from '../src/tokens.ts'
import type { Asker } from './asker.ts'
import type { Limiter } from './limiter.ts'
import type { Metrics } from './metrics.ts'
import type { Receiving } from './receiving.ts'

/** Everything the API reaches the world through. */
export interface Deps {
  /** On behalf of nobody: sees no organization's rows, only what the crossing functions tell. */
  sql: Sql
  /**
   * Searches, as `letterloom_search`: sees every organization's rows, so that whoever uses it names
   * the organization. A pool of its own: a slow search waits for searches only.
   */
  searchSql: Sql
  /** Signs and verifies public links. */
  keyring: Keyring
  /** Without a trailing slash; every link we hand out begins with it, never with `Host`. */
  publicUrl: string
  /** Whom customers' roles are to trust; undefined: the operator has not said. */
  principalArn: string | undefined
  /** Of package.json. */
  version: string
  log: FastifyBaseLogger | { level: string }
  metrics: Metrics
  /** Whose `X-Forwarded-For` is believed: addresses, ranges, `loopback`; none by default. */
  trustedProxies: readonly string[]
  /** Pages whose scripts may call the API: `https://app.example.com`. */
  corsOrigins: readonly string[]
  /** Checks what callers wrote. Who makes it closes it. */
  renderer: Renderer
  /** Counts requests for all processes. Who makes it closes it. */
  limiter: Limiter
  /** Asks the customers' accounts. */
  asker: Asker
  /** Is told which delivery events were answered badly. Who makes it stops it. */
  receiving: Pick<Receiving, 'refused'>
  /** Milliseconds since 1970. */
  now: () => number
  /** Lets so many milliseconds pass. */
  pause: (ms: number) => Promise<unknown>
}

/** What the routes of a caller get: storage is theirs through `request.caller` only. */
export type TenantDeps = Omit<Deps, 'sql'>
