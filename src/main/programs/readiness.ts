import { connect as openSocket } from 'node:net'
import type { Clock } from '../../loops/clock-keeper.ts'
import { pendingMigrations } from '../../store/db/migrate.ts'
import { listLoginLacks } from '../../store/db/login-check.ts'
import { connect, loginRefusal, type Sql } from '../../store/db/sql.ts'

const PROBE_TIMEOUT_MS = 2_000
const TEMPORAL_PORT = 7233

type Finding = 'ok' | 'unreachable' | 'outdated' | 'refused'

export interface Readiness {
  isReady: boolean
  isDraining: boolean
  /**
   * `outdated`: required migrations have not run. `refused`: the login lacks rights, which `lacks`
   * names.
   */
  postgres: Finding
  lacks: string[]
  temporal: Finding
  /**
   * `off`: no sender is configured (`NOTICE_FROM`), so owners get no mail about the health of
   * accounts.
   */
  notices: 'on' | 'off'
  /** Seconds that this machine's clock is ahead of Postgres'. Absent: less than half a minute. */
  clockAheadSeconds?: number
}

interface Options {
  databaseUrl: string
  role: 'letterloom_api' | 'letterloom_worker'
  temporalAddress: string
  /**
   * The API works without Temporal: reads are answered, and writes wait in the outbox. A worker
   * does not.
   */
  needsTemporal: boolean
  notices: Readiness['notices']
  clock: Pick<Clock, 'aheadMs'>
  /** Returns false until the program accepts work. */
  isServing: () => boolean
  isDraining: () => boolean
}

/**
 * Returns a function that tells whether this process should get work. It asks Postgres on its own
 * connection, so that a busy pool does not look like a dead database. Concurrent callers share an
 * answer.
 */
export function createReadiness(options: Options) {
  const { databaseUrl, role, temporalAddress, needsTemporal, notices, isServing, isDraining } =
    options
  const { clock } = options
  const sql = connect(databaseUrl, {
    name: 'letterloom-ready',
    role,
    max: 1,
    statementTimeoutMs: PROBE_TIMEOUT_MS,
  })
  let asking: Promise<Readiness> | undefined

  const ask = async (): Promise<Readiness> => {
    const lacks: string[] = []
    const [postgres, temporal] = await Promise.all([
      within(PROBE_TIMEOUT_MS, () => lookAtPostgres(sql, lacks)),
      within(PROBE_TIMEOUT_MS, () => reach(temporalAddress)),
    ])
    const takesWork = isServing() && !isDraining()
    const isReady = takesWork && postgres === 'ok' && (temporal === 'ok' || !needsTemporal)
    const clockAheadSeconds = Math.round(clock.aheadMs() / 1_000)
    return {
      isReady,
      isDraining: isDraining(),
      postgres,
      lacks,
      temporal,
      notices,
      ...(clockAheadSeconds === 0 ? {} : { clockAheadSeconds }),
    }
  }
  return {
    ask: (): Promise<Readiness> => {
      asking ??= ask().finally(() => (asking = undefined))
      return asking
    },
    close: () => sql.end({ timeout: 1 }),
  }
}

async function lookAtPostgres(sql: Sql, lacks: string[]): Promise<Finding> {
  try {
    lacks.push(...(await listLoginLacks(sql)))
    if (lacks.length > 0) return 'refused'
    return (await pendingMigrations(sql)).length === 0 ? 'ok' : 'outdated'
  } catch (error) {
    const refusal = loginRefusal(error)
    if (refusal === undefined) throw error
    lacks.push(refusal)
    return 'refused'
  }
}

async function within(ms: number, look: () => Promise<Finding>): Promise<Finding> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<Finding>((resolve) => {
    timer = setTimeout(() => resolve('unreachable'), ms)
  })
  try {
    return await Promise.race([look(), late])
  } catch {
    return 'unreachable'
  } finally {
    clearTimeout(timer)
  }
}

/** Resolves to whether a server accepts connections at `host:port`. */
const reach = (address: string): Promise<Finding> =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(`tcp://${address}`)
    const socket = openSocket(Number(port || TEMPORAL_PORT), hostname.replace(/^\[|\]$/g, ''))
    const tell = (finding: Finding) => {
      socket.destroy()
      resolve(finding)
    }
    socket.setTimeout(PROBE_TIMEOUT_MS, () => tell('unreachable'))
    socket.once('connect', () => tell('ok')).once('error', () => tell('unreachable'))
  })
