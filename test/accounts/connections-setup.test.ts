import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Api, connectAccount, startApi } from '../support/api.ts'

const accountId = '131313131313'
const region = 'eu-central-1'

let api: Api
let connection: Awaited<ReturnType<typeof connectAccount>>
beforeAll(async () => {
  api = await startApi()
  connection = await connectAccount(api.alice, { accountId, region })
})
afterAll(() => api.close())

const setup = (format: string, client = api.alice, id: string = connection.connectionId) =>
  client.get(`/v1/connections/${id}/setup?format=${format}`)

test.each([
  ['cloudformation', 'application/json; charset=utf-8', 'template.json'],
  ['terraform', 'text/plain; charset=utf-8', 'tf'],
])(
  'a %s file to download, of this connection and without its secret',
  async (format, type, end) => {
    const { status, headers, text } = await setup(format)
    const name = `letterloom-${connection.externalId.slice(0, 8)}`
    expect([status, headers['content-type'], headers['content-disposition']]).toEqual([
      200,
      type,
      `attachment; filename="${name}.${end}"`,
    ])
    for (const part of [
      connection.externalId,
      name,
      api.deps.principalArn,
      `${name}-events`,
      `arn:aws:events:${region}:${accountId}:event-bus/default`,
      'LetterloomV2',
    ]) {
      expect(text).toContain(part)
    }
    expect(text).not.toContain(connection.webhookSecret)
    const webhook = (await setup(`${format}&events=webhook`)).text
    expect(webhook).toContain(`https://mail.example.com/webhooks/ses/${accountId}`)
    expect(webhook).not.toContain(connection.webhookSecret)
  },
)

test('the rate of events follows from what the account may send, once that is known', async () => {
  const rate = async () =>
    JSON.parse((await setup('cloudformation&events=webhook')).text).Parameters.EventsPerSecond
      .Default
  expect(await rate()).toBe(300)
  await api.sql`update connections set max_send_rate = 50 where id = ${connection.connectionId}`
  expect(await rate()).toBe(200)
})

test('a key that may only read gets it, a stranger and an unknown format do not', async () => {
  const reader = await api.client(api.alice.organizationId, ['read'])
  expect((await setup('terraform', reader)).status).toBe(200)
  expect((await setup('terraform', api.charlie)).status).toBe(403)
  expect((await setup('pulumi')).status).toBe(400)
  const without = await api.alice.get(`/v1/connections/${connection.connectionId}/setup`)
  expect(without.status).toBe(400)
})

test('of an account in another partition than ours: the setting is at fault', async () => {
  const government = await connectAccount(api.alice, { accountId, region: 'us-gov-west-1' })
  const { status, body } = await setup('terraform', api.alice, government.connectionId)
  expect([status, body.reason]).toEqual([409, 'principal_of_another_partition'])
})

test('while the operator has not said who he is: the setting that is missing', async () => {
  const unset = await startApi({ principalArn: undefined })
  try {
    const { connectionId } = await connectAccount(unset.alice, { accountId, region })
    const { status, body } = await unset.alice.get(
      `/v1/connections/${connectionId}/setup?format=terraform`,
    )
    expect([status, body.reason]).toEqual([409, 'principal_not_configured'])
    expect(body.error).toContain('AWS_PRINCIPAL_ARN')
  } finally {
    await unset.close()
  }
})
