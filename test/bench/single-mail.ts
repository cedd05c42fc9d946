/**
 * Single mail by API: how long it takes from accept to the provider, idle and beside a batch that
 * has the whole rate of its account, and how many one API process accepts.
 *
 *   npm run build && npx tsx test/bench/single-mail.ts [mails] [seconds beside the batch]
 *
 * The whole system runs for it, compiled, with production's timings, and is thrown away afterwards.
 */
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, createClient } from '../../src/client/index.ts'
import { readConfig } from '../../src/config.ts'
import { uuidv7 } from '../../src/runtime/ids.ts'
import { createOrganization } from '../../src/core/access/organizations.ts'
import { connectSandbox, SENDER, startSystem } from '../../src/main/dev/system.ts'
import { enqueue } from '../../src/store/mails/enqueue-mails.ts'
import { seedContacts } from '../support/seed.ts'

const [mails = 10_000, seconds = 20] = process.argv.slice(2).map(Number)
const SET = 100
const AT_ONCE = 4
const SINGLES = 400
/** Of the account of the batch; mails a second. */
const RATE = 14

const say = (line: string): void => void process.stdout.write(`${line}\n`)
const folder = await mkdtemp(join(tmpdir(), 'letterloom-single-mail-'))
// As root, Postgres runs under another user, who must be able to come in.
await chmod(folder, 0o755)
const system = await startSystem(readConfig(), folder, say, { timings: 'production' })
const { sql } = system

interface Tenant {
  client: Client
  organizationId: string
  connectionId: string
}

async function tenant(accountId: string, maxSendRate: number): Promise<Tenant> {
  const { organizationId, key } = await createOrganization(sql, {
    name: 'Receipts Ltd',
    ownerEmail: `${uuidv7()}@letterloom.example`,
    ownerName: 'Owner',
    plan: 'enterprise',
  })
  // What a plan allows a minute is not what is measured.
  await sql`
    insert into plan_overrides (organization_id, requests_per_minute, requests_per_day)
    values (${organizationId}, 1000000, 100000000)`
  const client = createClient({ baseUrl: system.apiUrl, token: key })
  const account = { accountId, maxSendRate, max24Hour: 1e8 }
  const connectionId = await connectSandbox(system, client, account)
  return { client, organizationId, connectionId }
}

const receipt = (n: number) => ({
  to: `reader-${n}@example.com`,
  from: SENDER,
  subject: 'Your receipt',
  html: '<p>Thank you for your order.</p>',
  text: 'Thank you for your order.',
})

const send = ({ client }: Tenant, n: number) => client.post('/v1/email/send', { body: receipt(n) })

/** Calls `work` for 0 to `count`, `AT_ONCE` at once; returns how many a second. */
async function perSecond(count: number, work: (n: number) => Promise<unknown>): Promise<number> {
  let next = 0
  const startedAt = performance.now()
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (next < count) await work(next++)
    }),
  )
  return count / ((performance.now() - startedAt) / 1_000)
}

/** From accept to the provider's answer, of the mails that were accepted since. */
async function latency(name: string, { organizationId }: Tenant, since: string): Promise<void> {
  for (;;) {
    const [row] = await sql<{ mails: number; open: number; p50: number; p95: number }[]>`
      select count(*) as mails, count(*) filter (where sent_at is null) as open,
        percentile_cont(0.5) within group (order by extract(epoch from sent_at - created_at)) as p50,
        percentile_cont(0.95) within group (order by extract(epoch from sent_at - created_at)) as p95
      from messages
      where organization_id = ${organizationId} and source = 'transactional'
        and created_at >= ${since}`
    if (row?.open === 0) {
      const ms = (value: number): string => `${(value * 1_000).toFixed(0)} ms`
      return say(`${name}: ${row.mails} mails, p50 ${ms(row.p50)}, p95 ${ms(row.p95)}`)
    }
    await sleep(200)
  }
}

async function trickle(from: Tenant, name: string, count: number, gapMs: number): Promise<void> {
  const since = new Date().toISOString()
  for (let n = 0; n < count; n++) {
    await send(from, n)
    await sleep(gapMs * (0.5 + Math.random()))
  }
  await latency(name, from, since)
}

try {
  const quick = await tenant('100000000001', 1_000)
  await send(quick, 0)
  await sleep(3_000)
  await trickle(quick, 'idle, dispatcher warm or waiting', 30, 1_000)

  const bare = await perSecond(SINGLES, (n) =>
    enqueue(sql, {
      organizationId: quick.organizationId,
      id: uuidv7(),
      source: 'transactional',
      connectionId: quick.connectionId,
      recipient: `bare-${n}@example.com`,
      from: SENDER,
      subject: 'Bare',
      text: 'Thanks',
    }),
  )
  const singly = await perSecond(SINGLES, (n) => send(quick, n))
  say(
    `single POSTs: ${singly.toFixed(0)}/s; bare inserts ${bare.toFixed(0)}/s: ${(singly / bare).toFixed(2)}`,
  )

  const since = new Date().toISOString()
  const inSets = await perSecond(mails / SET, (set) =>
    quick.client.post('/v1/email/send/batch', {
      body: { emails: Array.from({ length: SET }, (_, n) => receipt(set * SET + n)) },
    }),
  )
  say(`sets of ${SET}: ${(inSets * SET).toFixed(0)} mails/s accepted, while they are sent`)
  await latency('a burst', quick, since)

  const slow = await tenant('100000000002', RATE)
  await seedContacts(sql, slow.organizationId, RATE * seconds * 3)
  await slow.client.post('/v1/batch', {
    body: { audienceType: 'all', from: SENDER, subject: 'News', htmlContent: '<p>News</p>' },
  })
  await sleep(5_000)
  await trickle(slow, `beside a batch at ${RATE}/s`, seconds, 1_000)
} finally {
  await system.stop()
  await rm(folder, { recursive: true, force: true })
}
