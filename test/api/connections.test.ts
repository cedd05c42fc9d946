import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { uuidv7 } from '../../src/ids.ts'
import { type Api, connectAccount, startApi } from '../support/api.ts'

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
    select connections::text as text from connections where id = ${body.connectionId}`
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
    webhookConnected: false,
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

test('disconnecting keeps the record and forgets both secrets; registering revives it', async () => {
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
  const secrets = await api.sql`
    select secret_hash, previous_secret_hash from connections where id = ${first.connectionId}`
  expect(secrets).toEqual([{ secretHash: null, previousSecretHash: null }])
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

test('what exists nowhere is 404, and a stranger sees none', async () => {
  expect((await api.alice.delete(`/v1/connections/${uuidv7()}`)).status).toBe(404)
  expect((await api.alice.delete('/v1/connections/x')).status).toBe(404)
  expect((await api.charlie.get('/v1/connections')).body).toEqual({ connections: [] })
})
