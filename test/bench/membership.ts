/**
 * What kept segments cost and how fresh they are, through the whole API in this process, with a
 * worker's loop in another one:
 *
 * - contacts that are changed a second, one by one and in sets of 100, in an organization with 20
 *   kept segments, as a ratio to one without
 * - at so many changes a second, the time from the answer to a change until the execution that it
 *   starts can be read
 *
 *   npx tsx test/bench/membership.ts [rounds] [contacts] [changes a second] [seconds] [set]
 *
 * `set`: changes of one request there. One by one this process does not make 500 a second on two
 * cores, of which the worker and Postgres have their share.
 *
 * Both organizations in turn, round after round, so that a busy machine is busy for both. A
 * Postgres of its own is thrown away afterwards.
 */
import { fork } from 'node:child_process'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { buildApp } from '../../api/app.ts'
import { createMetrics } from '../../api/http/metrics.ts'
import { createLimiter } from '../../api/limits/limiter.ts'
import { freePort } from '../../src/main/dev/ports.ts'
import { startPostgres } from '../../src/main/dev/postgres.ts'
import type { Condition, Filter } from '../../src/domain/audience/condition.ts'
import { uuidv7 } from '../../src/runtime/ids.ts'
import { createOrganization } from '../../src/core/access/organizations.ts'
import { processRenderer } from '../../src/mail/renderer.ts'
import { makeLogins } from '../../src/store/db/logins.ts'
import { migrate } from '../../src/store/db/migrate.ts'
import { createPartitions } from '../../src/store/db/partitions.ts'
import { connect, type Sql } from '../../src/store/db/sql.ts'
import { newKeyringText, parseKeyring } from '../../src/keys/tokens.ts'
import { watchSegment } from '../support/membership.ts'
import { directAsker } from '../support/provider.ts'
import { seedContacts } from '../support/seed.ts'
import { offlineFetcher, offlineToolbox } from '../support/toolbox.ts'
import { connectAs } from '../support/logins.ts'

const [rounds = 6, count = 20_000, perSecond = 500, seconds = 10, set = 1] = process.argv
  .slice(2)
  .map(Number)
const CALLERS = 6
/** Changes of one round. */
const SINGLE = 600
const SETS = 12
const SET = 100
const PROGRAM = fileURLToPath(new URL('../support/membership-process.ts', import.meta.url))

const of = (...filters: Filter[]): Condition => ({ logic: 'AND', groups: [{ filters }] })
const SEGMENTS: Condition[] = [
  of({ field: 'properties.plan', operator: 'equals', value: 'pro' }),
  ...Array.from({ length: 9 }, (_, n) =>
    of({ field: 'properties.visits', operator: 'greaterThan', value: n * 100 }),
  ),
  of({ field: 'topics', operator: 'hasTopic', value: 'news' }),
  of({ field: 'topics', operator: 'notHasTopic', value: 'news' }),
  of({ field: 'event.bought', operator: 'triggered' }),
  of({ field: 'event.bought', operator: 'triggeredAtLeast', value: 3 }),
  of({ field: 'event.bought', operator: 'triggeredWithin', value: 30, unit: 'days' }),
  of({ field: 'emailStatus', operator: 'equals', value: 'active' }),
  of({ field: 'emailsOpened', operator: 'greaterThan', value: 2 }),
  of({ field: 'createdAt', operator: 'within', value: 7, unit: 'days' }),
  of({ field: 'email', operator: 'endsWith', value: '@example.com' }),
  of(
    { field: 'properties.plan', operator: 'equals', value: 'pro' },
    { field: 'event.bought', operator: 'notTriggered' },
  ),
]

interface Side {
  organizationId: string
  key: string
  ids: string[]
}

