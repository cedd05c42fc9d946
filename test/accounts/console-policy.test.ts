import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type ConsolePolicyDeps,
  probeConsolePolicy,
  probeConsolePolicyDaily,
} from '../../activities/accounts/console-policy.ts'
import { POLICY_VERSION } from '../../src/domain/accounts/aws-actions.ts'
import { uuidv7 } from '../../src/runtime/ids.ts'
import { giveBack, takeProbe } from '../../src/store/accounts/console-policies.ts'
import { answered } from '../support/answered.ts'
import { type Api, startApi } from '../support/api.ts'
import { type ProviderEngine, startProviderEngine } from '../support/provider-engine.ts'

let engine: ProviderEngine
let api: Api
beforeAll(async () => {
  engine = await startProviderEngine()
  api = await startApi({ asker: engine.asker })
  await engine.work(api.databaseUrl)
  // The first question takes longest, on a busy machine too long.
  const { id } = await engine.connect(api.alice)
  await recheck(id)
})
afterAll(async () => {
  await api.close()
  await engine.stop()
})

const recheck = (id: string, client = api.alice) =>
  answered(() => client.post(`/v1/account/console-policy/${id}/recheck`))
const probes = async ({ accountId }: { accountId: string }): Promise<number> =>
  (await engine.control.calls(accountId))['iam:GetRolePolicy'] ?? 0
/** As if the account's last probe, and what it found, were older. */
const age = (id: string, seconds: number) => api.sql`
  update console_policies
  set probed_at = probed_at - ${seconds} * interval '1 second',
    checked_at = checked_at - ${seconds} * interval '1 second'
  where connection_id = ${id}`

test('asks the account, stores what it says, and within a minute answers that', async () => {
  const account = await engine.connect(api.alice)
  const first = await recheck(account.id)
  expect(first.status).toBe(200)
  expect(first.body).toEqual({
    version: POLICY_VERSION,
    currentVersion: POLICY_VERSION,
    upToDate: true,
    checkedAt: expect.any(String),
    rechecked: true,
  })
  expect((await recheck(account.id)).body).toEqual({ ...first.body, rechecked: false })
  expect(await probes(account)).toBe(1)
  await age(account.id, 61)
  const later = await recheck(account.id)
  expect(later.body.rechecked).toBe(true)
  expect(later.body.checkedAt > first.body.checkedAt).toBe(true)
  expect(await probes(account)).toBe(2)
})

test('an account that throttles: what was found before, not rechecked, not asked harder', async () => {
  const account = await engine.connect(api.alice)
  await engine.control.setFaults({ readThrottlePercent: 100 }, account.accountId)
  const nothing = {
    version: null,
    currentVersion: POLICY_VERSION,
    upToDate: false,
    checkedAt: null,
  }
  expect((await recheck(account.id)).body).toEqual({ ...nothing, rechecked: false })
  expect(await probes(account)).toBe(1)
  await engine.control.resetFaults(account.accountId)
  await age(account.id, 61)
  const { body: found } = await recheck(account.id)
  expect(found).toMatchObject({ version: POLICY_VERSION, rechecked: true })
  await engine.control.setFaults({ readThrottlePercent: 100 }, account.accountId)
  await age(account.id, 61)
  const { body: stored } = await recheck(account.id)
  expect(stored).toMatchObject({ version: POLICY_VERSION, upToDate: true, rechecked: false })
  expect(stored.checkedAt < found.checkedAt).toBe(true)
})

test('a role that cannot be assumed, or answers too late, leaves what was found before', async () => {
  const denied = await engine.connect(api.alice)
  await engine.control.setFaults({ denyAssumeRole: true }, denied.accountId)
  const slow = await engine.connect(api.alice)
  await engine.control.setFaults({ readLatencyMs: 30_000 }, slow.accountId)
  const startedAt = performance.now()
  const answers = await Promise.all([recheck(denied.id), recheck(slow.id)])
  expect(performance.now() - startedAt).toBeLessThan(20_000)
  for (const { status, body } of answers) {
    expect([status, body.version, body.checkedAt, body.rechecked]).toEqual([200, null, null, false])
  }
  await engine.control.resetFaults()
})

