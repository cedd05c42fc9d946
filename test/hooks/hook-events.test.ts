import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { batchBucket, batchRowId, dayBucket, type Uuid, uuidv7 } from '../../src/runtime/ids.ts'
import * as claims from '../../src/store/delivery/claims.ts'
import { listen } from '../../src/store/db/listener.ts'
import { recordResults } from '../../src/store/delivery/record-results.ts'
import { claimMails } from '../../src/store/mails/claim-mails.ts'
import { enqueue } from '../../src/store/mails/enqueue-mails.ts'
import { type Api, type Client, createBatch, createContact, startApi } from '../support/api.ts'
import { type EngagedMail, seedEngagedMail, tell, timeAt } from '../support/engaged-mail.ts'
import { createEndpoint } from '../support/hooks.ts'
import { connectAccount, insertMail } from '../support/api.ts'
import { seedContacts, seedOrganization } from '../support/seed.ts'
import { seedExecution, seedFlow } from '../support/seed-flow.ts'

const PERSON = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
const MACHINE = 'Mozilla/5.0'
const link = 'https://shop.example/offer'

let api: Api
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

interface Told {
  type: string
  eventId: string
  endpointId: string
  occurredAt: string
  extra: Record<string, string> | null
  contactId: string | null
  mailId: string | null
  batchId: string | null
  executionId: string | null
  topicId: string | null
  priority: number
}

/** Deliveries of an organization, in the order in which they were written. */
const told = (organizationId: Uuid) => api.sql<Told[]>`
  select * from hook_deliveries where organization_id = ${organizationId} order by id`

const typesOf = async (organizationId: Uuid) =>
  (await told(organizationId)).map(({ type }) => type).toSorted()

/** A client of an organization of its own, with an endpoint of all types. */
async function organization(input: object = {}): Promise<Client> {
  const id = uuidv7()
  await api.sql`insert into organizations (id, name, plan) values (${id}, 'Hooked', 'enterprise')`
  const client = await api.client(id, ['full'])
  await createEndpoint(client, 'https://shop.example.com/', input)
  return client
}

test('contacts tell that they were created, changed and deleted', async () => {
  const client = await organization()
  const { organizationId } = client
  const { id } = await createContact(client, { email: 'ada@example.com', externalId: 'user-1' })
  await client.patch(`/v1/contacts/${id}`, { firstName: 'Ada' })
  await client.patch(`/v1/contacts/${id}`, { firstName: 'Ada' })
  await client.delete(`/v1/contacts/${id}`)
  const facts = await told(organizationId)
  expect(facts).toMatchObject([
    { type: 'contact.created', contactId: id, priority: 1 },
    { type: 'contact.updated', contactId: id },
    { type: 'contact.deleted', contactId: id, extra: { externalId: 'user-1' } },
  ])
  expect(new Set(facts.map(({ eventId }) => eventId)).size).toBe(3)
})

test('contacts tell of topics that they join and leave, and that they want no mail', async () => {
  const client = await organization()
  const { organizationId } = client
  const { body: topic } = await client.post('/v1/topics', { name: 'News' })
  const { id } = await createContact(client, { email: 'bea@example.com', topicIds: [topic.id] })
  await client.patch(`/v1/contacts/${id}`, { emailStatus: 'unsubscribed' })
  const facts = (await told(organizationId)).filter(({ type }) => !/created|updated/.test(type))
  expect(facts).toHaveLength(3)
  expect(facts).toEqual(
    expect.arrayContaining([
      expect.objectContaining({
        type: 'topic.subscribed',
        topicId: topic.id,
        contactId: id,
        extra: { source: 'api' },
      }),
      expect.objectContaining({ type: 'topic.unsubscribed', topicId: topic.id, contactId: id }),
      expect.objectContaining({
        type: 'contact.unsubscribed',
        topicId: null,
        contactId: id,
        extra: { source: 'api', channel: 'email' },
      }),
    ]),
  )
})

