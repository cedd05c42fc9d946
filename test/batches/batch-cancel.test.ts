import { afterAll, beforeAll, expect, test } from 'vitest'
import { uuidv7 } from '../../src/runtime/ids.ts'
import { type Api, connectAccount, createBatch, startApi, tally } from '../support/api.ts'

let api: Api
beforeAll(async () => {
  api = await startApi()
  await connectAccount(api.alice)
})
afterAll(() => api.close())

const cancels = (batchId: string) => api.sql`
  select payload
  from outbox
  where kind = 'cancel_batch' and payload ->> 'batchId' = ${batchId}`

test.each(['queued', 'scheduled', 'processing'])('a %s batch is cancelled', async (status) => {
  const { id } = await createBatch(api.alice)
  await api.sql`update batches set status = ${status}, attempt = 3 where id = ${id}`
  const answer = await api.alice.delete(`/v1/batch/${id}`)
  expect([answer.status, answer.body.success]).toEqual([200, true])
  expect(answer.body).toMatchObject({ id, status: 'cancelled', completedAt: expect.any(String) })
  expect(await cancels(id)).toEqual([{ payload: { batchId: id, attempt: 3 } }])
})

test.each(['completed', 'failed', 'cancelled'])('a %s batch stays as it is', async (status) => {
  const { id } = await createBatch(api.alice)
  await api.sql`update batches set status = ${status} where id = ${id}`
  const answer = await api.alice.delete(`/v1/batch/${id}`)
  expect([answer.status, answer.body.reason]).toEqual([409, 'batch_not_cancellable'])
  expect((await api.alice.get(`/v1/batch/${id}`)).body.status).toBe(status)
  expect(await cancels(id)).toEqual([])
})

test('one of twenty concurrent requests cancels, and the others are refused', async () => {
  const { id } = await createBatch(api.alice)
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => api.alice.delete(`/v1/batch/${id}`)),
  )
  expect(tally(answers.map(({ status }) => status))).toEqual({ 200: 1, 409: 19 })
  expect((await cancels(id)).length).toBe(1)
})

test('a stranger cancels nothing', async () => {
  const { id } = await createBatch(api.alice)
  expect((await api.charlie.delete(`/v1/batch/${id}`)).status).toBe(403)
  expect((await api.alice.get(`/v1/batch/${id}`)).body.status).toBe('queued')
  expect((await api.alice.delete(`/v1/batch/${uuidv7()}`)).status).toBe(404)
})
