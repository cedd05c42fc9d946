import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { uuidv7 } from '../../src/runtime/ids.ts'
import { type Api, connectAccount, createContact, startApi } from '../support/api.ts'
import { seedTopic } from '../support/seed.ts'

let api: Api
let connectionId: string
let contactIds: string[]
beforeAll(async () => {
  api = await startApi()
  connectionId = (await connectAccount(api.alice)).connectionId
  contactIds = []
  for (const name of ['ada', 'bob']) {
    contactIds.push((await createContact(api.alice, { email: `${name}@example.com` })).id)
  }
  await createContact(api.alice, { email: 'gone@example.com', emailStatus: 'unsubscribed' })
})
afterAll(() => api.close())

const inline = { subject: 'News', htmlContent: '<p>News</p>' }
const create = (input: object) =>
  api.alice.post('/v1/batch', { audienceType: 'all', from: 'news@example.com', ...input })
const template = async (input: object = {}) => {
  const { body } = await api.alice.post('/v1/templates', {
    name: 'T',
    subject: 'From the template',
    source: '<p>{{ offer }}</p>',
    variables: [{ name: 'offer', fallback: '-' }],
    ...input,
  })
  return body.id
}
const outboxMessages = (batchId: string) => api.sql<{ kind: string; payload: object }[]>`
  select kind, payload
  from outbox
  where payload ->> 'batchId' = ${batchId}
  order by position`

test('a batch is queued, with the promise to start it', async () => {
  const { status, body } = await create({ ...inline, name: 'Weekly' })
  expect(status).toBe(201)
  expect(body).toEqual({
    id: expect.any(String),
    status: 'queued',
    channel: 'email',
    name: 'Weekly',
    totalRecipients: 2,
    processedRecipients: 0,
    sent: 0,
    failed: 0,
    skipped: 0,
    unknown: 0,
    delivered: 0,
    opened: 0,
    clicked: 0,
    bounced: 0,
    complained: 0,
    suppressed: 0,
    unsubscribed: 0,
    startedAt: null,
    completedAt: null,
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
    audience: { type: 'all', contactCount: null },
    audienceFrozenAt: null,
    from: 'news@example.com',
    fromName: null,
    replyTo: null,
    subject: 'News',
    previewText: null,
    htmlContent: '<p>News</p>',
    textContent: 'News',
    variableMappings: [],
    abTest: null,
    progress: null,
    scheduledFor: null,
    timezoneAware: false,
    timezone: null,
    throttlePerSecond: null,
    cloudAccountId: connectionId,
    templateId: null,
    topicId: null,
    segmentId: null,
    exclude: { topicIds: [], segmentIds: [] },
    paused: false,
    pausedReason: null,
    failedReason: null,
    duplicates: 0,
    waitingForOutcome: null,
    waitingForQuota: null,
  })
  expect(await outboxMessages(body.id)).toEqual([
    { kind: 'start_batch', payload: { batchId: body.id, attempt: 1 } },
  ])
  expect((await api.alice.get(`/v1/batch/${body.id}`)).body).toEqual(body)
})

test('a batch with a future time is scheduled, and one with a past time starts now', async () => {
  const later = new Date(Date.now() + 3_600_000).toISOString()
  const { body } = await create({ ...inline, scheduledFor: later.replace('Z', '+00:00') })
  expect(body).toMatchObject({ status: 'scheduled', scheduledFor: later })
  expect((await outboxMessages(body.id)).length).toBe(1)
  const justNow = new Date(Date.now() - 30_000).toISOString()
  expect((await create({ ...inline, scheduledFor: justNow })).body.status).toBe('queued')
})

test('a topic narrows any audience to its subscribers', async () => {
  const { organizationId } = api.alice
  const [subscriber] = await api.sql<{ id: string }[]>`
    select id from contacts where organization_id = ${organizationId} order by id limit 1`
  const topicId = await seedTopic(api.sql, organizationId, [subscriber!.id])
  const topic = await create({ ...inline, audienceType: 'topic', topicId })
  expect([topic.status, topic.body]).toMatchObject([
    201,
    { topicId, totalRecipients: 1, audience: { type: 'topic', contactCount: null } },
  ])
  const all = await create({ ...inline, topicId: topicId.toUpperCase() })
  expect([all.status, all.body]).toMatchObject([201, { topicId, audience: { type: 'all' } }])
})

