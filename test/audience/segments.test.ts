import { afterAll, beforeAll, expect, test } from 'vitest'
import { uuidv7 } from '../../src/runtime/ids.ts'
import {
  type Answer,
  type Api,
  type Client,
  connectAccount,
  createBatch,
  createContact,
  startApi,
} from '../support/api.ts'
import { seedFlow } from '../support/seed-flow.ts'

let api: Api
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

/** An organization of this test's own. */
async function organization(plan = 'starter', scopes = ['full']): Promise<Client> {
  const id = uuidv7()
  await api.sql`insert into organizations (id, name, plan) values (${id}, 'Own', ${plan})`
  return api.client(id, scopes)
}
const condition = (field: string, operator: string, value?: unknown, more: object = {}) => ({
  logic: 'AND',
  groups: [{ filters: [{ field, operator, ...(value === undefined ? {} : { value }), ...more }] }],
})
const pro = condition('properties.plan', 'equals', 'pro')
const people = async (client: Client, plans: string[]) => {
  for (const [at, plan] of plans.entries()) {
    await createContact(client, { email: `p${at}@example.com`, properties: { plan } })
  }
}
const emails = ({ body }: Answer) =>
  (body.contacts ?? body.sample).map(({ email }: { email: string }) => email)
const actions = async (client: Client): Promise<string[]> => {
  const { body } = await client.get('/v1/audit-events')
  return body.data.map(({ action }: { action: string }) => action)
}

test('a segment is made, read, listed, changed and deleted, and each change is noted', async () => {
  const client = await organization()
  await people(client, ['pro', 'free', 'pro'])
  const created = await client.post('/v1/segments', { name: 'Paying', condition: pro })
  expect(created.status).toBe(201)
  expect(created.body).toEqual({
    id: expect.any(String),
    name: 'Paying',
    description: null,
    condition: pro,
    sentence: 'Contacts where the property "plan" is "pro".',
    problem: null,
    memberCount: 2,
    memberCountIsExact: true,
    countedAt: expect.any(String),
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
  })
  const path = `/v1/segments/${created.body.id}`
  expect((await client.get(path)).body).toEqual(created.body)
  expect((await client.get('/v1/segments')).body).toEqual({
    segments: [created.body],
    total: 1,
    limit: 20,
    offset: 0,
  })

  const changed = await client.patch(path, {
    ...created.body,
    description: 'Who pays',
    condition: condition('properties.plan', 'notEquals', 'pro'),
  })
  expect(changed.body).toMatchObject({
    name: 'Paying',
    description: 'Who pays',
    sentence: 'Contacts where the property "plan" is not "pro".',
    memberCount: 1,
  })
  expect((await client.patch(path, { description: null })).body.description).toBeNull()

  expect((await client.delete(path)).body).toEqual({ success: true })
  expect((await client.get(path)).status).toBe(404)
  expect((await client.delete(path)).status).toBe(404)
  expect((await client.get('/v1/segments')).body.total).toBe(0)
  expect(await actions(client)).toEqual([
    'segment.deleted',
    'segment.updated',
    'segment.updated',
    'segment.created',
  ])
})

test('a change that was not known is 409, and leaves the segment as it is', async () => {
  const client = await organization()
  const { body } = await client.post('/v1/segments', { name: 'One', condition: pro })
  const path = `/v1/segments/${body.id}`
  await new Promise((resolve) => setTimeout(resolve, 5))
  expect(
    (await client.patch(path, { name: 'Two', ifUnmodifiedSince: body.updatedAt })).status,
  ).toBe(200)
  const late = await client.patch(path, { name: 'Three', ifUnmodifiedSince: body.updatedAt })
  expect(late).toMatchObject({ status: 409, body: { reason: 'modified' } })
  expect((await client.get(path)).body.name).toBe('Two')
})

test('one of twenty concurrent changes of a version succeeds', async () => {
  const client = await organization()
  const { body } = await client.post('/v1/segments', { name: 'One', condition: pro })
  await new Promise((resolve) => setTimeout(resolve, 5))
  const answers = await Promise.all(
    Array.from({ length: 20 }, async (_, at) =>
      client.patch(`/v1/segments/${body.id}`, {
        name: `Name ${at}`,
        ifUnmodifiedSince: body.updatedAt,
      }),
    ),
  )
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(answers.filter(({ status }) => status === 409)).toHaveLength(19)
})

test('a preview counts, shows the newest and keeps nothing', async () => {
  const client = await organization()
  await people(client, ['pro', 'pro', 'free', 'pro'])
  const answer = await client.post('/v1/segments/preview', { condition: pro, limit: 2 })
  expect(answer.body).toMatchObject({
    count: 3,
    countIsExact: true,
    sentence: 'Contacts where the property "plan" is "pro".',
  })
  expect(emails(answer)).toEqual(['p3@example.com', 'p1@example.com'])
  expect((await client.get('/v1/segments')).body.total).toBe(0)
  expect((await client.post('/v1/segments/preview', { condition: pro, limit: 101 })).status).toBe(
    422,
  )
  expect((await api.charlie.post('/v1/segments/preview', { condition: pro })).body.count).toBe(0)
})