const folder = await mkdtemp(join(tmpdir(), 'letterloom-membership-'))
// As root, Postgres runs under another user, who must be able to come in.
await chmod(folder, 0o755)
const server = await startPostgres({
  folder: join(folder, 'postgres'),
  port: await freePort(),
  log: () => {},
  settings: { fsync: 'off' },
})
await makeLogins(server.url)
const sql = connect(server.url, { name: 'bench', max: 4 })
const apiSql = connectAs(server.url, { name: 'bench-api', role: 'letterloom_api', max: 10 })
const searchSql = connectAs(server.url, { name: 'bench-search', role: 'letterloom_search', max: 2 })
const limiter = createLimiter({
  open: () => connectAs(server.url, { name: 'bench-limiter', role: 'letterloom_api', max: 2 }),
  log: { error: () => {} },
})
await migrate(sql)
await createPartitions(sql)
const app = await buildApp({
  sql: apiSql,
  searchSql,
  keyring: parseKeyring(newKeyringText()),
  publicUrl: 'https://mail.example.com',
  sendsNotices: false,
  version: '0',
  log: { level: 'silent' },
  metrics: createMetrics(),
  trustedProxies: [],
  corsOrigins: [],
  renderer: processRenderer(),
  limiter,
  now: Date.now,
  pause: async () => {},
  principalArn: undefined,
  asker: directAsker(apiSql),
  toolbox: offlineToolbox(),
  fetcher: offlineFetcher,
  receiving: { refused: () => {} },
  allowsHttpHooks: false,
  console: undefined,
  mostLoopDelayMs: Number.POSITIVE_INFINITY,
})
const without = await organization('without')
const kept = await organization('with')
for (const condition of SEGMENTS) await watchSegment(sql, kept.organizationId, condition)
await sql`vacuum analyze`
// It is never killed here.
const worker = fork(PROGRAM, [server.url, '1e300'], { execArgv: ['--import', 'tsx'] })
try {
  await settled()
  await measureWrites()
  await measureFreshness()
} finally {
  worker.kill('SIGKILL')
  await app.close()
  await limiter.close()
  await Promise.all([sql, apiSql, searchSql].map((pool) => pool.end()))
  await server.stop()
  await rm(folder, { recursive: true, force: true })
}

async function organization(name: string): Promise<Side> {
  const made = await createOrganization(sql, {
    name,
    ownerEmail: `${name}@example.com`,
    ownerName: 'Owner',
    plan: 'enterprise',
  })
  const { organizationId, key } = made
  await sql`
    insert into plan_overrides (organization_id, requests_per_minute, requests_per_day)
    values (${organizationId}, 1000000000, 1000000000)`
  const ids = await seedContacts(sql, organizationId, count)
  await sql`
    insert into events (organization_id, id, contact_id, name, occurred_at)
    select ${organizationId}, id, contact_id, 'bought', now()
    from unnest(${ids.map(() => uuidv7())}::uuid[], ${ids.map((_, n) => ids[n % 7_000] ?? '')}::uuid[])
      as event (id, contact_id)`
  return { organizationId, key, ids }
}

async function ask(side: Side, method: 'PATCH' | 'POST', url: string, payload: object) {
  const headers = { authorization: `Bearer ${side.key}` }
  const { statusCode, body } = await app.inject({ method, url, headers, payload })
  if (statusCode !== 200) throw new Error(`${url}: ${statusCode} ${body}`)
}

/** All that is marked has been evaluated, and nothing is to be scanned. */
async function settled(): Promise<void> {
  for (;;) {
    const [left] = await sql`
      select
      where exists (select from dirty_contacts)
        or exists (select from kept_segments where not is_scanned)`
    if (!left) return
    await sleep(20)
  }
}

