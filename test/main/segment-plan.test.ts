import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { uuidv7 } from '../../src/runtime/ids.ts'
import { explainSegment } from '../../src/main/commands/segment-plan.ts'
import type { Sql } from '../../src/store/db/sql.ts'
import * as segments from '../../src/store/audience/segments.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { seedOrganization } from '../support/seed.ts'
import { connectAs } from '../support/logins.ts'

let database: TestDatabase
let sql: Sql
let folder: string
let organizationId: string
beforeAll(async () => {
  database = await createDatabase()
  sql = connectAs(database.url, { name: 'segment-plan', role: 'letterloom_search', max: 1 })
  folder = await mkdtemp(join(tmpdir(), 'segment-plan-'))
  ;({ organizationId } = await seedOrganization(database.sql))
})
afterAll(async () => {
  await sql.end()
  await database.drop()
  await rm(folder, { recursive: true })
})

const condition = {
  logic: 'AND' as const,
  groups: [{ filters: [{ field: 'properties.plan', operator: 'equals' as const, value: `p'ro` }] }],
}
const SENTENCE = `Contacts where the property "plan" is "p'ro".`

test('a segment is explained by its id', async () => {
  const id = uuidv7()
  const counted = { memberCount: null, memberCountIsExact: null, countedAt: null }
  const values = { id, name: 'Pro', description: null, condition, ...counted }
  await segments.create(database.sql, organizationId, values)
  await database.sql`
    insert into contacts (organization_id, id, email)
    select ${organizationId}, gen_random_uuid(), 'p' || n || '@example.com'
    from generate_series(1, 500) as n`
  await database.admin`analyze contacts`
  const lines = await explainSegment(sql, id, { run: false })
  expect(lines.slice(0, 2)).toEqual([SENTENCE, ''])
  expect(lines.join('\n')).toMatch(/contacts.*\n[^]*properties/)
  expect(lines.join('\n')).not.toContain('actual time')
  // Counts are planned so: a pool of searches would read a small table by its index.
  expect(lines.join('\n')).toContain('Seq Scan on contacts')
  expect((await explainSegment(sql, id, { run: true })).join('\n')).toContain('actual time')
  await expect(explainSegment(sql, uuidv7(), { run: false })).rejects.toThrow(/no segment/)
})

test('a condition of a file is checked and explained for an organization', async () => {
  const path = join(folder, 'pro.json')
  await writeFile(path, JSON.stringify(condition))
  const lines = await explainSegment(sql, path, { org: organizationId, run: false })
  expect(lines[0]).toBe(SENTENCE)
  await expect(explainSegment(sql, path, { run: false })).rejects.toThrow(/--org/)
  await writeFile(path, '{"logic": "AND", "groups": []}')
  await expect(explainSegment(sql, path, { org: organizationId, run: false })).rejects.toThrow(
    /condition.groups must be a list/,
  )
})
