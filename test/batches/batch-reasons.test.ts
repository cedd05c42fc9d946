import { afterAll, beforeAll, expect, test } from 'vitest'
import { batchBucket, batchRowId, type Uuid, uuidv7 } from '../../src/runtime/ids.ts'
import { type Api, connectAccount, createBatch, freeze, insertMail } from '../support/api.ts'
import { type PlannedApi, startPlannedApi } from '../support/rows-read.ts'

let api: Api
let rowsRead: PlannedApi['rowsRead']
let connectionId: Uuid
beforeAll(async () => {
  const planned = await startPlannedApi()
  api = planned.api
  rowsRead = planned.rowsRead
  connectionId = (await connectAccount(api.alice)).connectionId
})
afterAll(() => api.close())

/** State, status and reason of a mail as sending leaves it. */
type Row = [state: string, status: string, reason?: string]

const ROWS: Row[] = [
  ['sent', 'delivered'],
  ['failed', 'failed', 'message_rejected'],
  ['failed', 'failed', 'message_rejected'],
  ['skipped', 'opted_out', 'unsubscribed'],
  ['skipped', 'suppressed', 'no_address'],
  ['unknown', 'pending'],
  ['queued', 'queued'],
  // Bounced later: it was mailed.
  ['sent', 'bounced', 'mailbox_full'],
]

async function frozen(rows: readonly Row[]): Promise<string> {
  const { id: batchId } = await createBatch(api.alice)
  const bucket = batchBucket()
  await freeze(api.sql, batchId, bucket, rows.length)
  for (const [seq, [state, status, reason]] of rows.entries()) {
    await insertMail(api.sql, {
      organizationId: api.alice.organizationId,
      bucket,
      id: batchRowId(bucket, seq),
      connectionId,
      batchId,
      state,
      status,
      ...(reason === undefined ? {} : { reason }),
      ...(state === 'unknown' ? { claimId: uuidv7() } : {}),
      recipient: `r${seq}@example.com`,
    })
  }
  const unknown = rows.filter(([state]) => state === 'unknown').length
  await api.sql`update batches set unknown = ${unknown} where id = ${batchId}`
  return `/v1/batch/${batchId}`
}

test('reasons are counted, the most frequent first, without mailed recipients', async () => {
  const url = await frozen(ROWS)
  await frozen(ROWS)
  expect((await api.alice.get(`${url}/reasons`)).body).toEqual({
    data: [
      { status: 'failed', reason: 'message_rejected', count: 2 },
      { status: 'opted_out', reason: 'unsubscribed', count: 1 },
      { status: 'pending', reason: null, count: 1 },
      { status: 'suppressed', reason: 'no_address', count: 1 },
    ],
  })
})

test('a reason is a filter of the recipients, and a cursor keeps it', async () => {
  const url = await frozen(ROWS)
  const list = async (query: string) => (await api.alice.get(`${url}/recipients?${query}`)).body
  const emails = ({ data }: { data: { email: string }[] }) => data.map(({ email }) => email)
  const first = await list('reason=message_rejected&limit=1')
  expect([emails(first), first.total]).toEqual([['r1@example.com'], 2])
  const next = await list(`reason=message_rejected&limit=1&cursor=${first.nextCursor}`)
  expect([emails(next), next.nextCursor]).toEqual([['r2@example.com'], null])
  expect(emails(await list('status=suppressed&reason=no_address'))).toEqual(['r4@example.com'])
  expect(await list('status=failed&reason=no_address')).toMatchObject({ data: [], total: 0 })
  const other = await api.alice.get(
    `${url}/recipients?reason=no_address&cursor=${first.nextCursor}`,
  )
  expect(other.status).toBe(400)
})

test('a batch has no reasons before its audience is frozen', async () => {
  const { id } = await createBatch(api.alice)
  expect((await api.alice.get(`/v1/batch/${id}/reasons`)).body).toEqual({ data: [] })
})

test('another organization sees no reasons', async () => {
  const url = await frozen(ROWS)
  expect((await api.charlie.get(`${url}/reasons`)).status).toBe(403)
  expect((await api.charlie.get(`/v1/batch/${uuidv7()}/reasons`)).status).toBe(404)
})

test('counting reads the refused recipients, not the whole batch', async () => {
  const url = await frozen(ROWS)
  const { body } = await api.alice.get(url)
  const [batch] = await api.sql<
    { bucket: Uuid }[]
  >`select bucket from batches where id = ${body.id}`
  await api.sql`
    insert into messages (organization_id, connection_id, bucket, id, dedupe_key, source, batch_id,
      state, status)
    select m.organization_id, m.connection_id, m.bucket,
      (left(m.id::text, 28) || lpad(to_hex(n), 8, '0'))::uuid, gen_random_uuid(), 'batch',
      m.batch_id, 'sent', 'delivered'
    from messages m
    cross join generate_series(100, 2099) as n
    where m.bucket = ${batch?.bucket ?? ''} and m.status = 'delivered'`
  await api.admin`analyze messages`
  const asked = () => api.alice.get(`${url}/reasons`)
  expect(await rowsRead(api.alice.organizationId, asked, 200, /is_refused/)).toBeLessThan(50)
})
