import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { uuidv7 } from '../../src/runtime/ids.ts'
import * as outbox from '../../src/store/platform/outbox.ts'
import { type Sql, transact } from '../../src/store/db/sql.ts'
import * as subscriptions from '../../src/core/consent/subscriptions.ts'
import { newKeyringText, parseKeyring } from '../../src/keys/tokens.ts'
import { cohortWorkflowId, confirmationWorkflowId } from '../../workflows/contract.ts'
import { seedConfirmations, type SeededConfirmations, tokenOf } from '../support/confirmations.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { type Engine, startEngine, until } from '../support/engine.ts'
import { type FakeMailer, fakeMailer } from '../support/mailer.ts'
import { expectWarnings } from '../support/worker-log.ts'
import { publishedTemplate } from '../support/published-template.ts'

expectWarnings(/^A confirmation template could not be used/)

const keyring = parseKeyring(newKeyringText())
let database: TestDatabase
let sql: Sql
let mailer: FakeMailer
let engine: Engine
let there: SeededConfirmations

beforeAll(async () => {
  database = await createDatabase()
  sql = database.sql
  mailer = fakeMailer()
  engine = await startEngine({ databaseUrl: database.url, mailer, keyring })
})
afterAll(async () => {
  await engine.stop()
  await database.drop()
})
beforeEach(async () => {
  mailer.calls.length = 0
  mailer.accepted.length = 0
  there = await seedConfirmations(sql, keyring)
})

const callTo = (email: string) => until(async () => mailer.calls.find(({ to }) => to === email))

const describeRun = (workflowId: string) => engine.client.workflow.getHandle(workflowId).describe()

const template = (source: string, subject: string | null = null) =>
  publishedTemplate(sql, there.organizationId, {
    subject,
    source,
    emailType: 'transactional',
    variables: [{ name: 'confirmUrl' }, { name: 'topic' }],
  })

describe('the mail', () => {
  it('names the organization and the topic, has a link, and goes through the mail queue', async () => {
    const { id: contactId, email } = await there.contact()
    const topicId = await there.topic({ name: 'Cats & <dogs>', fromName: 'Pets Ltd' })
    const asked = await there.ask(contactId, topicId)
    const mail = await callTo(email)
    expect(mail).toMatchObject({
      from: 'Pets Ltd <news@example.com>',
      subject: 'Please confirm: Cats & <dogs>',
    })
    expect(mail.html).toContain('Cats &amp; &lt;dogs&gt;')
    expect(mail.html).not.toMatch(/<img|<script|<link/)
    expect(mail.text).toContain('If you did not ask for this, ignore it')
    expect(tokenOf(mail.html ?? '')).toBe(tokenOf(mail.text ?? ''))
    const link = there.linkOf(tokenOf(mail.text ?? ''))
    expect(link).toMatchObject({ organizationId: there.organizationId, ...asked })
    const inDays = ((link?.expiresAt ?? 0) - Date.now()) / 86_400_000
    expect(inDays).toBeGreaterThan(29.9)
    expect(inDays).toBeLessThanOrEqual(30)
  })

  it('is the topic’s own template where it has one', async () => {
    const { id: contactId, email } = await there.contact({ firstName: 'Ada' })
    const templateId = await template(
      '<p>{{ contact.firstName }}, <a href="{{ confirmUrl }}">{{ topic.name }}</a> of {{ organization.name }}</p>',
      'Yes to {{ topic.name }}?',
    )
    await there.ask(contactId, await there.topic({ name: 'Cats', templateId }))
    const { subject, html, text } = await callTo(email)
    expect(subject).toBe('Yes to Cats?')
    expect(html).toMatch(
      /^<p>Ada, <a ses:no-track href="https:.*\/confirm\/[\w-]+">Cats<\/a> of Alice Ltd<\/p>$/,
    )
    expect(text).toContain('/confirm/')
  })

  it('is the plain one where the template lacks a value or its link', async () => {
    const noValue = await template('{{ contact.lastName }} <a href="{{ confirmUrl }}">Yes</a>')
    const noLink = await template('{% if contact.company %}{{ confirmUrl }}{% endif %}<p>Hm</p>')
    for (const templateId of [noValue, noLink]) {
      const { id: contactId, email } = await there.contact({ firstName: 'Ada' })
      await there.ask(contactId, await there.topic({ name: 'Cats', templateId }))
      const mail = await callTo(email)
      expect(mail.subject).toBe('Please confirm: Cats')
      expect(there.linkOf(tokenOf(mail.text ?? ''))).toMatchObject({ contactId })
    }
  })

  it('goes to people who unsubscribed from all mail, and to nobody who bounced', async () => {
    const unsubscribed = await there.contact({ emailStatus: 'unsubscribed' })
    const bounced = await there.contact()
    const topicId = await there.topic()
    await sql`update connections set is_verified = false where id = ${there.connectionId}`
    for (const { id } of [unsubscribed, bounced]) await there.ask(id, topicId)
    await until(async () => (await there.row(bounced.id, topicId))?.mails === 1)
    await sql`update contacts set email_status = 'bounced' where id = ${bounced.id}`
    await sql`update connections set is_verified = true where id = ${there.connectionId}`
    await callTo(unsubscribed.email)
    await until(async () => (await there.mails(bounced.id))[0]?.state === 'skipped')
    expect(mailer.calls.map(({ to }) => to)).not.toContain(bounced.email)
  })

  it('that is still queued when the person unsubscribes is never sent', async () => {
    const { id: contactId } = await there.contact()
    const topicId = await there.topic()
    await sql`update connections set is_verified = false where id = ${there.connectionId}`
    await there.ask(contactId, topicId)
    await until(async () => (await there.mails(contactId)).length === 1)
    await transact(sql, (tx) =>
      subscriptions.unsubscribe(tx, there.organizationId, [{ contactId, topicId }], {
        source: 'link',
        own: true,
      }),
    )
    await sql`update connections set is_verified = true where id = ${there.connectionId}`
    await until(async () => (await there.mails(contactId))[0]?.state === 'skipped')
    expect(mailer.calls).toHaveLength(0)
    const [mail] = await sql<{ reason: string }[]>`
      select reason from messages where contact_id = ${contactId}`
    expect(mail?.reason).toBe('not_awaited')
  })
})

