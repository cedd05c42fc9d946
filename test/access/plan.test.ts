import { afterAll, beforeAll, expect, test } from 'vitest'
import { planOf, requireFeature, requireRoom } from '../../src/core/access/plan.ts'
import { uuidv7 } from '../../src/runtime/ids.ts'
import * as organizations from '../../src/store/access/organizations.ts'
import * as plans from '../../src/store/access/plans.ts'
import { transact, within } from '../../src/store/db/sql.ts'
import { type Api, type Client, startApi, tally } from '../support/api.ts'
import { documentOf } from '../support/document.ts'

let api: Api
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

async function organization(plan: string): Promise<Client> {
  const id = uuidv7()
  await organizations.create(api.sql, { id, name: plan, plan })
  return api.client(id, ['full'])
}
const connect = (client: Client, n: number) =>
  client.post('/v1/connections', { accountId: String(n).padStart(12, '0'), region: 'eu-west-1' })

test('there are five plans, with these figures', async () => {
  const all = await plans.list(api.sql)
  expect(
    all.map((p) => [
      p.name,
      p.requestsPerMinute,
      p.requestsPerDay,
      p.eventsPerMonth,
      p.connections,
      p.workflows,
      p.segments,
      p.storedBytes && p.storedBytes / 2 ** 30,
    ]),
  ).toEqual([
    ['free', 50, 1_000, 5_000, 1, 2, false, 2],
    ['starter', 500, 50_000, 50_000, 3, null, true, 20],
    ['growth', 2_000, 200_000, 250_000, null, null, true, 100],
    ['scale', 5_000, 500_000, 1_000_000, null, null, true, 500],
    ['enterprise', 10_000, 2_000_000, null, null, null, true, null],
  ])
})

test('an organization’s own figures go before its plan’s, and it cannot write them itself', async () => {
  const { organizationId } = await organization('free')
  const sql = within(api.deps.sql, organizationId)
  await expect(
    sql`insert into plan_overrides (organization_id, connections) values (${organizationId}, 9)`,
  ).rejects.toMatchObject({ code: '42501' })
  await api.sql`
    insert into plan_overrides (organization_id, connections, segments)
    values (${organizationId}, 2, true)`
  expect(await planOf(sql, organizationId)).toMatchObject({
    name: 'free',
    connections: 2,
    segments: true,
    workflows: 2,
    requestsPerMinute: 50,
  })
  // Another one sees neither.
  const other = await organization('free')
  expect(
    await planOf(within(api.deps.sql, other.organizationId), other.organizationId),
  ).toMatchObject({ connections: 1 })
})

test('a feature that the plan lacks is 402 and names the plans that have it', async () => {
  const { organizationId } = await organization('free')
  const refusal = await requireFeature(
    within(api.deps.sql, organizationId),
    organizationId,
    'segments',
  ).catch((error: unknown) => error)
  expect(refusal).toMatchObject({
    code: 'PAYMENT_REQUIRED',
    reason: 'plan_limit',
    message:
      'Your plan does not include segments. These plans do: starter, growth, scale, enterprise',
  })
  const paid = await organization('starter')
  await requireFeature(within(api.deps.sql, paid.organizationId), paid.organizationId, 'segments')
})

test('the second account of a free organization is 402; its first can be updated, and be replaced', async () => {
  const client = await organization('free')
  const first = await connect(client, 1)
  expect(first.status).toBe(200)
  const second = await connect(client, 2)
  expect([second.status, second.body]).toEqual([
    402,
    {
      error:
        'Your plan allows 1 connection. These plans allow more: starter (3), growth (unlimited), scale (unlimited), enterprise (unlimited)',
      code: 'PAYMENT_REQUIRED',
      reason: 'plan_limit',
      requestId: expect.any(String),
    },
  ])
  // The document shows this very answer.
  const { responses } = documentOf(api.app).components
  const { requestId: _id, ...shown } = second.body
  expect(responses['PaymentRequired']?.content?.['application/json']?.example).toMatchObject(shown)
  expect((await connect(client, 1)).body.created).toBe(false)
  expect((await client.get('/v1/connections')).body.connections.length).toBe(1)
  await client.delete(`/v1/connections/${first.body.connectionId}`)
  expect((await connect(client, 2)).status).toBe(200)
  // Reviving the disconnected one needs a place again.
  expect((await connect(client, 1)).status).toBe(402)
})

test('several are in the plural, and plans that allow no more are not named', async () => {
  const client = await organization('starter')
  for (const n of [1, 2, 3]) expect((await connect(client, n)).status).toBe(200)
  expect((await connect(client, 4)).body.error).toMatch(
    /^Your plan allows 3 connections\. These plans allow more: growth \(unlimited\), /,
  )
})

test('an organization that came down from a larger plan can update what it has', async () => {
  const client = await organization('enterprise')
  for (const n of [1, 2, 3, 4]) expect((await connect(client, n)).status).toBe(200)
  await api.sql`update organizations set plan = 'free' where id = ${client.organizationId}`
  expect((await connect(client, 3)).status).toBe(200)
  expect((await connect(client, 5)).status).toBe(402)
})

test('one of eight concurrent requests gets the last place', async () => {
  for (const [plan, places] of [
    ['free', 1],
    ['starter', 3],
  ] as const) {
    const client = await organization(plan)
    const answers = await Promise.all(Array.from({ length: 8 }, (_, n) => connect(client, n)))
    expect(tally(answers.map(({ status }) => status))).toEqual({ 200: places, 402: 8 - places })
    expect((await client.get('/v1/connections')).body.connections.length).toBe(places)
  }
})

test('the same account eight times at once takes one place', async () => {
  const client = await organization('free')
  const answers = await Promise.all(Array.from({ length: 8 }, () => connect(client, 7)))
  expect(tally(answers.map(({ status }) => status))).toEqual({ 200: 8 })
  expect((await client.get('/v1/connections')).body.connections.length).toBe(1)
})

test('a resource without a limit is never counted', async () => {
  const { organizationId } = await organization('enterprise')
  const room = transact(within(api.deps.sql, organizationId), (tx) =>
    requireRoom(tx, organizationId, 'workflows', () => Promise.reject(new Error('counted'))),
  )
  await expect(room).resolves.toBeUndefined()
})
