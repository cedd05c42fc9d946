import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Progress, type ProgressFacts, progressOf } from '../../src/domain/batches/progress.ts'
import { batchBucket } from '../../src/runtime/ids.ts'
import { type Api, connectAccount, createBatch, freeze, startApi } from '../support/api.ts'

describe('what is shown of a batch that is being sent', () => {
  const NOW = Date.UTC(2026, 10, 27, 12)
  const ago = (seconds: number): number => NOW - seconds * 1_000
  const ahead = (seconds: number): number => NOW + seconds * 1_000
  const FIGURES = {
    totalRecipients: 10_000,
    processedRecipients: 1_300,
    sent: 1_200,
    unknown: 0,
    paused: false,
    throttlePerSecond: null as number | null,
  }
  const account = {
    perSecond: 10,
    isThrottled: false,
    pausedUntil: null,
    pausedReason: null,
    batches: 1,
  }
  const FACTS: ProgressFacts = {
    now: NOW,
    // Every ten seconds a hundred mails.
    marks: [7, 6, 5, 4, 3, 2, 1].map((n) => ({ at: ago(n * 10), sent: 1_200 - n * 100 })),
    quotaUntil: null,
    outcomeUntil: null,
    nextPartAt: null,
    lastPartAt: null,
    awaitsWinner: false,
    decideAt: null,
    account,
  }
  const shown = (facts: Partial<ProgressFacts> = {}, figures: Partial<typeof FIGURES> = {}) =>
    progressOf({ ...FIGURES, ...figures }, { ...FACTS, ...facts })

  test('its rate is that of the last minute, and its end is computed from it', () => {
    expect(shown()).toEqual({
      ratePerSecond: 10,
      expectedEnd: ahead(870),
      waitingFor: { reason: 'rate', until: null },
    })
    // Mails in doubt are not sent by it any more.
    expect(shown({}, { unknown: 700 }).expectedEnd).toBe(ahead(800))
  })

  test('the rate of a batch that began seconds ago is that since its beginning', () => {
    expect(shown({ marks: [{ at: ago(20), sent: 0 }] }, { sent: 200 }).ratePerSecond).toBe(10)
    expect(shown({ marks: [{ at: ago(0.01), sent: 0 }] }, { sent: 5 }).ratePerSecond).toBe(5)
  })

  test('a batch that sent nothing for a minute has no rate and no end', () => {
    const marks = [{ at: ago(61), sent: 0 }]
    expect(shown({ marks })).toEqual({ ratePerSecond: 0, expectedEnd: null, waitingFor: null })
    expect(shown({ marks: [] })).toMatchObject({ ratePerSecond: 0, expectedEnd: null })
  })

  const part = { nextPartAt: ahead(3_600), lastPartAt: ahead(7_200) }
  test.each<[string, Progress['waitingFor'], Partial<ProgressFacts>, Partial<typeof FIGURES>]>([
    ['a pause', { reason: 'pause', until: null }, { quotaUntil: ahead(9) }, { paused: true }],
    ['the quota', { reason: 'quota', until: ahead(9) }, { quotaUntil: ahead(9) }, {}],
    ['no quota of before', { reason: 'rate', until: null }, { quotaUntil: ago(9) }, {}],
    [
      'the quota, as the provider said',
      { reason: 'quota', until: ahead(9) },
      { account: { ...account, pausedUntil: ahead(9), pausedReason: 'daily_quota' } },
      {},
    ],
    [
      'the provider',
      { reason: 'provider', until: ahead(9) },
      { account: { ...account, pausedUntil: ahead(9), pausedReason: 'provider_unreachable' } },
      {},
    ],
    [
      'the winner of a test',
      { reason: 'winner', until: ahead(60) },
      { awaitsWinner: true, decideAt: ahead(60) },
      {},
    ],
    ['a local time', { reason: 'time', until: ahead(3_600) }, { ...part, marks: [] }, {}],
    [
      'mails in doubt',
      { reason: 'doubt', until: ahead(9) },
      { outcomeUntil: ahead(9) },
      { processedRecipients: 9_990, unknown: 10 },
    ],
    [
      'the provider, which throttles',
      { reason: 'throttled', until: null },
      { account: { ...account, isThrottled: true } },
      {},
    ],
    [
      'its own rate, though the provider throttles',
      { reason: 'rate', until: null },
      { account: { ...account, perSecond: 50, isThrottled: true } },
      { throttlePerSecond: 10 },
    ],
    [
      'the rate of an account that two batches share',
      { reason: 'rate', until: null },
      { account: { ...account, perSecond: 20, batches: 2 } },
      {},
    ],
    ['nothing', null, { account: { ...account, perSecond: 100 } }, {}],
    ['nothing, as far as is known', null, { account: null }, {}],
  ])('it waits for %s', (_, expected, facts, figures) => {
    expect(shown(facts, figures).waitingFor).toEqual(expected)
  })

  test('a batch without a known end has no expected end', () => {
    expect(shown({}, { paused: true }).expectedEnd).toBeNull()
    expect(shown({ quotaUntil: ahead(9) }).expectedEnd).toBeNull()
    expect(shown({ account: { ...account, isThrottled: true } }).expectedEnd).toBe(ahead(870))
    // Not before its last local time.
    expect(shown(part).expectedEnd).toBe(ahead(7_200))
  })
})

