import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createSendEmail } from '../../activities/flows/steps/send-email.ts'
import type { StepOf } from '../../src/domain/flows/flow.ts'
import { dayBucket, uuidv7 } from '../../src/runtime/ids.ts'
import * as storedBytes from '../../src/store/access/stored-bytes.ts'
import * as executions from '../../src/store/flows/executions.ts'
import * as mailQueue from '../../src/store/mails/mail-queue.ts'
import { claimMails } from '../../src/store/mails/claim-mails.ts'
import { recordResults } from '../../src/store/delivery/record-results.ts'
import { type Sql, transact } from '../../src/store/db/sql.ts'
import {
  addressHash,
  newKeyringText,
  parseKeyring,
  readLink,
  readUnsubscribe,
} from '../../src/keys/tokens.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import {
  retry,
  seedExecution,
  type SeededExecution,
  takeStep,
  wakes,
} from '../support/flow-steps.ts'
import { type Seeded, seedContacts, seedOrganization, seedTopic } from '../support/seed.ts'
import { publishedTemplate } from '../support/published-template.ts'

type Config = StepOf<'send_email'>['config']

let database: TestDatabase
let sql: Sql
let seeded: Seeded
let contactId: string
const keyring = parseKeyring(newKeyringText())
const sendEmail = createSendEmail({ keyring, publicUrl: 'https://mail.example' })

beforeAll(async () => {
  database = await createDatabase()
  sql = database.sql
})
afterAll(() => database.drop())
beforeEach(async () => {
  seeded = await seedOrganization(sql)
  contactId = (await seedContacts(sql, seeded.organizationId, 1))[0] ?? ''
})

const FROM = 'shop@example.com'
const stepOf = (config: Config): StepOf<'send_email'> => ({
  id: 'hello',
  type: 'send_email',
  name: 'Say hello',
  config,
})
const plain = { subject: 'Hello {{ contact.firstName }}', html: '<p>Welcome</p>', from: FROM }

interface Started {
  execution: SeededExecution
  take: () => ReturnType<typeof takeStep>
}
async function start(
  config: Config = plain,
  more: Partial<Parameters<typeof seedExecution>[2]> = {},
): Promise<Started> {
  const step = stepOf(config)
  const execution = await seedExecution(sql, seeded, { contactId, steps: [step], ...more })
  return { execution, take: () => takeStep(sql, sendEmail, execution, step) }
}

const mailsOf = ({ id }: SeededExecution) => sql<
  {
    id: string
    state: string
    status: string
    reason: string | null
    source: string
    recipient: string
    topicId: string | null
    templateId: string | null
    fromAddress: string
    replyTo: string | null
    subject: string
    html: string
    text: string
    headers: { name: string; value: string }[]
    queued: boolean
  }[]
>`
  select m.id, m.state, m.status, m.reason, m.source, m.recipient, m.topic_id, m.template_id,
    b.from_address, b.reply_to, b.subject, b.html, b.text, b.headers,
    exists (select from mail_queue q where q.id = m.id and q.priority = 3) as queued
  from messages m
  join message_bodies b on b.id = m.id
  where m.execution_id = ${id}
  order by m.id`

/** What waits for the connection, claimed as the drain does. */
async function claim(connectionId = seeded.connectionId) {
  const waiting = await mailQueue.waiting(sql, connectionId, 10)
  const claimId = uuidv7()
  const { organizationId } = seeded
  const bucket = waiting[0]?.bucket ?? dayBucket(uuidv7())
  const ids = waiting.map(({ id }) => id)
  const { mails } = await claimMails(sql, {
    organizationId,
    connectionId,
    bucket,
    claimId,
    ids,
  })
  const place = { organizationId, bucket, claimId, batchId: null }
  return {
    mails,
    end: (result: (id: string) => Parameters<typeof recordResults>[2][number]) =>
      recordResults(
        sql,
        place,
        mails.map(({ id }) => result(id)),
      ),
  }
}
const accepted = (id: string) => ({
  id,
  outcome: 'sent' as const,
  messageId: `m-${id}`,
  subject: 'x',
})
const template = (emailType: 'marketing' | 'transactional', source: string) =>
  publishedTemplate(sql, seeded.organizationId, {
    subject: 'Of the template',
    source,
    textContent: 'text',
    emailType,
    variables: [{ name: 'coupon' }],
  })

