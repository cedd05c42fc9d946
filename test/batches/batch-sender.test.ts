import { Client as Temporal, Connection } from '@temporalio/client'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createAsker } from '../../api/accounts/asker.ts'
import { freePort } from '../../src/main/dev/ports.ts'
import type { AccountUpdate } from '../../tools/sandbox/accounts.ts'
import { uuidv7 } from '../../src/runtime/ids.ts'
import * as organizations from '../../src/store/access/organizations.ts'
import { type Api, type Client, startApi } from '../support/api.ts'
import { until } from '../support/engine.ts'
import { type ProviderEngine, startProviderEngine } from '../support/provider-engine.ts'

/** Longer than the two seconds of the check by what a busy machine needs. */
const SOON_MS = 14_000

let engine: ProviderEngine
let api: Api
/** Client of an organization without accounts. */
let dora: Client

beforeAll(async () => {
  engine = await startProviderEngine()
  api = await startApi({ asker: engine.asker })
  await engine.work(api.databaseUrl)
})
beforeEach(async () => {
  const id = uuidv7()
  await organizations.create(api.sql, { id, name: 'D', plan: 'enterprise' })
  dora = await api.client(id, ['full'])
})
afterAll(async () => {
  await engine.stop()
  await api.close()
})

/** An account that has told its identities: a busy machine may need longer than the check waits. */
async function connect(account: AccountUpdate) {
  const connected = await engine.connect(dora, account)
  await until(async () => {
    const { body: said } = await dora.get(`/v1/domains?cloudAccountId=${connected.id}`)
    return said.accounts?.[0]?.reachable === true
  })
  return connected
}

const body = (from: string) => ({
  audienceType: 'all',
  from,
  subject: 'News',
  htmlContent: '<p>News</p>',
})
const create = (from: string, more: object = {}, client = dora) =>
  client.post('/v1/batch', { ...body(from), ...more })
const verified = (...names: string[]) => ({
  identities: names.map((identity) => ({ identity, verified: true })),
})
const listings = async (accountId: string): Promise<number> =>
  (await engine.control.calls(accountId))['ses:ListEmailIdentities'] ?? 0
/** Makes the account's answer older. */
const age = (connectionId: string, seconds: number) => api.sql`
  update provider_readings
  set answered_at = answered_at - ${seconds} * interval '1 second',
    read_at = read_at - ${seconds} * interval '1 second'
  where connection_id = ${connectionId}`
const count = async (client: Client): Promise<number> => (await client.get('/v1/batch')).body.total

async function timed<T>(work: Promise<T>) {
  const startedAt = performance.now()
  const answer = await work
  return { ...answer, ms: performance.now() - startedAt }
}

describe('a batch is from a verified identity', () => {
  test.each([
    ['the address', 'ann@one.example', 'ann@one.example'],
    ['the address, spelt differently', 'Ann@one.example', 'ann@One.example'],
    ['the address with a label', 'ann@one.example', 'ann+news@one.example'],
    ['the domain', 'one.example', 'news@one.example'],
    ['a domain above it', 'one.example', 'news@mail.eu.one.example'],
  ])('%s', async (_, identity, from) => {
    await connect(verified('other.example', identity))
    const { status, body: made } = await create(from)
    expect([status, made.warnings]).toEqual([201, undefined])
    expect((await dora.get(`/v1/batch/${made.id}`)).body).not.toHaveProperty('warnings')
  })

  test('of its account, however many identities the account has', async () => {
    const names = Array.from({ length: 1_200 }, (_, n) => `n${n}.example`)
    const { id } = await connect(verified(...names))
    await connect(verified('other.example'))
    expect((await create('a@n1199.example', { cloudAccountId: id })).status).toBe(201)
    const refused = await create('a@other.example', { cloudAccountId: id })
    expect([refused.status, refused.body.reason]).toEqual([400, 'sender_not_verified'])
  })
})

describe('a batch is refused', () => {
  test.each([
    ['nothing of the sort', 'news@two.example'],
    ['only a domain below it', 'news@above.example'],
    ['an identity that is not verified', 'news@pending.example'],
    ['only somebody else of the domain', 'news@ann.example'],
    ['only a domain that ends like it', 'news@notone.example'],
  ])('naming the sender when the account has %s', async (_, from) => {
    await connect({
      identities: [
        ...verified('one.example', 'ann@ann.example', 'below.above.example').identities,
        { identity: 'pending.example', verified: false },
      ],
    })
    const { status, body: refused } = await create(from)
    expect([status, refused.code, refused.reason]).toEqual([
      400,
      'BAD_REQUEST',
      'sender_not_verified',
    ])
    expect(refused.details).toEqual([{ path: 'from', message: expect.stringContaining(from) }])
    expect(await count(dora)).toBe(0)
  })

  test('no longer once the sender is verified', async () => {
    const { id, accountId } = await connect(verified('one.example'))
    expect((await create('news@two.example')).status).toBe(400)
    await engine.control.putAccount(accountId, verified('one.example', 'two.example'))
    // Within seconds of the last answer, no account is asked again.
    const before = await listings(accountId)
    await api.sql`
      update provider_readings set answered_at = now(), read_at = now() where connection_id = ${id}`
    expect((await create('news@two.example')).status).toBe(400)
    expect(await listings(accountId)).toBe(before)
    await age(id, 6)
    const made = await until(async () => {
      const answer = await create('news@two.example')
      return answer.status === 201 && answer
    })
    expect(made.body.warnings).toBeUndefined()
  })
})

