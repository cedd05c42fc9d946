import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { connect as openSocket } from 'node:net'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { SEARCH_ATTRIBUTES } from '../../../workflows/contract.ts'
import type { Client } from '../../client/index.ts'
import type { Config } from '../../config.ts'
import { freePort } from './ports.ts'
import { startPostgres } from './postgres.ts'
import { sandboxControl } from '../../../tools/sandbox/control.ts'
import { OPERATOR_ACCOUNT } from '../../../tools/sandbox/credentials.ts'
import { findTemporal, startTemporal } from './temporal.ts'
import { POLICY_VERSION } from '../../domain/accounts/aws-actions.ts'
import { configurationSetName } from '../../domain/accounts/iam-role.ts'
import { type Login, loginUrl, makeLogins } from '../../store/db/logins.ts'
import { migrate } from '../../store/db/migrate.ts'
import { connect, type Sql } from '../../store/db/sql.ts'
import { newKeyringText } from '../../keys/tokens.ts'
import { type RunningProgram, startProgram } from './programs.ts'

/** The operator's own credentials at the sandbox. They may only assume the customers' roles. */
const SANDBOX_KEY = { id: 'LETTERLOOMSANDBOX', secret: 'letterloom-sandbox-secret' }
const SANDBOX_PRINCIPAL = 'arn:aws:iam::000000000000:user/letterloom'
const LOOPBACK = ['127.0.0.0/8', '::1']
/** Logins of each program, as in production. The sandbox has its own tables. */
const LOGINS = {
  api: 'letterloom_api',
  smtp: 'letterloom_api',
  worker: 'letterloom_worker',
  sandbox: 'letterloom_owner',
} as const satisfies Record<string, Login>
type Command = keyof typeof LOGINS
const READY_MS = 120_000
const ASK_AGAIN_MS = 500
/** The sender of health notices: an identity of the operator's own account at the sandbox. */
const NOTICES = { from: 'Letterloom <notices@letterloom.example>', region: 'eu-west-1' }

export interface System {
  /** Pool with the login of workers. */
  sql: Sql
  databaseUrl: string
  apiUrl: string
  sandboxUrl: string
  temporalAddress: string
  temporalUiUrl: string | undefined
  envOf(command: Command): Record<string, string>
  api: RunningProgram
  worker: RunningProgram
  /** Starts one more worker of all queues. It stops with the others. */
  startWorker(): RunningProgram
  /** Starts mail submission in plain text on loopback. Returns its port. */
  startSmtp(): Promise<number>
  stop(): Promise<void>
}

interface SystemOptions {
  timings?: 'short' | 'production'
  /** What its programs find in their environment besides. */
  env?: Record<string, string>
}

/**
 * Starts everything on this machine: Postgres, Temporal with its UI, the schema, the provider
 * sandbox, the API and a worker. Configured services (a database, a Temporal address) are used
 * instead. State lives in `folder`, and a second start continues with it. Timings are short unless
 * a benchmark needs those of production.
 */
