import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { uuidv7 } from '../../src/runtime/ids.ts'
import {
  type Api,
  type Client,
  connectAccount,
  createBatch,
  freeze,
  startApi,
} from '../support/api.ts'
import { insertSent, kept, newBucket, oracle, type SentMail } from '../support/figures.ts'
import { BOT_LIST_VERSION } from '../../src/domain/delivery/bots.ts'

let api: Api
/** A client of an organization of its own, with an account. */
const stranger = async (): Promise<Client & { connectionId: string }> => {
  const [organization] = await api.sql<{ id: string }[]>`
    insert into organizations (id, name) values (${uuidv7()}, 'Figures Ltd') returning id`
  const client = await api.client(organization?.id ?? '', ['full'])
  const { connectionId } = await connectAccount(client)
  return { ...client, connectionId }
}
let clock = Date.parse('2026-11-24T10:07:00Z')
beforeAll(async () => {
  api = await startApi({ now: () => clock })
})
afterAll(() => api.close())

const metrics = async (client: Client, query: Record<string, string> = {}) =>
  (await client.get(`/v1/email/metrics/?${new URLSearchParams(query).toString()}`)).body
const sentAt = (...times: string[]): SentMail[] => times.map((time) => ({ sentAt: time }))
const counts = async (client: Client, query: Record<string, string>) =>
  (await metrics(client, { dimensions: 'period', ...query })).data.map(
    ({ period, sent }: { period: string; sent: number }) => [period, sent],
  )

const NONE = {
  sent: 0,
  delivered: 0,
  bounced: 0,
  bouncedPermanent: 0,
  bouncedTransient: 0,
  bouncedUndetermined: 0,
  complained: 0,
  suppressed: 0,
  opened: 0,
  openedRaw: 0,
  clicked: 0,
  unsubscribed: 0,
  failed: 0,
}

describe('the counted mails', () => {
  test('each figure, by the time of sending and never by that of the event', async () => {
    const client = await stranger()
    const late = '2027-03-01T00:00:00Z'
    const at = '2026-11-24T09:00:00Z'
    const bounce = (bounceType: string, bounceSubType = 'General') => ({
      sentAt: at,
      bouncedAt: late,
      bounceType,
      bounceSubType,
    })
    await insertSent(api.sql, client, [
      { sentAt: at, deliveredAt: late, openedAt: late, clickedAt: late, unsubscribedAt: late },
      { sentAt: at, deliveredAt: late, openedAt: late, humanOpenedAt: late, complainedAt: late },
      bounce('Permanent'),
      bounce('Permanent'),
      bounce('Transient'),
      bounce('Undetermined'),
      bounce('Permanent', 'OnAccountSuppressionList'),
      { sentAt: at, status: 'failed' },
      { sentAt: null, status: 'failed' },
    ])
    expect(await metrics(client)).toEqual({
      object: 'metrics',
      totals: {
        sent: 8,
        delivered: 2,
        bounced: 4,
        bouncedPermanent: 2,
        bouncedTransient: 1,
        bouncedUndetermined: 1,
        complained: 1,
        suppressed: 1,
        opened: 1,
        openedRaw: 2,
        clicked: 1,
        unsubscribed: 1,
        failed: 1,
        costUsd: null,
      },
      data: [],
      meta: {
        start: '2026-11-18T00:00:00.000Z',
        end: '2026-11-24T10:15:00.000Z',
        timezone: 'UTC',
        granularity: 'daily',
        dimensions: [],
        botListVersion: BOT_LIST_VERSION,
      },
    })
    expect(await kept(api.sql, client.organizationId)).toEqual(
      await oracle(api.sql, client.organizationId),
    )
  })

  test('an organization without mails, and a range without any, have no rows and cost nothing', async () => {
    const client = await stranger()
    const empty = { totals: { ...NONE, costUsd: 0 }, data: [] }
    expect(await metrics(client, { dimensions: 'period' })).toMatchObject(empty)
    await insertSent(api.sql, client, sentAt('2026-11-24T09:00:00Z'))
    for (const query of [
      { start_date: '2026-01-01', end_date: '2026-01-31' },
      { start_date: '2026-11-24T09:00:00Z', end_date: '2026-11-24T09:00:00Z' },
      { broadcast_id: uuidv7() },
      { domain: 'example.com' },
    ]) {
      expect(await metrics(client, { ...query, dimensions: 'period,domain' })).toMatchObject(empty)
    }
  })

  test('nothing of other organizations', async () => {
    const [one, other] = [await stranger(), await stranger()]
    await insertSent(api.sql, one, sentAt('2026-11-24T09:00:00Z'))
    expect((await metrics(other)).totals.sent).toBe(0)
    const query = { cloud_account_id: one.connectionId, dimensions: 'account' }
    expect((await metrics(other, query)).data).toEqual([])
    expect((await metrics(one, query)).data).toMatchObject([{ sent: 1 }])
  })
})

