/**
 * Taking delivery events by EventBridge's calls, from the socket into `inbound_events`, beside a
 * bare insert of the same payloads, and applying them:
 *
 *   npm run build && npx tsx test/bench/delivery-events.ts [events] [rounds]
 *
 * The API is a process of its own, compiled; real HTTP with keep-alive, every event another one and
 * about a mail that is there. A round takes the events by the route, and as many with statements of
 * two hundred rows, in turn. The rate of a core is by the processor time of the API. Then events
 * come at half of the rate, and what is counted is the time until each is acknowledged. A Postgres
 * of its own is thrown away afterwards.
 */
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'
import { createClient } from '../../src/client/index.ts'
import { applyEvents } from '../../src/core/delivery/apply-delivery-events.ts'
import { freePort } from '../../src/main/dev/ports.ts'
import { startPostgres } from '../../src/main/dev/postgres.ts'
import { uuidv7 } from '../../src/runtime/ids.ts'
import { createOrganization } from '../../src/core/access/organizations.ts'
import { migrate } from '../../src/store/db/migrate.ts'
import { createPartitions } from '../../src/store/db/partitions.ts'
import { connect } from '../../src/store/db/sql.ts'
import { newKeyringText, parseKeyring } from '../../src/keys/tokens.ts'
import { startApiProcess } from '../support/api-process.ts'
import { insertSent } from '../support/figures.ts'

const [events = 20_000, rounds = 3] = process.argv.slice(2).map(Number)
const CONNECTIONS = 64
const ROWS = 200
const HALF_RATE_SECONDS = 10
const ACCOUNT = { accountId: '123456789012', region: 'eu-west-1' }

const say = (line: string): void => void process.stdout.write(`${line}\n`)
const quantile = (values: readonly number[], part: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * part)] ?? Number.NaN

