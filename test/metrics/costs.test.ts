import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { averageUsd, monthsOf, usdFor } from '../../src/domain/metrics/prices.ts'
import { dayBucket, uuidv7 } from '../../src/runtime/ids.ts'
import { type Api, type Client, connectAccount, startApi } from '../support/api.ts'

const M = 1_000_000

describe('prices', () => {
  test.each([
    ['NONE', 25 * M, 0, 2_500],
    ['ESSENTIALS', 10 * M, 0, 1_600],
    ['ESSENTIALS', 10 * M + 1_000, 0, 1_600.14],
    ['ESSENTIALS', 2_000, 10 * M - 1_000, 0.3],
    ['PRO', 1_000, 99 * M, 0.17],
    ['PRO', 150 * M, 0, 2_200 + 15_300 + 6_000],
    ['ENTERPRISE', 1_000, 100 * M, 0.13],
    ['ENTERPRISE', 0, 5, 0],
  ] as const)('%s: %i mails after %i cost %f', (plan, mails, before, usd) => {
    expect(usdFor({ plan, month: '2026-11' }, mails, before)).toBeCloseTo(usd, 6)
  })

  test('an average is of all mails of the month, and months before the first list have its prices', () => {
    expect(averageUsd({ plan: 'ESSENTIALS', month: '2026-11' }, 20 * M)).toBeCloseTo(0.00015, 12)
    expect(averageUsd({ plan: 'ESSENTIALS', month: '2026-11' }, 0)).toBeCloseTo(0.00016, 12)
    expect(averageUsd({ plan: 'NONE', month: '2025-01' }, 7)).toBeCloseTo(0.0001, 12)
  })

  test('months of a range are those of UTC that it touches', () => {
    const months = (from: string, to: string) => monthsOf(Date.parse(from), Date.parse(to))
    expect(months('2026-11-30T23:45:00Z', '2026-12-01T00:00:00Z')).toEqual(['2026-11'])
    expect(months('2026-11-30T23:45:00Z', '2027-01-01T00:15:00Z')).toEqual([
      '2026-11',
      '2026-12',
      '2027-01',
    ])
  })
})