export async function startSystem(
  config: Config,
  folder: string,
  say: (line: string) => void,
  { timings = 'short', env: more = {} }: SystemOptions = {},
): Promise<System> {
  const home = resolve(folder)
  const logs = join(home, 'logs')
  await mkdir(logs, { recursive: true })
  const portFor = (what: string, wantedPort: number) => findPort(what, wantedPort, say)
  const stops: (() => Promise<void>)[] = []
  const stop = async (): Promise<void> => {
    for (const each of stops.toReversed()) await each()
    stops.length = 0
  }
  try {
    const databaseUrl = config.databaseUrl ?? (await ownPostgres())
    const { address } = config.temporal
    const temporal = address ? { address, uiUrl: undefined } : await ownTemporal()
    await makeLogins(databaseUrl)
    await migrateAsOwner(databaseUrl)
    const role = 'letterloom_worker'
    const sql = connect(loginUrl(databaseUrl, role), { name: 'letterloom-dev', role, max: 4 })
    stops.push(() => sql.end())

    const sandboxPort = await portFor('the provider sandbox', config.dev.sandboxPort)
    const apiPort = await portFor('the API', config.port)
    const sandboxUrl = `http://127.0.0.1:${sandboxPort}`
    const apiUrl = `http://127.0.0.1:${apiPort}`
    const keys = config.keys ?? (await ownKeys(home))
    const addresses = {
      temporalAddress: temporal.address,
      apiUrl,
      apiPort,
      sandboxUrl,
      sandboxPort,
      temporalUiUrl: temporal.uiUrl,
    }
    const env = { ...environment(config, { keys, timings, ...addresses }), ...more }
    const envOf = (command: Command) => ({
      ...env,
      DATABASE_URL: loginUrl(databaseUrl, LOGINS[command]),
    })
    const programs = programStarter({ envOf, logs, say, stops })
    programs.startSandbox()
    const [ofApi, ofWorker, ofOthers] = await internalPorts(config, say)
    const api = programs.startUser('api', ofApi)
    const worker = programs.startUser('worker', ofWorker)
    await answers(`${apiUrl}/health`)
    await answers(`${sandboxUrl}/_sandbox/faults`)
    await openOperatorAccount(sandboxUrl)
    return {
      sql,
      databaseUrl,
      apiUrl,
      sandboxUrl,
      temporalAddress: temporal.address,
      temporalUiUrl: temporal.uiUrl,
      envOf,
      api,
      worker,
      startWorker: () => programs.startUser('worker', ofOthers),
      startSmtp: async () => {
        const port = await portFor('mail submission', config.smtp.port)
        programs.startUser('smtp', { ...ofOthers, SMTP_PORT: String(port) })
        await listens(port)
        return port
      },
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }

  async function ownPostgres(): Promise<string> {
    const port = await portFor('Postgres', config.dev.postgresPort)
    const postgres = await startPostgres({
      folder: join(home, 'postgres'),
      port,
      log: fileLog('postgres'),
    })
    stops.push(() => postgres.stop())
    return postgres.url
  }

  async function ownTemporal() {
    const binary = await findTemporal({ cacheFolder: config.dev.cacheFolder, log: say })
    const temporal = await startTemporal({
      binary,
      folder: join(home, 'temporal'),
      port: await portFor('Temporal', config.dev.temporalPort),
      uiPort: await portFor('the Temporal UI', config.dev.temporalUiPort),
      namespace: config.temporal.namespace,
      searchAttributes: SEARCH_ATTRIBUTES,
      log: fileLog('temporal'),
    })
    stops.push(() => temporal.stop())
    return temporal
  }

  function fileLog(name: string): (line: string) => void {
    const file = createWriteStream(join(logs, `${name}.log`), { flags: 'a' })
    stops.push(async () => void file.end())
    return (line) => void file.write(`${line}\n`)
  }
}

async function migrateAsOwner(databaseUrl: string): Promise<void> {
  const owner = connect(loginUrl(databaseUrl, 'letterloom_owner'), {
    name: 'letterloom-migrate',
    max: 1,
  })
  try {
    await migrate(owner)
  } finally {
    await owner.end()
  }
}

/**
 * Returns keys of this machine only. They are created once, so that links in yesterday's mails
 * still verify.
 */
async function ownKeys(home: string): Promise<string> {
  const file = join(home, 'keys')
  const storedKeys = await readFile(file, 'utf8').catch(() => undefined)
  if (storedKeys !== undefined) return storedKeys.trim()
  const newKeys = newKeyringText()
  await writeFile(file, `${newKeys}\n`, { mode: 0o600 })
  return newKeys
}

const openOperatorAccount = (sandboxUrl: string): Promise<unknown> =>
  sandboxControl(sandboxUrl).putAccount(OPERATOR_ACCOUNT, {
    region: NOTICES.region,
    productionAccess: true,
    identities: [{ identity: 'letterloom.example', verified: true }],
  })

/** Returns the wanted port, or another if it is in use, such as by a second checkout. */
async function findPort(
  what: string,
  wantedPort: number,
  say: (line: string) => void,
): Promise<number> {
  const port = await freePort(wantedPort)
  if (wantedPort !== 0 && port !== wantedPort)
    say(`port ${wantedPort} is taken; ${what} listens on ${port}`)
  return port
}

/**
 * Returns the internal ports of API and worker: the configured one and the next. Other programs
 * pick a free one. Without a configured port, or with 0, each program decides itself.
 */
async function internalPorts(
  { internal: { host, port } }: Config,
  say: (line: string) => void,
): Promise<Record<string, string>[]> {
  if (port === undefined || port === 0) return []
  const ports = []
  for (const [i, name] of ['API', 'worker'].entries()) {
    const own = await findPort(`the internal port of the ${name}`, port + i, say)
    say(`${name}: liveness, readiness and metrics on http://${host}:${own}`)
    ports.push({ INTERNAL_PORT: String(own) })
  }
  return [...ports, { INTERNAL_PORT: '0' }]
}

function programStarter({
  envOf,
  logs,
  say,
  stops,
}: {
  envOf: System['envOf']
  logs: string
  say: (line: string) => void
  stops: (() => Promise<void>)[]
}) {
  const run = (command: Command, more: Record<string, string> = {}): RunningProgram =>
    startProgram({
      command,
      env: { ...envOf(command), ...more },
      logFile: join(logs, `${command}.log`),
      say,
    })
  const users: RunningProgram[] = []
  return {
    startSandbox(): void {
      const program = run('sandbox')
      stops.push(() => program.stop())
      stops.push(async () => void (await Promise.all(users.map((each) => each.stop()))))
    },
    startUser(command: Command, more?: Record<string, string>): RunningProgram {
      const program = run(command, more)
      users.push(program)
      return program
    },
  }
}

const environment = (
  config: Config,
  started: {
    temporalAddress: string
    keys: string
    timings: 'short' | 'production'
    apiUrl: string
    apiPort: number
    sandboxUrl: string
    sandboxPort: number
    temporalUiUrl: string | undefined
  },
): Record<string, string> => ({
  TEMPORAL_ADDRESS: started.temporalAddress,
  TEMPORAL_NAMESPACE: config.temporal.namespace,
  ...(started.temporalUiUrl === undefined ? {} : { TEMPORAL_UI_URL: started.temporalUiUrl }),
  LETTERLOOM_KEYS: started.keys,
  LETTERLOOM_TIMINGS: started.timings,
  LETTERLOOM_MODE: 'development',
  DRAIN_SECONDS: '0',
  LOG_LEVEL: config.logLevel,
  // A developer's receiver is on the same machine.
  DNS_SERVERS: config.dnsServers.join(','),
  NET_ALLOW_PRIVATE: (config.netAllowPrivate.length > 0 ? config.netAllowPrivate : LOOPBACK).join(
    ',',
  ),
  TRUSTED_PROXIES: config.trustedProxies.join(','),
  HOST: '127.0.0.1',
  PORT: String(started.apiPort),
  PUBLIC_URL: started.apiUrl,
  SANDBOX_PORT: String(started.sandboxPort),
  ...(config.awsEndpoint === undefined
    ? {
        AWS_ENDPOINT_URL: started.sandboxUrl,
        AWS_ACCESS_KEY_ID: SANDBOX_KEY.id,
        AWS_SECRET_ACCESS_KEY: SANDBOX_KEY.secret,
        AWS_PRINCIPAL_ARN: SANDBOX_PRINCIPAL,
        AWS_EC2_METADATA_DISABLED: 'true',
        NOTICE_FROM: NOTICES.from,
        NOTICE_REGION: NOTICES.region,
      }
    : {}),
})

const answers = (url: string): Promise<void> =>
  becomesTrue(url, () =>
    fetch(url).then(
      (response) => response.ok,
      () => false,
    ),
  )

const listens = (port: number): Promise<void> =>
  becomesTrue(`port ${port}`, () => {
    const socket = openSocket(port, '127.0.0.1')
    return once(socket, 'connect')
      .then(
        () => true,
        () => false,
      )
      .finally(() => socket.destroy())
  })

async function becomesTrue(what: string, isTrue: () => Promise<boolean>): Promise<void> {
  const until = Date.now() + READY_MS
  while (!(await isTrue())) {
    if (Date.now() > until) throw new Error(`${what} does not answer after ${READY_MS / 1000} s`)
    await sleep(100)
  }
}

/** Parts of a running system that its customers use, wherever it runs. */
export type Customer = Pick<System, 'sql' | 'apiUrl' | 'sandboxUrl'>

interface SandboxAccount {
  accountId: string
  maxSendRate: number
  max24Hour: number
}

const REGION = 'eu-west-1'
export const SENDER = 'news@letterloom.example'

/**
 * Connects a sandbox account like a customer: registers it at the API, creates the role that trusts
 * the external id, points the account's events at the webhook, and waits until it is verified.
 */
export async function connectSandbox(
  system: Customer,
  client: Client,
  account: SandboxAccount,
): Promise<string> {
  const { accountId, maxSendRate, max24Hour } = account
  const connection = await client.post('/v1/connections', {
    body: { accountId, region: REGION, name: 'Sandbox' },
  })
  const secret = connection.webhookSecret
  const roleName = connection.roleArn.replace(/^.*\//, '')
  if (secret === null) throw new Error('the answer with the webhook secret was lost on the way')
  await sandboxControl(system.sandboxUrl).putAccount(accountId, {
    region: REGION,
    maxSendRate,
    max24Hour,
    productionAccess: true,
    sendingEnabled: true,
    identities: [{ identity: 'letterloom.example', verified: true }],
    roles: [{ name: roleName, externalId: connection.externalId, policyVersion: POLICY_VERSION }],
    // As the setup files make it.
    configurationSets: [configurationSetName(connection.externalId)],
    webhooks: [{ url: connection.webhookEndpoint, secret, region: REGION }],
  })
  const until = Date.now() + READY_MS
  // What registering asked for may have looked before the role was there.
  while (!(await isVerified())) {
    if (Date.now() > until) throw new Error('the sandbox account was not verified')
    await sleep(ASK_AGAIN_MS)
  }
  return connection.connectionId

  async function isVerified(): Promise<boolean> {
    const path = { id: connection.connectionId }
    const { isVerified } = await client.post('/v1/connections/{id}/verify', { params: { path } })
    return isVerified
  }
}