test('a contact tells that it wants no texts', async () => {
  const client = await organization({ eventTypes: ['contact.unsubscribed'] })
  const { id } = await createContact(client, { phone: '+4915112345678', smsStatus: 'opted_in' })
  await client.patch(`/v1/contacts/${id}`, { smsStatus: 'opted_out' })
  expect(await told(client.organizationId)).toMatchObject([
    { type: 'contact.unsubscribed', contactId: id, extra: { source: 'api', channel: 'sms' } },
  ])
})

test('a complaint unsubscribes nobody by itself, but unsubscribing by link does', async () => {
  const client = await organization()
  const { organizationId } = client
  await createContact(client, { email: 'cleo@example.com' })
  await client.post('/v1/suppressions', { email: 'cleo@example.com', reason: 'unsubscribed' })
  expect(await typesOf(organizationId)).toEqual(['contact.created', 'contact.unsubscribed'])
})

test('an import comes after everything else', async () => {
  const client = await organization()
  await client.post('/v1/contacts/batch', { contacts: [{ email: 'dora@example.com' }] })
  expect(await told(client.organizationId)).toMatchObject([
    { type: 'contact.created', priority: 1 },
  ])
})

test('what is rolled back is told to nobody', async () => {
  const client = await organization()
  await createContact(client, { email: 'emil@example.com' })
  const refused = await client.post('/v1/contacts', { email: 'emil@example.com' })
  expect(refused.status).toBe(409)
  expect(await typesOf(client.organizationId)).toEqual(['contact.created'])
})

test('one event has one id at all endpoints, and only those get it that want its type', async () => {
  const client = await organization()
  const { id: other } = await createEndpoint(client, 'https://crm.example.com/', {
    eventTypes: ['contact.created'],
  })
  const { id } = await createContact(client, { email: 'fay@example.com' })
  await client.patch(`/v1/contacts/${id}`, { firstName: 'Fay' })
  const facts = await told(client.organizationId)
  expect(facts.map(({ type }) => type).toSorted()).toEqual([
    'contact.created',
    'contact.created',
    'contact.updated',
  ])
  const created = facts.filter(({ type }) => type === 'contact.created')
  expect(new Set(created.map(({ eventId }) => eventId)).size).toBe(1)
  expect(facts.filter(({ endpointId }) => endpointId === other)).toHaveLength(1)
})

test('nothing is written and nobody is woken for organizations without endpoints', async () => {
  const heard: string[] = []
  const listener = listen(api.databaseUrl, {
    name: 'test',
    channel: 'letterloom_work',
    onNotice: (channel) => heard.push(channel),
    onListening: () => heard.push('listening'),
  })
  try {
    await expect.poll(() => heard).toContain('listening')
    await createContact(api.charlie, { email: 'gus@example.com' })
    expect(await told(api.charlie.organizationId)).toEqual([])
    // One that has an endpoint is heard, and what was told before it would have been.
    const client = await organization()
    await createContact(client, { email: 'gus@example.com' })
    await expect.poll(() => heard).toContain('hook_queue')
    expect(heard.filter((channel) => channel === 'hook_queue')).toHaveLength(1)
  } finally {
    await listener.close()
  }
})