test('every dimension, and every filter', async () => {
  const client = await stranger()
  const { connectionId } = client
  const at = '2026-11-24T09:00:00Z'
  const { id: batchId } = await createBatch(client, { from: 'News@Big.Example.com' })
  const bucket = newBucket()
  await freeze(api.sql, batchId, bucket, 1)
  const templateId = uuidv7()
  await insertSent(api.sql, client, [
    { sentAt: at, source: 'batch', batchId, bucket },
    { sentAt: at, source: 'workflow', templateId, fromDomain: 'shop.example.com' },
    { sentAt: at, source: 'external' },
  ])
  const rows = async (dimensions: string, filters: Record<string, string> = {}) =>
    (await metrics(client, { dimensions, ...filters })).data.map(
      ({ sent, ...row }: Record<string, unknown>) => {
        for (const name of [...Object.keys(NONE), 'costUsd']) delete row[name]
        return { ...row, sent }
      },
    )
  expect(await rows('domain')).toEqual([
    { domain: 'big.example.com', sent: 1 },
    { domain: 'shop.example.com', sent: 1 },
  ])
  expect(await rows('broadcast')).toEqual([
    { broadcastId: batchId, sent: 1 },
    { broadcastId: null, sent: 1 },
  ])
  expect(await rows('template')).toEqual([
    { templateId, sent: 1 },
    { templateId: null, sent: 1 },
  ])
  expect(await rows('account,region')).toEqual([
    { cloudAccountId: connectionId, region: 'eu-central-1', sent: 2 },
  ])
  expect(await rows('region')).toEqual([{ region: 'eu-central-1', sent: 2 }])
  expect(await rows('source,period,source')).toEqual([
    { period: '2026-11-24', source: 'batch', sent: 1 },
    { period: '2026-11-24', source: 'external', sent: 1 },
    { period: '2026-11-24', source: 'workflow', sent: 1 },
  ])
  // Other programs' mail is told apart, or left out: totals are those of the rows.
  expect((await metrics(client)).totals.sent).toBe(2)
  expect((await metrics(client, { dimensions: 'source' })).totals.sent).toBe(3)
  expect(await rows('domain,source')).toContainEqual({ domain: null, source: 'external', sent: 1 })
  const all = await rows('period,domain,broadcast,template,source,account,region')
  expect(all.length).toBe(3)
  const one = { source: 'batch', sent: 1 }
  expect(await rows('source', { broadcast_id: `${uuidv7()},${batchId}` })).toEqual([one])
  expect(await rows('source', { domain: 'BIG.example.com' })).toEqual([one])
  expect(await rows('source', { template_id: templateId, cloud_account_id: connectionId })).toEqual(
    [{ source: 'workflow', sent: 1 }],
  )
})

