import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { createBatchActivities } from '../../activities/batches/batches.ts'
import { SHORT_TIMINGS } from '../../src/domain/delivery/timings.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { type Seeded, seedBatch, seedOrganization } from '../support/seed.ts'

const MINUTE_MS = 60_000

let database: TestDatabase
let seeded: Seeded

beforeAll(async () => {
  database = await createDatabase()
  seeded = await seedOrganization(database.sql)
})
afterAll(() => database.drop())
afterEach(() => vi.restoreAllMocks())

/** Begins a batch on a worker whose clock is wrong by some minutes. */
async function begin(scheduledFor: string, minutesWrong: number) {
  const { sql } = database
  const batchId = await seedBatch(sql, seeded, { scheduledFor })
  const { beginBatch } = createBatchActivities({
    sql,
    verifier: {
      verify: () => Promise.reject(new Error('nobody to ask')),
      acceptsConfigurationSet: async () => undefined,
    },
    timings: SHORT_TIMINGS,
  })
  const now = Date.now
  vi.spyOn(Date, 'now').mockImplementation(() => now() + minutesWrong * MINUTE_MS)
  try {
    return await beginBatch({ organizationId: seeded.organizationId, batchId, attempt: 1 })
  } finally {
    vi.restoreAllMocks()
  }
}

const inMinutes = (minutes: number) => new Date(Date.now() + minutes * MINUTE_MS).toISOString()

test('a worker whose clock is ahead sends no scheduled batch early', async () => {
  const begun = await begin(inMinutes(5), 10)
  expect(begun).toMatchObject({ kind: 'wait' })
  const { waitMs = 0 } = begun as { waitMs?: number }
  expect(waitMs).toBeGreaterThan(0)
  expect(waitMs).toBeLessThanOrEqual(5 * MINUTE_MS)
})

test('a worker whose clock is behind sends no scheduled batch late', async () => {
  expect(await begin(inMinutes(-1), -10)).toMatchObject({ kind: 'go', status: 'processing' })
})