test('a list of identities with the sender is valid for a minute', async () => {
  const { id, accountId } = await connect(verified('one.example'))
  await create('news@one.example')
  const before = await listings(accountId)
  await age(id, 50)
  expect((await create('news@one.example')).status).toBe(201)
  expect(await listings(accountId)).toBe(before)
  await age(id, 20)
  await engine.control.putAccount(accountId, verified('two.example'))
  await until(async () => (await create('news@one.example')).status === 400)
  expect(await listings(accountId)).toBeGreaterThan(before)
})

const warned = (from: string) => [
  { reason: 'sender_not_checked', path: 'from', message: expect.stringContaining(from) },
]

describe('a batch is accepted with a warning, soon', () => {
  test('when the account does not answer, and no transaction waits for it', async () => {
    const { id, accountId } = await connect(verified('one.example'))
    await engine.control.setFaults({ readLatencyMs: 15_000 }, accountId)
    const openTransactions = async () => {
      const open = await api.admin`
        select from pg_stat_activity
        where datname = current_database() and application_name = 'test-api'
          and state like 'idle in transaction%'`
      return open.length
    }
    // Between two statements each is idle for a moment; while the account is waited for none is.
    const tried = async () => {
      await age(id, 61)
      const before = await listings(accountId)
      const request = { isAnswered: false }
      const answering = timed(create('news@one.example')).finally(() => {
        request.isAnswered = true
      })
      let [isAsked, isFree] = [false, false]
      while (!request.isAnswered && !isFree) {
        isAsked ||= (await listings(accountId)) > before
        isFree = isAsked && (await openTransactions()) === 0
      }
      return { isAsked, isFree, answer: await answering }
    }
    // On a busy machine the account may not be asked before nobody waits for it any more.
    const { isFree, answer } = await until(async () => {
      const found = await tried()
      return found.isAsked && found
    })
    expect(isFree).toBe(true)
    const { status, body: made, ms } = answer
    await engine.control.resetFaults(accountId)
    expect([status, made.warnings]).toEqual([201, warned('news@one.example')])
    expect(ms).toBeLessThan(SOON_MS)
  })

  test('when the role may not list identities', async () => {
    const { id, accountId, externalId } = await connect(verified('one.example'))
    const name = `letterloom-${externalId.slice(0, 8)}`
    const lacks = ['ses:ListEmailIdentities']
    await engine.control.putAccount(accountId, {
      roles: [{ name, externalId, policyVersion: 1, lacks }],
    })
    await age(id, 61)
    const { status, body: made, ms } = await timed(create('news@one.example'))
    expect([status, made.warnings]).toEqual([201, warned('news@one.example')])
    expect(ms).toBeLessThan(SOON_MS)
  })

  test('when Temporal is away', async () => {
    const connection = Connection.lazy({ address: `127.0.0.1:${await freePort()}` })
    const asker = createAsker({ client: new Temporal({ connection }), log: { warn: () => {} } })
    const lonely = await startApi({ asker })
    try {
      await engine.connect(lonely.alice, verified('one.example'))
      const asked = timed(create('news@one.example', {}, lonely.alice))
      const { status, body: made, ms } = await asked
      expect([status, made.warnings]).toEqual([201, warned('news@one.example')])
      expect(ms).toBeLessThan(SOON_MS)
    } finally {
      await lonely.close()
      await connection.close()
    }
  })

  test('when a list without the sender is older than a minute and no newer one is available', async () => {
    const { id, accountId } = await connect(verified('one.example'))
    expect((await create('news@two.example')).status).toBe(400)
    await engine.control.setFaults({ readLatencyMs: 30_000 }, accountId)
    await age(id, 30)
    const asked = create('news@two.example')
    // A request that has a good list does not wait for the next.
    await until(async () => {
      const rows = await api.sql`
        select from provider_readings where connection_id = ${id} and outcome is null`
      return rows.length > 0
    })
    expect((await create('news@one.example')).body.warnings).toBeUndefined()
    expect((await asked).status).toBe(400)
    await api.sql`
      update provider_readings
      set read_at = now() - interval '61 seconds'
      where connection_id = ${id}`
    expect((await create('news@two.example')).body.warnings).toEqual(warned('news@two.example'))
    await engine.control.resetFaults(accountId)
  })
})

test('an Idempotency-Key gets the same answer again after the sender has changed', async () => {
  const { id, accountId } = await connect(verified('one.example'))
  const ask = () =>
    dora.send({
      method: 'POST',
      url: '/v1/batch',
      payload: body('news@one.example'),
      headers: { 'idempotency-key': 'weekly' },
    })
  const first = await ask()
  await engine.control.putAccount(accountId, verified('two.example'))
  await age(id, 61)
  const second = await ask()
  expect([first.status, second.status]).toEqual([201, 201])
  expect(second.headers['idempotency-replayed']).toBe('true')
  expect(second.body).toEqual(first.body)
})
