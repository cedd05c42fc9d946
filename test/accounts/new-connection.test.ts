import { afterAll, beforeAll, expect, test } from 'vitest'
import { answered } from '../support/answered.ts'
import { type Api, connectAccount, startApi } from '../support/api.ts'
import { until } from '../support/engine.ts'
import { emptyDns } from '../support/provider.ts'
import { type ProviderEngine, startProviderEngine } from '../support/provider-engine.ts'
import { newAccountId, REGION } from '../support/seed.ts'

/** What is known of an account whose role is made after it was registered, as a person does it. */
let engine: ProviderEngine
let api: Api

beforeAll(async () => {
  engine = await startProviderEngine()
  api = await startApi({ asker: engine.asker })
  await engine.work(api.databaseUrl, emptyDns, { whole: true })
})
afterAll(async () => {
  await api.close()
  await engine.stop()
})

interface Account {
  id: string
  accountId: string
  externalId: string
}

/** Registered; what that started is over, and found no role. */
async function register(): Promise<Account> {
  const accountId = newAccountId()
  await engine.control.putAccount(accountId, { region: REGION, roles: [] })
  const registered = await connectAccount(api.alice, { accountId, region: REGION })
  const id = registered.connectionId
  const run = engine.client.workflow.getHandle(`verify/${id}`)
  await until(() =>
    run.result().then(
      () => true,
      () => false,
    ),
  )
  return { id, accountId, externalId: registered.externalId }
}

const makeRole = ({ accountId, externalId }: Account) =>
  engine.control.putAccount(accountId, {
    region: REGION,
    roles: [{ name: `letterloom-${externalId.slice(0, 8)}`, externalId, policyVersion: 2 }],
  })
const healthOf = async ({ id }: Account) => (await api.alice.get(`/v1/account/health/${id}`)).body
const recheck = async ({ id }: Account) =>
  (await answered(() => api.alice.post(`/v1/account/console-policy/${id}/recheck`))).body
/** As if the last verification were long ago, so that the next one asks. */
const age = ({ id }: Account) => api.sql`
  update connections
  set check_begun_at = check_begun_at - interval '1 minute',
    checked_at = checked_at - interval '1 minute'
  where id = ${id}`
const waiting = async () => {
  const rows = await api.sql`select from outbox where done_at is null`
  return rows.length
}

test('its health is known right after the first verification that succeeds', async () => {
  const account = await register()
  expect(await healthOf(account)).toMatchObject({ status: 'unknown', checkedAt: null })
  await makeRole(account)
  await age(account)
  const verify = () => answered(() => api.alice.post(`/v1/connections/${account.id}/verify`))
  const { body } = await verify()
  expect(body.isVerified).toBe(true)
  const health = await until(async () => {
    const found = await healthOf(account)
    return found.checkedAt !== null && found
  })
  expect(health).toMatchObject({ status: 'healthy', sendingEnabled: true })

  // A connection that is in order stays so: nothing is started anew.
  await until(async () => (await waiting()) === 0)
  const before = await api.sql`select from outbox`
  await age(account)
  await verify()
  expect(await api.sql`select from outbox`).toHaveLength(before.length)
})

test('a policy probe that the account refused does not use up the minute of the next', async () => {
  const account = await register()
  expect(await recheck(account)).toMatchObject({ version: null, rechecked: false })
  await makeRole(account)
  expect(await recheck(account)).toMatchObject({ version: 2, upToDate: true, rechecked: true })
  // One that found something does.
  expect(await recheck(account)).toMatchObject({ version: 2, rechecked: false })
  expect((await engine.control.calls(account.accountId))['iam:GetRolePolicy']).toBe(1)
})
