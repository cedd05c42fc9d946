import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { uuidv7 } from '../../src/runtime/ids.ts'
import * as organizations from '../../src/store/access/organizations.ts'
import { type Api, type Client, startApi } from '../support/api.ts'
import { until } from '../support/engine.ts'
import { type ProviderEngine, startProviderEngine } from '../support/provider-engine.ts'

/** Longer than ANSWER_MS of the routes by what a busy machine needs. */
const DEADLINE_MS = 20_000
const SLOW = { readLatencyMs: 30_000 }

let engine: ProviderEngine
let api: Api
/** Of an organization that has no accounts yet. */
let dora: Client

beforeAll(async () => {
  engine = await startProviderEngine()
  api = await startApi({ asker: engine.asker })
  await engine.work(api.databaseUrl)
  // The first question takes longest, on a busy machine too long.
  await engine.connect(api.alice)
  await api.alice.get('/v1/domains/first.example')
})
beforeEach(async () => {
  const id = uuidv7()
  await organizations.create(api.sql, { id, name: 'D', plan: 'enterprise' })
  dora = await api.client(id, ['full'])
})
afterAll(async () => {
  await api.close()
  await engine.stop()
})

const verified = (...names: string[]) => ({
  identities: names.map((identity) => ({ identity, verified: true })),
})
const many = (mark: string) =>
  verified(...Array.from({ length: 1_200 }, (_, n) => `n${n}.${mark}.example`))

/** The answer, and how long it took in milliseconds. */
async function timed(client: Client, url: string) {
  const startedAt = performance.now()
  const answer = await client.get(url)
  return { ...answer, ms: performance.now() - startedAt }
}

const callsOf = async (accountId: string, action: string): Promise<number> =>
  (await engine.control.calls(accountId))[action] ?? 0