test('a batch to named contacts has each of them once', async () => {
  const { status, body } = await create({
    ...inline,
    audienceType: 'contacts',
    contactIds: [...contactIds, contactIds[0]?.toUpperCase()],
  })
  expect(status).toBe(201)
  expect(body).toMatchObject({
    totalRecipients: 2,
    audience: { type: 'contacts', contactCount: 2 },
  })
})

describe('content', () => {
  const contentOf = async (batchId: string) => {
    const [row] = await api.sql<{ contentId: string; subject: string; html: string }[]>`
      select content_id, batches.subject, html
      from batches
      join contents on contents.id = content_id
      where batches.id = ${batchId}`
    return row
  }

  test('the content of a template is its published version, with its subject unless another is given', async () => {
    const templateId = await template()
    const own = await create({ templateId })
    expect(own.body).toMatchObject({ templateId, subject: 'From the template' })
    const other = await create({ templateId, subject: 'My own {{ contact.firstName }}' })
    expect(other.body.subject).toBe('My own {{ contact.firstName }}')
    const [first, second] = [await contentOf(own.body.id), await contentOf(other.body.id)]
    expect(first?.contentId).toBe(second?.contentId)
    const previewed = await create({ templateId, previewText: 'Look' })
    const third = await contentOf(previewed.body.id)
    expect(third?.contentId).not.toBe(first?.contentId)
    expect(third?.html).toContain('Look')
  })

  test('the batch’s own content may use the variables that it maps', async () => {
    const htmlContent = '<p>{{ offer }} {{ plan }}</p>'
    const variableMappings = [
      { variableName: 'offer', source: { type: 'static', value: 'Ten' } },
      { variableName: 'plan', source: { type: 'contact', field: 'properties.plan' } },
    ]
    expect((await create({ ...inline, htmlContent, variableMappings })).status).toBe(201)
    const { status, body } = await create({ ...inline, htmlContent })
    expect([status, body.details[0].path]).toEqual([400, 'htmlContent'])
  })

  test('ignored fields are ignored', async () => {
    const ignored = { body: {}, senderId: 1, totalRecipients: 'many' }
    expect((await create({ ...inline, ...ignored })).body.totalRecipients).toBe(2)
  })
})