describe('GET /v1/batch/{id}', () => {
  let api: Api
  beforeAll(async () => {
    api = await startApi()
    await connectAccount(api.alice)
  })
  afterAll(() => api.close())

  const show = async (id: string): Promise<Record<string, unknown>> =>
    (await api.alice.get(`/v1/batch/${id}`)).body

  test('has the progress while the batch is being sent', async () => {
    const { id } = await createBatch(api.alice)
    expect((await show(id))['progress']).toBeNull()
    await freeze(api.sql, id, batchBucket(), 100)
    expect((await show(id))['progress']).toMatchObject({ ratePerSecond: 0, expectedEnd: null })

    await api.sql`update batches set sent = 10 where id = ${id}`
    const { progress } = (await show(id)) as { progress: Progress }
    expect(progress.ratePerSecond).toBeGreaterThan(0)
    expect(Date.parse(String(progress.expectedEnd))).toBeGreaterThan(Date.now())
    const answer = await api.alice.post(`/v1/batch/${id}/pause`)
    expect(answer.body.progress).toMatchObject({
      expectedEnd: null,
      waitingFor: { reason: 'pause', until: null },
    })
  })

  test('knows the rate of the last minute, whatever was sent before', async () => {
    const { id } = await createBatch(api.alice)
    await freeze(api.sql, id, batchBucket(), 1_000)
    for (let second = 120; second >= 10; second -= 10) {
      await api.sql`update batches set sent = sent + 20 where id = ${id}`
      // As if ten seconds had passed: the mark of this update is of then.
      await api.sql`
        update batches
        set rate_times = (
          select array_agg(t - interval '10 seconds' order by t) from unnest(rate_times) as t
        )
        where id = ${id}`
    }
    const [row] = await api.sql<{ marks: number; sent: number }[]>`
      select cardinality(rate_times) as marks, sent from batches where id = ${id}`
    expect(row).toEqual({ marks: 8, sent: 240 })
    const { progress } = (await show(id)) as { progress: Progress }
    expect(progress.ratePerSecond).toBeGreaterThan(1)
    expect(progress.ratePerSecond).toBeLessThanOrEqual(2)
  })

  test('marks the counter every ten seconds at most', async () => {
    const { id } = await createBatch(api.alice)
    await freeze(api.sql, id, batchBucket(), 100)
    for (let n = 0; n < 5; n++) await api.sql`update batches set sent = sent + 1 where id = ${id}`
    const [row] = await api.sql<{ counts: number[] }[]>`
      select rate_counts as counts from batches where id = ${id}`
    expect(row?.counts).toEqual([0])
  })

  test('shows a stranger nothing of the account', async () => {
    const { organizationId } = api.charlie
    const [connection] = await api.sql<{ id: string }[]>`
      select id from connections where organization_id = ${api.alice.organizationId} limit 1`
    const found = await api.sql`
      select * from account_pace(${organizationId}, ${connection?.id ?? ''})`
    expect(found).toEqual([])
  })
})