describe('a mail of a flow', () => {
  it('is one row of the ledger, in the mail queue, that leads back to its execution', async () => {
    const { execution, take } = await start({ ...plain, fromName: 'Shop, Ltd', replyTo: FROM })
    const outcome = await take()
    const [mail, ...others] = await mailsOf(execution)
    expect(others).toEqual([])
    expect(outcome).toEqual({ kind: 'wait', status: 'active', until: null, mailId: mail?.id })
    expect(mail).toMatchObject({
      state: 'queued',
      source: 'workflow',
      recipient: 'reader-1@example.com',
      fromAddress: '"Shop, Ltd" <shop@example.com>',
      replyTo: FROM,
      subject: 'Hello Reader 1',
      queued: true,
    })
    expect(await take()).toEqual(outcome)
    expect(await mailsOf(execution)).toHaveLength(1)
  })

  it('has one-click headers and links of this person and topic, good for both pages', async () => {
    const { organizationId } = seeded
    const topicId = await seedTopic(sql, organizationId, [contactId])
    const { execution, take } = await start({ ...plain, topicId })
    await take()
    const [mail] = await mailsOf(execution)
    expect(mail?.topicId).toBe(topicId)
    const [list, post] = mail?.headers ?? []
    const token = /^<https:\/\/mail\.example\/unsubscribe\/([\w-]+)>$/.exec(list?.value ?? '')?.[1]
    expect([list?.name, post]).toEqual([
      'List-Unsubscribe',
      { name: 'List-Unsubscribe-Post', value: 'List-Unsubscribe=One-Click' },
    ])
    const hash = addressHash(organizationId, 'reader-1@example.com')
    const person = { organizationId, contactId, addressHash: hash }
    expect(readUnsubscribe(keyring, token ?? '')).toEqual({ ...person, topicId, mailId: mail?.id })
    for (const part of [mail?.html ?? '', mail?.text ?? '']) {
      expect(part).toContain(`https://mail.example/unsubscribe/${token}`)
      const preferences = /\/preferences\/([\w-]+)/.exec(part)?.[1] ?? ''
      expect(readLink(keyring, 'preferences', preferences, Date.now())).toMatchObject({
        ...person,
        mailId: mail?.id,
      })
    }
  })

  it('says what a template, the contact, the cause and the step’s variables say', async () => {
    const templateId = await template(
      'marketing',
      '<p>{{ contact.firstName }} {{ trigger.data.order }} {{ event.name }} {{ event.properties.order }} {{ coupon }}</p>',
    )
    const { execution, take } = await start(
      { templateId, from: FROM, variables: { coupon: '<A1>' } },
      { data: { order: '41' } },
    )
    const id = uuidv7()
    await sql`insert into events ${sql({
      organizationId: seeded.organizationId,
      id,
      contactId,
      name: 'bought',
      properties: { order: '42' },
      occurredAt: new Date().toISOString(),
    })}`
    await sql`update executions set event_id = ${id} where id = ${execution.id}`
    await take()
    const [mail] = await mailsOf(execution)
    expect(mail).toMatchObject({ templateId, subject: 'Of the template' })
    expect(mail?.html).toContain('<p>Reader 1 41 bought 42 &lt;A1&gt;</p>')
  })

  it('of a transactional template has no way to leave in it', async () => {
    const templateId = await template('transactional', '<p>Your receipt</p>')
    const { execution, take } = await start({ templateId, from: FROM, subject: 'Receipt' })
    await take()
    const [mail] = await mailsOf(execution)
    expect([mail?.headers, mail?.subject, mail?.html]).toEqual([
      [],
      'Receipt',
      '<p>Your receipt</p>',
    ])
  })
})

