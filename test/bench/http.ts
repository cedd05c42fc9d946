/**
 * What the API adds to a query: GET /v1/contacts/{id} through everything, as a ratio to a bare
 * Fastify route that asks the same SELECT of the driver's own pool and sends its row.
 *
 *   npm run build && npx tsx test/bench/http.ts [rounds] [seconds]
 *     [--organizations 100] [--events] [--profile folder]
 *
 * `--organizations`: so many ask in turn. `--events`: single POST /v1/events of many contacts,
 * beside a route that inserts the event. Logs are written to a pipe, as in production.
 * One process each, compiled, on one core; this process loads them in turn, round after round, so
 * that a busy machine is busy for both. A Postgres of its own is thrown away afterwards.
 */
import { type ChildProcess, fork, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import autocannon from 'autocannon'
import fastify from 'fastify'
import postgres from 'postgres'
import { childEnvironment } from '../../src/config.ts'
import { freePort } from '../../src/main/dev/ports.ts'
import { startPostgres } from '../../src/main/dev/postgres.ts'
import { uuidv7 } from '../../src/runtime/ids.ts'
import { createOrganization } from '../../src/core/access/organizations.ts'
import type * as Contacts from '../../src/store/contacts/contacts.ts'
import { loginUrl, makeLogins } from '../../src/store/db/logins.ts'
import { migrate } from '../../src/store/db/migrate.ts'
import { connect, type Sql } from '../../src/store/db/sql.ts'
import { seedContacts } from '../support/seed.ts'
import { newKeyringText } from '../../src/keys/tokens.ts'

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    profile: { type: 'string' },
    organizations: { type: 'string', default: '1' },
    events: { type: 'boolean', default: false },
  },
})
const [rounds = 7, seconds = 2] = positionals.map(Number)
const CONNECTIONS = 32
/** Contacts of each organization, of which events come in turn. */
const CONTACTS = 100
const WARM_SECONDS = 3
/** As `letterloom api` has it. */
const POOL_SIZE = 10
/** Of the kernel's clock in /proc, per second. */
const TICKS = 100
const SERVER_CORE = '0'
const LOAD_CORE = '1'

/** A contact, its organization, and a key of that. */
interface Asked {
  contactId: string
  /** Others of the organization. */
  contactIds: string[]
  organizationId: string
  key: string
}

/** The other side of the comparison; told by message which contact is whose, on which port. */
async function serveBare(): Promise<void> {
  const [{ databaseUrl, asked, port }] = (await once(process, 'message')) as [
    { databaseUrl: string; asked: Asked[]; port: number },
  ]
  const dist = new URL('../../dist/src/store/', import.meta.url)
  const contacts = (await import(new URL('contacts/contacts.js', dist).href)) as typeof Contacts
  const sql = postgres(databaseUrl, {
    max: POOL_SIZE,
    transform: { column: { to: postgres.fromCamel, from: postgres.toCamel } },
  }) as unknown as Sql
  const owners = new Map(asked.map(({ contactId, organizationId }) => [contactId, organizationId]))
  const app = fastify()
  app.get<{ Params: { id: string } }>('/v1/contacts/:id', ({ params: { id } }) =>
    contacts.find(sql, owners.get(id) ?? '', { id }),
  )
  app.post<{ Body: { contactId: string; name: string; properties: object } }>(
    '/v1/events',
    async ({ body: { contactId, name, properties } }) => {
      const organizationId = asked.find(({ contactIds }) =>
        contactIds.includes(contactId),
      )?.organizationId
      const id = uuidv7()
      await sql`
        insert into events (organization_id, id, contact_id, name, properties, occurred_at, received_at)
        values (${organizationId ?? ''}, ${id}, ${contactId}, ${name}, ${sql.json({ ...properties })}, now(), now())`
      return { success: true, eventId: id }
    },
  )
  await app.listen({ host: '127.0.0.1', port })
  process.once('disconnect', () => process.exit())
}