describe('batches and executions tell', () => {
  test.each([
    ['completed', 'batch.completed'],
    ['failed', 'batch.failed'],
  ])('that a batch is %s', async (status, type) => {
    const client = await organization()
    const { organizationId } = client
    const { id } = await createBatchOf(client)
    await api.sql`
      update batches set status = ${status}, completed_at = now() where id = ${id}`
    await api.sql`update batches set updated_at = now() where id = ${id}`
    expect(await told(organizationId)).toMatchObject([{ type, batchId: id }])
  })

  test('that a batch is paused once, and cancelled', async () => {
    const client = await organization()
    const { id } = await createBatchOf(client)
    await api.sql`update batches set status = 'processing' where id = ${id}`
    await client.post(`/v1/batch/${id}/pause`)
    await client.post(`/v1/batch/${id}/pause`)
    await client.delete(`/v1/batch/${id}`)
    expect(await typesOf(client.organizationId)).toEqual(['batch.cancelled', 'batch.paused'])
  })

  test('that an execution is completed or failed, also after a retry', async () => {
    const client = await organization()
    const { organizationId } = client
    const flowId = await seedFlow(api.sql, organizationId, {})
    const { id: contactId } = await createContact(client, { email: 'hal@example.com' })
    const id = await seedExecution(api.sql, organizationId, { flowId, contactId })
    for (const status of ['active', 'failed', 'pending', 'failed', 'completed']) {
      const finishedAt = /failed|completed/.test(status) ? new Date() : null
      await api.sql`
        update executions
        set status = ${status}, finished_at = ${finishedAt?.toISOString() ?? null},
          reason = ${status === 'failed' ? 'step_failed' : null}
        where id = ${id}`
    }
    const facts = (await told(organizationId)).filter(({ executionId }) => executionId === id)
    // Their ids are of the same millisecond at times.
    expect(facts.map(({ type }) => type).toSorted()).toEqual([
      'execution.completed',
      'execution.failed',
      'execution.failed',
    ])
    expect(new Set(facts.map(({ eventId }) => eventId)).size).toBe(3)
  })
})

const createBatchOf = async (client: Client) => {
  const { connectionId } = (
    await client.post('/v1/connections', { accountId: accountNumber(), region: 'eu-central-1' })
  ).body
  return createBatch(client, { cloudAccountId: connectionId })
}
const accountNumber = () => String(100_000_000_000 + Math.floor(Math.random() * 8e11))

describe('delivery events tell', () => {
  /** A sent mail of an organization with an endpoint. */
  async function hookedMail(): Promise<EngagedMail> {
    const mail = await seedEngagedMail(api.sql)
    await createEndpoint(
      await api.client(mail.organizationId, ['full']),
      'https://shop.example.com/',
    )
    return mail
  }
  const tellOf = (mail: EngagedMail, events: Parameters<typeof tell>[3]) =>
    tell(api.sql, api.deps.keyring, mail, events)
  const mailFacts = async ({ organizationId, id }: EngagedMail) =>
    (await told(organizationId)).filter(({ mailId }) => mailId === id)

  test('of a delivery, an open and each clicked link, once each', async () => {
    const mail = await hookedMail()
    const other = 'https://shop.example/other'
    await tellOf(mail, [
      ['Delivery', {}, 1],
      ['Delivery', {}, 2],
      ['Open', { userAgent: MACHINE }, 2],
      ['Open', { userAgent: PERSON }, 3],
      ['Open', { userAgent: PERSON }, 4],
      ['Click', { userAgent: MACHINE, link }, 4],
      ['Click', { userAgent: PERSON, link }, 5],
      ['Click', { userAgent: PERSON, link }, 6],
      ['Click', { userAgent: PERSON, link: other }, 7],
    ])
    expect(await mailFacts(mail)).toMatchObject([
      { type: 'email.delivered', occurredAt: timeAt(1), extra: null, contactId: mail.contactId },
      { type: 'email.opened', occurredAt: timeAt(3), extra: { userAgent: PERSON } },
      { type: 'email.clicked', occurredAt: timeAt(5), extra: { url: link, userAgent: PERSON } },
      { type: 'email.clicked', occurredAt: timeAt(7), extra: { url: other, userAgent: PERSON } },
    ])
  })

  test('of a complaint, and of each worse bounce', async () => {
    const mail = await hookedMail()
    const bounce = (bounceType: string, bounceSubType: string, second: number) =>
      ['Bounce', { bounceType, bounceSubType, feedbackId: `f${second}` }, second] as const
    await tellOf(mail, [
      bounce('Transient', 'MailboxFull', 1),
      bounce('Permanent', 'General', 2),
      bounce('Transient', 'MailboxFull', 3),
      ['Complaint', { feedbackId: 'c' }, 4],
    ])
    const facts = (await mailFacts(mail)).map(({ type }) => type)
    expect(facts).toEqual(['email.bounced', 'email.bounced', 'email.complained'])
    const suppressed = await hookedMail()
    await tellOf(suppressed, [bounce('Permanent', 'OnAccountSuppressionList', 1)])
    expect((await mailFacts(suppressed)).map(({ type }) => type)).toEqual(['email.suppressed'])
  })

  test('that a mail in doubt was sent, and that one was refused later', async () => {
    const mail = await hookedMail()
    await api.sql`
      update messages
      set state = 'unknown', status = 'pending', claim_id = ${uuidv7()}, message_id = null,
        sent_at = null
      where id = ${mail.id}`
    await api.sql`update batches set unknown = 1, total_recipients = 9 where id = ${mail.batchId}`
    await tellOf(mail, [['Reject', { reason: 'Bad content' }]])
    expect((await mailFacts(mail)).map(({ type }) => type).toSorted()).toEqual([
      'email.failed',
      'email.sent',
    ])
  })

  test('nothing of mail of other programs, of erased mail, and of sources that are not wanted', async () => {
    const external = await hookedMail()
    await api.sql`update messages set source = 'external' where id = ${external.id}`
    const erased = await hookedMail()
    await api.sql`update messages set recipient = null where id = ${erased.id}`
    const unwanted = await seedEngagedMail(api.sql)
    await createEndpoint(
      await api.client(unwanted.organizationId, ['full']),
      'https://shop.example.com/',
      { sources: ['transactional'] },
    )
    for (const mail of [external, erased, unwanted]) {
      await tellOf(mail, [
        ['Delivery', {}],
        ['Click', { userAgent: PERSON, link }],
      ])
      expect(await mailFacts(mail)).toEqual([])
    }
  })
})

