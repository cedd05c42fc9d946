import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MOST_DRAFTS } from '../../src/core/batches/batch-drafts.ts'
import { uuidv7 } from '../../src/runtime/ids.ts'
import { type Api, startApi, tally } from '../support/api.ts'

let api: Api
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

const create = (input: object) => api.alice.post('/v1/batch-drafts', { input })
/** What nobody could send: half an address, and a field that batches do not have. */
const UNFINISHED = { name: 'News', subject: '{% if', from: 'news@', later: { notes: ['ask Ada'] } }

test('a draft keeps whatever was written, however unfinished', async () => {
  const { status, body } = await create(UNFINISHED)
  expect([status, body.name, body.subject]).toEqual([201, 'News', '{% if'])
  const read = await api.alice.get(`/v1/batch-drafts/${body.id}`)
  expect(read.body).toEqual(body)
  expect(read.body.input).toEqual(UNFINISHED)
  expect((await create({})).body).toMatchObject({ name: null, subject: null, input: {} })
  expect((await create({ name: 7 })).body.name).toBeNull()
})

test('drafts are listed without their inputs, newest first', async () => {
  const names = ['one', 'two', 'three']
  for (const name of names) await create({ name })
  const first = (await api.alice.get('/v1/batch-drafts?limit=2')).body
  expect(first.data.map(({ name }: { name: string }) => name)).toEqual(['three', 'two'])
  expect(first.data[0]).not.toHaveProperty('input')
  const next = await api.alice.get(`/v1/batch-drafts?limit=2&cursor=${first.nextCursor}`)
  expect(next.body.data[0].name).toBe('one')
})

describe('a change', () => {
  test('replaces the input, and is refused when somebody else was faster', async () => {
    const { id, updatedAt } = (await create({ name: 'First' })).body
    const url = `/v1/batch-drafts/${id}`
    const second = { input: { name: 'Second' }, ifUnmodifiedSince: updatedAt }
    const changed = await api.alice.patch(url, second)
    expect([changed.status, changed.body.input]).toEqual([200, { name: 'Second' }])
    const late = await api.alice.patch(url, { ...second, input: { name: 'Third' } })
    expect([late.status, late.body.reason]).toEqual([409, 'modified'])
    expect((await api.alice.get(url)).body.name).toBe('Second')
    // Whoever does not ask for it writes over it.
    expect((await api.alice.patch(url, { input: {} })).body.input).toEqual({})
  })

  test.each(['3324-02-20T02:44:53.54511-16:06', '9999-12-31T23:59:59-23:59'])(
    'takes a time that Postgres has no form of: %s',
    async (ifUnmodifiedSince) => {
      const { id } = (await create({ name: 'First' })).body
      const input = { name: 'Second' }
      const { status } = await api.alice.patch(`/v1/batch-drafts/${id}`, {
        input,
        ifUnmodifiedSince,
      })
      expect(status).toBe(200)
    },
  )
})

test('a draft that is deleted is gone, and cannot be changed', async () => {
  const { id } = (await create({ name: 'Gone' })).body
  expect((await api.alice.delete(`/v1/batch-drafts/${id}`)).body).toEqual({ success: true })
  expect((await api.alice.get(`/v1/batch-drafts/${id}`)).status).toBe(404)
  expect((await api.alice.patch(`/v1/batch-drafts/${id}`, { input: {} })).status).toBe(404)
  expect((await api.alice.delete(`/v1/batch-drafts/${uuidv7()}`)).status).toBe(404)
})

test('there are at most so many, whoever comes at the same moment', async () => {
  const draft = (n: number) => ({ organizationId: api.charlie.organizationId, id: uuidv7(), n })
  await api.sql`
    insert into batch_drafts ${api.sql(
      Array.from({ length: MOST_DRAFTS - 2 }, (_, n) => draft(n)).map(({ n, ...row }) => ({
        ...row,
        input: api.sql.json({ name: String(n) }),
      })),
    )}`
  const answers = await Promise.all(
    Array.from({ length: 6 }, () => api.charlie.post('/v1/batch-drafts', { input: {} })),
  )
  expect(tally(answers.map(({ status }) => status))).toEqual({ 201: 2, 409: 4 })
  expect(answers.find(({ status }) => status === 409)?.body.reason).toBe('draft_limit')
})

test('a draft is of the organization, and of who may send', async () => {
  const { id } = (await create({ name: 'Ours' })).body
  expect((await api.charlie.get(`/v1/batch-drafts/${id}`)).status).toBe(403)
  expect((await api.charlie.patch(`/v1/batch-drafts/${id}`, { input: {} })).status).toBe(403)
  const reader = await api.client(api.alice.organizationId, ['read'])
  expect((await reader.get(`/v1/batch-drafts/${id}`)).status).toBe(403)
})
