import { afterAll, beforeAll, expect, it } from 'vitest'
import { freezePage } from '../../src/core/batches/freeze-audience.ts'
import * as batchRuns from '../../src/store/batches/batch-runs.ts'
import { analyzeLedger } from '../../src/store/db/partitions.ts'
import type { Sql } from '../../src/store/db/sql.ts'
import { createDatabase } from '../support/database.ts'
import { type Seeded, seedBatch, seedContacts, seedOrganization } from '../support/seed.ts'

let database: Awaited<ReturnType<typeof createDatabase>>
let sql: Sql
beforeAll(async () => {
  database = await createDatabase()
  sql = database.sql
  const partitions = await sql<{ name: string }[]>`
    select inhrelid::regclass::text as name from pg_inherits where inhparent = 'messages'::regclass`
  for (const { name } of partitions) {
    await database.admin`alter table ${sql(name)} set (autovacuum_enabled = false)`
  }
})
afterAll(() => database.drop())

/** Freezes a batch to everybody and returns how many rows the planner knows of afterwards. */
async function rowsKnownAfter(seeded: Seeded): Promise<number> {
  const { organizationId } = seeded
  const batchId = await seedBatch(sql, seeded)
  const run = { organizationId, batchId, attempt: 1 }
  await freezePage(sql, { ...run, pageSize: 10_000, chunkSize: 100 })
  const bucket = (await batchRuns.context(sql, organizationId, batchId))?.bucket ?? ''
  await analyzeLedger(sql, bucket)
  const [known] = await sql<{ rows: number }[]>`
    select coalesce(sum(greatest(c.reltuples, 0)), 0)::int as rows
    from pg_inherits i
    join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'messages'::regclass`
  return known?.rows ?? 0
}

it('a day is analyzed at its first freeze, and again when it has grown by half', async () => {
  const seeded = await seedOrganization(sql)
  await seedContacts(sql, seeded.organizationId, 1_000)
  expect(await rowsKnownAfter(seeded)).toBe(1_000)
  expect(await rowsKnownAfter(seeded)).toBe(2_000)
  const few = await seedOrganization(sql)
  await seedContacts(sql, few.organizationId, 500)
  expect(await rowsKnownAfter(few)).toBe(2_000)
  expect(await rowsKnownAfter(seeded)).toBe(3_500)
})