describe('results of claims tell', () => {
  async function claimedMails(count: number, source = 'transactional') {
    const mail = await seedEngagedMail(api.sql)
    const { organizationId, connectionId, contactId, batchId } = mail
    await createEndpoint(await api.client(organizationId, ['full']), 'https://shop.example.com/')
    const bucket = batchBucket()
    const claimId = uuidv7()
    const ids = Array.from({ length: count }, (_, n) => batchRowId(bucket, n))
    for (const [n, id] of ids.entries()) {
      await insertMail(api.sql, {
        organizationId,
        connectionId,
        bucket,
        id,
        source,
        state: 'claimed',
        status: 'pending',
        claimId,
        ...(n === 0 ? { contactId } : {}),
      })
    }
    await api.sql`
      insert into claims (organization_id, id, connection_id, bucket, message_ids, claimed_at)
      values (${organizationId}, ${claimId}, ${connectionId}, ${bucket}, ${ids}, now())`
    return { organizationId, connectionId, bucket, claimId, ids, batchId }
  }

  test('of mails that were sent and refused, and of no others', async () => {
    const { organizationId, bucket, claimId, ids } = await claimedMails(4)
    const [sent = '', failed = '', queued = '', unknown = ''] = ids
    const settle = () =>
      recordResults(api.sql, { organizationId, bucket, claimId, batchId: null }, [
        { id: sent, outcome: 'sent', messageId: `m-${sent}`, subject: 'News' },
        { id: failed, outcome: 'failed', reason: 'refused', error: 'no' },
        { id: queued, outcome: 'queued' },
        { id: unknown, outcome: 'unknown', error: 'lost', subject: 'News' },
      ])
    await settle()
    await settle()
    const facts = await told(organizationId)
    expect(facts.map(({ type, mailId }) => `${type} ${mailId}`).toSorted()).toEqual([
      `email.failed ${failed}`,
      `email.sent ${sent}`,
    ])
    expect(facts.find(({ mailId }) => mailId === sent)?.contactId).not.toBeNull()
  })

  test('of mails in doubt that are given up', async () => {
    const { organizationId, connectionId, bucket, claimId, ids } = await claimedMails(1)
    await api.sql`update messages set state = 'unknown' where id = any(${ids}::uuid[])`
    await api.sql`update claims set state = 'doubt', look_at = now() where id = ${claimId}`
    const claim = {
      organizationId,
      id: claimId,
      connectionId,
      bucket,
      batchId: null,
      messageIds: ids,
    }
    await claims.decide(api.sql, claim, 'unknown_outcome')
    expect(await typesOf(organizationId)).toEqual(['email.failed'])
  })

  test('of mails of a completed batch whose worker came back late', async () => {
    const { organizationId, bucket, claimId, ids, batchId } = await claimedMails(1, 'batch')
    await api.sql`
      update batches
      set status = 'completed', completed_at = now(), unknown = 1, total_recipients = 9
      where id = ${batchId}`
    await api.sql`update messages set state = 'unknown' where id = any(${ids}::uuid[])`
    await recordResults(api.sql, { organizationId, bucket, claimId, batchId }, [
      { id: ids[0] ?? '', outcome: 'queued' },
    ])
    expect(await typesOf(organizationId)).toEqual(['batch.completed', 'email.failed'])
  })
})

