/**
 * What a set of 500 delivery events costs that are of 400 organizations, beside one of a single
 * organization, in one run:
 *
 *   npx tsx test/bench/events-of-many.ts [organizations] [rounds]
 *
 * Every organization has a batch that was sent. A round applies, for each kind of event, a set of
 * one organization and a set of all of them, in turn, each about mails that no event was about
 * before. The last kind is what a campaign brings: deliveries, opens, clicks and some bounces. A
 * Postgres of its own is thrown away afterwards.
 */
import { freezePage } from '../../src/core/batches/freeze-audience.ts'
import { applyEvents } from '../../src/core/delivery/apply-delivery-events.ts'
import { createPartitions } from '../../src/store/db/partitions.ts'
import { migrate } from '../../src/store/db/migrate.ts'
import { connect } from '../../src/store/db/sql.ts'
import * as batchRuns from '../../src/store/batches/batch-runs.ts'
import { newKeyringText, parseKeyring } from '../../src/keys/tokens.ts'
import { withPostgres } from '../support/bench-postgres.ts'
import { type Seeded, seedBatch, seedContacts, seedOrganization } from '../support/seed.ts'

const [ORGANIZATIONS = 400, ROUNDS = 5] = process.argv.slice(2).map(Number)
const SET = 500
type Kind = 'Delivery' | 'Open' | 'Click' | 'Bounce'
/** Of each hundred events. */
const MIXES: Record<string, readonly [Kind, number][]> = {
  deliveries: [['Delivery', 100]],
  opens: [['Open', 100]],
  clicks: [['Click', 100]],
  bounces: [['Bounce', 100]],
  'a campaign': [
    ['Delivery', 65],
    ['Open', 25],
    ['Click', 8],
    ['Bounce', 2],
  ],
}

const say = (line: string): void => void process.stdout.write(`${line}\n`)
const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

interface Sender extends Seeded {
  bucket: string
  /** Mails that no event was about. */
  ids: string[]
}

await withPostgres(async (server) => {
  const sql = connect(server.url, { name: 'bench', max: 4, statementTimeoutMs: 600_000 })
  const worker = connect(server.url, { name: 'bench-worker', max: 2, role: 'letterloom_worker' })
  const keyring = parseKeyring(newKeyringText())
  try {
    await migrate(sql)
    await createPartitions(sql)
    const sets = (ROUNDS + 1) * Object.keys(MIXES).length
    const single = await seedSender(sets * SET)
    const many: Sender[] = []
    for (let count = 0; count < ORGANIZATIONS; count++) {
      many.push(await seedSender(sets * Math.ceil(SET / ORGANIZATIONS)))
    }
    await sql`
      update messages m
      set state = 'sent', status = 'sent', sent_at = now(), claimed_at = now(),
        message_id = 'm-' || m.id, recipient = c.email
      from contacts c
      where c.organization_id = m.organization_id and c.id = m.contact_id`
    await sql`
      insert into answered_counts (organization_id, connection_id, slot, answered, arrived)
      select organization_id, connection_id, date_bin('10 seconds', claimed_at, 'epoch'), count(*), 0
      from messages
      group by 1, 2, 3`
    await sql`analyze`
    const ways = { one: [single], many }
    for (const [name, mix] of Object.entries(MIXES)) {
      const took = { one: [] as number[], many: [] as number[] }
      for (let round = -1; round < ROUNDS; round++) {
        const order = ['one', 'many'] as const
        for (const way of round % 2 === 0 ? order : order.toReversed()) {
          await store(ways[way], mix)
          const begin = performance.now()
          const applied = await applyEvents(worker, keyring, SET)
          if (applied !== SET) throw new Error(`${applied} events were applied`)
          if (round >= 0) took[way].push(performance.now() - begin)
        }
      }
      const [one, all] = [median(took.one), median(took.many)]
      say(
        `${name}: of one organization ${one.toFixed(0)} ms (${((SET / one) * 1_000).toFixed(0)}/s), ` +
          `of ${ORGANIZATIONS} ${all.toFixed(0)} ms (${((SET / all) * 1_000).toFixed(0)}/s), ` +
          `${(all / one).toFixed(2)} times as much`,
      )
    }
  } finally {
    await Promise.all([sql.end(), worker.end()])
  }

  async function seedSender(mails: number): Promise<Sender> {
    const seeded = await seedOrganization(sql)
    const { organizationId } = seeded
    await seedContacts(sql, organizationId, mails)
    const batchId = await seedBatch(sql, seeded)
    const run = { organizationId, batchId, attempt: 1 }
    await freezePage(sql, { ...run, pageSize: mails + 1, chunkSize: 1_000 })
    const bucket = (await batchRuns.context(sql, organizationId, batchId))?.bucket ?? ''
    const rows = await sql<{ id: string }[]>`
      select id from messages where organization_id = ${organizationId} and bucket = ${bucket}`
    return { ...seeded, bucket, ids: rows.map(({ id }) => id) }
  }

  async function store(senders: readonly Sender[], mix: readonly [Kind, number][]): Promise<void> {
    const kinds = mix.flatMap(([kind, share]) => Array.from({ length: share }, () => kind))
    const events = Array.from({ length: SET }, (_, n) => {
      const sender = senders[n % senders.length]
      const id = sender?.ids.pop()
      if (!sender || id === undefined) throw new Error('no mail is left')
      const { organizationId, connectionId } = sender
      return { organizationId, connectionId, body: body(sender, id, kinds[n % 100] ?? 'Open') }
    })
    await sql`
      insert into inbound_events (organization_id, connection_id, envelope_id, body)
      select "organizationId", "connectionId", gen_random_uuid()::text, body
      from jsonb_to_recordset(${sql.json(events)}) as e ("organizationId" uuid,
        "connectionId" uuid, body jsonb)`
  }
})

function body({ organizationId, bucket }: Sender, id: string, kind: Kind): object {
  const timestamp = new Date().toISOString()
  const parts = {
    Delivery: { delivery: { timestamp, smtpResponse: '250 ok' } },
    Open: { open: { timestamp, userAgent: 'Mozilla/5.0 (iPhone)' } },
    Click: { click: { timestamp, link: 'https://letterloom.example/x', userAgent: 'Mozilla/5.0' } },
    Bounce: {
      bounce: {
        bounceType: 'Permanent',
        bounceSubType: 'General',
        timestamp,
        feedbackId: `b-${id}`,
      },
    },
  }
  return {
    detail: {
      eventType: kind,
      mail: {
        timestamp,
        messageId: `m-${id}`,
        tags: {
          'letterloom-message': [`${bucket}_${id}`],
          'letterloom-organization': [organizationId],
        },
      },
      ...parts[kind],
    },
  }
}