describe('costUsd', () => {
  let api: Api
  beforeAll(async () => {
    api = await startApi({ now: () => Date.parse('2026-11-24T10:07:00Z') })
  })
  afterAll(() => api.close())

  type Customer = Client & { connectionId: string }

  /** A client of an organization of its own, with an account. */
  async function customer(plan?: string, accountId?: string): Promise<Customer> {
    const [organization] = await api.sql<{ id: string }[]>`
      insert into organizations (id, name, plan) values (${uuidv7()}, 'Costs Ltd', 'enterprise')
      returning id`
    const client = await api.client(organization?.id ?? '', ['full'])
    const { connectionId } = await connectAccount(client, accountId ? { accountId } : {})
    const connected = { ...client, connectionId }
    if (plan !== undefined) await setPlan(connected, plan)
    return connected
  }
  const setPlan = ({ organizationId, connectionId }: Customer, plan: string | null) => api.sql`
    insert into account_health (organization_id, connection_id, pricing_plan)
    values (${organizationId}, ${connectionId}, ${plan})
    on conflict (organization_id, connection_id) do update set pricing_plan = excluded.pricing_plan`

  /** Mails as they are counted: more than a test can insert. */
  async function send(
    { organizationId, connectionId }: Customer,
    ...figures: { at: string; sent: number; failed?: number; source?: string; through?: string }[]
  ) {
    for (const { at, sent, failed = 0, source = 'transactional', through } of figures) {
      await api.sql`
        insert into mail_figures
        select ${organizationId}, ${uuidv7()}, 1, ${at}, ${dayBucket(uuidv7(Date.parse(at)))},
          ${source}, ${through ?? connectionId}, '00000000-0000-0000-0000-000000000000',
          'example.com', null, ${sent}, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, ${failed}`
    }
  }
  const ask = async (client: Client, query: Record<string, string> = {}) => {
    const range = { start_date: '2026-10-01', end_date: '2026-11-30', ...query }
    const { status, body } = await client.get(
      `/v1/email/metrics?${new URLSearchParams(range).toString()}`,
    )
    expect([status, body.code]).toEqual([200, undefined])
    return body
  }
  const total = async (client: Client, query: Record<string, string> = {}) =>
    (await ask(client, query)).totals.costUsd
  const byMonth = async (client: Client) =>
    (await ask(client, { dimensions: 'period', granularity: 'monthly' })).data.map(
      ({ period, costUsd }: { period: string; costUsd: number | null }) => [period, costUsd],
    )

  test('is tiered by month, and each mail of a month costs the same', async () => {
    const alice = await customer('ESSENTIALS')
    await send(
      alice,
      { at: '2026-10-05T10:00:00Z', sent: 3 * M },
      { at: '2026-10-31T23:45:00Z', sent: 9 * M },
      { at: '2026-11-01T00:00:00Z', sent: 1_000 },
    )
    // 10 M at 0.16 and 2 M at 0.14 a thousand; in November 0.16 again.
    expect(await byMonth(alice)).toEqual([
      ['2026-10', 1_880],
      ['2026-11', 0.16],
    ])
    expect(await total(alice)).toBe(1_880.16)
    // A quarter of the month's mail, whatever else the question leaves out.
    const day = { start_date: '2026-10-05', end_date: '2026-10-05' }
    expect(await total(alice, day)).toBe(470)
    // The month grows to 20 M: 1,600 and 1,400.
    await send(alice, { at: '2026-10-20T10:00:00Z', sent: 8 * M })
    expect(await total(alice, day)).toBe(450)
    expect(await byMonth(alice)).toEqual([
      ['2026-10', 3_000],
      ['2026-11', 0.16],
    ])
  })

  test('is by UTC months, in whatever timezone periods are', async () => {
    const alice = await customer('PRO')
    await send(
      alice,
      { at: '2026-10-31T23:30:00Z', sent: 20 * M },
      { at: '2026-11-01T00:30:00Z', sent: 10 * M },
    )
    const { data } = await ask(alice, {
      timezone: 'America/New_York',
      dimensions: 'period',
      granularity: 'monthly',
    })
    expect(data).toMatchObject([{ period: '2026-10', costUsd: 2_200 + 1_700 + 2_200 }])
  })

  test('is at the plan that the account has now, and leaves out what was refused', async () => {
    const alice = await customer('NONE')
    await send(alice, { at: '2026-11-05T10:00:00Z', sent: 11_000, failed: 1_000 })
    expect(await total(alice)).toBe(1)
    await setPlan(alice, 'ENTERPRISE')
    expect(await total(alice)).toBe(2.3)
  })

  test('is null where an account’s plan is not known, and only there', async () => {
    const alice = await customer('NONE')
    const { connectionId } = await connectAccount(alice, { accountId: '999900001111' })
    const other = { ...alice, connectionId }
    await send(alice, { at: '2026-11-05T10:00:00Z', sent: 1_000 })
    expect(await total(alice)).toBe(0.1)
    await send(other, { at: '2026-11-05T10:00:00Z', sent: 1_000 })
    const accounts = async () =>
      Object.fromEntries(
        (await ask(alice, { dimensions: 'account' })).data.map(
          (row: { cloudAccountId: string; costUsd: number | null }) => [
            row.cloudAccountId,
            row.costUsd,
          ],
        ),
      )
    for (const plan of [undefined, null, 'PLATINUM']) {
      if (plan !== undefined) await setPlan(other, plan)
      expect([plan, await total(alice)]).toEqual([plan, null])
      expect(await accounts()).toEqual({ [alice.connectionId]: 0.1, [connectionId]: null })
    }
    await setPlan(other, 'ESSENTIALS')
    expect(await total(alice)).toBe(0.26)
    // Nothing is known of it, and nothing of it was accepted.
    await setPlan(other, null)
    await send(other, { at: '2026-11-05T10:15:00Z', sent: -1_000 })
    expect(await total(alice)).toBe(0.1)
  })

  test('has nothing of other programs’ mail, which neither costs nor fills a tier', async () => {
    const alice = await customer('ESSENTIALS')
    await send(
      alice,
      { at: '2026-11-05T10:00:00Z', sent: 1_000 },
      { at: '2026-11-05T10:00:00Z', sent: 90 * M, source: 'external' },
    )
    expect(await total(alice)).toBe(0.16)
    const { totals, data } = await ask(alice, { dimensions: 'source' })
    expect(totals).toMatchObject({ sent: 90 * M + 1_000, costUsd: 0.16 })
    expect(data).toMatchObject([
      { source: 'external', costUsd: 0 },
      { source: 'transactional', costUsd: 0.16 },
    ])
    await setPlan(alice, null)
    const unknown = await ask(alice, { dimensions: 'source' })
    expect(unknown.totals.costUsd).toBeNull()
    expect(unknown.data).toMatchObject([{ costUsd: 0 }, { costUsd: null }])
  })

  test('is by the organization’s own volume, though another connects the same account', async () => {
    const accountId = '999900002222'
    const [alice, bob] = [await customer('PRO', accountId), await customer('PRO', accountId)]
    await send(alice, { at: '2026-11-05T10:00:00Z', sent: 1_000 })
    await send(bob, { at: '2026-11-05T10:00:00Z', sent: 100 * M })
    expect(await total(alice)).toBe(0.22)
    expect(await total(bob)).toBe(2_200 + 15_300)
  })
})
