import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { uuidv7 } from '../../src/runtime/ids.ts'
import { type Api, connectAccount, startApi, tally } from '../support/api.ts'

let api: Api
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

const register = (input: object) => api.alice.post('/v1/connections', input)
const listed = async (id: string) => {
  const { body } = await api.alice.get('/v1/connections')
  return body.connections.find((each: { id: string }) => each.id === id)
}

const secretsOf = (connectionId: string) => api.sql<{ validUntil: string | null }[]>`
  select valid_until from connection_secrets where connection_id = ${connectionId}
  order by created_at`

test('registering answers what the customer needs, once, and promises to verify', async () => {
  const { status, body } = await register({
    accountId: '111111111111',
    region: 'eu-central-1',
    name: 'Production',
  })
  expect(status).toBe(200)
  expect(body).toEqual({
    success: true,
    created: true,
    connectionId: expect.any(String),
    externalId: expect.stringMatching(/^[\w-]{16,}$/),
    roleArn: `arn:aws:iam::111111111111:role/letterloom-${body.externalId.slice(0, 8)}`,
    webhookSecret: expect.stringMatching(/^.{65}$/),
    webhookEndpoint: 'https://mail.example.com/webhooks/ses/111111111111',
  })
  const [row] = await api.sql<{ text: string }[]>`
    select connections::text || connection_secrets::text as text
    from connections
    join connection_secrets on connection_id = id
    where id = ${body.connectionId}`
  expect(row?.text).toContain(body.externalId)
  expect(row?.text).not.toContain(body.webhookSecret)
  const promised = await api.sql`
    select kind from outbox where payload ->> 'connectionId' = ${body.connectionId}`
  expect(promised).toEqual([{ kind: 'verify_connection' }])
  expect(await listed(body.connectionId)).toEqual({
    id: body.connectionId,
    accountId: '111111111111',
    name: 'Production',
    region: 'eu-central-1',
    emailEnabled: true,
    smsEnabled: false,
    isVerified: false,
    verificationError: null,
    warnings: [],
    webhookConnected: false,
    snsTopicArn: null,
    eventQueueUrl: null,
    lastVerifiedAt: null,
    lastEventReceivedAt: null,
    disconnectedAt: null,
    createdAt: expect.any(String),
  })
})

test('again: the same connection and external id, another secret', async () => {
  const account = { awsAccountId: '222222222222', region: 'us-gov-west-1' }
  const first = (await register({ ...account, name: 'One', features: { sms: true } })).body
  expect(first.roleArn).toMatch(/^arn:aws-us-gov:/)
  const second = (await register({ ...account, name: 'Two' })).body
  expect(second).toMatchObject({
    created: false,
    connectionId: first.connectionId,
    externalId: first.externalId,
  })
  expect(second.webhookSecret).not.toBe(first.webhookSecret)
  expect(await listed(first.connectionId)).toMatchObject({ name: 'Two', smsEnabled: true })
  const otherRegion = await register({ ...account, region: 'eu-west-1' })
  expect(otherRegion.body.created).toBe(true)
})

test('many at once make one connection', async () => {
  const account = { accountId: '333333333333', region: 'eu-west-1' }
  const answers = await Promise.all(Array.from({ length: 20 }, () => register(account)))
  expect(answers.filter(({ body }) => body.created).length).toBe(1)
  expect(new Set(answers.map(({ body }) => body.externalId)).size).toBe(1)
  // Each got a secret that is good; the last one is the present one.
  const secrets = await secretsOf(answers[0]?.body.connectionId)
  expect(secrets.map(({ validUntil }) => validUntil === null)).toEqual([
    ...Array.from({ length: 19 }, () => false),
    true,
  ])
})

test('a secret lasts a day from its replacement, and then makes room', async () => {
  const account = { accountId: '343434343434', region: 'eu-west-1' }
  const { connectionId } = await connectAccount(api.alice, account)
  await connectAccount(api.alice, account)
  const [first, second] = await secretsOf(connectionId)
  const hours = (Date.parse(first?.validUntil ?? '') - Date.now()) / 3_600_000
  expect(hours).toBeGreaterThan(23.9)
  expect(hours).toBeLessThanOrEqual(24.01)
  expect(second).toEqual({ validUntil: null })
  await api.sql`
    update connection_secrets set valid_until = now() - interval '1 second'
    where connection_id = ${connectionId} and valid_until is not null`
  await connectAccount(api.alice, account)
  expect((await secretsOf(connectionId)).length).toBe(2)
})

