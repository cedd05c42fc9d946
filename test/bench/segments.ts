/**
 * A preview of three clauses (a property, events of the last 30 days and their number, a topic), by
 * the clock, as a ratio to SQL that was written by hand for the same question:
 *
 *   npx tsx test/bench/segments.ts [rounds] [contacts] [events]
 *
 * Both are asked in turn, round after round: the hand's on a session with the defaults of Postgres.
 * A Postgres of its own is thrown away afterwards.
 */
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { previewMembers } from '../../src/core/audience/members.ts'
import { freePort } from '../../src/dev/ports.ts'
import { startPostgres } from '../../src/dev/postgres.ts'
import type { Condition } from '../../src/domain/audience/condition.ts'
import { uuidv7 } from '../../src/ids.ts'
import { createOrganization } from '../../src/main/organizations.ts'
import * as members from '../../src/store/audience/members.ts'
import { migrate } from '../../src/store/db/migrate.ts'
import { createPartitions } from '../../src/store/db/partitions.ts'
import { connect, type Sql } from '../../src/store/db/sql.ts'

const [rounds = 20, contacts = 100_000, events = 1_000_000] = process.argv.slice(2).map(Number)
const DAY_MS = 86_400_000
const DAYS = 60
const SHOWN = 10

const CONDITION: Condition = {
  logic: 'AND',
  groups: [
    {
      filters: [
        { field: 'properties.plan', operator: 'equals', value: 'pro' },
        { field: 'event.bought', operator: 'triggeredWithin', value: 30, unit: 'days' },
        { field: 'event.bought', operator: 'triggeredAtLeast', value: 3 },
        { field: 'topics', operator: 'hasTopic', value: 'news' },
      ],
    },
  ],
}

/** The same, with one of its clauses as an alternative to the others. */
const ALTERNATIVE: Condition = {
  logic: 'OR',
  groups: [
    { filters: [{ field: 'properties.plan', operator: 'equals', value: 'rare' }] },
    ...CONDITION.groups,
  ],
}