describe('periods', () => {
  const cases: [string, string, string[], [string, number][]][] = [
    [
      'Europe/Berlin',
      'daily',
      ['2026-10-24T22:00:00Z', '2026-10-25T22:45:00Z'],
      [['2026-10-25', 2]],
    ],
    ['Europe/Berlin', 'daily', ['2026-10-25T23:00:00Z'], [['2026-10-26', 1]]],
    // 25 hours: two of them are 02:00.
    [
      'Europe/Berlin',
      'hourly',
      ['2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z'],
      [['2026-10-25T02:00:00', 2]],
    ],
    // 23 hours: 02:00 is none of them.
    [
      'Europe/Berlin',
      'hourly',
      ['2026-03-29T00:59:00Z', '2026-03-29T01:00:00Z'],
      [
        ['2026-03-29T01:00:00', 1],
        ['2026-03-29T03:00:00', 1],
      ],
    ],
    // Half an hour of daylight saving: 10:30 ahead, and 11:00 in summer.
    [
      'Australia/Lord_Howe',
      'daily',
      [
        '2026-10-03T13:29:59Z',
        '2026-10-03T13:30:00Z',
        '2026-10-04T12:59:00Z',
        '2026-10-04T13:00:00Z',
      ],
      [
        ['2026-10-03', 1],
        ['2026-10-04', 2],
        ['2026-10-05', 1],
      ],
    ],
    [
      'Pacific/Chatham',
      'daily',
      ['2026-06-01T11:14:00Z', '2026-06-01T11:15:00Z'],
      [
        ['2026-06-01', 1],
        ['2026-06-02', 1],
      ],
    ],
    [
      'Asia/Kathmandu',
      'hourly',
      ['2026-06-01T00:14:00Z', '2026-06-01T00:15:00Z'],
      [
        ['2026-06-01T05:00:00', 1],
        ['2026-06-01T06:00:00', 1],
      ],
    ],
    [
      'Asia/Kathmandu',
      'monthly',
      ['2026-05-31T18:14:00Z', '2026-05-31T18:15:00Z'],
      [
        ['2026-05', 1],
        ['2026-06', 1],
      ],
    ],
    // Midnight does not exist there on this day.
    [
      'Africa/Cairo',
      'daily',
      ['2026-04-23T21:59:00Z', '2026-04-23T22:00:00Z'],
      [
        ['2026-04-23', 1],
        ['2026-04-24', 1],
      ],
    ],
    [
      'UTC',
      'weekly',
      ['2026-11-22T23:59:00Z', '2026-11-23T00:00:00Z'],
      [
        ['2026-11-16', 1],
        ['2026-11-23', 1],
      ],
    ],
    [
      'America/New_York',
      'weekly',
      ['2026-11-23T04:59:00Z', '2026-11-23T05:00:00Z'],
      [
        ['2026-11-16', 1],
        ['2026-11-23', 1],
      ],
    ],
    [
      'UTC',
      'monthly',
      ['2028-02-29T23:59:00Z', '2028-03-01T00:00:00Z', '2028-12-31T23:59:59Z'],
      [
        ['2028-02', 1],
        ['2028-03', 1],
        ['2028-12', 1],
      ],
    ],
  ]
  test.each(cases)('%s, %s: %j', async (timezone, granularity, times, expected) => {
    const client = await stranger()
    await insertSent(api.sql, client, sentAt(...times))
    const range = { start_date: '2026-01-01', end_date: '2028-12-31' }
    expect(await counts(client, { timezone, granularity, ...range })).toEqual(expected)
  })
})