describe('a single mail to a suppressed address tells that it was suppressed', () => {
  test('when it is accepted', async () => {
    const client = await organization({ eventTypes: ['email.suppressed'] })
    const { organizationId } = client
    await connectAccount(client, { accountId: accountNumber(), region: 'eu-central-1' })
    await client.post('/v1/suppressions', { email: 'ada@example.com', reason: 'bounced' })
    await client.post('/v1/suppressions', { email: 'bea@example.com', reason: 'unsubscribed' })
    for (const to of ['ada@example.com', 'bea@example.com', 'cleo@example.com']) {
      const mail = { to, from: 'shop@example.com', subject: 'Receipt', text: 'Thanks' }
      expect((await client.post('/v1/email/send', mail)).status).toBe(202)
    }
    const [fact, ...others] = await told(organizationId)
    expect(others).toEqual([])
    const [mail] = await api.sql<{ id: Uuid; recipient: string }[]>`
      select id, recipient from messages where id = ${fact?.mailId ?? ''}`
    expect(mail?.recipient).toBe('ada@example.com')
    expect(fact).toMatchObject({ type: 'email.suppressed', priority: 1 })
  })

  test('when it is claimed, by its contact or by the list', async () => {
    const { organizationId, connectionId } = await seedOrganization(api.sql)
    await createEndpoint(await api.client(organizationId, ['full']), 'https://shop.example.com/')
    const [contactId = ''] = await seedContacts(api.sql, organizationId, 1)
    await api.sql`update contacts set email_status = 'bounced' where id = ${contactId}`
    const ids = [uuidv7(), uuidv7()]
    const bucket = dayBucket(ids[0] ?? '')
    const [recipient] = await api.sql<{ email: string }[]>`
      select email from contacts where id = ${contactId}`
    for (const [n, id] of ids.entries()) {
      await enqueue(api.sql, {
        organizationId,
        id,
        source: 'transactional',
        connectionId,
        ...(n === 0 ? { contactId } : {}),
        recipient: n === 0 ? (recipient?.email ?? '') : 'listed@example.com',
        from: 'shop@example.com',
        subject: 'Receipt',
        text: 'Thanks',
      })
    }
    const refused = [{ id: ids[1] ?? '', reason: 'complained' }]
    const claim = { organizationId, connectionId, bucket, claimId: uuidv7(), ids, refused }
    expect(await claimMails(api.sql, claim)).toMatchObject({ mails: [], skipped: 2 })
    const facts = await told(organizationId)
    expect(facts.map(({ type, mailId }) => `${type} ${mailId}`).toSorted()).toEqual(
      ids.map((id) => `email.suppressed ${id}`).toSorted(),
    )
  })
})
