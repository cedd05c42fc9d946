import { afterAll, beforeAll, expect, test } from 'vitest'
import { uuidv7 } from '../../src/runtime/ids.ts'
import { type Answer, type Api, connectAccount, createBatch, startApi } from '../support/api.ts'

let api: Api
beforeAll(async () => {
  api = await startApi()
  await connectAccount(api.alice)
})
afterAll(() => api.close())

const LATER = '2099-01-01T09:00:00.000Z'

const OPERATIONS: Record<string, (id: string) => Promise<Answer>> = {
  cancel: (id) => api.alice.delete(`/v1/batch/${id}`),
  pause: (id) => api.alice.post(`/v1/batch/${id}/pause`),
  resume: (id) => api.alice.post(`/v1/batch/${id}/resume`),
  reschedule: (id) => api.alice.patch(`/v1/batch/${id}`, { scheduledFor: LATER }),
  discard: (id) => api.alice.post(`/v1/batch/${id}/discard`),
  duplicate: (id) => api.alice.post(`/v1/batch/${id}/duplicate`),
}

/**
 * Outcome of each operation in each state: the status afterwards, or the reason of a refusal. A
 * state ends with `+` while the batch is paused.
 */
const TABLE = `
              cancel          pause           resume          reschedule           discard
  queued      cancelled       queued+         not_resumable   not_changeable       not_discardable
  queued+     cancelled       not_pausable    queued          not_changeable       not_discardable
  scheduled   cancelled       scheduled+      not_resumable   scheduled            not_discardable
  scheduled+  cancelled       not_pausable    scheduled       scheduled+           not_discardable
  processing  cancelled       processing+     not_resumable   not_changeable       not_discardable
  processing+ cancelled       not_pausable    processing      not_changeable       not_discardable
  completed   not_cancellable not_pausable    not_resumable   not_changeable       not_discardable
  failed      not_cancellable not_pausable    processing      not_changeable       cancelled
  cancelled   not_cancellable not_pausable    not_resumable   not_changeable       not_discardable`

const [head = [], ...lines] = TABLE.trim()
  .split('\n')
  .map((line) => line.trim().split(/ +/))
const cases = lines.flatMap(([state = '', ...answers]) =>
  head.map((operation, at) => [operation, state, answers[at] ?? ''] as const),
)

/** A batch in that state, which a run keeps going. */
async function batchIn(state: string): Promise<string> {
  const { id } = await createBatch(api.alice)
  const status = state.replace('+', '')
  const ended = ['completed', 'failed', 'cancelled'].includes(status)
  await api.sql`
    update batches
    set status = ${status}, started_at = now(), completed_at = ${ended ? LATER : null},
      paused_reason = ${state.endsWith('+') ? 'requested' : null}
    where id = ${id}`
  await api.sql`delete from outbox where payload ->> 'batchId' = ${id}`
  return id
}

/** Lists the outbox messages to the run of a batch. */
const told = async (id: string) => {
  const rows = await api.sql<{ kind: string }[]>`
    select kind
    from outbox
    where payload ->> 'batchId' = ${id}`
  return rows.map(({ kind }) => kind)
}

const TOLD: Record<string, string[]> = {
  cancel: ['cancel_batch'],
  pause: [],
  resume: ['wake_batch'],
  reschedule: ['wake_batch'],
  discard: [],
}

test.each(cases)('%s of a %s batch: %s', async (operation, state, expected) => {
  const id = await batchIn(state)
  const answer = await OPERATIONS[operation]!(id)
  const after = await api.alice.get(`/v1/batch/${id}`)
  const now = `${after.body.status}${after.body.paused ? '+' : ''}`
  const isRefused = expected.startsWith('not_')
  const { status, paused } = after.body
  expect([answer.status, now]).toEqual(isRefused ? [409, state] : [200, expected])
  expect(answer.body).toMatchObject(
    isRefused ? { reason: `batch_${expected}` } : { id, status, paused },
  )
  const restarts = state === 'failed' && operation === 'resume'
  const expectedTold = restarts ? ['start_batch'] : TOLD[operation]
  expect(await told(id)).toEqual(isRefused ? [] : expectedTold)
})

test.each(lines.map(([state = '']) => state))('a %s batch is duplicated', async (state) => {
  const id = await batchIn(state)
  const answer = await OPERATIONS['duplicate']!(id)
  expect([answer.status, answer.body]).toMatchObject([
    201,
    { status: 'scheduled', paused: true, pausedReason: 'duplicated', scheduledFor: null },
  ])
  expect(answer.body.id).not.toBe(id)
  expect(await told(answer.body.id)).toEqual(['start_batch'])
  expect(await told(id)).toEqual([])
})

test.each(Object.keys(OPERATIONS))('%s is refused to strangers', async (operation) => {
  const id = await batchIn('scheduled')
  const { alice } = api
  try {
    api.alice = api.charlie
    expect((await OPERATIONS[operation]!(id)).status).toBe(403)
    expect((await OPERATIONS[operation]!(uuidv7())).status).toBe(404)
  } finally {
    api.alice = alice
  }
  expect((await alice.get(`/v1/batch/${id}`)).body).toMatchObject({
    status: 'scheduled',
    paused: false,
    scheduledFor: null,
  })
})