test('an older policy is not up to date, a newer one is', async () => {
  const old = await engine.connect(api.alice)
  const { externalId, accountId, region } = old
  const role = { name: `letterloom-${externalId.slice(0, 8)}`, externalId }
  await engine.control.putAccount(accountId, { region, roles: [{ ...role, policyVersion: 0 }] })
  expect((await recheck(old.id)).body).toMatchObject({
    version: null,
    upToDate: false,
    rechecked: true,
  })
  await engine.control.putAccount(accountId, { region, roles: [{ ...role, policyVersion: 9 }] })
  await age(old.id, 61)
  expect((await recheck(old.id)).body).toMatchObject({ version: 9, upToDate: true })
})

test('a disconnected account is not asked; another’s is 403, an unknown one 404', async () => {
  const account = await engine.connect(api.alice)
  await api.alice.delete(`/v1/connections/${account.id}`)
  expect((await recheck(account.id)).body).toMatchObject({ version: null, rechecked: false })
  const foreign = await engine.connect(api.charlie)
  expect((await recheck(foreign.id)).status).toBe(403)
  expect((await recheck(uuidv7())).status).toBe(404)
  expect((await recheck('no-uuid')).status).toBe(404)
  expect((await recheck('x'.repeat(37))).status).toBe(400)
  expect([await probes(account), await probes(foreign)]).toEqual([0, 0])
  const reader = await api.client(api.alice.organizationId, ['read'])
  expect((await recheck(account.id, reader)).status).toBe(403)
})

test('two organizations with one account have a probe each', async () => {
  const ours = await engine.connect(api.alice)
  const { body } = await api.charlie.post('/v1/connections', {
    accountId: ours.accountId,
    region: ours.region,
  })
  await recheck(ours.id)
  const theirs = await recheck(body.connectionId, api.charlie)
  // The role that trusts us for them is not there: they learn nothing of ours.
  expect(theirs.body).toMatchObject({ version: null, checkedAt: null, rechecked: false })
})

describe('the sweep', () => {
  let found: number
  const deps = (): ConsolePolicyDeps => ({
    sql: api.sql,
    consolePolicies: {
      version: async () => {
        found++
        return { kind: 'told', value: 3 }
      },
    },
  })

  test('leaves alone what was found out within a day', async () => {
    found = 0
    const { id: connectionId } = await engine.connect(api.alice)
    const account = { organizationId: api.alice.organizationId, connectionId }
    expect(await probeConsolePolicyDaily(deps(), account)).toBe('found')
    await age(connectionId, 23 * 3_600)
    expect(await probeConsolePolicyDaily(deps(), account)).toBe('skipped')
    await age(connectionId, 2 * 3_600)
    expect(await probeConsolePolicyDaily(deps(), account)).toBe('found')
    expect(found).toBe(2)
    expect((await recheck(connectionId)).body).toMatchObject({ version: 3, rechecked: false })
  })

  test('and a recheck at the same moment are one probe', async () => {
    found = 0
    const { id: connectionId } = await engine.connect(api.alice)
    const account = { organizationId: api.alice.organizationId, connectionId }
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, () => probeConsolePolicyDaily(deps(), account)),
    )
    expect(outcomes.filter((outcome) => outcome === 'found')).toHaveLength(1)
    expect(found).toBe(1)
  })

  test('does nothing with a probe that was given back, and gives back none that was used', async () => {
    found = 0
    const { id: connectionId } = await engine.connect(api.alice)
    const account = { organizationId: api.alice.organizationId, connectionId }
    const probe = await takeProbe(api.sql, account)
    expect(await takeProbe(api.sql, account)).toBeUndefined()
    await giveBack(api.sql, probe!)
    expect(await probeConsolePolicy(deps(), account)).toBe('skipped')
    expect(found).toBe(0)
    const again = await takeProbe(api.sql, account)
    expect(await probeConsolePolicy(deps(), account)).toBe('found')
    await giveBack(api.sql, again!)
    expect(await takeProbe(api.sql, account)).toBeUndefined()
  })
})