test('members are listed page by page and by cursor, each once', async () => {
  const client = await organization()
  await people(client, ['pro', 'free', 'pro', 'pro', 'free', 'pro', 'pro'])
  const { body } = await client.post('/v1/segments', { name: 'Paying', condition: pro })
  const path = `/v1/segments/${body.id}/members?pageSize=2`
  const first = await client.get(path)
  expect(first.body).toMatchObject({
    page: 1,
    pageSize: 2,
    total: 5,
    totalPages: 3,
    totalIsExact: true,
  })
  const seen = [...emails(first)]
  for (let cursor = first.body.nextCursor; cursor !== null; ) {
    const next = await client.get(`${path}&cursor=${cursor}`)
    seen.push(...emails(next))
    cursor = next.body.nextCursor
  }
  expect(seen).toEqual(['p6', 'p5', 'p3', 'p2', 'p0'].map((name) => `${name}@example.com`))
  expect(emails(await client.get(`${path}&page=3`))).toEqual(['p0@example.com'])
  const both = await client.get(`${path}&page=2&cursor=${first.body.nextCursor}`)
  expect(both.status).toBe(400)
  const other = await client.post('/v1/segments', { name: 'Other', condition: pro })
  const foreign = `/v1/segments/${other.body.id}/members?cursor=${first.body.nextCursor}`
  expect((await client.get(foreign)).status).toBe(400)
})

test('a member who no longer fits is gone at once', async () => {
  const client = await organization()
  const { id } = await createContact(client, {
    email: 'a@example.com',
    properties: { plan: 'pro' },
  })
  const { body } = await client.post('/v1/segments', { name: 'Paying', condition: pro })
  const path = `/v1/segments/${body.id}/members`
  expect((await client.get(path)).body.total).toBe(1)
  await client.patch(`/v1/contacts/${id}`, { properties: { plan: 'free' } })
  expect((await client.get(path)).body).toMatchObject({ contacts: [], total: 0 })
})

test('a count that is older than a minute is made anew, and kept', async () => {
  const client = await organization()
  const { body } = await client.post('/v1/segments', { name: 'Paying', condition: pro })
  expect(body.memberCount).toBe(0)
  await people(client, ['pro'])
  const path = `/v1/segments/${body.id}`
  expect((await client.get(path)).body.memberCount).toBe(0)
  await api.sql`update segments set counted_at = now() - interval '61 s' where id = ${body.id}`
  expect((await client.get(path)).body.memberCount).toBe(1)
  const listed = await client.get('/v1/segments')
  expect(listed.body.segments[0]).toMatchObject({ memberCount: 1, updatedAt: body.updatedAt })
})

test('a list is searched by a part of the name, and has pages', async () => {
  const client = await organization()
  for (const name of ['Paying', 'Not paying', '100 %', 'Other']) {
    await client.post('/v1/segments', { name, condition: pro })
  }
  const names = async (query: string) => {
    const { body } = await client.get(`/v1/segments?${query}`)
    return [body.total, ...body.segments.map(({ name }: { name: string }) => name)]
  }
  expect(await names('search=PAYING')).toEqual([2, 'Not paying', 'Paying'])
  expect(await names('search=%25')).toEqual([1, '100 %'])
  expect(await names('search=_')).toEqual([0])
  expect(await names('limit=2')).toEqual([4, 'Other', '100 %'])
  expect(await names('limit=2&offset=2')).toEqual([4, 'Not paying', 'Paying'])
  expect((await client.get('/v1/segments?offset=-1')).status).toBe(400)
  expect((await client.get('/v1/segments?limit=101')).status).toBe(400)
})

test('a segment that a live batch or an enabled workflow uses is not deleted', async () => {
  const client = await organization()
  const { organizationId } = client
  const { body } = await client.post('/v1/segments', { name: 'Paying', condition: pro })
  const path = `/v1/segments/${body.id}`
  await connectAccount(client)
  const batch = await createBatch(client, { name: 'Offer "1"' })
  await api.sql`
    update batches set audience_type = 'segment', segment_id = ${body.id} where id = ${batch.id}`
  const trigger = { type: 'segment_entry', segmentId: body.id } as const
  const flowId = await seedFlow(api.sql, organizationId, { trigger })
  const refused = await client.delete(path)
  expect(refused).toMatchObject({ status: 409, body: { reason: 'segment_in_use' } })
  expect(refused.body.error).toContain('the batch "Offer "1""')
  expect(refused.body.details.map(({ message }: { message: string }) => message)).toEqual([
    `is used by the batch ${batch.id}`,
    `is used by the workflow ${flowId}`,
  ])
  await api.sql`update batches set status = 'cancelled' where id = ${batch.id}`
  expect((await client.delete(path)).status).toBe(409)
  await api.sql`update flows set enabled = false where id = ${flowId}`
  expect((await client.delete(path)).status).toBe(200)
})