test('a hundred secrets a day are enough: the next rotation is refused and kills none', async () => {
  const account = { accountId: '353535353535', region: 'eu-west-1' }
  const { connectionId } = await connectAccount(api.alice, account)
  await api.sql`
    insert into connection_secrets (organization_id, connection_id, hash, valid_until)
    select organization_id, connection_id, sha256(n::text::bytea), now() + interval '1 hour'
    from connection_secrets, generate_series(1, 98) as n
    where connection_id = ${connectionId}`
  const answers = await Promise.all([register(account), register(account)])
  expect(tally(answers.map(({ status }) => status))).toEqual({ 200: 1, 409: 1 })
  const refused = answers.find(({ status }) => status === 409)
  expect(refused?.body).toMatchObject({ code: 'CONFLICT', reason: 'too_many_secrets' })
  expect((await secretsOf(connectionId)).length).toBe(100)
  await api.alice.delete(`/v1/connections/${connectionId}`)
  expect((await register(account)).status).toBe(200)
})

test('rotating while disconnecting leaves a dead account dead, or a live one with one secret', async () => {
  const account = { accountId: '363636363636', region: 'eu-west-1' }
  const { connectionId } = await connectAccount(api.alice, account)
  for (let round = 0; round < 10; round++) {
    await Promise.all([
      ...Array.from({ length: 3 }, () => register(account)),
      api.alice.delete(`/v1/connections/${connectionId}`),
    ])
    const { disconnectedAt } = await listed(connectionId)
    const secrets = await secretsOf(connectionId)
    const present = secrets.filter(({ validUntil }) => validUntil === null).length
    expect([disconnectedAt === null, present]).toEqual(
      disconnectedAt === null ? [true, 1] : [false, 0],
    )
    expect(disconnectedAt === null || secrets.length === 0).toBe(true)
  }
})

describe('is refused', () => {
  test.each([
    ['no account', { region: 'eu-west-1' }, 422, 'accountId'],
    ['eleven digits', { accountId: '12345678901', region: 'eu-west-1' }, 422, 'accountId'],
    ['a number', { accountId: 123456789012, region: 'eu-west-1' }, 422, 'accountId'],
    ['no region', { accountId: '123456789012' }, 422, 'region'],
    ['an unknown region', { accountId: '123456789012', region: 'mars-1' }, 422, 'region'],
    [
      'two accounts',
      { accountId: '123456789012', awsAccountId: '123456789013', region: 'eu-west-1' },
      400,
      'awsAccountId',
    ],
  ])('%s', async (_name, input, status, path) => {
    const answer = await register(input)
    expect([answer.status, answer.body.details[0].path]).toEqual([status, path])
  })
})

test('registering and disconnecting in a loop ends: of 10,000 records one is used again', async () => {
  const { organizationId } = api.charlie
  await api.sql`
    insert into connections (organization_id, id, account_id, region, external_id, disconnected_at)
    select ${organizationId}, gen_random_uuid(), (888800000000 + n)::text, 'eu-central-1', n,
      now()
    from generate_series(1, 10000) as n`
  const add = (accountId: string) =>
    api.charlie.post('/v1/connections', { accountId, region: 'eu-central-1' })
  const { status, body } = await add('999999999999')
  expect([status, body.reason]).toEqual([409, 'too_many_connections'])
  expect((await add('888800000001')).body).toMatchObject({ created: false })
  expect(await api.sql`select from connections where account_id = '999999999999'`).toEqual([])
  await api.sql`delete from connections where organization_id = ${organizationId}`
})

test('disconnecting keeps the record and forgets all secrets; registering revives it', async () => {
  const account = { accountId: '444444444444', region: 'eu-west-1', name: 'Kept' }
  const first = await connectAccount(api.alice, account)
  await connectAccount(api.alice, account)
  await api.sql`update connections set is_verified = true where id = ${first.connectionId}`
  const url = `/v1/connections/${first.connectionId}`
  expect((await api.charlie.delete(url)).status).toBe(403)
  expect((await listed(first.connectionId)).disconnectedAt).toBeNull()
  const answer = await api.alice.delete(url)
  expect([answer.status, answer.body]).toEqual([200, { success: true }])
  const { disconnectedAt } = await listed(first.connectionId)
  expect(disconnectedAt).toEqual(expect.any(String))
  expect(await secretsOf(first.connectionId)).toEqual([])
  expect((await api.alice.delete(url)).status).toBe(200)
  expect((await listed(first.connectionId)).disconnectedAt).toBe(disconnectedAt)

  const again = await connectAccount(api.alice, account)
  expect(again).toMatchObject({ created: false, externalId: first.externalId })
  expect(await listed(first.connectionId)).toMatchObject({
    disconnectedAt: null,
    isVerified: false,
    name: 'Kept',
  })
})

test('an unknown connection is 404, and a stranger sees none', async () => {
  expect((await api.alice.delete(`/v1/connections/${uuidv7()}`)).status).toBe(404)
  expect((await api.alice.delete('/v1/connections/x')).status).toBe(404)
  expect((await api.charlie.get('/v1/connections')).body).toEqual({ connections: [] })
})
