import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { batchBucket, batchRowId, uuidv7 } from '../../src/runtime/ids.ts'
import {
  type Api,
  connectAccount,
  createBatch,
  freeze,
  insertMail,
  startApi,
} from '../support/api.ts'

let api: Api
let connectionId: string
beforeAll(async () => {
  api = await startApi()
  connectionId = (await connectAccount(api.alice)).connectionId
})
afterAll(() => api.close())

describe('list', () => {
  test('shows batches newest first, in pages and by filters', async () => {
    for (let i = 1; i <= 5; i++) await createBatch(api.alice, { name: `Week ${i}` })
    const { id } = await createBatch(api.alice, { subject: '100% off' })
    await api.alice.delete(`/v1/batch/${id}`)
    const { body } = await api.alice.get('/v1/batch/?page=2&pageSize=4')
    expect(body).toMatchObject({ page: 2, pageSize: 4, total: 6, totalPages: 2 })
    expect(body.data.map(({ name }: { name: string }) => name)).toEqual(['Week 2', 'Week 1'])
    const total = async (query: string) => (await api.alice.get(`/v1/batch?${query}`)).body.total
    expect(await total('status=cancelled')).toBe(1)
    expect(await total('status=cancelled,queued')).toBe(6)
    expect(await total('status=processing,completed')).toBe(0)
    expect(await total('channel=sms')).toBe(0)
    expect(await total('search=week')).toBe(5)
    expect(await total('search=0%25%20o')).toBe(1)
    expect(await total('search=%25%25')).toBe(0)
    for (const wrong of ['paused', 'queued,paused', 'queued,', '']) {
      expect((await api.alice.get(`/v1/batch?status=${wrong}`)).status).toBe(400)
    }
    expect((await api.charlie.get('/v1/batch')).body.data).toEqual([])
  })

  test('neither repeats nor skips a batch by cursor while others are created', async () => {
    const made: string[] = []
    for (let i = 1; i <= 5; i++) {
      made.unshift((await createBatch(api.alice, { name: `Day ${i}` })).id)
    }
    const get = (query: string) => api.alice.get(`/v1/batch?search=day&pageSize=2${query}`)
    const ids = ({ data }: { data: { id: string }[] }) => data.map(({ id }) => id)
    const first = (await get('')).body
    expect(ids(first)).toEqual(made.slice(0, 2))
    await createBatch(api.alice, { name: 'Day 6' })
    const second = (await get(`&cursor=${first.nextCursor}`)).body
    expect(second).toMatchObject({ page: 1, pageSize: 2, total: 6, totalPages: 3 })
    expect(ids(second)).toEqual(made.slice(2, 4))
    const last = (await get(`&page=1&cursor=${second.nextCursor}`)).body
    expect([ids(last), last.nextCursor]).toEqual([made.slice(4), null])
    expect(ids((await get('&page=2')).body)).toEqual(made.slice(1, 3))
    expect((await get('&page=3')).body.nextCursor).toBeNull()
  })

  test('refuses a cursor of another list, filter or organization, and one beside a page', async () => {
    const { nextCursor } = (await api.alice.get('/v1/batch?pageSize=1')).body
    for (const query of [
      `cursor=${nextCursor}&page=2`,
      `cursor=${nextCursor}&search=x`,
      'cursor=x',
    ]) {
      expect((await api.alice.get(`/v1/batch?pageSize=1&${query}`)).status).toBe(400)
    }
    expect((await api.charlie.get(`/v1/batch?cursor=${nextCursor}`)).status).toBe(400)
    expect((await api.alice.get(`/v1/contacts?cursor=${nextCursor}`)).status).toBe(400)
  })
})

