import { resumeBatch } from '../../src/core/sending/resume-batch.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Sql } from '../../src/store/db/sql.ts'
import { createDatabase } from '../support/database.ts'
import { type Engine, startEngine, until } from '../support/engine.ts'
import { type FakeMailer, fakeMailer, sent } from '../support/mailer.ts'
import { batchRow, seedBatch, seedContacts, seedOrganization } from '../support/seed.ts'

/** A template that takes minutes for each mail. */
const HOSTILE = `<p>${'{% for a in (1..3000) %}'.repeat(4)}{{ contact.firstName }}${'{% endfor %}'.repeat(4)}</p>`
const LONGEST_MS = 120_000

let database: Awaited<ReturnType<typeof createDatabase>>
let sql: Sql
let engine: Engine
let mailer: FakeMailer

beforeAll(async () => {
  database = await createDatabase()
  sql = database.sql
  mailer = fakeMailer(sent, 5)
  engine = await startEngine({ databaseUrl: database.url, mailer })
})
afterAll(async () => {
  await engine.stop()
  await database.drop()
})

it(
  'a batch whose mails take too long to make fails with the reason, and others are sent meanwhile',
  async () => {
    const hostile = await seedOrganization(sql)
    await seedContacts(sql, hostile.organizationId, 200)
    const ordinary = await seedOrganization(sql)
    await seedContacts(sql, ordinary.organizationId, 300)

    const bad = await seedBatch(sql, hostile, { html: HOSTILE })
    const good = await seedBatch(sql, ordinary)
    await until(async () => (await batchRow(sql, good)).status === 'completed', LONGEST_MS)
    expect(await batchRow(sql, good)).toMatchObject({ sent: 300, failed: 0, unknown: 0 })

    await until(async () => (await batchRow(sql, bad)).status === 'failed', LONGEST_MS)
    const row = await batchRow(sql, bad)
    expect(row).toMatchObject({ failedReason: 'render_timeout', sent: 0, unknown: 0 })
    expect(row.failed).toBeGreaterThanOrEqual(10)
    const rows = await sql<{ state: string; reason: string | null; rows: number }[]>`
    select state, reason, count(*) as rows
    from messages
    where organization_id = ${hostile.organizationId}
    group by state, reason`
    const ends = Object.fromEntries(
      rows.map(({ state, reason, rows: n }) => [`${state} ${reason}`, n]),
    )
    expect(Object.keys(ends).toSorted()).toEqual(['failed render_timeout', 'queued null'])
    expect((ends['failed render_timeout'] ?? 0) + (ends['queued null'] ?? 0)).toBe(200)

    // Whoever resumes it has the failed ones tried again; it fails for the same reason.
    await sql.begin((tx) => resumeBatch(tx, hostile.organizationId, bad))
    await until(async () => (await batchRow(sql, bad)).status === 'failed', LONGEST_MS)
    expect(await batchRow(sql, bad)).toMatchObject({ failedReason: 'render_timeout', sent: 0 })
  },
  4 * LONGEST_MS,
)
