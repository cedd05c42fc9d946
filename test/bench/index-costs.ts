/**
 * What each index of contacts and events costs who writes them, and how large it is:
 *
 *   npx tsx test/bench/index-costs.ts [contacts] [events] [rows] [rounds]
 *
 * So many rows are inserted with all indexes and without one of them, in turn, in transactions that
 * are rolled back. Keys and unique indexes are left alone: nothing is right without them. A
 * Postgres of its own is thrown away afterwards.
 */
import { createOrganization } from '../../src/main/organizations.ts'
import { migrate } from '../../src/store/db/migrate.ts'
import { rolledBack } from '../../src/store/db/rolled-back.ts'
import { connect, type Sql } from '../../src/store/db/sql.ts'
import { type Server, withPostgres } from '../support/bench-postgres.ts'
import { fillOrganization, idOf } from '../support/large-organization.ts'

const [contacts = 100_000, events = 1_000_000, rows = 20_000, rounds = 5] = process.argv
  .slice(2)
  .map(Number)
const MB = 1_048_576

/** Inserts `rows` new rows of a table. */
const inserts = (organizationId: string): Record<string, string> => ({
  contacts: `
    insert into contacts (organization_id, id, email, email_status, first_name, properties)
    select '${organizationId}', ${idOf(`${Date.now()} + n`, `'new' || n`)},
      'new-' || n || '@example.com', 'active', 'New ' || n,
      jsonb_build_object('plan', 'pro', 'seats', n % 50)
    from generate_series(1, ${rows}) n`,
  events: `
    insert into events (organization_id, id, contact_id, name, properties, occurred_at)
    select '${organizationId}', ${idOf(`${Date.now()}`, `'new' || row_number() over ()`)}, c.id,
      'bought', '{"amount": 5}', now()
    from (select id from contacts where organization_id = '${organizationId}' limit ${rows}) c`,
})

async function measure(server: Server): Promise<void> {
  const sql = connect(server.url, { name: 'bench', max: 1, statementTimeoutMs: 900_000 })
  try {
    await migrate(sql)
    const { organizationId } = await createOrganization(sql, {
      name: 'Bench',
      ownerEmail: 'owner@example.com',
      ownerName: 'Owner',
    })
    await fillOrganization(sql, organizationId, { contacts, events })
    console.log(`Postgres ${server.major}, ${contacts} contacts, ${events} events, ${rows} rows`)
    for (const [table, insert] of Object.entries(inserts(organizationId))) {
      await compare(sql, table, insert)
    }
  } finally {
    await sql.end()
  }
}

async function compare(sql: Sql, table: string, insert: string): Promise<void> {
  const indexes = await sql<{ name: string; bytes: number; does: string }[]>`
    select c.relname as name, pg_get_indexdef(c.oid) as does,
      (
        select coalesce(sum(pg_relation_size(t.relid)), pg_relation_size(c.oid))::float8
        from pg_partition_tree(c.oid) t
      ) as bytes
    from pg_index i
    join pg_class c on c.oid = i.indexrelid
    where i.indrelid = ${table}::regclass and not i.indisunique
    order by c.relname`
  const without = ['', ...indexes.map(({ name }) => name)]
  const times = new Map<string, number[]>(without.map((name) => [name, []]))
  for (let round = -1; round < rounds; round++) {
    for (const name of round % 2 ? without : without.toReversed()) {
      const ms = await insertWithout(sql, name, insert)
      if (round >= 0) times.get(name)?.push(ms)
    }
  }
  const all = median(times.get('') ?? [])
  console.log(`${table}: ${all.toFixed(0)} ms with all indexes`)
  for (const { name, bytes, does } of indexes) {
    const share = 1 - median(times.get(name) ?? []) / all
    const using = does.replace(/^.* USING /, '')
    console.log(`  ${(100 * share).toFixed(1)} % ${(bytes / MB).toFixed(0)} MB ${name}: ${using}`)
  }
}

/** Milliseconds of the insert alone. */
const insertWithout = (sql: Sql, index: string, insert: string): Promise<number> =>
  sql.begin((outer) =>
    rolledBack(outer, async (tx) => {
      if (index !== '') await tx.unsafe(`drop index ${index}`)
      const began = performance.now()
      await tx.unsafe(insert)
      return performance.now() - began
    }),
  )

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

await withPostgres(measure)
