/**
 * A preview of three clauses (a property, events of the last 30 days and their number, a topic), by
 * the clock, as a ratio to SQL that was written by hand for the same question:
 *
 *   npx tsx test/bench/segments.ts [rounds] [contacts] [events]
 *
 * Both are asked in turn, round after round: the hand's on a session with the defaults of Postgres.
 * A Postgres of its own is thrown away afterwards.
 */
import { previewMembers } from '../../src/core/audience/members.ts'
import type { Condition } from '../../src/domain/audience/condition.ts'
import { createOrganization } from '../../src/core/access/organizations.ts'
import * as members from '../../src/store/audience/members.ts'
import { migrate } from '../../src/store/db/migrate.ts'
import { connect, type Sql } from '../../src/store/db/sql.ts'
import { type Server, withPostgres } from '../support/bench-postgres.ts'
import { fillOrganization } from '../support/large-organization.ts'
import { connectAs } from '../support/logins.ts'

const [rounds = 20, contacts = 100_000, events = 1_000_000] = process.argv.slice(2).map(Number)
const DAY_MS = 86_400_000
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

async function measure(server: Server): Promise<void> {
  const sql = connect(server.url, { name: 'bench', max: 1, statementTimeoutMs: 600_000 })
  const searcher = connectAs(server.url, {
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
    await fillOrganization(sql, organizationId, { contacts, events })
    console.log(`Postgres ${server.major}, ${contacts} contacts, ${events} events`)
    const now = new Date().toISOString()
    const asked = (condition: Condition): members.MemberQuestion => ({
      organizationId,
      condition,
      now,
    })
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

await withPostgres(measure)
