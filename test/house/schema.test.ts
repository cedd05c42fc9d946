import { afterAll, beforeAll, expect, test } from 'vitest'
import { dumpSchema } from '../../src/store/db/catalog.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await createDatabase()
})
afterAll(() => database.drop())

test('the migrations make the schema that is written down', async () => {
  const dump = await dumpSchema(database.sql)
  // Meant to differ? `npx vitest run test/house/schema -u` writes it down anew.
  await expect(dump).toMatchFileSnapshot('../../migrations/schema.txt')
})

test('what is written down names no database, no day and no number of the server’s', async () => {
  const dump = await dumpSchema(database.sql)
  expect(dump).not.toContain(new URL(database.url).pathname.slice(1))
  expect(dump).not.toMatch(/_20\d{6}\b/)
  expect(dump).not.toMatch(/^\s+constraint \S+ NOT NULL/m)
  expect(dump).toMatch(/^table messages partitioned by RANGE \(bucket\)/m)
})
