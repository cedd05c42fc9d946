import { afterAll, beforeAll, expect, test } from 'vitest'
import { freezePage } from '../../src/core/batches/freeze-audience.ts'
import { type Uuid, uuidv7 } from '../../src/runtime/ids.ts'
import { type Api, type Client, connectAccount, createContact, startApi } from '../support/api.ts'
import { seedTopic } from '../support/seed.ts'

let api: Api
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

/** An organization of this test's own, with an account and eight people of whom four pay. */
async function organization(plan = 'starter') {
  const id = uuidv7()
  await api.sql`insert into organizations (id, name, plan) values (${id}, 'Own', ${plan})`
  const client = await api.client(id, ['full'])
  const ids: Uuid[] = []
  for (let at = 0; at < 8; at++) {
    const properties = { plan: at % 2 === 0 ? 'pro' : 'free' }
    ids.push((await createContact(client, { email: `p${at}@example.com`, properties })).id)
  }
  await connectAccount(client)
  return { client, ids }
}
const where = (operator: string) => ({
  logic: 'AND',
  groups: [{ filters: [{ field: 'properties.plan', operator, value: 'pro' }] }],
})
const segment = async (client: Client, operator = 'equals'): Promise<Uuid> =>
  (await client.post('/v1/segments', { name: operator, condition: where(operator) })).body.id
const create = (client: Client, input: object) =>
  client.post('/v1/batch', {
    audienceType: 'all',
    from: 'news@example.com',
    subject: 'News',
    htmlContent: '<p>News</p>',
    ...input,
  })
const freeze = ({ organizationId }: Client, batchId: Uuid) =>
  freezePage(api.sql, { organizationId, batchId, attempt: 1, pageSize: 3, chunkSize: 10 })

/** Whom a batch mails, frozen in pages of three. */
async function recipients(client: Client, batchId: Uuid): Promise<string> {
  for (let page = 0; page < 4; page++) await freeze(client, batchId)
  const rows = await api.sql<{ recipient: string }[]>`
    select recipient from messages where batch_id = ${batchId} order by id`
  return rows.map(({ recipient }) => recipient.replace('@example.com', '')).join(' ')
}
const ending = async (id: Uuid) => {
  const [row] = await api.sql<{ status: string; failedReason: string | null }[]>`
    select status, failed_reason from batches where id = ${id}`
  return [row?.status, row?.failedReason]
}

test('subscribers of topics and members of segments are left out of every kind of audience', async () => {
  const { client, ids } = await organization()
  const [paying, others] = [await segment(client), await segment(client, 'notEquals')]
  const news = await seedTopic(api.sql, client.organizationId, [ids[1]!, ids[2]!])
  const offers = await seedTopic(api.sql, client.organizationId, [ids[3]!])
  const cases: [object, string][] = [
    [{ exclude: {} }, 'p0 p1 p2 p3 p4 p5 p6 p7'],
    [{ exclude: { topicIds: [news.toUpperCase(), news, offers] } }, 'p0 p4 p5 p6 p7'],
    [{ exclude: { segmentIds: [paying] } }, 'p1 p3 p5 p7'],
    [{ exclude: { topicIds: [news], segmentIds: [paying] } }, 'p3 p5 p7'],
    [{ exclude: { segmentIds: [paying, others] } }, ''],
    [{ audienceType: 'segment', segmentId: paying, exclude: { topicIds: [news] } }, 'p0 p4 p6'],
    [
      { audienceType: 'segment', segmentId: paying, exclude: { segmentIds: [others] } },
      'p0 p2 p4 p6',
    ],
    [{ audienceType: 'topic', topicId: news, exclude: { segmentIds: [paying] } }, 'p1'],
    [
      { audienceType: 'contacts', contactIds: ids.slice(0, 4), exclude: { topicIds: [offers] } },
      'p0 p1 p2',
    ],
  ]
  for (const [input, expected] of cases) {
    const { status, body } = await create(client, input)
    const count = expected === '' ? 0 : expected.split(' ').length
    expect([status, body.totalRecipients], JSON.stringify(input)).toEqual([201, count])
    expect(await recipients(client, body.id), JSON.stringify(input)).toBe(expected)
  }
})

test('a batch shows whom it leaves out, once each', async () => {
  const { client } = await organization()
  const id = await segment(client)
  const topic = await seedTopic(api.sql, client.organizationId)
  const exclude = { topicIds: [topic], segmentIds: [id, id.toUpperCase()] }
  const { body } = await create(client, { exclude })
  const shown = { topicIds: [topic], segmentIds: [id] }
  expect(body.exclude).toEqual(shown)
  expect((await client.get(`/v1/batch/${body.id}`)).body.exclude).toEqual(shown)
  expect((await client.get('/v1/batch')).body.data[0].exclude).toEqual(shown)
})

