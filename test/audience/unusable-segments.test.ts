import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freezePage } from '../../src/core/batches/freeze-audience.ts'
import { type Uuid, uuidv7 } from '../../src/runtime/ids.ts'
import { type Api, type Client, connectAccount, createContact, startApi } from '../support/api.ts'
import { smallFlow } from '../support/flow-inputs.ts'

let api: Api
let client: Client
beforeAll(async () => {
  api = await startApi()
  const id = uuidv7()
  await api.sql`insert into organizations (id, name, plan) values (${id}, 'Own', 'starter')`
  client = await api.client(id, ['full'])
  await connectAccount(client)
  await createContact(client, { email: 'ada@example.com', properties: { plan: 'pro' } })
})
afterAll(() => api.close())

const pro = {
  logic: 'AND',
  groups: [{ filters: [{ field: 'properties.plan', operator: 'equals', value: 'pro' }] }],
}
/** A segment whose condition another version has written. */
async function segment(stored: string): Promise<Uuid> {
  const { body } = await client.post('/v1/segments', { name: 'Some', condition: pro })
  expect(body.memberCount).toBe(1)
  await api.sql`
    update segments
    set condition = ${stored}::text::jsonb, counted_at = now() - interval '2 min'
    where id = ${body.id}`
  return body.id
}
const batch = (audience: object) => ({
  ...audience,
  from: 'news@example.com',
  subject: 'News',
  htmlContent: '<p>News</p>',
})

describe.each([
  ['null', 'null', 'must be an object'],
  ['an empty object', '{}', 'condition.groups must be a list'],
  ['no groups', '{"logic": "AND", "groups": []}', 'condition.groups must be a list'],
  ['an empty group', '{"logic": "AND", "groups": [{"filters": []}]}', 'must not be empty'],
  [
    'an operator of the future',
    '{"logic": "OR", "groups": [{"filters": [{"field": "email", "operator": "looksLike", "value": "a"}]}]}',
    'the email looksLike "a"',
  ],
])('a segment whose stored condition is %s', (_, stored, why) => {
  test('is shown with the reason, and can be changed and deleted', async () => {
    const id = await segment(stored)
    const shown = {
      id,
      condition: null,
      sentence: 'Nobody: this version cannot evaluate the condition.',
      problem: { reason: 'segment_not_usable', message: expect.stringContaining(why) },
      memberCount: null,
      countedAt: null,
    }
    expect(await client.get(`/v1/segments/${id}`)).toMatchObject({ status: 200, body: shown })
    const list = await client.get('/v1/segments')
    expect([list.status, list.body.segments[0]]).toMatchObject([200, shown])
    const renamed = await client.patch(`/v1/segments/${id}`, { name: 'Other' })
    expect(renamed).toMatchObject({ status: 200, body: { ...shown, name: 'Other' } })
    expect(await client.patch(`/v1/segments/${id}`, { condition: pro })).toMatchObject({
      status: 200,
      body: { problem: null, memberCount: 1, condition: pro },
    })
    expect((await client.delete(`/v1/segments/${id}`)).status).toBe(200)
  })

  test('has no members anywhere', async () => {
    const id = await segment(stored)
    for (const path of [
      `/v1/segments/${id}/members`,
      `/v1/contacts?segmentId=${id}`,
      `/v1/contacts?segmentId=${id}&search=ada`,
      `/v1/contacts/export?segmentId=${id}`,
    ]) {
      expect(await client.get(path), path).toMatchObject({
        status: 400,
        body: { reason: 'segment_not_usable', error: expect.stringContaining(why) },
      })
    }
  })

  test('fails a batch that goes to it or leaves it out, and mails nobody', async () => {
    const id = await segment(stored)
    for (const audience of [
      { audienceType: 'segment', segmentId: id },
      { audienceType: 'all', exclude: { segmentIds: [id] } },
    ]) {
      const { status, body } = await client.post('/v1/batch', batch(audience))
      expect([status, body.totalRecipients]).toEqual([201, 0])
      const { organizationId } = client
      const run = { organizationId, batchId: body.id, attempt: 1 }
      expect(await freezePage(api.sql, { ...run, pageSize: 10, chunkSize: 10 })).toBeUndefined()
      expect((await client.get(`/v1/batch/${body.id}`)).body).toMatchObject({
        status: 'failed',
        failedReason: 'segment_not_usable',
      })
    }
    expect(await api.sql`select from messages`).toHaveLength(0)
  })

  test('is watched by no workflow from now on', async () => {
    const id = await segment(stored)
    const trigger = { triggerType: 'segment_entry', triggerConfig: { segmentId: id } }
    const refused = await client.post('/v1/workflows', smallFlow(trigger))
    expect(refused).toMatchObject({
      status: 400,
      body: { details: [{ path: 'triggerConfig.segmentId' }] },
    })
    expect(refused.body.details[0].message).toContain(why)
  })
})
