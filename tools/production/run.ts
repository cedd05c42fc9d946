/**
 * Runs docker-compose.yml without Docker: the same programs with the same environment, as processes
 * on free loopback ports. Sends a batch, checks the figures, then stops and removes everything.
 * Only AWS is the sandbox.
 *
 * node --import tsx tools/production/run.ts [--contacts 1000] [--rate 500] [--keep]
 *
 * With `--replace` the batch is sent while callers make `--requests` requests a second. Both API
 * processes and both workers are replaced by a next release, after its migrations have run on
 * tables of `--rows` rows.
 *
 * Exit status 0: all figures agree in the API, the database and the sandbox.
 */
import { randomBytes } from 'node:crypto'
import { createWriteStream, readFileSync } from 'node:fs'
import { chmod, cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { readConfig } from '../../src/config.ts'
import { type Child, startChild } from '../../src/main/dev/children.ts'
import { connectWhenReady } from '../../src/main/dev/grpc-ready.ts'
import { runJob } from '../../src/main/dev/job.ts'
import { freePort } from '../../src/main/dev/ports.ts'
import { startPostgres } from '../../src/main/dev/postgres.ts'
import { type JobResult, runMainJob } from '../../src/main/dev/main-job.ts'
import { connect } from '../../src/store/db/sql.ts'
import { environmentOf, readComposeFile, type Service } from './compose.ts'
import { type ApiPorts, hasProxy, startProxy } from './proxy.ts'
import { assembleNext, type Check, fill, replaceUnderLoad, type Step } from './replacement.ts'
import { findTemporalServer } from './temporal-server.ts'

const { values: options } = parseArgs({
  options: {
    contacts: { type: 'string', default: '1000' },
    rate: { type: 'string', default: '500' },
    /** Keeps running afterwards. */
    keep: { type: 'boolean', default: false },
    /** Runs the application from this folder, such as one unpacked from the image. */
    app: { type: 'string' },
    /** Takes the Postgres of the npm package, though another is installed. */
    embedded: { type: 'boolean', default: false },
    replace: { type: 'boolean', default: false },
    requests: { type: 'string', default: '1000' },
    rows: { type: 'string', default: '10000000' },
  },
})

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const APIS = 2
const WORKERS = 2
const READY_MS = 60_000
const LONGEST_STATEMENT_MS = 3_600_000
/** docker-compose.yml gives a worker 45 s, the others less. */
const FAREWELL = { signal: 'SIGTERM', graceMs: 45_000 } as const
const SANDBOX_CREDENTIALS = {
  AWS_ACCESS_KEY_ID: 'LETTERLOOMSANDBOX',
  AWS_SECRET_ACCESS_KEY: 'letterloom-sandbox-secret',
}

const startedAt = performance.now()
const stops: (() => Promise<unknown>)[] = []
const shutdownRequest = new Promise<'told'>((resolve) => {
  process.once('SIGINT', () => resolve('told')).once('SIGTERM', () => resolve('told'))
})

const folder = await mkdtemp(join(tmpdir(), 'letterloom-production-'))
const logs = join(folder, 'logs')
let adds = false
const good = await Promise.race([main(), shutdownRequest.then(() => adds)]).catch(
  (error: unknown) => {
    say(error instanceof Error ? error.message : String(error))
    return false
  },
)
const stoppedAt = performance.now()
for (const stop of stops.toReversed()) await stop()
for (const part of good ? [''] : ['app', 'next', 'postgres']) {
  await rm(join(folder, part), { recursive: true, force: true })
}
if (!good) say(`logs are in ${logs}`)
say(`stopped everything in ${seconds(stoppedAt)} s; ${seconds(startedAt)} s in all`)
// Whatever `main` was starting when it was told to stop ends with us.
process.exit(good ? 0 : 1)

async function main(): Promise<boolean> {
  const { cacheFolder } = readConfig().dev
  const image = imageEnvironment()
  const compose = readComposeFile(join(ROOT, 'docker-compose.yml'))
  const binaries = await findTemporalServer(cacheFolder, say)
  // As root, Postgres runs under another user, who must be able to come in.
  await chmod(folder, 0o755)
  await mkdir(logs)
  const app = options.app ?? (await assembleApp(join(folder, 'app')))

  const ports = {
    apis: await Promise.all(
      Array.from({ length: APIS }, async () => ({
        api: await freePort(),
        internal: await freePort(),
      })),
    ),
    proxy: await freePort(),
    sandbox: await freePort(),
    postgres: await freePort(),
    temporal: await freePort(),
  }
  if (!hasProxy) say('haproxy is not installed: callers reach the first API process only')
  const apiUrl = `http://127.0.0.1:${hasProxy ? ports.proxy : ports.apis[0]?.api}`
  /** The content of `.env`, and the passwords of two roles that are created below. */
  const variables = {
    LETTERLOOM_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    PUBLIC_URL: apiUrl,
    POSTGRES_PASSWORD: 'unused: this superuser has a password of its own',
    LETTERLOOM_DATABASE_PASSWORD: randomBytes(24).toString('hex'),
    LETTERLOOM_API_DATABASE_PASSWORD: randomBytes(24).toString('hex'),
    LETTERLOOM_WORKER_DATABASE_PASSWORD: randomBytes(24).toString('hex'),
    TEMPORAL_DATABASE_PASSWORD: randomBytes(24).toString('hex'),
    ...SANDBOX_CREDENTIALS,
  }

  /** Environment of a service, with its neighbours on loopback. */
  const environment = (name: string, own: Record<string, string> = {}): Record<string, string> => {
    const { PATH = '' } = process.env
    const settings = Object.entries(environmentOf(service(name), variables)).map(([key, value]) => [
      key,
      /(HOST|SEEDS|BIND_ON_IP)$/.test(key)
        ? '127.0.0.1'
        : value
            .replace('@postgres:5432/', `@127.0.0.1:${ports.postgres}/`)
            .replace(/^temporal:7233$/, `127.0.0.1:${ports.temporal}`),
    ])
    // Here they share one machine, and so one loopback.
    const internal = { INTERNAL_PORT: '0' }
    return { PATH, HOME: folder, ...image, ...Object.fromEntries(settings), ...internal, ...own }
  }
  const service = (name: string): Service => {
    const composeService = compose.services[name]
    if (!composeService) throw new Error(`docker-compose.yml has no service ${name}`)
    return composeService
  }
  /** Combines the Dockerfile's ENTRYPOINT with the service's `command`. */
  const commandOf = (name: string): string[] => {
    const { entrypoint = ['node', 'dist/src/main/cli.js'], command = [] } = service(name)
    return [...entrypoint, ...command].map((word) => word.replace(/(?<=^|=)\/setup\//, toolsFolder))
  }
  const toolsFolder = join(ROOT, 'tools/production/')

  /** Runs a one-shot service and returns its output. Throws its last output if it fails. */
  const finish = async (
    name: string,
    argv: string[],
    env: Record<string, string>,
    cwd = app,
  ): Promise<string> => {
    const [command = '', ...args] = argv
    const lines: string[] = []
    const began = performance.now()
    const log = (line: string): void => void lines.push(line)
    const child = await startChild({ command, args, env, cwd, farewell: FAREWELL, log })
    const { code } = await child.exited
    if (code !== 0) throw new Error(`${name} failed (${code}):\n${child.lastLines()}`)
    say(`${name}: done in ${seconds(began)} s`)
    return lines.join('\n')
  }
  const start = async (name: string, argv: string[], env: Record<string, string>, cwd = app) => {
    const [command = '', ...args] = argv
    const out = createWriteStream(join(logs, `${name}.log`), { flags: 'a' })
    const log = (line: string): void => void out.write(`${line}\n`)
    const child = await startChild({ command, args, env, cwd, farewell: FAREWELL, log })
    stops.push(() => child.stop())
    // Nothing is started again here: one that dies is a finding.
    void child.exited.then(({ code, signal }) => {
      if (code !== 0) say(`${name} ended (${signal ?? code}):\n${child.lastLines()}`)
    })
    return child
  }

  // postgres
  const postgresAt = performance.now()
  const postgres = await startPostgres({
    folder: join(folder, 'postgres'),
    port: ports.postgres,
    log: () => {},
    settings: settingsOf(service('postgres')),
    preferEmbedded: options.embedded,
  })
  stops.push(() => postgres.stop())
  say(`postgres ${postgres.major}: ready after ${seconds(postgresAt)} s`)

  // databases, twice: what runs at each start must find nothing to do. So below, too.
  const superuser = new URL(postgres.url)
  const databases = environment('databases', {
    PGPORT: String(ports.postgres),
    PGUSER: superuser.username,
    PGPASSWORD: superuser.password,
  })
  for (const name of ['databases', 'databases again']) {
    await finish(name, commandOf('databases'), databases)
  }

  // temporal-schema
  const schema = environment('temporal-schema', { SQL_PORT: String(ports.postgres) })
  schema['PATH'] = `${binaries}:${schema['PATH']}`
  for (const name of ['temporal-schema', 'temporal-schema again']) {
    await finish(name, commandOf('temporal-schema'), schema)
  }

  // temporal
  const temporalAt = performance.now()
  const temporal = await start(
    'temporal',
    [join(binaries, 'temporal-server'), 'start'],
    environment('temporal', {
      DB_PORT: String(ports.postgres),
      DYNAMIC_CONFIG_FILE_PATH: join(toolsFolder, 'temporal-dynamic-config.yaml'),
      ...(await temporalPorts(ports.temporal)),
    }),
  )
  const connection = await connectWhenReady(temporal, ports.temporal, 'The Temporal server')
  await connection.close()
  say(`temporal: ready after ${seconds(temporalAt)} s`)

  // temporal-namespace
  for (const name of ['temporal-namespace', 'temporal-namespace again']) {
    say(await finish(name, commandOf('temporal-namespace'), environment('temporal-namespace')))
  }

  // migrate, and the first organization, as the operator makes it
  for (const name of ['migrate', 'migrate again']) {
    say(await finish(name, commandOf('migrate'), environment('migrate')))
  }
  const organization = await finish(
    'org create',
    ['node', 'dist/src/main/cli.js', 'org', 'create', '--name', 'First', '--owner-email', 'o@x.co'],
    environment('worker'),
  )
  const [firstKey] = /loom_\w+/.exec(organization) ?? []
  if (firstKey === undefined) throw new Error(`org create shows no key:\n${organization}`)

  // AWS's place is taken by the sandbox.
  const sandboxUrl = `http://127.0.0.1:${ports.sandbox}`
  await start(
    'sandbox',
    ['node', 'dist/src/main/cli.js', 'sandbox'],
    environment('migrate', { SANDBOX_PORT: String(ports.sandbox) }),
  )
  const programsAt = performance.now()
  const startApi = async (own: ApiPorts, cwd?: string): Promise<Child> => {
    const settings = { PORT: String(own.api), INTERNAL_PORT: String(own.internal) }
    const env = environment('api', settings)
    const api = await start(`api-${own.api}`, commandOf('api'), env, cwd)
    await answers(`http://127.0.0.1:${own.internal}/readyz`, api)
    return api
  }
  const startWorker = async (number: number, cwd?: string): Promise<Child> => {
    const port = await freePort()
    const env = environment('worker', { AWS_ENDPOINT_URL: sandboxUrl, INTERNAL_PORT: String(port) })
    const worker = await start(`worker-${number}`, commandOf('worker'), env, cwd)
    await answers(`http://127.0.0.1:${port}/readyz`, worker)
    return worker
  }
  const apis = new Map<ApiPorts, Child>()
  for (const own of ports.apis) apis.set(own, await startApi(own))
  const workers = new Map<number, Child>()
  for (let number = 1; number <= WORKERS; number++) workers.set(number, await startWorker(number))
  await answers(`${sandboxUrl}/_sandbox/faults`)
  if (hasProxy) {
    const log = (): void => {}
    const proxyFolder = join(folder, 'proxy')
    await mkdir(proxyFolder)
    const settings = { folder: proxyFolder, port: ports.proxy, apis: ports.apis, log }
    const proxy = await startProxy(settings)
    stops.push(() => proxy.stop())
    await answers(`${apiUrl}/health`, proxy)
  }
  say(`${APIS} APIs and ${WORKERS} workers: up after ${seconds(programsAt)} s`)
  const me = await fetch(`${apiUrl}/v1/contacts`, {
    headers: { authorization: `Bearer ${firstKey}` },
  })
  if (!me.ok) throw new Error(`the key of org create: ${me.status} ${await me.text()}`)

  const databaseUrl = environment('worker')['DATABASE_URL'] ?? ''
  const sql = connect(databaseUrl, {
    name: 'letterloom-production-run',
    role: 'letterloom_worker',
    max: 2,
  })
  stops.push(() => sql.end())
  // All that the job uses of a system started by `startSystem`.
  const system = { sql, apiUrl, sandboxUrl }
  const job = { contacts: Number(options.contacts), rate: Number(options.rate), say }
  const replaced: Check[] = []
  const sendAndReplace = async (): Promise<JobResult> => {
    const next = await assembleNext(app, join(folder, 'next'))
    const admin = connect(postgres.url, {
      name: 'letterloom-production-admin',
      max: 2,
      statementTimeoutMs: LONGEST_STATEMENT_MS,
    })
    stops.push(() => admin.end())
    const filledAt = performance.now()
    await fill(admin, Number(options.rows))
    say(`${options.rows} rows of contacts and of the ledger: there after ${seconds(filledAt)} s`)
    const inTurn = <Key>(
      programs: Map<Key, Child>,
      again: (key: Key, cwd: string) => Promise<Child>,
    ): (() => Promise<void>)[] =>
      [...programs].map(([key, former]) => async () => {
        await former.stop()
        programs.set(key, await again(key, next))
      })
    const steps: Step[] = [
      {
        name: 'migrated',
        run: () => finish('migrate', commandOf('migrate'), environment('migrate'), next),
      },
      ...inTurn(apis, startApi).map((run) => ({ name: 'an API replaced', run })),
      ...inTurn(workers, startWorker).map((run) => ({ name: 'a worker replaced', run })),
    ]
    const rate = Number(options.requests)
    let begin = (): void => {}
    const begun = new Promise<void>((resolve) => (begin = resolve))
    const onProgress = ({ sent }: { sent: number }): void => void (sent > 0 && begin())
    const sending = runMainJob(system, { ...job, onProgress })
    await Promise.race([begun, sending])
    replaced.push(...(await replaceUnderLoad({ apiUrl, sql, admin, steps, rate, say })))
    return sending
  }
  const result = await (options.replace ? sendAndReplace() : runMainJob(system, job))
  const programs = [...apis.values(), ...workers.values()]
  const dead = programs.filter((program) => program.hasExited()).length
  if (dead > 0) say(`${dead} of ${programs.length} programs died on the way`)
  adds = report({ ...result, checks: [...result.checks, ...replaced] }) && dead === 0
  if (options.keep) {
    say(`API ${apiUrl} (key ${result.apiKey}), sandbox ${sandboxUrl}, logs ${logs}`)
    await shutdownRequest
  }
  return adds
}

/**
 * Assembles the image's /app folder. It is built aside, so that a build in the checkout does not
 * disturb this run. Only node_modules is that of the checkout.
 */
async function assembleApp(app: string): Promise<string> {
  const tsc = join(ROOT, 'node_modules/.bin/tsc')
  await mkdir(join(app, 'tools/production'), { recursive: true })
  await symlink(join(ROOT, 'node_modules'), join(app, 'node_modules'))
  for (const part of ['package.json', 'migrations', 'tools/production/namespace.mjs']) {
    await cp(join(ROOT, part), join(app, part), { recursive: true })
  }
  const build = { env: { PATH: process.env['PATH'] ?? '' }, log: say }
  await runJob({
    ...build,
    title: 'compiling',
    command: tsc,
    args: ['-p', join(ROOT, 'tsconfig.build.json'), '--outDir', join(app, 'dist')],
    cwd: ROOT,
  })
  await runJob({
    ...build,
    title: 'bundling the workflows',
    command: process.execPath,
    args: [join(app, 'dist/src/main/programs/bundle.js')],
    cwd: app,
  })
  return app
}

/** Environment variables of the Dockerfile. */
function imageEnvironment(): Record<string, string> {
  const lines = readFileSync(join(ROOT, 'Dockerfile'), 'utf8').matchAll(/^ENV (.+)$/gm)
  const pairs = [...lines].flatMap(([, line = '']) =>
    line.split(' ').map((pair) => pair.split('=')),
  )
  return Object.fromEntries(pairs)
}

/** The `-c name=value` settings of the service's command. */
function settingsOf({ command = [] }: Service): Record<string, string> {
  const settings = command.filter((word) => word.includes('=')).map((word) => word.split('='))
  return Object.fromEntries(settings)
}

/** The server listens on ten ports, which a container has to itself. */
async function temporalPorts(frontend: number): Promise<Record<string, string>> {
  const ports: Record<string, string> = { FRONTEND_GRPC_PORT: String(frontend) }
  for (const name of ['FRONTEND_MEMBERSHIP', 'FRONTEND_HTTP']) {
    ports[`${name}_PORT`] = String(await freePort())
  }
  for (const name of ['MATCHING', 'HISTORY', 'WORKER']) {
    ports[`${name}_GRPC_PORT`] = String(await freePort())
    ports[`${name}_MEMBERSHIP_PORT`] = String(await freePort())
  }
  return ports
}

async function answers(url: string, child?: Child): Promise<void> {
  const until = Date.now() + READY_MS
  for (;;) {
    const ok = await fetch(url).then(
      (response) => response.ok,
      () => false,
    )
    if (ok) return
    if (child?.hasExited() || Date.now() > until) throw new Error(`${url} does not answer`)
    await sleep(100)
  }
}

function report({ batch, checks, sendSeconds }: JobResult): boolean {
  const wrong = checks.filter(({ expected: wanted, actual: found }) => wanted !== found)
  const rate = (batch.sent / sendSeconds).toFixed(0)
  say(`\nbatch ${batch.id}: ${batch.status} in ${sendSeconds.toFixed(1)} s, ${rate} mails a second`)
  for (const { what, expected: wanted, actual: found } of checks) {
    const verdict = wanted === found ? '' : `   WANTED ${wanted}`
    say(`  ${what.padEnd(30)}${String(found).padStart(8)}${verdict}`)
  }
  say(
    wrong.length === 0 ? `All ${checks.length} figures add up.\n` : `${wrong.length} are wrong.\n`,
  )
  return wrong.length === 0
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

function seconds(since: number): string {
  return ((performance.now() - since) / 1000).toFixed(1)
}
