import { Client as Temporal, Connection } from '@temporalio/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAsker } from '../../api/accounts/asker.ts'
import { cannotAsk } from '../../src/core/accounts/ask-provider.ts'
import { questionAbout } from '../../src/core/accounts/live-readings.ts'
import { ASK_MS } from '../../src/domain/accounts/provider-questions.ts'
import { freePort } from '../../src/main/dev/ports.ts'
import { uuidv7 } from '../../src/runtime/ids.ts'
import * as readings from '../../src/store/accounts/provider-readings.ts'
import { type Api, startApi, tally } from '../support/api.ts'
import { type ProviderEngine, startProviderEngine } from '../support/provider-engine.ts'

/** A caller hears soon that no account can be asked: before the longest run of a question. */
const SOON_MS = ASK_MS

let engine: ProviderEngine
beforeAll(async () => {
  engine = await startProviderEngine()
})
afterAll(() => engine.stop())

async function timed<T>(work: Promise<T>) {
  const startedAt = performance.now()
  const answer = await work
  return { ...answer, ms: performance.now() - startedAt }
}

const openQuestions = async ({ sql }: Api, id: string): Promise<number> => {
  const [row] = await sql<{ count: number }[]>`
    select count(*) as count from provider_readings
    where connection_id = ${id} and asking_until is not null`
  return row?.count ?? 0
}

test('without Temporal: 503 with Retry-After, soon, and a recheck’s probe is not used up', async () => {
  const connection = Connection.lazy({ address: `127.0.0.1:${await freePort()}` })
  const warnings: string[] = []
  const asker = createAsker({
    client: new Temporal({ connection }),
    log: { warn: (_, message) => warnings.push(message) },
  })
  const api = await startApi({ asker })
  try {
    const { id } = await engine.connect(api.alice)
    const list = await timed(api.alice.get('/v1/domains'))
    const detail = await timed(api.alice.get('/v1/domains/a.example'))
    const recheck = () => api.alice.post(`/v1/account/console-policy/${id}/recheck`)
    const answers = [list, detail, await timed(recheck()), await timed(recheck())]
    for (const { status, headers, body, ms } of answers) {
      expect([status, headers['retry-after'], body.code, body.reason]).toEqual([
        503,
        '5',
        'INTERNAL_ERROR',
        'cannot_ask',
      ])
      expect(ms).toBeLessThan(SOON_MS)
    }
    expect(detail.body.message).toBe(detail.body.error)
    expect(warnings).toHaveLength(4)
    // What an account said within the last seconds needs nobody.
    await api.sql`
      insert into provider_readings (organization_id, connection_id, what, outcome, answered_at)
      values (${api.alice.organizationId}, ${id}, ${questionAbout('gone.example')}, 'missing', now())`
    expect((await api.alice.get('/v1/domains/gone.example')).status).toBe(404)
    // No place is taken by a question that nobody was asked.
    expect(await openQuestions(api, id)).toBe(0)
    expect((await api.alice.get('/v1/connections')).status).toBe(200)
    const key = { 'idempotency-key': uuidv7() }
    const url = `/v1/account/console-policy/${id}/recheck`
    const kept = await api.alice.send({ method: 'POST', url, headers: key })
    expect([kept.status, kept.headers['idempotency-replayed']]).toEqual([503, undefined])
  } finally {
    await api.close()
    await connection.close()
  }
})

