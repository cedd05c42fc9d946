import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { batchBucket, batchRowId, bucketStart, uuidv7 } from '../../src/runtime/ids.ts'
import {
  type Api,
  connectAccount,
  createBatch,
  freeze,
  insertMail,
  startApi,
  tally,
} from '../support/api.ts'
import { seedTopic } from '../support/seed.ts'

let api: Api
let connectionId: string
beforeAll(async () => {
  api = await startApi()
  connectionId = (await connectAccount(api.alice)).connectionId
})
afterAll(() => api.close())

const fail = (id: string, reason = 'sender_rejected') => api.sql`
  update batches
  set status = 'failed', failed_reason = ${reason}, completed_at = now(), sender_refusals = 20,
    render_timeouts = 3
  where id = ${id}`
const starts = async (id: string): Promise<object[]> => {
  const rows = await api.sql<{ payload: object }[]>`
    select payload
    from outbox
    where kind = 'start_batch' and payload ->> 'batchId' = ${id}
    order by position`
  return rows.map(({ payload }) => payload)
}

/** A batch that failed with one row in each of these states. */
async function failedWith(
  rows: readonly { state: string; reason?: string }[],
  reason = 'sender_rejected',
) {
  const { id } = await createBatch(api.alice)
  const bucket = batchBucket()
  await freeze(api.sql, id, bucket, rows.length)
  for (const [seq, { state, ...more }] of rows.entries()) {
    await insertMail(api.sql, {
      organizationId: api.alice.organizationId,
      connectionId,
      bucket,
      batchId: id,
      id: batchRowId(bucket, seq),
      state,
      status: state === 'claimed' || state === 'unknown' ? 'pending' : state,
      ...(state === 'claimed' || state === 'unknown' ? { claimId: uuidv7() } : {}),
      ...more,
    })
  }
  await api.sql`
    update batches
    set sent = (select count(*) from messages where batch_id = ${id} and state = 'sent'),
      failed = (select count(*) from messages where batch_id = ${id} and state = 'failed')
    where id = ${id}`
  await fail(id, reason)
  return id
}
const statusesOf = async (id: string): Promise<Record<string, number>> => {
  const { body } = await api.alice.get(`/v1/batch/${id}/recipients`)
  return tally(body.data.map(({ status }: { status: string }) => status))
}

describe('a failed batch is resumed', () => {
  test('as another attempt, with the promise to start it', async () => {
    const id = await failedWith([{ state: 'queued' }, { state: 'sent' }])
    const { status, body } = await api.alice.post(`/v1/batch/${id}/resume`)
    expect(status).toBe(200)
    expect(body).toMatchObject({ id, status: 'processing', failedReason: null, completedAt: null })
    expect(await starts(id)).toEqual([
      { batchId: id, attempt: 1 },
      { batchId: id, attempt: 2 },
    ])
    const [row] = await api.sql`
      select attempt, sender_refusals, render_timeouts, streak_sent from batches where id = ${id}`
    expect(row).toEqual({ attempt: 2, senderRefusals: 0, renderTimeouts: 0, streakSent: 1 })
    const { progress: _, ...later } = (await api.alice.get(`/v1/batch/${id}`)).body
    expect(body).toMatchObject(later)
  })

  test('with calls in flight unchanged: only queued rows are mailed again', async () => {
    const states = ['queued', 'claimed', 'unknown', 'sent', 'failed']
    const id = await failedWith(states.map((state) => ({ state })))
    await api.alice.post(`/v1/batch/${id}/resume`)
    const rows = await api.sql<{ state: string }[]>`
      select state from messages where batch_id = ${id} order by id`
    expect(rows.map(({ state }) => state)).toEqual(states)
  })

  test('with recipients whose mail took too long, if the batch failed for that', async () => {
    const rows = [
      { state: 'failed', reason: 'render_timeout' },
      { state: 'failed', reason: 'missing_value' },
      { state: 'failed', reason: 'render_timeout' },
      { state: 'sent' },
    ]
    const slow = await failedWith(rows, 'render_timeout')
    const { body } = await api.alice.post(`/v1/batch/${slow}/resume`)
    expect(body).toMatchObject({ failed: 1, sent: 1, processedRecipients: 2 })
    expect(await statusesOf(slow)).toEqual({ queued: 2, failed: 1, sent: 1 })
    const other = await failedWith(rows)
    expect((await api.alice.post(`/v1/batch/${other}/resume`)).body).toMatchObject({ failed: 3 })
    expect(await statusesOf(other)).toEqual({ failed: 3, sent: 1 })
  })

  test('from the beginning and at its time if it failed before it was frozen', async () => {
    const { id } = await createBatch(api.alice)
    await fail(id, 'not_verified')
    expect((await api.alice.post(`/v1/batch/${id}/resume`)).body).toMatchObject({
      status: 'processing',
      audienceFrozenAt: null,
    })
    const scheduledFor = new Date(Date.now() + 3_600_000).toISOString()
    const later = await createBatch(api.alice, { scheduledFor })
    await fail(later.id, 'stopped_by_operator')
    expect((await api.alice.post(`/v1/batch/${later.id}/resume`)).body).toMatchObject({
      status: 'scheduled',
      scheduledFor,
    })
  })

  test('but not after its topic was deleted, since it would mail nobody and complete', async () => {
    const topicId = await seedTopic(api.sql, api.alice.organizationId)
    const { id } = await createBatch(api.alice, { topicId })
    await fail(id)
    expect((await api.alice.delete(`/v1/topics/${topicId}`)).status).toBe(200)
    const answer = await api.alice.post(`/v1/batch/${id}/resume`)
    expect([answer.status, answer.body.reason]).toEqual([409, 'topic_deleted'])
    expect((await api.alice.post(`/v1/batch/${id}/discard`)).body.status).toBe('cancelled')
  })

  test('but not after its recipients were deleted', async () => {
    const id = await failedWith([{ state: 'queued' }])
    const longAgo = bucketStart(Date.now() - 800 * 86_400_000)
    await api.sql`update batches set bucket = ${longAgo} where id = ${id}`
    const answer = await api.alice.post(`/v1/batch/${id}/resume`)
    expect([answer.status, answer.body.reason]).toEqual([409, 'recipients_deleted'])
    expect((await api.alice.post(`/v1/batch/${id}/discard`)).status).toBe(200)
  })

  test('by one of fifty concurrent requests', async () => {
    const id = await failedWith([{ state: 'queued' }])
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => api.alice.post(`/v1/batch/${id}/resume`)),
    )
    expect(tally(answers.map(({ status }) => status))).toEqual({ 200: 1, 409: 49 })
    expect((await starts(id)).length).toBe(2)
  })

  test('once for an Idempotency-Key, which answers the same again', async () => {
    const id = await failedWith([{ state: 'queued' }])
    const ask = () =>
      api.alice.send({
        method: 'POST',
        url: `/v1/batch/${id}/resume`,
        headers: { 'idempotency-key': `resume-${id}` },
      })
    const [first, second] = [await ask(), await ask()]
    expect([first.status, second.status]).toEqual([200, 200])
    expect(second.body).toEqual(first.body)
    expect((await starts(id)).length).toBe(2)
  })
})