describe('nobody is mailed who', () => {
  it.each([
    ['has no address', 'no_address', sqlSet('email = null, email_status = null, phone = $2')],
    ['left', 'unsubscribed', sqlSet("email_status = 'unsubscribed'")],
    ['bounced', 'bounced', sqlSet("email_status = 'bounced'")],
    ['is suppressed', 'suppressed', sqlSet("email_status = 'suppressed'")],
    ['complained', 'complained', sqlSet("email_status = 'complained'")],
  ])('%s: the step is skipped and says why', async (_, reason, change) => {
    await change(contactId)
    const { execution, take } = await start()
    expect(await take()).toEqual({ kind: 'skipped', reason })
    expect(await mailsOf(execution)).toEqual([])
  })

  it('is not subscribed to the topic, pending ones and another organization’s included', async () => {
    const { organizationId } = seeded
    const topicId = await seedTopic(sql, organizationId, [contactId])
    const strangers = await seedOrganization(sql)
    const foreign = await seedTopic(sql, strangers.organizationId)
    for (const status of ['unsubscribed', 'pending']) {
      await sql`update subscriptions set status = ${status} where topic_id = ${topicId}`
      const { take } = await start({ ...plain, topicId })
      expect(await take()).toEqual({ kind: 'skipped', reason: 'topic_unsubscribed' })
    }
    const { take } = await start({ ...plain, topicId: foreign })
    expect(await take()).toEqual({ kind: 'skipped', reason: 'topic_unsubscribed' })
  })

  it('is gone: the execution ends', async () => {
    const { execution, take } = await start()
    await sql`delete from contacts where id = ${contactId}`
    expect(await take()).toMatchObject({ kind: 'ended', reason: 'contact_deleted' })
    expect(await mailsOf(execution)).toEqual([])
    expect(await take()).toBeUndefined()
  })
})

function sqlSet(change: string) {
  return (id: string) =>
    sql.unsafe(`update contacts set ${change} where id = $1`, [
      id,
      ...(change.includes('$2') ? ['+4915112345678'] : []),
    ])
}

describe('a mail that cannot be sent fails the execution here and is not written', () => {
  it.each<[string, Config, string]>([
    ['a value without a default', { ...plain, html: '{{ contact.company }}' }, 'missing_value'],
    [
      'a line break in the subject',
      { ...plain, subject: '{{ x }}', variables: { x: 'a\nb' } },
      'bad_subject',
    ],
    ['an empty subject', { ...plain, subject: '{{ x }}', variables: { x: ' ' } }, 'bad_subject'],
    ['what Liquid cannot read', { ...plain, html: '{% if %}' }, 'bad_content'],
    ['a template that is gone', { templateId: uuidv7(), from: FROM }, 'no_template'],
    ['no sender', { subject: 'x', html: 'x' }, 'no_sender'],
    ['a sender that is two', { ...plain, from: 'a@example.com, b@example.com' }, 'bad_sender'],
    ['a header in a name', { ...plain, fromName: 'a\r\nBcc: b@example.com' }, 'bad_sender'],
    ['a header in an answer', { ...plain, replyTo: 'a@example.com\r\nBcc: b' }, 'bad_sender'],
    ['an account of nobody', { ...plain, cloudAccountId: uuidv7() }, 'no_account'],
  ])('%s', async (_, config, reason) => {
    const { execution, take } = await start(config)
    expect(await take()).toMatchObject({ kind: 'failed', reason })
    expect(await mailsOf(execution)).toEqual([])
  })

  it('another organization’s account, several accounts, a disconnected one', async () => {
    const stranger = await seedOrganization(sql)
    const foreign = await start({ ...plain, cloudAccountId: stranger.connectionId })
    expect(await foreign.take()).toMatchObject({ kind: 'failed', reason: 'no_account' })
    await sql`
      update connections set disconnected_at = now(), is_verified = false
      where id = ${seeded.connectionId}`
    const gone = await start({ ...plain, cloudAccountId: seeded.connectionId })
    expect(await gone.take()).toMatchObject({ kind: 'failed', reason: 'disconnected' })
  })
})

it('an organization that stores all that it may mails nobody, and a retry mails when there is room', async () => {
  const { organizationId } = seeded
  await (await start()).take()
  const [body] = await sql<{ bytes: number }[]>`
    select sum(octet_length(html) + octet_length(text))::integer as bytes
    from message_bodies
    where organization_id = ${organizationId}`
  const bytes = body?.bytes ?? 0
  expect(bytes).toBeGreaterThan(0)
  expect(await storedBytes.count(sql, organizationId)).toBe(bytes)
  const limit = (most: number) => sql`
    insert into plan_overrides (organization_id, stored_bytes)
    values (${organizationId}, ${most})
    on conflict (organization_id) do update set stored_bytes = excluded.stored_bytes`
  await limit(bytes)

  const { execution, take } = await start()
  expect(await take()).toMatchObject({ kind: 'failed', reason: 'plan_limit' })
  expect(await mailsOf(execution)).toEqual([])
  await limit(bytes + 1)
  await retry(sql, execution)
  expect(await take()).toMatchObject({ kind: 'wait' })
  expect(await mailsOf(execution)).toHaveLength(1)

  await sql`delete from message_bodies where organization_id = ${organizationId}`
  expect(await storedBytes.count(sql, organizationId)).toBe(0)
})