describe('the workflow', () => {
  it('is found by its contact, names the request, and ends when it is told', async () => {
    const { id: contactId, email } = await there.contact()
    const topicId = await there.topic()
    await transact(sql, (tx) =>
      subscriptions.subscribe(tx, there.organizationId, [{ contactId, topicId }], {
        source: 'api',
        addressOf: there.addressOf,
        requestId: 'trace-subscribe',
      }),
    )
    await callTo(email)
    const workflowId = confirmationWorkflowId({ contactId, topicId, generation: 1 })
    const run = await describeRun(workflowId)
    expect(run.status.name).toBe('RUNNING')
    expect(run.memo).toEqual({ requestId: 'trace-subscribe' })
    expect(run.searchAttributes).toMatchObject({
      OrganizationId: [there.organizationId],
      ContactId: [contactId],
      Kind: ['confirmation'],
    })
    await transact(sql, (tx) =>
      subscriptions.unsubscribe(tx, there.organizationId, [{ contactId, topicId }], {
        source: 'api',
        own: false,
      }),
    )
    await until(async () => (await describeRun(workflowId)).status.name === 'COMPLETED')
    expect(mailer.calls).toHaveLength(1)
  })

  it('of a page of an import is one for all its people', async () => {
    const contactIds = await there.contacts(20)
    const topicId = await there.topic()
    const promise = { cohort: uuidv7(), importId: uuidv7(), page: 3 }
    await there.subscribe(contactIds, topicId, { cohort: promise.cohort })
    for (let times = 0; times < 2; times++) {
      await outbox.put(
        sql,
        there.organizationId,
        { kind: 'start_cohort', payload: promise },
        undefined,
      )
    }
    await until(async () => mailer.accepted.length >= 20)
    const run = await describeRun(cohortWorkflowId(promise.cohort))
    expect([run.type, run.status.name]).toEqual(['confirmCohort', 'RUNNING'])
    expect(new Set(mailer.accepted).size).toBe(20)
    expect(mailer.accepted).toHaveLength(20)
  })
})