describe('a failed batch is discarded', () => {
  test('for good: queued recipients are cancelled, those in flight are not', async () => {
    const states = ['queued', 'queued', 'claimed', 'unknown', 'sent', 'failed']
    const id = await failedWith(states.map((state) => ({ state })))
    expect(await statusesOf(id)).toEqual({ queued: 2, pending: 2, sent: 1, failed: 1 })
    const { status, body } = await api.alice.post(`/v1/batch/${id}/discard`)
    expect(status).toBe(200)
    expect(body).toMatchObject({ status: 'cancelled', failedReason: 'sender_rejected', sent: 1 })
    expect(await statusesOf(id)).toEqual({ cancelled: 2, pending: 2, sent: 1, failed: 1 })
    const { body: logs } = await api.alice.get(`/v1/email/logs?batchId=${id}`)
    expect(logs.logs).toHaveLength(4)
    for (const act of ['resume', 'discard']) {
      expect((await api.alice.post(`/v1/batch/${id}/${act}`)).status).toBe(409)
    }
  })

  test('or resumed, whichever request comes first, but never both', async () => {
    for (let round = 0; round < 10; round++) {
      const id = await failedWith([{ state: 'queued' }])
      const acts = Array.from({ length: 6 }, (_, n) => (n % 2 === 0 ? 'resume' : 'discard'))
      const answers = await Promise.all(acts.map((act) => api.alice.post(`/v1/batch/${id}/${act}`)))
      const winners = acts.filter((_, n) => answers[n]?.status === 200)
      expect(winners).toHaveLength(1)
      const { body } = await api.alice.get(`/v1/batch/${id}`)
      expect(body.status).toBe(winners[0] === 'resume' ? 'processing' : 'cancelled')
      expect((await starts(id)).length).toBe(winners[0] === 'resume' ? 2 : 1)
    }
  })
})

test.each([
  ['resume', 'batch_not_resumable'],
  ['discard', 'batch_not_discardable'],
])('%s: any other batch stays as it is', async (act, reason) => {
  for (const status of ['queued', 'scheduled', 'processing', 'completed', 'cancelled']) {
    const { id } = await createBatch(api.alice)
    await api.sql`update batches set status = ${status} where id = ${id}`
    const answer = await api.alice.post(`/v1/batch/${id}/${act}`)
    expect([answer.status, answer.body.reason]).toEqual([409, reason])
    expect(answer.body.error).toContain(status)
    expect((await api.alice.get(`/v1/batch/${id}`)).body.status).toBe(status)
    expect(await starts(id)).toHaveLength(1)
  }
})

test.each(['resume', 'discard'])('%s: a stranger changes nothing', async (act) => {
  const id = await failedWith([{ state: 'queued' }])
  expect((await api.charlie.post(`/v1/batch/${id}/${act}`)).status).toBe(403)
  expect((await api.alice.post(`/v1/batch/${uuidv7()}/${act}`)).status).toBe(404)
  expect((await api.alice.post(`/v1/batch/nothing/${act}`)).status).toBe(404)
  expect((await api.alice.get(`/v1/batch/${id}`)).body.status).toBe('failed')
})