async function measure(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'letterloom-segments-'))
  // As root, Postgres runs under another user, who must be able to come in.
  await chmod(folder, 0o755)
  const server = await startPostgres({
    folder: join(folder, 'postgres'),
    port: await freePort(),
    log: () => {},
    settings: { fsync: 'off' },
  })
  const sql = connect(server.url, { name: 'bench', max: 1, statementTimeoutMs: 600_000 })
  const searcher = connect(server.url, {
    name: 'bench-search',
    role: 'letterloom_search',
    max: 1,
    statementTimeoutMs: 600_000,
  })
  try {
    await migrate(sql)
    const { organizationId } = await createOrganization(sql, {
      name: 'Bench',
      ownerEmail: 'owner@example.com',
      ownerName: 'Owner',
    })
    await fill(sql, organizationId)
    console.log(`Postgres ${server.major}, ${contacts} contacts, ${events} events`)
    const now = new Date().toISOString()
    const asked = (condition: Condition): members.Asked => ({ organizationId, condition, now })
    const subjects = {
      hand: () => byHand(sql, organizationId, now),
      preview: async () => (await previewMembers(searcher, asked(CONDITION), SHOWN)).count,
      'preview, one clause an alternative': async () =>
        (await previewMembers(searcher, asked(ALTERNATIVE), SHOWN)).count,
    }
    const times = new Map<string, number[]>()
    for (let round = 0; round < rounds; round++) {
      for (const [name, act] of Object.entries(subjects)) {
        const began = performance.now()
        const count = await act()
        times.set(name, [...(times.get(name) ?? []), performance.now() - began])
        if (round === 0) console.log(`${name}: ${count} members`)
      }
    }
    const hand = median(times.get('hand') ?? [])
    for (const [name, each] of times) {
      const ms = median(each)
      console.log(`${name}: ${ms.toFixed(0)} ms, ${(ms / hand).toFixed(2)} of the hand's`)
    }
    console.log((await members.explain(searcher, asked(CONDITION), { isRun: true })).join('\n'))
  } finally {
    await Promise.all([sql.end(), searcher.end()])
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

/** As somebody writes it who knows the tables. */
async function byHand(sql: Sql, organizationId: string, now: string): Promise<number> {
  const since = new Date(Date.parse(now) - 30 * DAY_MS).toISOString()
  const [row] = await sql<{ count: number; ids: string[] }[]>`
    with buyers as (
      select contact_id
      from events
      where organization_id = ${organizationId} and name = 'bought'
      group by contact_id
      having count(*) >= 3 and max(occurred_at) >= ${since}
    ), members as materialized (
      select c.id
      from contacts c
      join buyers b on b.contact_id = c.id
      join subscriptions s on s.organization_id = c.organization_id and s.contact_id = c.id
        and s.status = 'subscribed'
      join topics t on t.organization_id = s.organization_id and t.id = s.topic_id
        and t.slug = 'news'
      where c.organization_id = ${organizationId} and c.properties ->> 'plan' = 'pro'
    )
    select (select count(*) from members) as count,
      array(select id from members order by id desc limit ${SHOWN}) as ids`
  await sql`
    select *
    from contacts
    where organization_id = ${organizationId} and id = any(${row?.ids ?? []}::uuid[])
    order by id desc`
  return row?.count ?? 0
}

async function fill(sql: Sql, organizationId: string): Promise<void> {
  for (let day = 0; day <= DAYS + 8; day += 8)
    await createPartitions(sql, Date.now() - day * DAY_MS)
  const topicId = uuidv7()
  await sql`
    insert into topics (organization_id, id, slug, name)
    values (${organizationId}, ${topicId}, 'news', 'News')`
  // Ids of version 7 of the moment `ms`, the rest by a hash.
  const id = (ms: string, seed: string) => `
    (substr(lpad(to_hex((${ms})::bigint), 12, '0'), 1, 8) || '-'
      || substr(lpad(to_hex((${ms})::bigint), 12, '0'), 9, 4) || '-7' || substr(md5(${seed}), 1, 3)
      || '-8' || substr(md5(${seed}), 4, 3) || '-' || substr(md5(${seed}), 7, 12))::uuid`
  await sql.unsafe(`
    insert into contacts (organization_id, id, email, email_status, first_name, properties)
    select '${organizationId}', ${id(`${Date.now() - DAYS * DAY_MS} + n`, `'c' || n`)},
      'reader-' || n || '@example.com', 'active', 'Reader ' || n,
      jsonb_build_object('plan', (array['free', 'pro', 'team', 'none'])[1 + n % 4], 'seats', n % 50)
    from generate_series(1, ${contacts}) n`)
  await sql`
    insert into subscriptions (organization_id, contact_id, topic_id, status)
    select organization_id, id, ${topicId},
      case when uuid_hash(id) % 5 = 0 then 'pending' else 'subscribed' end
    from contacts
    where uuid_hash(id) % 2 = 0`
  await sql`
    create temporary table places as
    select id, row_number() over (order by id) as place
    from contacts
    where organization_id = ${organizationId}`
  const AT_ONCE = 1_000_000
  const began = Date.now() - (DAYS - 2) * DAY_MS
  for (let from = 0; from < events; from += AT_ONCE) {
    await sql.unsafe(`
      insert into events (organization_id, id, contact_id, name, properties, occurred_at)
      select '${organizationId}', ${id('ms', `'e' || n`)}, contact.id,
        (array['bought', 'opened', 'left', 'called', 'read'])[1 + n % 5], '{"amount": 5}',
        to_timestamp(ms / 1000.0)
      from (
        select n, ${began} + (n::bigint * 7919 % ${(DAYS - 2) * DAY_MS}) as ms,
          1 + (n::bigint * 104729 % ${contacts}) as place
        from generate_series(${from + 1}, ${Math.min(events, from + AT_ONCE)}) n
      ) made
      join places contact using (place)`)
  }
  await sql`analyze`
}

await measure()
