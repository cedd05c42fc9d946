import { MockActivityEnvironment } from '@temporalio/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSendChunk } from '../../activities/batches/send-chunk.ts'
import { SHORT_TIMINGS } from '../../src/domain/delivery/timings.ts'
import { batchBucket, batchRowId, uuidv7 } from '../../src/runtime/ids.ts'
import type { Sql } from '../../src/store/db/sql.ts'
import { processRenderer, type Renderer } from '../../src/mail/renderer.ts'
import { newKeyringText, parseKeyring } from '../../src/keys/tokens.ts'
import { insertMail } from '../support/api.ts'
import { createDatabase } from '../support/database.ts'
import { fakeMailer } from '../support/mailer.ts'
import { seedBatch, seedOrganization } from '../support/seed.ts'

let database: Awaited<ReturnType<typeof createDatabase>>
let sql: Sql
beforeAll(async () => {
  database = await createDatabase()
  sql = database.sql
})
afterAll(() => database.drop())

/** Returns the result of a chunk whose rows are in these states. None of them can be claimed. */
async function resultOf(
  states: readonly string[],
  { html = '<p>News</p>', ...change }: Partial<Renderer> & { html?: string } = {},
) {
  const mailer = fakeMailer()
  const seeded = await seedOrganization(sql)
  const { organizationId, connectionId } = seeded
  const batchId = await seedBatch(sql, seeded, { html })
  const bucket = batchBucket()
  const unknown = states.filter((state) => state === 'unknown').length
  await sql`
    update batches
    set status = 'processing', bucket = ${bucket}, total_recipients = ${states.length},
      sent = ${states.filter((state) => state === 'sent').length}, unknown = ${unknown}
    where id = ${batchId}`
  for (const [n, state] of states.entries()) {
    const id = batchRowId(bucket, n)
    const of = { organizationId, connectionId, batchId, bucket, id, state }
    const isOpen = state === 'claimed' || state === 'unknown'
    await insertMail(sql, { ...of, status: 'pending', ...(isOpen ? { claimId: uuidv7() } : {}) })
  }
  const content = {
    keyring: parseKeyring(newKeyringText()),
    publicUrl: 'https://example.com',
    renderer: { ...processRenderer(), ...change },
  }
  const sendChunk = createSendChunk({
    sql,
    claimSql: sql,
    mailer,
    timings: SHORT_TIMINGS,
    content,
  })
  const chunk = { organizationId, batchId, attempt: 1, from: 0, to: states.length }
  const result: unknown = await new MockActivityEnvironment().run(() => sendChunk(chunk))
  expect(mailer.calls).toEqual([])
  return result
}

test('a chunk is in doubt only if all its open rows are', async () => {
  expect(await resultOf(['sent', 'unknown'])).toMatchObject({ kind: 'waiting' })
  // Somebody else mails it at this moment: an A/B test does not begin to wait for its time yet.
  expect(await resultOf(['unknown', 'claimed'])).toMatchObject({ kind: 'open' })
  expect(await resultOf(['claimed'])).toMatchObject({ kind: 'open' })
  expect(await resultOf(['sent', 'failed'])).toMatchObject({ kind: 'done' })
})

test('a chunk claims nothing and gives its slot up while a slow mail of its organization is rendered', async () => {
  const html = '{% for n in (1..9) %}{{ n }}{% endfor %}'
  const result = await resultOf(['queued'], { html, takeTurn: () => undefined })
  expect(result).toMatchObject({ kind: 'paused', reason: 'rendering' })
  expect(await sql`select from claims`).toEqual([])
})

test('a chunk of a compiled content does not wait for a slow mail of its organization', async () => {
  const html = '<p>{{ contact.firstName }}</p>'
  // Its contact is gone.
  const result = await resultOf(['queued'], { html, takeTurn: () => undefined })
  expect(result).toMatchObject({ kind: 'done' })
})