describe('the step ends as its mail does', () => {
  it('sent: with the provider’s id; the run is woken once', async () => {
    const { execution, take } = await start()
    await take()
    const { mails, end } = await claim()
    expect(mails).toHaveLength(1)
    expect(await wakes(sql, execution)).toBe(0)
    expect(await take()).toMatchObject({ kind: 'wait' })
    await end(accepted)
    expect(await wakes(sql, execution)).toBe(1)
    const [mail] = await mailsOf(execution)
    expect(await take()).toEqual({
      kind: 'done',
      result: { mailId: mail?.id, messageId: `m-${mail?.id}` },
    })
  })

  it.each([
    [
      'left meanwhile',
      "update contacts set email_status = 'unsubscribed' where id = $1",
      'unsubscribed',
      'opted_out',
    ],
    [
      'complained meanwhile',
      "update contacts set email_status = 'complained' where id = $1",
      'complained',
      'suppressed',
    ],
    [
      'has no address any more',
      "update contacts set email = null, email_status = null, phone = '+4915112345679' where id = $1",
      'no_address',
      'suppressed',
    ],
    [
      'left the topic meanwhile',
      "update subscriptions set status = 'unsubscribed' where contact_id = $1",
      'topic_unsubscribed',
      'opted_out',
    ],
    [
      'was taken off the topic',
      'delete from subscriptions where contact_id = $1',
      'topic_unsubscribed',
      'opted_out',
    ],
  ])('who %s is not mailed: skipped, and the run is woken', async (_, change, reason, status) => {
    const topicId = await seedTopic(sql, seeded.organizationId, [contactId])
    const { execution, take } = await start({ ...plain, topicId })
    await take()
    await sql.unsafe(change, [contactId])
    expect((await claim()).mails).toEqual([])
    const [mail] = await mailsOf(execution)
    expect(mail).toMatchObject({ state: 'skipped', reason, status, queued: false })
    expect(await wakes(sql, execution)).toBe(1)
    expect(await take()).toEqual({ kind: 'skipped', reason, result: { mailId: mail?.id } })
  })

  it('a changed address gets a mail of its own, the old one none', async () => {
    const { execution, take } = await start()
    const first = await take()
    await sql`update contacts set email = 'new@example.com' where id = ${contactId}`
    expect((await claim()).mails).toEqual([])
    const second = await take()
    expect(second).toMatchObject({ kind: 'wait' })
    expect(second).not.toEqual(first)
    const { mails, end } = await claim()
    expect(mails.map(({ recipient }) => recipient)).toEqual(['new@example.com'])
    await end(accepted)
    expect(await take()).toMatchObject({ kind: 'done' })
    expect((await mailsOf(execution)).map(({ state, reason }) => [state, reason])).toEqual([
      ['skipped', 'address_changed'],
      ['sent', null],
    ])
  })

  it('of an execution that has ended nothing leaves, and nobody is woken', async () => {
    const { execution, take } = await start()
    await take()
    await transact(sql, (tx) =>
      executions.end(tx, seeded.organizationId, [execution.id], {
        status: 'cancelled',
        reason: null,
      }),
    )
    expect((await claim()).mails).toEqual([])
    const [mail] = await mailsOf(execution)
    expect(mail).toMatchObject({ state: 'skipped', reason: 'execution_ended', queued: false })
    expect(await wakes(sql, execution)).toBe(0)
  })

  it('refused: failed with the reason; a retry makes a new mail, once', async () => {
    const { execution, take } = await start()
    await take()
    const refused = (id: string) => ({
      id,
      outcome: 'failed' as const,
      reason: 'MessageRejected',
      error: 'Email address is not verified',
    })
    await (await claim()).end(refused)
    expect(await wakes(sql, execution)).toBe(1)
    expect(await take()).toEqual({
      kind: 'failed',
      reason: 'MessageRejected',
      error: 'Email address is not verified',
    })
    await retry(sql, execution)
    await take()
    await (await claim()).end(accepted)
    expect(await take()).toMatchObject({ kind: 'done' })
    expect((await mailsOf(execution)).map(({ state }) => state)).toEqual(['failed', 'sent'])
  })
})