test('one account that nobody could ask fails nothing that another has answered', async () => {
  const asked: string[] = []
  const ask = async ({ connectionId }: { connectionId: string }) => {
    asked.push(connectionId)
    throw cannotAsk()
  }
  const api = await startApi({ asker: { ask } })
  try {
    const silent = await engine.connect(api.alice)
    const { id } = await engine.connect(api.alice)
    const { organizationId } = api.alice
    const identity = 'ours.example'
    const listed = {
      identity,
      identityType: 'DOMAIN',
      sendingEnabled: true,
      verificationStatus: null,
    }
    const found = {
      identity,
      identityType: 'DOMAIN',
      verifiedForSending: true,
      verificationStatus: null,
      dkim: null,
      mailFromDomain: null,
      feedbackForwarding: true,
      configurationSet: null,
      dnsRecords: [],
    }
    const say = async (what: string, outcome: 'read' | 'missing', body?: unknown) => {
      const key = { organizationId, connectionId: id, what }
      const version = uuidv7()
      const limits = { subject: null, leaseMs: 60_000, mostAsking: 100 }
      await readings.begin(api.sql, { ...key, ...limits })
      if (body !== undefined) await readings.addPage(api.sql, key, { version, page: 0, body })
      await readings.answer(api.sql, key, { outcome, version })
    }
    await say(questionAbout(), 'read', [listed])
    await say(questionAbout(identity), 'read', found)
    await say(questionAbout('theirs.example'), 'missing')

    const list = await api.alice.get('/v1/domains')
    expect([list.status, list.body.data?.length]).toEqual([200, 1])
    expect(list.body.accounts).toEqual([
      expect.objectContaining({ id: silent.id, reachable: false }),
      expect.objectContaining({ id, reachable: true }),
    ])
    const detail = await api.alice.get(`/v1/domains/${identity}`)
    expect(detail.body).toMatchObject({ cloudAccountId: id, unreachableAccountIds: [silent.id] })
    const nowhere = await api.alice.get('/v1/domains/theirs.example')
    expect([nowhere.status, nowhere.body.reason]).toEqual([404, 'accounts_unreachable'])
    expect(asked).toEqual([silent.id, silent.id, silent.id])
  } finally {
    await api.close()
  }
})

test('with Temporal and no worker nobody was asked: 503, not an unreachable account', async () => {
  const api = await startApi({ asker: engine.asker })
  try {
    await engine.connect(api.alice)
    const { status, body, ms } = await timed(api.alice.get('/v1/domains'))
    expect([status, body.reason, ms < SOON_MS]).toEqual([503, 'cannot_ask', true])
  } finally {
    await api.close()
  }
})

test('an organization has a hundred questions open at most, then 429; another’s are its own', async () => {
  const api = await startApi({ asker: engine.asker })
  try {
    const { id } = await engine.connect(api.alice, {
      identities: [{ identity: 'fine.example', verified: true }],
    })
    await api.sql`
      insert into provider_readings (organization_id, connection_id, what, asking_until)
      select ${api.alice.organizationId}, ${id}, 'identity/' || n, now() + interval '1 minute'
      from generate_series(1, 99) as n`
    const stop = await engine.work(api.databaseUrl)
    // The first question takes longest, on a busy machine too long.
    const theirs = await engine.connect(api.charlie)
    await api.charlie.get('/v1/domains/first.example')
    const names = Array.from({ length: 20 }, (_, n) => `n${n}.example`)
    const answers = await Promise.all(names.map((name) => api.alice.get(`/v1/domains/${name}`)))
    const counts = tally(answers.map(({ status }) => status))
    // One place was left; whoever came after it was free again had it, too.
    expect(counts['404']).toBeGreaterThanOrEqual(1)
    expect(counts['429']).toBeGreaterThanOrEqual(1)
    expect((counts['404'] ?? 0) + (counts['429'] ?? 0)).toBe(20)
    const refused = answers.find(({ status }) => status === 429)
    expect([refused?.headers['retry-after'], refused?.body.code, refused?.body.reason]).toEqual([
      '2',
      'RATE_LIMITED',
      'too_many_questions',
    ])
    const { status, body } = await api.charlie.get('/v1/domains')
    expect([status, body.accounts[0].id]).toEqual([200, theirs.id])
    // What is open no more counts no more.
    await api.sql`update provider_readings set asking_until = now() - interval '1 second'`
    expect((await api.alice.get('/v1/domains')).status).toBe(200)
    await stop()
  } finally {
    await api.close()
  }
})