async function measure(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'letterloom-bench-'))
  // As root, Postgres runs under another user, who must be able to come in.
  await chmod(folder, 0o755)
  const server = await startPostgres({
    folder: join(folder, 'postgres'),
    port: await freePort(),
    log: () => {},
    settings: { fsync: 'off' },
  })
  await makeLogins(server.url)
  const sql = connect(server.url, { name: 'bench', max: 2 })
  const children: ChildProcess[] = []
  try {
    await migrate(sql)
    const asked: Asked[] = []
    for (let n = 0; n < Number(options.organizations); n++) asked.push(await seed(sql, n))
    const [fullPort, barePort] = [await freePort(), await freePort()]
    const full = fork(
      fileURLToPath(new URL('../../dist/src/main/cli.js', import.meta.url)),
      ['api'],
      {
        execArgv: options.profile ? ['--cpu-prof', `--cpu-prof-dir=${options.profile}`] : [],
        env: childEnvironment({
          DATABASE_URL: loginUrl(server.url, 'letterloom_api'),
          // A development key would be refused: this is a program of its own.
          LETTERLOOM_KEYS: newKeyringText().replace(/^dev:/, 'bench:'),
          INTERNAL_PORT: '0',
          PORT: String(fullPort),
          LOG_LEVEL: 'info',
        }),
        stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      },
    )
    full.stderr?.resume()
    const bare = fork(fileURLToPath(import.meta.url))
    children.push(full, bare)
    bare.send({ databaseUrl: server.url, asked, port: barePort })
    const questions = asked.map(({ contactId, key }) => ({
      path: `/v1/contacts/${contactId}`,
      headers: { authorization: `Bearer ${key}` },
    }))
    const requests = options.events ? asked.flatMap(eventsOf) : questions
    const subjects = [
      { name: 'full', child: full, url: `http://127.0.0.1:${fullPort}` },
      { name: 'bare', child: bare, url: `http://127.0.0.1:${barePort}` },
    ].map((subject) => ({ ...subject, rates: [] as number[], costs: [] as number[] }))
    const load = (url: string, duration: number) =>
      autocannon({ url, requests, connections: CONNECTIONS, duration })
    pin(process.pid, LOAD_CORE)
    for (const { child, url } of subjects) {
      pin(child.pid, SERVER_CORE)
      for (const { path, headers } of questions) await answers(`${url}${path}`, headers)
      await load(url, WARM_SECONDS)
    }
    for (let round = 0; round < rounds; round++) {
      for (const { child, url, rates, costs } of round % 2 ? subjects : subjects.toReversed()) {
        const before = cpuTicks(child.pid)
        const result = await load(url, seconds)
        const requests = result['2xx']
        if (result.non2xx > 0) throw new Error(`${url}: ${result.non2xx} refusals, by limits?`)
        rates.push(requests / result.duration)
        costs.push(((cpuTicks(child.pid) - before) / TICKS / requests) * 1e6)
      }
    }
    for (const { name, rates, costs } of subjects) {
      console.log(
        `${name}: ${Math.round(median(rates))} requests/s, ${median(costs).toFixed(0)} µs of processor time each`,
      )
    }
    const [left, right] = subjects
    const rate = median(left?.rates ?? []) / median(right?.rates ?? [])
    const cost = median(right?.costs ?? []) / median(left?.costs ?? [])
    console.log(
      `ratio full to bare: ${rate.toFixed(2)} by the clock, ${cost.toFixed(2)} by processor time`,
    )
  } finally {
    for (const child of children) {
      child.kill('SIGTERM')
      if (child.exitCode === null) await Promise.race([once(child, 'exit'), sleep(5_000)])
    }
    await sql.end()
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

async function seed(sql: Sql, n: number): Promise<Asked> {
  const { organizationId, key } = await createOrganization(sql, {
    name: `Bench ${n}`,
    ownerEmail: `owner${n}@example.com`,
    ownerName: 'Owner',
  })
  // More than any plan has, so that what is measured is answered and not refused.
  await sql`
    insert into plan_overrides (organization_id, requests_per_minute, requests_per_day,
      events_per_month)
    values (${organizationId}, 1000000000, 1000000000, 1000000000)`
  const contactId = uuidv7()
  await sql`
    insert into contacts (organization_id, id, email, email_status, first_name, properties)
    values (${organizationId}, ${contactId}, 'ada@example.com', 'active', 'Ada', '{"plan":"pro"}')`
  const contactIds = await seedContacts(sql, organizationId, CONTACTS)
  return { contactId, contactIds, organizationId, key }
}

const eventsOf = ({ contactIds, key }: Asked) =>
  contactIds.map((contactId) => ({
    method: 'POST' as const,
    path: '/v1/events',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'bought', contactId, properties: { amount: 5 } }),
  }))

/** Where `taskset` is missing the kernel decides. */
const pin = (pid: number | undefined, core: string): void =>
  void spawnSync('taskset', ['-a', '-pc', core, String(pid)])

/** User and system time of a process (proc(5), stat, fields 14 and 15). */
function cpuTicks(pid: number | undefined): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
  return Number(fields[11]) + Number(fields[12])
}

async function answers(url: string, headers: Record<string, string>): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    const status = await fetch(url, { headers }).then(
      (response) => response.status,
      () => 0,
    )
    if (status === 200) return
    await sleep(50)
  }
  throw new Error(`${url} does not answer`)
}

const median = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

if (process.send) await serveBare()
else await measure()
