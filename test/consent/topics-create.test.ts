import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Uuid, uuidv7 } from '../../src/runtime/ids.ts'
import { type Api, type Client, connectAccount, startApi } from '../support/api.ts'

let api: Api
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

/** An organization of this test's own. */
async function organization(): Promise<Client> {
  const id = uuidv7()
  await api.sql`insert into organizations (id, name, plan) values (${id}, 'Own', 'enterprise')`
  return api.client(id, ['full'])
}
const create = (client: Client, body: object) => client.post('/v1/topics', body)
const template = async (client: Client, source: string): Promise<Uuid> => {
  const variables = [{ name: 'confirmUrl' }, { name: 'topic' }]
  const { body } = await client.post('/v1/templates', { name: 'Confirm', source, variables })
  return body.id
}

test('a name is enough; the slug is made of it, and of nobody else’s', async () => {
  const first = await create(api.alice, { name: 'Product News!' })
  expect(first.status).toBe(201)
  expect(first.body).toEqual({
    id: expect.any(String),
    name: 'Product News!',
    slug: 'product-news',
    description: null,
    doubleOptIn: false,
    public: true,
    templateId: null,
    from: null,
    fromName: null,
    cloudAccountId: null,
    subscribedCount: 0,
    pendingCount: 0,
    countsAreExact: true,
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
  })
  const second = await create(api.alice, { name: 'Product news' })
  expect(second.body.slug).toBe(`product-news-${second.body.id.slice(-8)}`)
  expect((await create(api.charlie, { name: 'Product news' })).body.slug).toBe('product-news')
  expect((await create(api.alice, { name: '日本語' })).body.slug).toBe('topic')
})

test('a slug that is taken is 409, in one’s own organization only', async () => {
  expect((await create(api.alice, { name: 'A', slug: 'taken' })).status).toBe(201)
  const refused = await create(api.alice, { name: 'B', slug: 'taken' })
  expect(refused).toMatchObject({
    status: 409,
    body: { code: 'CONFLICT', reason: 'slug_taken', details: [{ path: 'slug' }] },
  })
  expect((await create(api.charlie, { name: 'A', slug: 'taken' })).status).toBe(201)
})

test('one of twenty concurrent topics with a slug is created', async () => {
  const client = await organization()
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => create(client, { name: 'A', slug: 'race' })),
  )
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
  expect(answers.filter(({ status }) => status === 409)).toHaveLength(19)
})

test('double opt-in needs a sender and an account: 400 that names what is missing', async () => {
  const client = await organization()
  const doubleOptIn = true
  const refusedFor = async (body: object) => {
    const { status, body: answer } = await create(client, { name: 'N', doubleOptIn, ...body })
    return [status, answer.details?.[0]?.path]
  }
  expect(await refusedFor({})).toEqual([400, 'from'])
  expect(await refusedFor({ from: null })).toEqual([400, 'from'])
  expect(await refusedFor({ from: 'news@example.com' })).toEqual([400, 'cloudAccountId'])
  const { connectionId } = await connectAccount(client)
  const made = await create(client, { name: 'N', doubleOptIn, from: 'news@example.com' })
  expect(made.body).toMatchObject({ doubleOptIn: true, cloudAccountId: connectionId })
  const other = await connectAccount(client, { accountId: '210987654321' })
  expect(await refusedFor({ from: 'news@example.com' })).toEqual([400, 'cloudAccountId'])
  const cloudAccountId = other.connectionId
  const named = await create(client, {
    name: 'N',
    doubleOptIn,
    from: 'news@example.com',
    cloudAccountId,
  })
  expect(named.body.cloudAccountId).toBe(cloudAccountId)
  await client.delete(`/v1/connections/${cloudAccountId}`)
  expect(await refusedFor({ from: 'news@example.com', cloudAccountId })).toEqual([
    400,
    'cloudAccountId',
  ])
})

test('another organization’s account or template is 403, an unknown one 400', async () => {
  const { connectionId } = await connectAccount(api.charlie, { accountId: '333333333333' })
  const templateId = await template(api.charlie, '<a href="{{ confirmUrl }}">Yes</a>')
  const tried = async (body: object) => {
    const answer = await create(api.alice, { name: 'N', from: 'news@example.com', ...body })
    return [answer.status, answer.body.details?.[0]?.path]
  }
  expect(await tried({ cloudAccountId: connectionId })).toEqual([403, undefined])
  expect(await tried({ cloudAccountId: uuidv7() })).toEqual([400, 'cloudAccountId'])
  expect(await tried({ cloudAccountId: 'x' })).toEqual([400, 'cloudAccountId'])
  expect(await tried({ templateId })).toEqual([403, undefined])
  expect(await tried({ templateId: uuidv7() })).toEqual([400, 'templateId'])
})

test('a template must have the link, and none to unsubscribe', async () => {
  const good = await template(api.alice, '<a href="{{ confirmUrl }}">Yes</a>')
  expect((await create(api.alice, { name: 'N', templateId: good })).body.templateId).toBe(good)
  for (const source of ['<p>Hello</p>', '{{ confirmUrl }} {{ unsubscribeUrl }}']) {
    const templateId = await template(api.alice, source)
    const { status, body } = await create(api.alice, { name: 'N', templateId })
    expect([source, status, body.details[0].path]).toEqual([source, 400, 'templateId'])
  }
})

test('a body that the schema refuses is 422 with the field', async () => {
  for (const [path, body] of [
    ['name', {}],
    ['name', { name: '' }],
    ['name', { name: 'x'.repeat(101) }],
    ['name', { name: 'a\nb' }],
    ['slug', { name: 'N', slug: 'Not a slug' }],
    ['description', { name: 'N', description: 'x'.repeat(1_001) }],
    ['from', { name: 'N', from: 'nobody' }],
    ['fromName', { name: 'N', fromName: 'a\r\nBcc: x' }],
    ['doubleOptIn', { name: 'N', doubleOptIn: 'yes' }],
    ['colour', { name: 'N', colour: 'red' }],
  ] as const) {
    const refused = await create(api.alice, body)
    expect([path, refused.status, refused.body.details?.[0]?.path]).toEqual([path, 422, path])
  }
})

test('an organization has a thousand topics at most', async () => {
  const client = await organization()
  await api.sql`
    insert into topics (organization_id, id, name, slug)
    select ${client.organizationId}, gen_random_uuid(), 'T', 't-' || n
    from generate_series(1, 999) as n`
  const answers = await Promise.all(
    Array.from({ length: 5 }, (_, n) => create(client, { name: `Last ${n}` })),
  )
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
  expect(answers.filter(({ body }) => body.reason === 'topic_limit')).toHaveLength(4)
})
