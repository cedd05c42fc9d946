import { afterAll, beforeAll, expect, test } from 'vitest'
import { startProgressLog } from '../../src/loops/progress-log.ts'
import { uuidv7 } from '../../src/runtime/ids.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { until } from '../support/engine.ts'
import { seedBatch, seedOrganization } from '../support/seed.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createDatabase()
})
afterAll(() => database.drop())

type Line = { message: string } & Record<string, unknown>

test('each batch and import that is at work has a line, with its rate and what it waits for', async () => {
  const { sql } = database
  const seeded = await seedOrganization(sql)
  const [sending, paused, over] = [
    await seedBatch(sql, seeded),
    await seedBatch(sql, seeded),
    await seedBatch(sql, seeded),
  ]
  await sql`
    update batches
    set status = 'processing', total_recipients = 100, audience_frozen_at = now(), sent = 10, failed = 1`
  await sql`update batches set paused_reason = 'requested' where id = ${paused}`
  await sql`update batches set status = 'completed', completed_at = now() where id = ${over}`
  const importId = uuidv7()
  await sql`
    insert into imports (organization_id, id, status, format, on_duplicate, dry_run, may_lift, rows,
      pages, created)
    values (${seeded.organizationId}, ${importId}, 'running', 'csv', 'update', false, false, 50, 1, 20)`

  const lines: Line[] = []
  const quiet = () => {}
  const info = (fields: object, message: string) => void lines.push({ ...fields, message })
  const loop = startProgressLog({ sql, log: { info, warn: quiet, error: quiet }, everyMs: 50 })
  const about = (id: string) => lines.filter(({ batch, import: each }) => (batch ?? each) === id)
  try {
    await until(async () => about(importId).length > 0)
    expect(about(sending)[0]).toMatchObject({
      message: 'batch runs',
      recipients: 100,
      settled: 11,
      sent: 10,
      failed: 1,
      unknown: 0,
      perSecond: undefined,
    })
    expect(about(paused)[0]).toMatchObject({ waitsFor: 'resume' })
    expect(about(over)).toEqual([])
    expect(about(importId)[0]).toMatchObject({ message: 'import runs', rows: 50, settled: 20 })
    await sql`update batches set sent = 60 where id = ${sending}`
    await until(async () => about(sending).some(({ perSecond }) => Number(perSecond) > 0))
    await sql`
      update sending_limits set paused_until = now() + interval '1 hour', paused_reason = 'daily_quota'`
    await until(async () => about(sending).at(-1)?.['waitsFor'] === 'daily_quota')
  } finally {
    await loop.stop()
  }
  // Ids and counts: nothing of a person.
  expect(JSON.stringify(lines)).not.toMatch(/@|Alice|News/)
})
