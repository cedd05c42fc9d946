import { Type } from 'typebox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { App } from '../../api/app.ts'
import { conflict } from '../../src/domain/errors.ts'
import { uuidv7 } from '../../src/runtime/ids.ts'
import { type Api, startApi } from '../support/api.ts'

/** Work of several transactions, as an import's is: what it makes is named after `workId`. */
interface Work {
  ids: string[]
  /** What the handler returns is no answer: it cannot be kept. */
  spoils?: boolean
  act: () => Promise<void>
}
const work: Work = { ids: [], act: async () => {} }

let api: Api

beforeAll(async () => {
  api = await startApi({}, { addRoutes })
})
afterAll(() => api.close())

function addRoutes(app: App): void {
  app.post(
    '/v1/leased',
    {
      config: { scope: 'full', leased: true, secrets: ['secret'] },
      schema: {
        response: { 202: Type.Object({ id: Type.String(), secret: Type.String() }) },
      },
    },
    async (request, reply) => {
      work.ids.push(request.workId)
      await work.act()
      reply.code(202)
      if (work.spoils) return '' as never
      return { id: request.workId, secret: 'once' }
    },
  )
}

function begin(act: Work['act'] = async () => {}): void {
  work.ids = []
  work.act = act
}

const post = (key: string, payload = {}) =>
  api.alice.send({
    method: 'POST',
    url: '/v1/leased',
    headers: { 'idempotency-key': key },
    payload,
  })

test('work under a lease is done once and its answer kept, without its secret', async () => {
  begin()
  const key = uuidv7()
  const first = await post(key)
  const second = await post(key)
  expect(first).toMatchObject({ status: 202, body: { id: work.ids[0], secret: 'once' } })
  expect(second).toMatchObject({ status: 202, body: { id: work.ids[0], secret: null } })
  expect(second.headers['idempotency-replayed']).toBe('true')
  expect(work.ids).toHaveLength(1)
  expect((await post(key, { other: 1 })).status).toBe(422)
})

test('while somebody has the lease, others are told to wait', async () => {
  let finish = () => {}
  begin(() => new Promise((resolve) => (finish = resolve)))
  const key = uuidv7()
  const running = post(key)
  while (work.ids.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
  const busy = await post(key)
  expect(busy).toMatchObject({ status: 409, body: { reason: 'idempotency_in_progress' } })
  expect(busy.headers['retry-after']).toBe('1')
  finish()
  expect((await running).status).toBe(202)
  expect(work.ids).toHaveLength(1)
})

test('a lease that ran out is taken up by one of many, with the same id', async () => {
  // The first one dies: it never answers and never gives its lease back.
  begin(() => new Promise(() => {}))
  const key = uuidv7()
  void post(key)
  while (work.ids.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
  const [id] = work.ids
  expect((await post(key)).status).toBe(409)
  await api.sql`
    update idempotency_keys set lease_until = now() - interval '1 second' where key = ${key}`
  begin()
  const answers = await Promise.all(Array.from({ length: 20 }, () => post(key)))
  expect(work.ids).toEqual([id])
  expect(answers.filter(({ status }) => status === 202).length).toBeGreaterThan(0)
  expect(answers.every(({ status }) => status === 202 || status === 409)).toBe(true)
  expect((await post(key)).body.id).toBe(id)
})

test('refused work gives its lease back: it is decided afresh', async () => {
  begin(async () => {
    throw conflict('Not now')
  })
  const key = uuidv7()
  expect((await post(key)).status).toBe(409)
  begin()
  expect((await post(key)).status).toBe(202)
})

test('work that another request began keeps its id when who takes it up is refused', async () => {
  let finish = () => {}
  begin(() => new Promise((resolve) => (finish = resolve)))
  const key = uuidv7()
  const slow = post(key)
  while (work.ids.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
  const [id] = work.ids
  await api.sql`
    update idempotency_keys set lease_until = now() - interval '1 second' where key = ${key}`
  const endSlow = finish
  begin(async () => {
    throw conflict('The first one is still under way')
  })
  for (let n = 0; n < 2; n++) expect((await post(key)).status).toBe(409)
  expect(work.ids).toEqual([id, id])
  expect((await post(key, { other: 1 })).status).toBe(422)
  endSlow()
  expect(await slow).toMatchObject({ status: 202, body: { id } })
  expect((await post(key)).body.id).toBe(id)
})

test('work that failed for no reason of its own is taken up under the same id', async () => {
  begin(async () => {
    throw new Error('the answer of a commit was lost')
  })
  const key = uuidv7()
  expect((await post(key)).status).toBe(500)
  const [id] = work.ids
  begin()
  expect(await post(key)).toMatchObject({ status: 202, body: { id } })
})

test('work whose answer could not be kept is not done again under another id', async () => {
  begin()
  work.spoils = true
  const key = uuidv7()
  expect((await post(key)).status).toBe(500)
  delete work.spoils
  expect((await post(key)).status).toBe(409)
  await api.sql`
    update idempotency_keys set lease_until = now() - interval '1 second' where key = ${key}`
  expect((await post(key)).status).toBe(202)
  expect(new Set(work.ids).size).toBe(1)
})

test('without a key every call is work of its own', async () => {
  begin()
  await api.alice.post('/v1/leased', {})
  await api.alice.post('/v1/leased', {})
  expect(new Set(work.ids).size).toBe(2)
})
