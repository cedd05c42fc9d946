import { afterAll, beforeAll, expect, it } from 'vitest'
import { OPERATOR_ACCOUNT } from '../../tools/sandbox/credentials.ts'
import { uuidv7 } from '../../src/runtime/ids.ts'
import { type Api, type Client, connectAccount, startApi } from '../support/api.ts'
import { type HealthFixture, startHealthFixture } from '../support/health.ts'

let api: Api
let fixture: HealthFixture
let accountNumber = 100_000_000_000

beforeAll(async () => {
  api = await startApi()
  fixture = await startHealthFixture(api)
})
afterAll(async () => {
  await fixture.close()
  await api.close()
})

const THRESHOLDS = {
  bounceReview: 0.05,
  bouncePause: 0.1,
  complaintReview: 0.001,
  complaintPause: 0.005,
  quotaWarn: 0.8,
}

async function connect(client: Client) {
  const accountId = String(++accountNumber)
  const { connectionId } = await connectAccount(client, { accountId, region: 'eu-west-1' })
  return { id: connectionId, accountId }
}

const judged = (client: Client, id: string, status: string, checkedAt: string) => api.sql`
  insert into account_health (organization_id, connection_id, status, reasons, checked_at,
    production_access_enabled, sending_enabled, enforcement_status, max_24_hour,
    sent_last_24_hours, max_send_rate, bounce_rate, complaint_rate)
  values (${client.organizationId}, ${id}, ${status}, '{}', ${checkedAt}, true, true, 'HEALTHY',
    1000, 250, 14, 0.01, null)`

it('without accounts nothing is known', async () => {
  const { status, body } = await api.charlie.get('/v1/account/health')
  expect(status).toBe(200)
  expect(body).toEqual({ status: 'unknown', checkedAt: null, accounts: [] })
})

it('an account that was never checked is unknown, every figure null', async () => {
  const { id, accountId } = await connect(api.alice)
  const record = {
    id,
    accountNumber: accountId,
    region: 'eu-west-1',
    status: 'unknown',
    checkedAt: null,
    sandbox: null,
    productionAccessEnabled: null,
    sendingEnabled: null,
    enforcementStatus: null,
    quota: { max24Hour: null, sentLast24Hours: null, usedRatio: null, maxSendRate: null },
    reputation: { bounceRate: null, complaintRate: null },
    thresholds: THRESHOLDS,
    reasons: [],
  }
  expect((await api.alice.get(`/v1/account/health/${id}`)).body).toEqual(record)
  expect((await api.alice.get('/v1/account/health')).body).toEqual({
    status: 'unknown',
    checkedAt: null,
    accounts: [record],
  })
})

it('the stored result of the sweep is returned, and the provider is not asked', async () => {
  const account = await fixture.connect({
    max24Hour: 1_000,
    sentLast24Hours: 850,
    productionAccess: false,
    reputation: { bounceRate: 0.06, complaintRate: 0 },
  })
  const at = fixture.setTime(Date.now())
  await fixture.activities().checkAccount(account)
  const calls = await fixture.control.calls(account.accountId)
  expect(calls).toMatchObject({ 'ses:GetAccount': 1, 'cloudwatch:GetMetricData': 1 })
  const operator = await fixture.control.calls(OPERATOR_ACCOUNT)

  const client = await api.client(account.organizationId, ['read'])
  const record = {
    id: account.connectionId,
    accountNumber: account.accountId,
    region: 'eu-west-1',
    status: 'at_risk',
    checkedAt: new Date(at).toISOString(),
    sandbox: true,
    productionAccessEnabled: false,
    sendingEnabled: true,
    enforcementStatus: 'HEALTHY',
    quota: { max24Hour: 1_000, sentLast24Hours: 850, usedRatio: 0.85, maxSendRate: 14 },
    reputation: { bounceRate: 0.06, complaintRate: 0 },
    thresholds: THRESHOLDS,
    reasons: ['bounce_review', 'quota_high'],
  }
  for (let count = 0; count < 5; count++) {
    const one = await client.get(`/v1/account/health/${account.connectionId}`)
    expect([one.status, one.body]).toEqual([200, record])
    expect((await client.get('/v1/account/health')).body).toEqual({
      status: 'at_risk',
      checkedAt: record.checkedAt,
      accounts: [record],
    })
  }
  expect(await fixture.control.calls(account.accountId)).toEqual(calls)
  expect(await fixture.control.calls(OPERATOR_ACCOUNT)).toEqual(operator)
})

it('the organization’s verdict is its worst account’s, its time the latest', async () => {
  const ids = []
  for (const status of ['healthy', 'unknown', 'at_risk', 'in_danger']) {
    const { id } = await connect(api.charlie)
    ids.unshift(id)
    await judged(api.charlie, id, status, `2026-03-0${ids.length}T00:00:00Z`)
    const { body } = await api.charlie.get('/v1/account/health')
    // Each of them is worse than those before.
    expect(body.status).toBe(status)
    expect(body.checkedAt).toBe(`2026-03-0${ids.length}T00:00:00.000Z`)
    expect(body.accounts.map((account: { id: string }) => account.id)).toEqual(ids)
  }
  // A disconnected account is none: neither in the list nor by its id.
  await api.charlie.delete(`/v1/connections/${ids[0]}`)
  const { body } = await api.charlie.get('/v1/account/health')
  expect(body.status).toBe('at_risk')
  expect(body.accounts).toHaveLength(3)
  expect((await api.charlie.get(`/v1/account/health/${ids[0]}`)).status).toBe(404)
})

it('another organization’s account is as unknown as one that nobody has', async () => {
  const { id } = await connect(api.charlie)
  await judged(api.charlie, id, 'in_danger', '2026-03-01T00:00:00Z')
  const answers = await Promise.all(
    [id, uuidv7(), 'no-uuid'].map((each) => api.alice.get(`/v1/account/health/${each}`)),
  )
  for (const { status, body } of answers) {
    expect(status).toBe(404)
    expect(body.code).toBe('NOT_FOUND')
  }
  expect(new Set(answers.map(({ body }) => body.message)).size).toBe(1)
  const { body } = await api.alice.get('/v1/account/health')
  expect(body.accounts.map((account: { id: string }) => account.id)).not.toContain(id)
})

it('an id has at most 36 characters', async () => {
  const { status, body } = await api.alice.get(`/v1/account/health/${'a'.repeat(37)}`)
  expect(status).toBe(400)
  expect(body.details[0].path).toBe('cloudAccountId')
})
