import { afterAll, beforeAll, expect, test } from 'vitest'
import { freezePage } from '../../src/core/batches/freeze-audience.ts'
import { type Uuid, uuidv7 } from '../../src/runtime/ids.ts'
import {
  type Answer,
  type Api,
  type Client,
  connectAccount,
  createContact,
  startApi,
} from '../support/api.ts'
import { smallFlow } from '../support/flow-inputs.ts'

let api: Api
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

/** An organization of this test's own, with eight people of whom four pay. */
async function organization(plan = 'starter'): Promise<Client> {
  const id = uuidv7()
  await api.sql`insert into organizations (id, name, plan) values (${id}, 'Own', ${plan})`
  const client = await api.client(id, ['full'])
  for (let at = 0; at < 8; at++) {
    const properties = { plan: at % 2 === 0 ? 'pro' : 'free' }
    await createContact(client, { email: `p${at}@example.com`, firstName: `P${at}`, properties })
  }
  return client
}
const pro = {
  logic: 'AND',
  groups: [{ filters: [{ field: 'properties.plan', operator: 'equals', value: 'pro' }] }],
}
const segment = async (client: Client): Promise<Uuid> =>
  (await client.post('/v1/segments', { name: 'Paying', condition: pro })).body.id
const names = ({ body }: Answer): string[] =>
  body.contacts.map(({ firstName }: { firstName: string }) => firstName)
const batchTo = (segmentId: Uuid | undefined) => ({
  audienceType: 'segment',
  ...(segmentId === undefined ? {} : { segmentId }),
  from: 'news@example.com',
  subject: 'News',
  htmlContent: '<p>News</p>',
})
const freeze = (client: Client, batchId: Uuid, attempt = 1) =>
  freezePage(api.sql, {
    organizationId: client.organizationId,
    batchId,
    attempt,
    pageSize: 3,
    chunkSize: 10,
  })
const recipients = async (batchId: Uuid): Promise<string[]> =>
  (
    await api.sql<{ recipient: string }[]>`
    select recipient from messages where batch_id = ${batchId} order by recipient
  `
  ).map(({ recipient }) => recipient)
const batchRow = async (id: Uuid) => {
  const [row] = await api.sql<{ status: string; failedReason: string | null }[]>`
    select status, failed_reason from batches where id = ${id}`
  return row
}

test('a list of contacts by segment has its members, with the other filters and a search', async () => {
  const client = await organization()
  const id = await segment(client)
  const path = `/v1/contacts?segmentId=${id}`
  const all = await client.get(path)
  expect(names(all)).toEqual(['P6', 'P4', 'P2', 'P0'])
  expect(all.body).toMatchObject({ total: 4, totalIsExact: true, nextCursor: null })
  await client.patch('/v1/contacts/p4@example.com', { emailStatus: 'unsubscribed' })
  expect(names(await client.get(`${path}&emailStatus=active`))).toEqual(['P6', 'P2', 'P0'])
  expect(names(await client.get(`${path}&search=p2@`))).toEqual(['P2'])
  expect(names(await client.get(`${path}&search=p1@`))).toEqual([])
  const first = await client.get(`${path}&pageSize=3`)
  const rest = await client.get(`${path}&pageSize=3&cursor=${first.body.nextCursor}`)
  expect([...names(first), ...names(rest)]).toEqual(['P6', 'P4', 'P2', 'P0'])
  const elsewhere = await client.get(`/v1/contacts?cursor=${first.body.nextCursor}`)
  expect(elsewhere.status).toBe(400)
})

test('a segment of another organization is 403, an unknown one 400', async () => {
  const client = await organization()
  await connectAccount(client)
  const foreign = await segment(await organization())
  for (const [id, status] of [
    [uuidv7(), 400],
    [foreign, 403],
  ] as const) {
    const flow = { triggerType: 'segment_entry', triggerConfig: { segmentId: id } }
    const answers = [
      await client.get(`/v1/contacts?segmentId=${id}`),
      await client.get(`/v1/contacts/export?segmentId=${id}`),
      await client.post('/v1/batch', batchTo(id)),
      await client.post('/v1/batch', {
        ...batchTo(undefined),
        audienceType: 'all',
        exclude: { segmentIds: [id] },
      }),
      await client.post('/v1/workflows', smallFlow(flow)),
    ]
    expect(answers.map((each) => each.status)).toEqual(answers.map(() => status))
  }
  const unknown = await client.get(`/v1/contacts?segmentId=${uuidv7()}`)
  expect(unknown.body.details).toMatchObject([{ path: 'segmentId', message: 'does not exist' }])
})

