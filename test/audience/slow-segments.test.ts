import { afterAll, beforeAll, expect, test } from 'vitest'
import { freezePage } from '../../src/core/batches/freeze-audience.ts'
import type { Uuid } from '../../src/runtime/ids.ts'
import type { Sql } from '../../src/store/db/sql.ts'
import { type Api, connectAccount, createContact, startApi } from '../support/api.ts'
import { connectAs } from '../support/logins.ts'

/** Of a statement, of searches and of freezing alike. */
const TIMEOUT_MS = 2_000

let api: Api
let worker: Sql
let segmentId: Uuid
let contactId: Uuid
const condition = {
  logic: 'AND',
  groups: [{ filters: [{ field: 'event.bought', operator: 'notTriggered' }] }],
}
beforeAll(async () => {
  api = await startApi({}, { searchTimeoutMs: TIMEOUT_MS })
  worker = connectAs(api.databaseUrl, {
    name: 'slow-segments',
    role: 'letterloom_worker',
    max: 2,
    statementTimeoutMs: TIMEOUT_MS,
  })
  await connectAccount(api.alice)
  contactId = (await createContact(api.alice, { email: 'ada@example.com' })).id
  segmentId = (await api.alice.post('/v1/segments', { name: 'Never bought', condition })).body.id
})
afterAll(async () => {
  await worker.end()
  await api.close()
})

/** Whoever asks about events waits for as long as a statement may while `work` is done. */
const whileSlow = <T>(work: () => Promise<T>): Promise<T> =>
  api.sql.begin(async (tx) => {
    await tx`lock table events in access exclusive mode`
    return work()
  })

test('a list, an export and a preview of a slow segment are 400, which says so', async () => {
  await whileSlow(async () => {
    for (const path of ['/v1/contacts', '/v1/contacts/export']) {
      expect(await api.alice.get(`${path}?segmentId=${segmentId}`), path).toMatchObject({
        status: 400,
        body: { reason: 'segment_too_slow', details: [{ path: 'segmentId' }] },
      })
    }
    expect(await api.alice.post('/v1/segments/preview', { condition })).toMatchObject({
      status: 400,
      body: {
        reason: 'condition_too_slow',
        error: expect.stringContaining('Contacts where the event "bought" has not occurred.'),
      },
    })
  })
  expect((await api.alice.get(`/v1/contacts?segmentId=${segmentId}`)).body.total).toBe(1)
})

test('a count that takes too long is not tried again at once, and by one request only', async () => {
  const path = `/v1/segments/${segmentId}`
  const old = (column: 'counted_at' | 'count_tried_at') => api.sql`
    update segments set ${api.sql(column)} = now() - interval '61 s' where id = ${segmentId}`
  await old('counted_at')
  /** Asks so often at once; returns how many statements waited at most. */
  const asked = async (times: number) => {
    const counting = { isDone: false, most: 0 }
    const answers = Promise.all(Array.from({ length: times }, () => api.alice.get(path)))
    const answered = answers.finally(() => (counting.isDone = true))
    while (!counting.isDone) {
      const waiting = await api.sql`
        select from pg_locks
        where not granted and database = (select oid from pg_database where datname = current_database())
          and relation = 'events'::regclass`
      counting.most = Math.max(counting.most, waiting.length)
    }
    for (const { status, body } of await answered)
      expect([status, body.memberCount]).toEqual([200, 1])
    return counting.most
  }
  await whileSlow(async () => {
    expect(await asked(8)).toBe(1)
    expect(await asked(1)).toBe(0)
    await old('count_tried_at')
    expect(await asked(1)).toBe(1)
  })
  await old('count_tried_at')
  const { body } = await api.alice.get(path)
  expect(Date.now() - Date.parse(body.countedAt)).toBeLessThan(30_000)
})

test('slow segments take no connection from other requests', async () => {
  await whileSlow(async () => {
    let isWaiting = true
    const path = `/v1/contacts/export?segmentId=${segmentId}`
    const slow = Promise.all(Array.from({ length: 12 }, () => api.alice.get(path)))
    const waiting = slow.finally(() => (isWaiting = false))
    for (let n = 0; n < 5; n++) {
      expect((await api.alice.get(`/v1/contacts/${contactId}`)).status).toBe(200)
    }
    expect(isWaiting).toBe(true)
    expect((await waiting).map(({ status }) => status)).toEqual(slowStatuses)
  })
})
const slowStatuses = Array.from({ length: 12 }, () => 400)

test.each([
  ['goes to', () => ({ audienceType: 'segment', segmentId })],
  ['leaves out', () => ({ audienceType: 'all', exclude: { segmentIds: [segmentId] } })],
])('a batch that %s a slow segment mails nobody and fails', async (_, audience) => {
  await whileSlow(async () => {
    const { status, body } = await api.alice.post('/v1/batch', {
      ...audience(),
      from: 'news@example.com',
      subject: 'News',
      htmlContent: '<p>News</p>',
    })
    expect([status, body.totalRecipients]).toEqual([201, 0])
    const { organizationId } = api.alice
    const run = { organizationId, batchId: body.id, attempt: 1 }
    expect(await freezePage(worker, { ...run, pageSize: 10, chunkSize: 10 })).toBeUndefined()
    expect((await api.alice.get(`/v1/batch/${body.id}`)).body).toMatchObject({
      status: 'failed',
      failedReason: 'segment_too_slow',
    })
  })
  const mails = await api.sql`select from messages`
  expect(mails.length).toBe(0)
})