test('a batch is 403 for a stranger, and an unknown one is 404', async () => {
  const { id } = await createBatch(api.alice)
  expect((await api.alice.get(`/v1/batch/${id}`)).body.id).toBe(id)
  for (const path of [id, `${id}/recipients`]) {
    const { status, body } = await api.charlie.get(`/v1/batch/${path}`)
    expect([status, body.code]).toEqual([403, 'FORBIDDEN'])
  }
  for (const nowhere of [uuidv7(), 'x', `${uuidv7()}/recipients`, 'x/recipients']) {
    expect((await api.alice.get(`/v1/batch/${nowhere}`)).status).toBe(404)
  }
})

describe('recipients', () => {
  const states = [
    ['queued', 'queued', 'queued'],
    ['claimed', 'queued', 'pending'],
    ['unknown', 'pending', 'pending'],
    ['sent', 'delivered', 'delivered'],
    ['failed', 'failed', 'failed'],
    ['skipped', 'suppressed', 'suppressed'],
    ['queued', 'queued', 'queued'],
  ] as const

  async function frozen(): Promise<string> {
    const { id: batchId } = await createBatch(api.alice)
    const bucket = batchBucket()
    await freeze(api.sql, batchId, bucket, states.length)
    for (const [seq, [state, status]] of states.entries()) {
      await insertMail(api.sql, {
        organizationId: api.alice.organizationId,
        bucket,
        id: batchRowId(bucket, seq),
        connectionId,
        batchId,
        state,
        status,
        ...(state === 'claimed' || state === 'unknown' ? { claimId: uuidv7() } : {}),
        recipient: `r${seq}@example.com`,
      })
    }
    return batchId
  }
  const statuses = (body: { data: { status: string }[] }) => body.data.map(({ status }) => status)

  test('are empty before the audience is frozen', async () => {
    const { id } = await createBatch(api.alice)
    expect((await api.alice.get(`/v1/batch/${id}/recipients`)).body).toEqual({
      data: [],
      limit: 50,
      offset: 0,
      total: 0,
      nextCursor: null,
    })
  })

  test('in a claim or in doubt are pending; the list has the order of mailing', async () => {
    const id = await frozen()
    const { body } = await api.alice.get(`/v1/batch/${id}/recipients`)
    expect(statuses(body)).toEqual(states.map(([, , shown]) => shown))
    expect(body.total).toBe(states.length)
    expect(body.data[0]).toMatchObject({ email: 'r0@example.com', sentAt: null })
  })

  test('are listed by filter, offset and cursor', async () => {
    const id = await frozen()
    const url = `/v1/batch/${id}/recipients`
    const pending = (await api.alice.get(`${url}?status=pending&limit=1`)).body
    expect([pending.total, statuses(pending)]).toEqual([2, ['pending']])
    const next = await api.alice.get(`${url}?status=pending&limit=1&cursor=${pending.nextCursor}`)
    expect(next.body).toMatchObject({ data: [{ email: 'r2@example.com' }], nextCursor: null })
    const offset = (await api.alice.get(`${url}?offset=5`)).body
    expect(statuses(offset)).toEqual(['suppressed', 'queued'])
    const other = await frozen()
    for (const wrong of [
      `${url}?cursor=${pending.nextCursor}`,
      `/v1/batch/${other}/recipients?status=pending&cursor=${pending.nextCursor}`,
      `${url}?status=pending&offset=1&cursor=${pending.nextCursor}`,
      `${url}?offset=-1`,
      `${url}?limit=1001`,
    ]) {
      expect([wrong, (await api.alice.get(wrong)).status]).toEqual([wrong, 400])
    }
  })

  test('who were queued when the batch was cancelled are cancelled', async () => {
    const id = await frozen()
    await api.alice.delete(`/v1/batch/${id}`)
    const url = `/v1/batch/${id}/recipients`
    const { body } = await api.alice.get(`${url}?status=cancelled`)
    expect([body.total, statuses(body)]).toEqual([2, ['cancelled', 'cancelled']])
    expect((await api.alice.get(`${url}?status=queued`)).body.total).toBe(0)
  })
})