describe('a retry', () => {
  /** A mail nobody knows the outcome of, given up: the execution has failed. */
  async function givenUp() {
    const { execution, take } = await start()
    await take()
    await (await claim()).end(accepted)
    const [mail] = await mailsOf(execution)
    await sql`
      update messages
      set state = 'failed', status = 'failed', reason = 'unknown_outcome', message_id = null,
        sent_at = null
      where id = ${mail?.id ?? ''}`
    expect(await take()).toMatchObject({ kind: 'failed', reason: 'unknown_outcome' })
    return { execution, take, mailId: mail?.id ?? '' }
  }
  const toldSent = (id: string) => sql`
    update messages
    set state = 'sent', status = 'sent', reason = null, message_id = 'late', sent_at = now()
    where id = ${id}`

  it('mails nobody again whose mail a late event has settled before', async () => {
    const { execution, take, mailId } = await givenUp()
    await toldSent(mailId)
    await retry(sql, execution)
    expect(await take()).toEqual({ kind: 'done', result: { mailId, messageId: 'late' } })
    expect(await mailsOf(execution)).toHaveLength(1)
    // What waits for the mail to be opened finds it there.
    const [row] =
      await sql`select mail_id from execution_steps where execution_id = ${execution.id}`
    expect(row).toEqual({ mailId })
  })

  it('knows the mail to a changed address as well', async () => {
    const { execution, take } = await start()
    await take()
    await sql`update contacts set email = 'new@example.com' where id = ${contactId}`
    await claim()
    await take()
    const refused = { outcome: 'failed' as const, reason: 'unknown_outcome', error: '' }
    await (await claim()).end((id) => ({ id, ...refused }))
    expect(await take()).toMatchObject({ kind: 'failed' })
    const mails = await mailsOf(execution)
    await toldSent(mails[1]?.id ?? '')
    await retry(sql, execution)
    expect(await take()).toMatchObject({ kind: 'done', result: { mailId: mails[1]?.id } })
    expect(await mailsOf(execution)).toHaveLength(2)
  })

  it('takes its new mail back when the event comes while that waits', async () => {
    const { execution, take, mailId } = await givenUp()
    await retry(sql, execution)
    expect(await take()).toMatchObject({ kind: 'wait' })
    await toldSent(mailId)
    expect(await take()).toMatchObject({ kind: 'done', result: { mailId } })
    expect((await claim()).mails).toEqual([])
    expect((await mailsOf(execution)).map(({ state }) => state)).toEqual(['sent', 'skipped'])
  })

  it('waits for a mail that is on its way', async () => {
    const { execution, take } = await start()
    await take()
    const { end } = await claim()
    await transact(sql, (tx) =>
      executions.end(tx, seeded.organizationId, [execution.id], {
        status: 'failed',
        reason: 'run_lost',
      }),
    )
    await sql`update execution_steps set status = 'failed' where execution_id = ${execution.id}`
    await retry(sql, execution)
    const [mail] = await mailsOf(execution)
    expect(await take()).toMatchObject({ kind: 'wait', mailId: mail?.id })
    await end(accepted)
    expect(await take()).toMatchObject({ kind: 'done' })
    expect(await mailsOf(execution)).toHaveLength(1)
  })

  it('sends the mail of the new try and not the queued one of the old', async () => {
    const { execution, take } = await start()
    await take()
    await sql`update executions set status = 'failed', finished_at = now() where id = ${execution.id}`
    await sql`update execution_steps set status = 'failed' where execution_id = ${execution.id}`
    await retry(sql, execution)
    await take()
    const { mails } = await claim()
    expect(mails).toHaveLength(1)
    expect((await mailsOf(execution)).map(({ state }) => state)).toEqual(['skipped', 'claimed'])
  })
})