describe('ranges', () => {
  const meta = async (query: Record<string, string>) => {
    const { start, end } = (await metrics(api.alice, query)).meta
    return [start, end]
  }
  test.each<[Record<string, string>, string, string]>([
    [{}, '2026-11-18T00:00:00.000Z', '2026-11-24T10:15:00.000Z'],
    [{ timezone: 'Pacific/Auckland' }, '2026-11-17T11:00:00.000Z', '2026-11-24T10:15:00.000Z'],
    [{ end_date: '2026-11-21' }, '2026-11-15T00:00:00.000Z', '2026-11-22T00:00:00.000Z'],
    [
      { end_date: '2026-10-25', timezone: 'Europe/Berlin' },
      '2026-10-18T22:00:00.000Z',
      '2026-10-25T23:00:00.000Z',
    ],
    [
      { start_date: '2026-10-25', end_date: '2026-10-25', timezone: 'Europe/Berlin' },
      '2026-10-24T22:00:00.000Z',
      '2026-10-25T23:00:00.000Z',
    ],
    [
      { start_date: '2026-04-24', end_date: '2026-04-24', timezone: 'Africa/Cairo' },
      '2026-04-23T22:00:00.000Z',
      '2026-04-24T21:00:00.000Z',
    ],
    [
      {
        start_date: '2026-11-21T10:56:09.120+01:00',
        end_date: '2026-11-21T10:57',
        timezone: 'UTC',
      },
      '2026-11-21T09:45:00.000Z',
      '2026-11-21T11:00:00.000Z',
    ],
    [
      { start_date: '2026-03-29T02:30', end_date: '2026-03-29T03:00', timezone: 'Europe/Berlin' },
      '2026-03-29T01:00:00.000Z',
      '2026-03-29T01:00:00.000Z',
    ],
  ])('%j', async (query, start, end) => {
    expect(await meta(query)).toEqual([start, end])
  })

  test.each<[string, Record<string, string>]>([
    ['start_date', { start_date: '2026-11-22', end_date: '2026-11-21' }],
    ['start_date', { start_date: '2026-11-25' }],
    ['start_date', { start_date: '2026-02-30' }],
    ['start_date', { start_date: 'yesterday' }],
    ['start_date', { start_date: '1900-01-01' }],
    ['end_date', { end_date: '9999-12-31' }],
    ['end_date', { end_date: '2026-11-21T25:00' }],
    ['timezone', { timezone: 'Europe/Atlantis' }],
    ['timezone', { timezone: '+01:00' }],
    ['timezone', { timezone: '' }],
    ['granularity', { granularity: 'yearly' }],
    ['dimensions', { dimensions: 'period,colour' }],
    ['dimensions', { dimensions: '' }],
    ['dimensions', { dimensions: 'period,' }],
    ['broadcast_id', { broadcast_id: 'x' }],
    ['template_id', { template_id: Array.from({ length: 101 }, () => uuidv7()).join() }],
    ['cloud_account_id', { cloud_account_id: `${uuidv7()},` }],
    ['domain', { domain: Array.from({ length: 101 }, (_, i) => `d${i}.example.com`).join() }],
    ['colour', { colour: 'red' }],
  ])('400 that names %s: %.80j', async (path, query) => {
    const { status, body } = await api.alice.get(
      `/v1/email/metrics?${new URLSearchParams(query).toString()}`,
    )
    expect([status, body.code, body.details[0].path]).toEqual([400, 'BAD_REQUEST', path])
  })

  test('a hundred values are taken', async () => {
    const query = { template_id: Array.from({ length: 100 }, () => uuidv7()).join() }
    expect((await metrics(api.alice, query)).totals.sent).toBe(0)
  })

  test('ten thousand rows are answered, one more is refused', async () => {
    const client = await stranger()
    const domains = Array.from({ length: 10_000 }, (_, i) => `d${i}.example.com`)
    const at = '2026-11-24T09:00:00Z'
    await insertSent(
      api.sql,
      client,
      domains.map((fromDomain) => ({ sentAt: at, fromDomain })),
    )
    const { data, totals } = await metrics(client, { dimensions: 'domain' })
    expect([data.length, totals.sent]).toEqual([10_000, 10_000])
    await insertSent(api.sql, client, [{ sentAt: at, fromDomain: 'one-more.example.com' }])
    const { status, body } = await client.get('/v1/email/metrics?dimensions=domain')
    expect([status, body.reason]).toEqual([400, 'too_many_rows'])
    expect((await metrics(client)).totals.sent).toBe(10_001)
  })
})

test('metrics are returned as CSV if Accept names it', async () => {
  const client = await stranger()
  await insertSent(api.sql, client, [
    {
      sentAt: '2026-11-24T09:00:00Z',
      fromDomain: '=cmd.example.com',
      openedAt: '2026-11-24T09:00:00Z',
    },
  ])
  const ask = async (query: string, accept: string) =>
    client.send({ method: 'GET', url: `/v1/email/metrics${query}`, headers: { accept } })
  const file = await ask('?dimensions=period,domain', 'text/csv')
  expect(file.headers['content-type']).toBe('text/csv; charset=utf-8')
  expect(file.text.split('\r\n')).toEqual([
    '\ufeffperiod,domain,sent,delivered,bounced,bouncedPermanent,bouncedTransient,bouncedUndetermined,complained,suppressed,opened,openedRaw,clicked,unsubscribed,failed,costUsd',
    `"2026-11-24","'=cmd.example.com","1","0","0","0","0","0","0","0","0","1","0","0","0",`,
    '',
  ])
  expect((await ask('', 'application/json;q=0.5, text/csv')).text.split('\r\n').length).toBe(3)
  expect((await ask('', 'application/json, text/csv;header=present;q=0.01')).text).toMatch(
    /^\ufeffsent,/,
  )
  for (const accept of ['*/*', 'text/csv;q=0', 'text/csv; q=0.000, */*', 'text/csvx', 'text/*']) {
    expect([accept, (await ask('', accept)).body.object]).toEqual([accept, 'metrics'])
  }
  expect((await ask('?dimensions=x', 'text/csv')).body.code).toBe('BAD_REQUEST')
  clock += 1
})
