import { afterAll, beforeAll, expect, it } from 'vitest'
import { changeTemplate, publishAll, templateSource } from '../../src/core/content/templates.ts'
import { NOTHING_KNOWN } from '../../src/core/accounts/sender-check.ts'
import { createBatch } from '../../src/core/batches/create-batch.ts'
import { compileContent } from '../../src/mail/content.ts'
import { type Sql, transact } from '../../src/store/db/sql.ts'
import { createDatabase } from '../support/database.ts'
import { type Engine, startEngine, until } from '../support/engine.ts'
import { type FakeMailer, fakeMailer } from '../support/mailer.ts'
import { publishedTemplate } from '../support/published-template.ts'
import { batchRow, seedContacts, seedOrganization } from '../support/seed.ts'

/** Mailed for four seconds, so that another version is published before the end. */
const PEOPLE = 60

let database: Awaited<ReturnType<typeof createDatabase>>
let sql: Sql
let engine: Engine
let mailer: FakeMailer

beforeAll(async () => {
  database = await createDatabase()
  sql = database.sql
  mailer = fakeMailer()
  engine = await startEngine({ databaseUrl: database.url, mailer })
})
afterAll(async () => {
  await engine.stop()
  await database.drop()
})

it('a batch mails the version that it was created with, though another is published meanwhile', async () => {
  const { organizationId, accountId } = await seedOrganization(sql, { rate: 5 })
  await seedContacts(sql, organizationId, PEOPLE)
  const templateId = await publishedTemplate(sql, organizationId, {
    subject: 'First',
    source: '<p>First for {{ contact.firstName }}</p>',
  })
  const start = async () => {
    const input = { audienceType: 'all', from: 'news@example.com', templateId } as const
    const { batch } = await transact(sql, (tx) =>
      createBatch(tx, organizationId, input, {
        senders: NOTHING_KNOWN,
        compile: () => Promise.reject(new Error('the template says all')),
        estimate: PEOPLE,
        now: Date.now(),
        requestId: 'request',
      }),
    )
    return batch.id
  }
  const completed = (id: string) =>
    until(async () => (await batchRow(sql, id)).status === 'completed')

  const first = await start()
  await until(async () => (await batchRow(sql, first)).sent > 0)
  await transact(sql, async (tx) => {
    const writing = { tx, organizationId }
    const said = { subject: 'Second', source: '<p>Second for {{ contact.firstName }}</p>' }
    const { template } = await changeTemplate(writing, templateId, said)
    const content = compileContent(templateSource(template))
    await publishAll(writing, [{ template, content }])
  })
  expect((await batchRow(sql, first)).sent).toBeLessThan(PEOPLE)
  await sql`update sending_limits set max_send_rate = 1000 where account_id = ${accountId}`
  await completed(first)
  await completed(await start())

  const said = (text: string) =>
    mailer.calls.filter(({ subject, html }) => subject === text && html?.includes(`${text} for`))
  expect([said('First').length, said('Second').length]).toEqual([PEOPLE, PEOPLE])
  expect(new Set(said('First').map(({ to }) => to)).size).toBe(PEOPLE)
})