async function measureWrites(): Promise<void> {
  let turn = 0
  const someone = (side: Side) => side.ids[(turn++ * 7_919) % count] ?? ''
  const properties = () => ({ plan: turn % 2 ? 'pro' : 'free', visits: turn % 1_000 })
  const ways = {
    'one by one': (side: Side) =>
      inTurn(SINGLE, () =>
        ask(side, 'PATCH', `/v1/contacts/${someone(side)}`, { properties: properties() }),
      ),
    'in sets of 100': (side: Side) =>
      inTurn(SETS, () => {
        const contacts = Array.from({ length: SET }, () => ({
          email: `reader-${1 + ((turn * 7_919) % count)}@example.com`,
          properties: (turn++, properties()),
        }))
        return ask(side, 'POST', '/v1/contacts/batch', { contacts })
      }),
  }
  for (const [name, act] of Object.entries(ways)) {
    const times = new Map<Side, number[]>([
      [without, []],
      [kept, []],
    ])
    for (let round = -1; round < rounds; round++) {
      for (const side of round % 2 ? [without, kept] : [kept, without]) {
        const began = performance.now()
        await act(side)
        if (round >= 0) times.get(side)?.push(performance.now() - began)
        await settled()
      }
    }
    const [bare, ours] = [median(times.get(without) ?? []), median(times.get(kept) ?? [])]
    const size = name === 'one by one' ? SINGLE : SETS * SET
    const rate = (ms: number) => Math.round((size / ms) * 1_000)
    console.log(
      `${name}: ${rate(bare)} contacts a second without kept segments, ${rate(ours)} with ${SEGMENTS.length}; ratio ${(bare / ours).toFixed(2)}`,
    )
  }
}

/** Several callers, each with one request at a time. */
async function inTurn(requests: number, act: () => Promise<unknown>): Promise<void> {
  let left = requests
  const caller = async () => {
    while (left-- > 0) await act()
  }
  await Promise.all(Array.from({ length: CALLERS }, caller))
}

async function measureFreshness(): Promise<void> {
  const wanted = Math.min(count, perSecond * seconds)
  const ids = kept.ids.slice(0, wanted)
  // Nobody is in the first segment: each change is an entry.
  await sql`
    update contacts set properties = '{}' where organization_id = ${kept.organizationId}`
  await settled()
  await sql`delete from executions`
  const answeredAt = new Map<string, number>()
  const seenAt = new Map<string, number>()
  let isOver = false
  const watching = watchExecutions(sql, seenAt, () => isOver)
  const began = performance.now()
  let next = 0
  await Promise.all(
    Array.from({ length: CALLERS }, async () => {
      while (next < ids.length) {
        const from = next
        next += set
        const early = began + (from / perSecond) * 1_000 - performance.now()
        if (early > 0) await sleep(early)
        const some = ids.slice(from, next)
        await becomePro(some, from)
        for (const id of some) answeredAt.set(id, performance.now())
      }
    }),
  )
  const took = (performance.now() - began) / 1_000
  await settled()
  await sleep(200)
  isOver = true
  await watching
  const delays = [...answeredAt].map(([id, at]) => Math.max(0, (seenAt.get(id) ?? Infinity) - at))
  const at = (part: number) => delays.toSorted((a, b) => a - b)[Math.ceil(delays.length * part) - 1]
  console.log(
    `${Math.round(ids.length / took)} changes a second for ${took.toFixed(0)} s: an execution is there after ${[0.5, 0.99, 1].map((part) => `${at(part)?.toFixed(0)} ms (p${part * 100})`).join(', ')}`,
  )
}

/** Contacts of `kept`, the first of which is the one of that number. */
async function becomePro(ids: readonly string[], from: number): Promise<void> {
  const properties = { plan: 'pro' }
  if (set === 1) return ask(kept, 'PATCH', `/v1/contacts/${ids[0]}`, { properties })
  const contacts = ids.map((_, n) => ({ email: `reader-${from + n + 1}@example.com`, properties }))
  await ask(kept, 'POST', '/v1/contacts/batch', { contacts })
}

/** When the first execution of each contact could be read. */
async function watchExecutions(
  reader: Sql,
  seenAt: Map<string, number>,
  isOver: () => boolean,
): Promise<void> {
  while (!isOver()) {
    const rows = await reader<{ contactId: string }[]>`
      select distinct contact_id
      from executions
      where created_at > clock_timestamp() - interval '5 seconds'`
    const now = performance.now()
    for (const { contactId } of rows) if (!seenAt.has(contactId)) seenAt.set(contactId, now)
    await sleep(20)
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}