test('lists, exports and batches by segment are 402 on the free plan', async () => {
  const client = await organization('free')
  await connectAccount(client)
  const id = uuidv7()
  expect((await client.get(`/v1/contacts?segmentId=${id}`)).status).toBe(402)
  expect((await client.get(`/v1/contacts/export?segmentId=${id}`)).status).toBe(402)
  expect((await client.post('/v1/batch', batchTo(id))).status).toBe(402)
})

test('an export by segment has its members only', async () => {
  const client = await organization()
  const answer = await client.get(
    `/v1/contacts/export?format=ndjson&segmentId=${await segment(client)}`,
  )
  const lines = answer.text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).firstName)
  expect(lines).toEqual(['P6', 'P4', 'P2', 'P0'])
})

test('a batch to a segment mails those who are in it when it is frozen, and may be mailed', async () => {
  const client = await organization()
  await connectAccount(client)
  const segmentId = await segment(client)
  const { body, status } = await client.post('/v1/batch', batchTo(segmentId))
  expect([status, body.segmentId, body.audience.type, body.totalRecipients]).toEqual([
    201,
    segmentId,
    'segment',
    4,
  ])
  await client.patch('/v1/contacts/p0@example.com', { emailStatus: 'unsubscribed' })
  await client.patch('/v1/contacts/p1@example.com', { properties: { plan: 'pro' } })
  await client.patch('/v1/contacts/p2@example.com', { properties: { plan: 'free' } })
  expect(await freeze(client, body.id)).toMatchObject({ complete: false, total: 3 })
  expect(await freeze(client, body.id)).toMatchObject({ complete: true, total: 3 })
  expect(await recipients(body.id)).toEqual(['p1@example.com', 'p4@example.com', 'p6@example.com'])
})

test('a batch to a segment that cannot be evaluated mails nobody and fails with the reason', async () => {
  const client = await organization()
  await connectAccount(client)
  for (const condition of ['{}', '{"logic": "OR", "groups": []}', 'null']) {
    const segmentId = await segment(client)
    const { body } = await client.post('/v1/batch', batchTo(segmentId))
    await api.sql`
      update segments set condition = ${condition}::text::jsonb where id = ${segmentId}`
    expect(await freeze(client, body.id)).toBeUndefined()
    expect(await recipients(body.id)).toEqual([])
    expect(await batchRow(body.id)).toEqual({
      status: 'failed',
      failedReason: 'segment_not_usable',
    })
  }
})

test('a batch whose segment is gone mails nobody', async () => {
  const client = await organization()
  await connectAccount(client)
  const segmentId = await segment(client)
  const { body } = await client.post('/v1/batch', batchTo(segmentId))
  expect(await client.delete(`/v1/segments/${segmentId}`)).toMatchObject({
    status: 409,
    body: { reason: 'segment_in_use' },
  })
  await api.sql`delete from segments where id = ${segmentId}`
  expect(await freeze(client, body.id)).toBeUndefined()
  expect(await recipients(body.id)).toEqual([])
  expect(await batchRow(body.id)).toMatchObject({ status: 'failed' })
})

test('one of a concurrent batch and deletion wins', async () => {
  const client = await organization()
  await connectAccount(client)
  for (let round = 0; round < 10; round++) {
    const segmentId = await segment(client)
    const [made, deleted] = await Promise.all([
      client.post('/v1/batch', batchTo(segmentId)),
      client.delete(`/v1/segments/${segmentId}`),
    ])
    expect([
      [201, 409],
      [400, 200],
    ]).toContainEqual([made.status, deleted.status])
  }
})