test('on the free plan every operation is 402, which names the plans that have segments', async () => {
  const client = await organization('free')
  const id = uuidv7()
  const answers = [
    await client.get('/v1/segments'),
    await client.post('/v1/segments', { name: 'Paying', condition: pro }),
    await client.post('/v1/segments/preview', { condition: pro }),
    await client.get(`/v1/segments/${id}`),
    await client.get(`/v1/segments/${id}/members`),
    await client.patch(`/v1/segments/${id}`, { name: 'x' }),
    await client.delete(`/v1/segments/${id}`),
  ]
  for (const answer of answers) {
    expect(answer).toMatchObject({
      status: 402,
      body: { code: 'PAYMENT_REQUIRED', reason: 'plan_limit' },
    })
    expect(answer.body.error).toContain('starter')
  }
})

test('a segment of another organization is 403, one that nobody has 404', async () => {
  const { body } = await api.alice.post('/v1/segments', { name: 'Hers', condition: pro })
  for (const id of [body.id, uuidv7(), 'nobody']) {
    const expected = id === body.id ? 403 : 404
    const path = `/v1/segments/${id}`
    expect((await api.charlie.get(path)).status).toBe(expected)
    expect((await api.charlie.get(`${path}/members`)).status).toBe(expected)
    expect((await api.charlie.patch(path, { name: 'Mine' })).status).toBe(expected)
    expect((await api.charlie.delete(path)).status).toBe(expected)
  }
  expect((await api.alice.get(`/v1/segments/${body.id}`)).body.name).toBe('Hers')
})

test('an operator that does not fit its field is 400, which names the place', async () => {
  const nested = {
    logic: 'OR',
    groups: [{ filters: [], nested: condition('createdAt', 'contains', 'x') }],
  }
  const cases: [object, string, RegExp][] = [
    [
      condition('createdAt', 'equals', 'x'),
      'groups[0].filters[0].operator',
      /^cannot be used with the field createdAt/,
    ],
    [condition('emailsSent', 'greaterThan', '5'), 'groups[0].filters[0].value', /must be a number/],
    [condition('nobody', 'exists'), 'groups[0].filters[0].field', /is not a field/],
    [condition('trigger.data.x', 'exists'), 'groups[0].filters[0].field', /cannot be used here/],
    [condition('segment', 'equals', 'x'), 'groups[0].filters[0].field', /cannot be a segment/],
    [condition('segment.Paying', 'exists'), 'groups[0].filters[0].field', /cannot be a segment/],
    [nested, 'groups[0].nested.groups[0].filters[0].operator', /cannot be used/],
    [{ logic: 'AND', groups: [] }, 'groups', /at least one group/],
  ]
  for (const [given, path, message] of cases) {
    for (const answer of [
      await api.alice.post('/v1/segments', { name: 'x', condition: given }),
      await api.alice.post('/v1/segments/preview', { condition: given }),
    ]) {
      expect(answer).toMatchObject({
        status: 400,
        body: { code: 'BAD_REQUEST', details: [{ path: `condition.${path}` }] },
      })
      expect(answer.body.details[0].message).toMatch(message)
    }
  }
})

test('the same request with the same key makes one segment', async () => {
  const client = await organization()
  const request = {
    method: 'POST',
    url: '/v1/segments',
    payload: { name: 'Once', condition: pro },
    headers: { 'idempotency-key': 'once' },
  } as const
  const first = await client.send(request)
  const second = await client.send(request)
  expect([first.status, second.status]).toEqual([201, 201])
  expect(second.body).toEqual(first.body)
  expect(second.headers['idempotency-replayed']).toBe('true')
  expect((await client.get('/v1/segments')).body.total).toBe(1)
})

test('a key may read segments with read, and write them with full only', async () => {
  const client = await organization()
  const { body } = await client.post('/v1/segments', { name: 'Paying', condition: pro })
  const reader = await api.client(client.organizationId, ['read'])
  expect((await reader.get(`/v1/segments/${body.id}`)).status).toBe(200)
  expect((await reader.get(`/v1/segments/${body.id}/members`)).status).toBe(200)
  const sender = await api.client(client.organizationId, ['send', 'contacts', 'events'])
  for (const key of [reader, sender]) {
    expect((await key.post('/v1/segments', { name: 'x', condition: pro })).status).toBe(403)
    expect((await key.patch(`/v1/segments/${body.id}`, { name: 'x' })).status).toBe(403)
    expect((await key.delete(`/v1/segments/${body.id}`)).status).toBe(403)
  }
  expect((await sender.get('/v1/segments')).status).toBe(403)
})