describe('the list', () => {
  test('is empty without accounts, and names each account’s identities with them', async () => {
    expect((await dora.get('/v1/domains')).body).toEqual({ data: [], accounts: [] })
    const { id, accountId, region } = await engine.connect(dora, {
      identities: [
        { identity: 'one.example', verified: true },
        { identity: 'jane@two.example', verified: false },
      ],
    })
    const { status, body } = await dora.get('/v1/domains')
    expect(status).toBe(200)
    expect(body).toEqual({
      data: [
        {
          identity: 'one.example',
          identityType: 'DOMAIN',
          sendingEnabled: true,
          verificationStatus: 'SUCCESS',
          cloudAccountId: id,
          region,
        },
        {
          identity: 'jane@two.example',
          identityType: 'EMAIL_ADDRESS',
          sendingEnabled: false,
          verificationStatus: 'PENDING',
          cloudAccountId: id,
          region,
        },
      ],
      accounts: [{ id, accountId, region, reachable: true }],
    })
    expect((await api.charlie.get('/v1/domains')).text).not.toContain('one.example')
  })

  test('of 3 accounts with 1,200 identities each, one slow and one denied, is in time and complete for the third', async () => {
    const good = await engine.connect(dora, many('good'))
    const slow = await engine.connect(dora, many('slow'))
    const denied = await engine.connect(dora, many('denied'))
    await engine.control.setFaults(SLOW, slow.accountId)
    await engine.control.setFaults({ denyAssumeRole: true }, denied.accountId)
    const { status, body, ms } = await timed(dora, '/v1/domains')
    expect(status).toBe(200)
    expect(ms).toBeLessThan(DEADLINE_MS)
    expect(
      body.accounts.map(({ id, reachable }: Record<string, unknown>) => [id, reachable]),
    ).toEqual([
      [good.id, true],
      [slow.id, false],
      [denied.id, false],
    ])
    const names = body.data.map(({ identity }: { identity: string }) => identity)
    expect(new Set(names).size).toBe(1_200)
    expect(names.every((name: string) => name.endsWith('.good.example'))).toBe(true)
    await engine.control.resetFaults(slow.accountId)
    await engine.control.resetFaults(denied.accountId)
  })

  test('reads all pages of an account that throttles now and then', async () => {
    const { accountId } = await engine.connect(dora, many('busy'))
    const calls = () => callsOf(accountId, 'ses:ListEmailIdentities')
    /** Throttled until its first call was refused. */
    const throttled = async () => {
      const before = await calls()
      await engine.control.setFaults({ readThrottlePercent: 100 }, accountId)
      const asked = timed(dora, '/v1/domains')
      const refused = until(async () => (await calls()) > before, DEADLINE_MS)
      await Promise.race([asked, refused.catch(() => {})])
      await engine.control.resetFaults(accountId)
      const { body } = await asked
      return (await calls()) > before && body.accounts[0].reachable && body
    }
    // A machine too slow for the answer's time is asked once more.
    const body = await until(throttled)
    expect(body.data).toHaveLength(1_200)
  })

  test('with half of the accounts dead has the other half', async () => {
    const accounts = []
    for (let n = 0; n < 12; n++) {
      const account = await engine.connect(dora, verified(`half${n}.example`))
      if (n % 2 === 1) await engine.control.setFaults({ denyAssumeRole: true }, account.accountId)
      accounts.push(account)
    }
    const { status, body, ms } = await timed(dora, '/v1/domains')
    expect([status, ms < DEADLINE_MS]).toEqual([200, true])
    expect(body.accounts.map(({ reachable }: { reachable: boolean }) => reachable)).toEqual(
      accounts.map((_, n) => n % 2 === 0),
    )
    expect(body.data.map(({ identity }: { identity: string }) => identity)).toEqual(
      ['half0', 'half2', 'half4', 'half6', 'half8', 'half10'].map((name) => `${name}.example`),
    )
  })

  test('of one account has that account only; another’s is 403, an unknown one 404', async () => {
    const one = await engine.connect(dora, verified('one.filter.example'))
    await engine.connect(dora, verified('two.filter.example'))
    const foreign = await engine.connect(api.charlie, verified('theirs.filter.example'))
    const { body } = await dora.get(`/v1/domains?cloudAccountId=${one.id}`)
    expect(body.data.map(({ identity }: { identity: string }) => identity)).toEqual([
      'one.filter.example',
    ])
    expect(body.accounts.map(({ id }: { id: string }) => id)).toEqual([one.id])
    const statusOf = async (id: string) =>
      (await dora.get(`/v1/domains?cloudAccountId=${id}`)).status
    expect(await statusOf(foreign.id)).toBe(403)
    expect(await statusOf(uuidv7())).toBe(404)
    expect(await statusOf('no-uuid')).toBe(404)
    expect(await statusOf('x'.repeat(37))).toBe(400)
    expect(await callsOf(foreign.accountId, 'ses:ListEmailIdentities')).toBe(0)
  })

  test('does not ask a disconnected account', async () => {
    const { id, accountId, region } = await engine.connect(dora, verified('gone.example'))
    await dora.delete(`/v1/connections/${id}`)
    expect((await dora.get('/v1/domains')).body).toEqual({ data: [], accounts: [] })
    expect((await dora.get(`/v1/domains?cloudAccountId=${id}`)).body).toEqual({
      data: [],
      accounts: [{ id, accountId, region, reachable: false }],
    })
    expect((await dora.get(`/v1/domains/gone.example?cloudAccountId=${id}`)).status).toBe(404)
    expect(await callsOf(accountId, 'ses:ListEmailIdentities')).toBe(0)
  })

  test('is asked for once by fifty at the same time, and not again within seconds', async () => {
    const { id, accountId } = await engine.connect(dora, verified('once.example'))
    const answers = await Promise.all(Array.from({ length: 50 }, () => dora.get('/v1/domains')))
    expect(answers.map(({ status, body }) => [status, body.data.length])).toEqual(
      answers.map(() => [200, 1]),
    )
    await dora.get('/v1/domains')
    expect(await callsOf(accountId, 'ses:ListEmailIdentities')).toBe(1)
    // An old reading is no answer.
    await api.sql`
      update provider_readings
      set answered_at = answered_at - interval '16 seconds', read_at = read_at - interval '16 seconds'
      where connection_id = ${id}`
    await dora.get('/v1/domains')
    expect(await callsOf(accountId, 'ses:ListEmailIdentities')).toBe(2)
  })

  test('is never shared by two organizations that registered the same account', async () => {
    const ours = await engine.connect(dora, verified('shared.example'))
    // The number is the same; the role that trusts us with their external id is not there.
    await api.charlie.post('/v1/connections', { accountId: ours.accountId, region: ours.region })
    expect((await dora.get('/v1/domains')).text).toContain('shared.example')
    const theirs = await api.charlie.get('/v1/domains')
    expect(theirs.text).not.toContain('shared.example')
    expect(
      theirs.body.accounts.find(
        ({ accountId }: { accountId: string }) => accountId === ours.accountId,
      ),
    ).toMatchObject({ reachable: false })
  })

  test('of a throttled account is its last reading while that is young', async () => {
    const { id, accountId } = await engine.connect(dora, verified('young.example'))
    await dora.get('/v1/domains')
    const age = (seconds: number) => api.sql`
      update provider_readings
      set answered_at = clock_timestamp() - ${seconds} * interval '1 second',
        read_at = clock_timestamp() - ${seconds} * interval '1 second'
      where connection_id = ${id}`
    await engine.control.setFaults({ readThrottlePercent: 100 }, accountId)
    await age(20)
    const young = await dora.get('/v1/domains')
    expect(young.body).toMatchObject({
      data: [{ identity: 'young.example' }],
      accounts: [{ reachable: true }],
    })
    await age(61)
    const old = await dora.get('/v1/domains')
    expect(old.body).toMatchObject({ data: [], accounts: [{ reachable: false }] })
    await engine.control.resetFaults(accountId)
  })
})
