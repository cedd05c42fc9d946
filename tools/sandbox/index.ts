import type { AddressInfo } from 'node:net'
import type { Logger } from 'pino'
import { connect } from '../../src/store/db/sql.ts'
import { loadAccounts } from './accounts.ts'
import { createCalls } from './calls.ts'
import { loadCredentials, SANDBOX_CREDENTIALS, type StaticCredentials } from './credentials.ts'
import type { Deps } from './deps.ts'
import { createFaults } from './faults.ts'
import { createLedger } from './ledger.ts'
import { loadLimiter } from './limiter.ts'
import { createPump } from './pump.ts'
import { createQueues } from './queues.ts'
import { createSchema } from './schema.ts'
import { createSandboxServer } from './server.ts'
import { DEFAULT_SETTINGS, type Settings } from './settings.ts'
import { createPartRates } from './sms/rates.ts'
import { createTexts } from './sms/texts.ts'
import { loadSuppressions } from './suppressions.ts'

const MAX_CONNECTIONS = 4
const GRACE_MS = 2_000

export interface SandboxOptions {
  host: string
  /** 0: any free port. */
  port: number
  databaseUrl: string
  log: Logger
  /** The operator's keys, in addition to the well-known ones. */
  staticCredentials?: StaticCredentials[]
  settings?: Partial<Settings>
}

export interface Sandbox {
  url: string
  port: number
  stop(): Promise<void>
}

/**
 * Starts the stand-in for Amazon in development and tests: SES v2, End User Messaging SMS, STS,
 * IAM, CloudWatch and SQS on one port, for the real SDK with an endpoint override. Everything is
 * stored in the schema `sandbox`. One process per database.
 */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { host, port, databaseUrl, log } = options
  const sql = connect(databaseUrl, { name: 'letterloom-sandbox', max: MAX_CONNECTIONS })
  try {
    await createSchema(sql)
    const settings: Settings = { ...DEFAULT_SETTINGS, ...options.settings }
    const faults = createFaults()
    const accounts = await loadAccounts(sql)
    const queues = createQueues(sql)
    const pump = createPump({ sql, log, accounts, faults, settings, queues })
    const texts = createTexts({ sql, log, accounts, faults, queues })
    const own = [SANDBOX_CREDENTIALS, ...(options.staticCredentials ?? [])]
    const deps: Deps = {
      sql,
      log,
      accounts,
      calls: createCalls(),
      credentials: await loadCredentials(sql, own),
      faults,
      ledger: createLedger({ sql, faults, onEvents: () => pump.wake() }),
      limiter: await loadLimiter(sql),
      pump,
      queues,
      settings,
      sms: { texts, rates: createPartRates() },
      suppressions: await loadSuppressions(sql),
    }
    const server = createSandboxServer(deps)
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(port, host, () => resolve())
    })
    await pump.start()
    texts.start()
    const bound = (server.address() as AddressInfo).port
    return {
      url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}`,
      port: bound,
      stop: async () => {
        const closed = new Promise((resolve) => server.close(resolve))
        server.closeIdleConnections()
        const impatient = setTimeout(() => server.closeAllConnections(), GRACE_MS)
        await closed
        clearTimeout(impatient)
        await pump.stop()
        await texts.stop()
        await sql.end({ timeout: 5 })
      },
    }
  } catch (error) {
    await sql.end({ timeout: 5 })
    throw error
  }
}
