/**
 * A month of email metrics by day and domain, with few and with many log rows under it, beside the
 * same question to the log itself, and what keeping the figures costs the applier of delivery
 * events:
 *
 *   npx tsx test/bench/metrics.ts [log rows] [events] [rounds]
 *
 * The figures are of ten million mails: twenty kinds of mail in each quarter of an hour. Events are
 * applied in sets with and without the triggers that count, in turn. A Postgres of its own is
 * thrown away afterwards.
 */
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { emailMetrics } from '../../src/core/metrics/email-metrics.ts'
import { applyEvents } from '../../src/core/delivery/apply-delivery-events.ts'
import { freePort } from '../../src/main/dev/ports.ts'
import { startPostgres } from '../../src/main/dev/postgres.ts'
import { bucketStart, type Uuid, uuidv7 } from '../../src/runtime/ids.ts'
import { migrate } from '../../src/store/db/migrate.ts'
import { createPartitions } from '../../src/store/db/partitions.ts'
import { connect } from '../../src/store/db/sql.ts'
import { newKeyringText, parseKeyring } from '../../src/keys/tokens.ts'
import { insertSent } from '../support/figures.ts'
import { type Seeded, seedOrganization } from '../support/seed.ts'

const [logRows = 200_000, events = 4_000, rounds = 10] = process.argv.slice(2).map(Number)
const DAY_MS = 86_400_000
const DAYS = 30
const KINDS = 20
const MAILS = 10_000_000
const keyring = parseKeyring(newKeyringText())

const say = (line: string): void => void process.stdout.write(`${line}\n`)
const median = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

const folder = await mkdtemp(join(tmpdir(), 'letterloom-metrics-'))
// As root, Postgres runs under another user, who must be able to come in.
await chmod(folder, 0o755)
const server = await startPostgres({
  folder: join(folder, 'postgres'),
  port: await freePort(),
  log: () => {},
  settings: { fsync: 'off' },
})
const sql = connect(server.url, { name: 'bench', max: 2, statementTimeoutMs: 600_000 })
try {
  await migrate(sql)
  await createPartitions(sql)
  const seeded = await seedOrganization(sql)
  await fillFigures(seeded)
  say(`figures of ${MAILS} mails; log rows, median ms of a month by day and domain (rows)`)
  const without = await ask(seeded.organizationId, 0)
  await fillLogs(seeded)
  const withLogs = await ask(seeded.organizationId, logRows)
  say(`with log rows and without: ${(withLogs / without).toFixed(2)}`)
  await compare(seeded.organizationId)
  await cost(seeded)
} finally {
  await sql.end()
  await server.stop()
  await rm(folder, { recursive: true, force: true })
}

async function fillFigures({ organizationId, connectionId }: Seeded): Promise<void> {
  const each = Math.round(MAILS / (DAYS * 96 * KINDS))
  await sql`
    insert into mail_figures (organization_id, key, quarter, bucket, source, connection_id,
      template_id, domain, sent, delivered, bounced_permanent, bounced_transient,
      bounced_undetermined, complained, suppressed, opened, opened_raw, clicked, unsubscribed,
      failed)
    select ${organizationId}, gen_random_uuid(),
      date_bin('15 minutes', now(), 'epoch') - n * interval '15 minutes', gen_random_uuid(),
      'batch', ${connectionId}, gen_random_uuid(), 'd' || kind % 5 || '.example.com', ${each},
      ${each - 5}, 3, 1, 1, 1, 0, 40, 60, 9, 1, 0
    from generate_series(0, ${DAYS * 96 - 1}) as n, generate_series(1, ${KINDS}::int) as kind`
  await sql`analyze mail_figures`
}