test('unknown exclusions are 400 with their name, those of another organization 403, too many 422', async () => {
  const { client } = await organization()
  const other = (await organization()).client
  const known = await segment(client)
  const unknown = uuidv7()
  for (const exclude of [{ topicIds: [unknown] }, { segmentIds: [known, unknown] }]) {
    const [field] = Object.keys(exclude)
    const { status, body } = await create(client, { exclude })
    expect([status, body.details]).toEqual([
      400,
      [{ path: `exclude.${field}`, message: expect.stringContaining(unknown) }],
    ])
  }
  expect((await create(client, { exclude: { topicIds: ['a'] } })).status).toBe(400)
  expect((await create(client, { exclude: { segmentIds: ['a'] } })).status).toBe(400)
  const foreign = [
    { segmentIds: [known, await segment(other)] },
    { topicIds: [await seedTopic(api.sql, other.organizationId)] },
  ]
  for (const exclude of foreign) expect((await create(client, { exclude })).status).toBe(403)
  const ids = Array.from({ length: 101 }, () => uuidv7())
  expect((await create(client, { exclude: { topicIds: ids } })).status).toBe(422)
  expect((await create(client, { exclude: { segmentIds: ids.slice(0, 21) } })).status).toBe(422)
  const made = await api.sql`
    select from batches where organization_id = ${client.organizationId}`
  expect(made.length).toBe(0)
})

test('on the free plan topics may be left out, and segments are 402', async () => {
  const { client, ids } = await organization('free')
  const topic = await seedTopic(api.sql, client.organizationId, ids.slice(0, 7))
  expect((await create(client, { exclude: { topicIds: [topic] } })).body.totalRecipients).toBe(1)
  expect((await create(client, { exclude: { segmentIds: [uuidv7()] } })).status).toBe(402)
})

test('a batch of which nobody can say whom it leaves out mails nobody and fails', async () => {
  const { client } = await organization()
  const id = await segment(client)
  const topic = await seedTopic(api.sql, client.organizationId)
  const breaks = [
    () => api.sql`update segments set condition = '{"logic": "OR"}' where id = ${id}`,
    () => api.sql`delete from segments where id = ${id}`,
    () => api.sql`delete from topics where id = ${topic}`,
  ]
  const made = []
  for (const exclude of [{ segmentIds: [id] }, { segmentIds: [id] }, { topicIds: [topic] }]) {
    made.push((await create(client, { exclude })).body.id)
  }
  for (const [at, spoil] of breaks.entries()) {
    await spoil()
    expect(await recipients(client, made[at])).toBe('')
    const reason = at === 2 ? 'topic_deleted' : 'segment_not_usable'
    expect(await ending(made[at])).toEqual(['failed', reason])
  }
  const resumed = await client.post(`/v1/batch/${made[2]}/resume`)
  expect(resumed).toMatchObject({ status: 409, body: { reason: 'topic_deleted' } })
})

test('exclusions of a live batch cannot be deleted, and one of two concurrent requests wins', async () => {
  const { client } = await organization()
  const { organizationId } = client
  const segmentId = await segment(client)
  const topicId = await seedTopic(api.sql, organizationId)
  const exclude = { topicIds: [topicId], segmentIds: [segmentId] }
  const { body } = await create(client, { name: 'Offer', exclude })
  const refused = await client.delete(`/v1/segments/${segmentId}`)
  expect(refused).toMatchObject({ status: 409, body: { reason: 'segment_in_use' } })
  expect(refused.body.error).toContain('"Offer"')
  expect((await client.delete(`/v1/topics/${topicId}`)).body.reason).toBe('topic_in_use')
  await client.delete(`/v1/batch/${body.id}`)
  expect((await client.delete(`/v1/segments/${segmentId}`)).status).toBe(200)
  expect((await client.delete(`/v1/topics/${topicId}`)).status).toBe(200)

  for (let round = 0; round < 10; round++) {
    const isTopic = round % 2 === 0
    const id = isTopic ? await seedTopic(api.sql, organizationId) : await segment(client)
    const [made, deleted] = await Promise.all([
      create(client, { exclude: isTopic ? { topicIds: [id] } : { segmentIds: [id] } }),
      client.delete(`/v1/${isTopic ? 'topics' : 'segments'}/${id}`),
    ])
    expect([
      [201, 409],
      [400, 200],
    ]).toContainEqual([made.status, deleted.status])
  }
})