describe('is refused', () => {
  const mapped = { variableName: 'a', source: { type: 'static' } }
  test.each([
    ['sms without a transport', { ...inline, channel: 'sms' }, 400, 'channel'],
    ['no content', { subject: 'a' }, 400, 'htmlContent'],
    ['two contents', { ...inline, templateId: uuidv7() }, 400, 'htmlContent'],
    ['no subject', { htmlContent: '<p>a</p>' }, 400, 'subject'],
    ['an unknown template', { templateId: uuidv7() }, 400, 'templateId'],
    ['a malformed template', { templateId: 'a' }, 400, 'templateId'],
    ['an unknown account', { ...inline, cloudAccountId: uuidv7() }, 400, 'cloudAccountId'],
    ['no topic', { ...inline, audienceType: 'topic', topicId: 'a' }, 400, 'topicId'],
    ['no segment', { ...inline, audienceType: 'segment' }, 400, 'segmentId'],
    [
      'a segment that is none',
      { ...inline, audienceType: 'segment', segmentId: 'a' },
      400,
      'segmentId',
    ],
    ['a segment for all', { ...inline, segmentId: uuidv7() }, 400, 'segmentId'],
    ['contacts without contacts', { ...inline, audienceType: 'contacts' }, 400, 'contactIds'],
    ['contacts with all', { ...inline, contactIds: [uuidv7()] }, 400, 'contactIds'],
    ['no contacts', { ...inline, audienceType: 'contacts', contactIds: [] }, 422, 'contactIds'],
    ['the past', { ...inline, scheduledFor: '2020-01-01T00:00:00Z' }, 400, 'scheduledFor'],
    ['a leap second', { ...inline, scheduledFor: '2099-12-31T23:59:60Z' }, 400, 'scheduledFor'],
    [
      'a year of five digits',
      { ...inline, scheduledFor: '9999-12-31T23:00:00-09:00' },
      400,
      'scheduledFor',
    ],
    ['no time', { ...inline, scheduledFor: 'tomorrow' }, 422, 'scheduledFor'],
    ['a sender that is no address', { ...inline, from: 'News' }, 422, 'from'],
    ['retry without events', { ...inline, unknownOutcome: 'retry' }, 400, 'unknownOutcome'],
    [
      'half a mapping',
      { ...inline, variableMappings: [mapped] },
      400,
      'variableMappings[0].source.value',
    ],
    ['a header in the subject', { ...inline, subject: 'a\nBcc: b@example.com' }, 422, 'subject'],
    ['an unknown field', { ...inline, audience: 'all' }, 422, 'audience'],
  ])('%s', async (_name, input, status, path) => {
    const answer = await create(input)
    expect([answer.status, answer.body.details[0].path]).toEqual([status, path])
  })

  test('an unknown topic is 400, and another organization’s is 403', async () => {
    const theirs = await seedTopic(api.sql, api.charlie.organizationId)
    for (const [topicId, status] of [
      [theirs, 403],
      [uuidv7(), 400],
      ['news', 400],
    ] as const) {
      const answer = await create({ ...inline, audienceType: 'topic', topicId })
      expect([topicId, answer.status]).toEqual([topicId, status])
    }
    const [row] = await api.sql<{ count: number }[]>`
      select count(*) as count from batches where topic_id = ${theirs}`
    expect(row?.count).toBe(0)
  })

  test('unknown contacts are 400 with twenty of them named, another tenant’s among them', async () => {
    const { id } = await createContact(api.charlie, { email: 'charlie@example.com' })
    const unknown = [id, ...Array.from({ length: 30 }, () => uuidv7())]
    const { status, body } = await create({
      ...inline,
      audienceType: 'contacts',
      contactIds: [...contactIds, ...unknown],
    })
    expect(status).toBe(400)
    expect(body.details.length).toBe(20)
    expect(body.error).toContain('31')
    expect(body.error).toContain(id)
  })

  test('an account or a template of another organization is 403', async () => {
    const account = await connectAccount(api.charlie)
    const foreign = await create({ ...inline, cloudAccountId: account.connectionId })
    expect([foreign.status, foreign.body.code]).toEqual([403, 'FORBIDDEN'])
    const own = await template()
    const stolen = await api.charlie.post('/v1/batch', {
      audienceType: 'all',
      from: 'news@example.com',
      templateId: own,
    })
    expect([stolen.status, stolen.body.code]).toEqual([403, 'FORBIDDEN'])
  })

  test('a refused batch leaves no batch, no content and no outbox message', async () => {
    const counts = () => api.sql`
      select (select count(*) from batches) as batches, (select count(*) from contents) as contents,
        (select count(*) from outbox) as messages`
    const before = await counts()
    await create({ ...inline, audienceType: 'contacts', contactIds: [uuidv7()] })
    await create({ ...inline, unknownOutcome: 'retry' })
    expect(await counts()).toEqual(before)
  })
})

test('the account may be left out while there is exactly one', async () => {
  const dora = await api.client(api.alice.organizationId, ['send', 'full'])
  const second = await connectAccount(dora, { region: 'eu-west-1' })
  const several = await create(inline)
  expect([several.status, several.body.details[0].path]).toEqual([400, 'cloudAccountId'])
  await dora.delete(`/v1/connections/${second.connectionId}`)
  expect((await create(inline)).status).toBe(201)
  const gone = await create({ ...inline, cloudAccountId: second.connectionId })
  expect([gone.status, gone.body.details[0].path]).toEqual([400, 'cloudAccountId'])
  const none = await api.sql`select 1 from batches where connection_id = ${second.connectionId}`
  expect(none.length).toBe(0)
})

test('retry is accepted while delivery events arrive', async () => {
  await api.sql`
    update connections
    set last_event_received_at = now() - interval '24 hours 1 minute'
    where id = ${connectionId}`
  expect((await create({ ...inline, unknownOutcome: 'retry' })).status).toBe(400)
  await api.sql`
    update connections
    set last_event_received_at = now() - interval '23 hours'
    where id = ${connectionId}`
  expect((await create({ ...inline, unknownOutcome: 'retry' })).status).toBe(201)
})