/** The organization's own mails, of another month, so that the figures asked for stay the same. */
async function fillLogs({ organizationId, connectionId }: Seeded): Promise<void> {
  const bucket = bucketStart(Date.now())
  await sql`
    insert into messages (organization_id, bucket, id, dedupe_key, source, connection_id, recipient,
      from_domain, state, status, sent_at, delivered_at)
    select ${organizationId}, ${bucket}, id, id, 'transactional', ${connectionId},
      'reader-' || n || '@example.com', 'old.example.com', 'sent', 'delivered',
      now() - interval '60 days', now()
    from (
      select n, (left(${bucket}, 28) || lpad(to_hex(n), 8, '0'))::uuid as id
      from generate_series(1, ${logRows}::int) as n
    ) row`
  await sql`analyze messages`
}

async function ask(organizationId: Uuid, rows: number): Promise<number> {
  const now = Date.now()
  const request = {
    start: new Date(now - (DAYS - 1) * DAY_MS).toISOString().slice(0, 10),
    timezone: 'Europe/Berlin',
    granularity: 'daily' as const,
    dimensions: 'period,domain',
  }
  const took: number[] = []
  let shown = 0
  for (let round = 0; round < rounds + 2; round++) {
    const begin = performance.now()
    const { data } = await emailMetrics(sql, organizationId, request, now)
    if (round >= 2) took.push(performance.now() - begin)
    shown = data.length
  }
  say(`${rows}: ${median(took).toFixed(1)} ms (${shown})`)
  return median(took)
}

/** The same question to the log itself, of its own month: what the figures are kept for. */
async function compare(organizationId: Uuid): Promise<void> {
  const took: number[] = []
  for (let round = 0; round < rounds; round++) {
    const begin = performance.now()
    await sql`
      select date_trunc('day', sent_at at time zone 'Europe/Berlin') as period, from_domain,
        count(*), count(delivered_at), count(human_opened_at), count(clicked_at)
      from messages
      where organization_id = ${organizationId} and sent_at >= now() - interval '90 days'
      group by 1, 2`
    took.push(performance.now() - begin)
  }
  say(`the ${logRows} log rows themselves, grouped: ${median(took).toFixed(1)} ms`)
}

/** The same kinds of events for fresh mails each time, with and without the triggers. */
async function cost(seeded: Seeded): Promise<void> {
  const took = { with: [] as number[], without: [] as number[] }
  for (let round = 0; round < rounds; round++) {
    for (const way of round % 2 === 0
      ? (['with', 'without'] as const)
      : (['without', 'with'] as const)) {
      await sql.unsafe(`alter table messages ${way === 'with' ? 'enable' : 'disable'} trigger user`)
      await store(seeded)
      const begin = performance.now()
      while ((await applyEvents(sql, keyring)) > 0);
      took[way].push(events / ((performance.now() - begin) / 1_000))
    }
  }
  const ratio = median(took.with) / median(took.without)
  say(
    `applied with figures ${median(took.with).toFixed(0)}/s, without ${median(took.without).toFixed(0)}/s: ${ratio.toFixed(2)}`,
  )
}

async function store(seeded: Seeded): Promise<void> {
  const mails = Array.from({ length: events / 2 }, (_, n) => ({
    sentAt: new Date(Date.now() - (n % 8) * 900_000).toISOString(),
    fromDomain: `d${n % 5}.example.com`,
  }))
  const rows = await insertSent(sql, seeded, mails)
  const at = new Date().toISOString()
  const bodies = rows.flatMap(({ bucket, id }) =>
    [
      ['Delivery', { delivery: { timestamp: at } }] as const,
      ['Open', { open: { timestamp: at, userAgent: 'Mail' } }] as const,
    ].map(([eventType, part]) => ({
      detail: {
        eventType,
        mail: {
          timestamp: at,
          messageId: `m-${id}`,
          tags: {
            'letterloom-message': [`${bucket}_${id}`],
            'letterloom-organization': [seeded.organizationId],
          },
        },
        ...part,
      },
    })),
  )
  await sql`
    insert into inbound_events (organization_id, connection_id, envelope_id, body)
    select ${seeded.organizationId}, ${seeded.connectionId}, ${uuidv7()} || n, body
    from jsonb_array_elements(${sql.json(bodies)}) with ordinality as given (body, n)`
}