const folder = await mkdtemp(join(tmpdir(), 'letterloom-delivery-events-'))
// As root, Postgres runs under another user, who must be able to come in.
await chmod(folder, 0o755)
const server = await startPostgres({
  folder: join(folder, 'postgres'),
  port: await freePort(),
  log: () => {},
  settings: { fsync: 'off' },
})
const sql = connect(server.url, { name: 'bench', max: 4, statementTimeoutMs: 600_000 })
const keys = newKeyringText()
try {
  await migrate(sql)
  await createPartitions(sql)
  const { organizationId, key } = await createOrganization(sql, {
    name: 'Bench',
    ownerEmail: 'owner@example.com',
    ownerName: 'Owner',
    plan: 'enterprise',
  })
  const api = await startApiProcess(server.url, { LETTERLOOM_KEYS: keys })
  const client = createClient({ baseUrl: api.url, token: key })
  const made = await client.post('/v1/connections', { body: ACCOUNT })
  const { connectionId, webhookSecret } = made
  if (webhookSecret === null) throw new Error('the secret is shown once')
  await sql`update connections set is_verified = true where id = ${connectionId}`
  const seeded = { organizationId, connectionId }
  const http = new Pool(api.url, { connections: CONNECTIONS })
  const rates = { route: [] as number[], core: [] as number[], bare: [] as number[] }
  for (let round = -1; round < rounds; round++) {
    const ways = [byRoute, byInsert]
    for (const way of round % 2 === 0 ? ways : ways.toReversed()) await way(round >= 0)
  }
  const route = quantile(rates.route, 0.5)
  const bare = quantile(rates.bare, 0.5)
  say(
    `by the route ${route.toFixed(0)}/s (${quantile(rates.core, 0.5).toFixed(0)} per second of the API's processor time)`,
  )
  say(`bare inserts of ${ROWS} rows ${bare.toFixed(0)}/s: ${(route / bare).toFixed(2)}`)
  await atHalf(route / 2)
  await http.close()
  await api.stop()
  await applyAll()

  /** Two events of each of so many mails, as EventBridge sends them. */
  async function payloads(count: number): Promise<string[]> {
    const sentAt = new Date().toISOString()
    const mails = Array.from({ length: Math.ceil(count / 2) }, () => ({ sentAt }))
    const rows = await insertSent(sql, seeded, mails)
    return rows
      .flatMap(({ bucket, id }) => [
        envelope('Delivery', `${bucket}_${id}`, {
          processingTimeMillis: 812,
          smtpResponse: '250 2.0.0 OK',
          reportingMTA: 'a8-50.smtp-out.amazonses.com',
        }),
        envelope('Open', `${bucket}_${id}`, {
          ipAddress: '192.0.2.7',
          userAgent:
            'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
        }),
      ])
      .slice(0, count)
  }

  function envelope(kind: 'Delivery' | 'Open', tag: string, part: object): string {
    const timestamp = new Date().toISOString()
    return JSON.stringify({
      version: '0',
      id: uuidv7(),
      'detail-type': `Email ${kind}`,
      source: 'aws.ses',
      account: ACCOUNT.accountId,
      time: timestamp,
      region: ACCOUNT.region,
      resources: [
        `arn:aws:ses:${ACCOUNT.region}:${ACCOUNT.accountId}:configuration-set/letterloom`,
      ],
      detail: {
        eventType: kind,
        mail: {
          timestamp,
          source: 'News <news@letterloom.example>',
          sourceArn: `arn:aws:ses:${ACCOUNT.region}:${ACCOUNT.accountId}:identity/letterloom.example`,
          sendingAccountId: ACCOUNT.accountId,
          messageId: tag.slice(-24),
          destination: ['reader@example.com'],
          headersTruncated: false,
          headers: ['From', 'To', 'Subject', 'MIME-Version', 'List-Unsubscribe'].map((name) => ({
            name,
            value: 'a value of forty characters or thereabout',
          })),
          commonHeaders: {
            from: ['News <news@letterloom.example>'],
            to: ['reader@example.com'],
            subject: 'News',
          },
          tags: {
            'letterloom-message': [tag],
            'letterloom-organization': [organizationId],
            'ses:configuration-set': ['letterloom'],
          },
        },
        [kind.toLowerCase()]: { timestamp, ...part },
      },
    })
  }

  async function byRoute(isMeasured: boolean): Promise<void> {
    const bodies = await payloads(events)
    const [begin, cpu] = [performance.now(), api.cpuSeconds()]
    let next = 0
    await Promise.all(
      Array.from({ length: CONNECTIONS }, async () => {
        while (next < bodies.length) await post(bodies[next++] ?? '')
      }),
    )
    if (!isMeasured) return
    rates.route.push(events / ((performance.now() - begin) / 1_000))
    rates.core.push(events / (api.cpuSeconds() - cpu))
  }

  async function post(body: string): Promise<void> {
    const { statusCode, body: answer } = await http.request({
      method: 'POST',
      path: `/webhooks/ses/${ACCOUNT.accountId}`,
      headers: { 'content-type': 'application/json', 'x-webhook-secret': webhookSecret ?? '' },
      body,
    })
    const text = await answer.text()
    if (statusCode !== 200 || !text.includes('processed')) throw new Error(`${statusCode} ${text}`)
  }

  async function byInsert(isMeasured: boolean): Promise<void> {
    const bodies = await payloads(events)
    const begin = performance.now()
    for (let from = 0; from < bodies.length; from += ROWS) {
      const page = bodies.slice(from, from + ROWS)
      await sql`
        insert into inbound_events (organization_id, connection_id, envelope_id, body)
        select ${organizationId}, ${connectionId}, id, body::jsonb
        from unnest(${page.map(() => uuidv7())}::text[], ${page}::text[]) as given (id, body)`
    }
    if (isMeasured) rates.bare.push(events / ((performance.now() - begin) / 1_000))
  }

  /** Requests begin when they are due, whether those before were answered or not. */
  async function atHalf(perSecond: number): Promise<void> {
    const bodies = await payloads(Math.round(perSecond * HALF_RATE_SECONDS))
    const took: number[] = []
    const begin = performance.now()
    const all: Promise<void>[] = []
    for (const [n, body] of bodies.entries()) {
      const due = begin + (n * 1_000) / perSecond
      if (due > performance.now()) await sleep(due - performance.now())
      all.push(post(body).then(() => void took.push(performance.now() - due)))
    }
    await Promise.all(all)
    const ms = (part: number): string => `${quantile(took, part).toFixed(1)} ms`
    say(
      `at half of that, ${perSecond.toFixed(0)}/s: acknowledged within p50 ${ms(0.5)}, p99 ${ms(0.99)}`,
    )
  }

  async function applyAll(): Promise<void> {
    await sql`analyze messages`
    const keyring = parseKeyring(keys)
    const begin = performance.now()
    let applied = 0
    for (let count = -1; count !== 0; applied += count) count = await applyEvents(sql, keyring)
    say(
      `applied ${applied} by one applier: ${(applied / ((performance.now() - begin) / 1_000)).toFixed(0)}/s`,
    )
  }
} finally {
  await sql.end()
  await server.stop()
  await rm(folder, { recursive: true, force: true })
}
