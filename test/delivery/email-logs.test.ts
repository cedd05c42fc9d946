import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { batchBucket, batchRowId, bucketStart, dayBucket, uuidv7 } from '../../src/runtime/ids.ts'
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
let batchId: string
let cancelledId: string
let receiptId: string
let bucket: string
beforeAll(async () => {
  api = await startApi()
  connectionId = (await connectAccount(api.alice)).connectionId
  const { organizationId } = api.alice
  const mail = { organizationId, connectionId }
  batchId = (await createBatch(api.alice)).id
  bucket = batchBucket()
  await freeze(api.sql, batchId, bucket, 5)
  const claimId = uuidv7()
  await api.sql`
    insert into claims (organization_id, id, connection_id, bucket, batch_id, message_ids, claimed_at)
    values (${organizationId}, ${claimId}, ${connectionId}, ${bucket}, ${batchId},
      ${[batchRowId(bucket, 1)]}, now())`
  const rows = [
    { state: 'sent', status: 'opened', messageId: 'ses-1', recipient: 'ada@example.com' },
    { state: 'claimed', status: 'queued', claimId },
    { state: 'queued', status: 'queued' },
    { state: 'skipped', status: 'suppressed', reason: 'unsubscribed' },
    { state: 'skipped', status: 'suppressed', reason: 'execution_ended' },
  ]
  for (const [seq, row] of rows.entries()) {
    await insertMail(api.sql, { ...mail, ...row, bucket, batchId, id: batchRowId(bucket, seq) })
  }
  await api.sql`
    update messages
    set opened_at = '2026-11-21T10:00:00Z', sent_at = '2026-11-21T09:00:00Z'
    where message_id = 'ses-1'`

  cancelledId = (await createBatch(api.alice)).id
  const other = batchBucket()
  await freeze(api.sql, cancelledId, other, 1)
  await insertMail(api.sql, {
    ...mail,
    bucket: other,
    batchId: cancelledId,
    id: batchRowId(other, 0),
  })
  await api.alice.delete(`/v1/batch/${cancelledId}`)

  receiptId = uuidv7()
  await insertMail(api.sql, {
    ...mail,
    bucket: dayBucket(receiptId),
    id: receiptId,
    source: 'transactional',
    state: 'failed',
    status: 'failed',
    reason: 'MessageRejected',
  })
})
afterAll(() => api.close())

const list = async (query = '') => (await api.alice.get(`/v1/email/logs/${query}`)).body
const ids = async (query: string) => (await list(query)).logs.map(({ id }: { id: string }) => id)
const row = (seq: number) => batchRowId(bucket, seq)

describe('list', () => {
  test('shows mails newest first, without unmailed rows of cancelled batches and ended executions', async () => {
    const { logs, nextCursor } = await list()
    expect(logs.map(({ id }: { id: string }) => id)).toEqual([
      receiptId,
      row(3),
      row(2),
      row(1),
      row(0),
    ])
    expect(nextCursor).toBeNull()
    expect(logs[4]).toEqual({
      id: row(0),
      messageId: 'ses-1',
      status: 'opened',
      recipient: 'ada@example.com',
      subject: 'News',
      from: 'news@example.com',
      sourceType: 'batch',
      batchId,
      executionId: null,
      templateId: null,
      variant: null,
      cloudAccountId: connectionId,
      region: 'eu-central-1',
      createdAt: expect.any(String),
      sentAt: '2026-11-21T09:00:00.000Z',
      deliveredAt: null,
      openedAt: '2026-11-21T10:00:00.000Z',
      humanOpenedAt: null,
      clickedAt: null,
      humanClickedAt: null,
      unsubscribedAt: null,
      bouncedAt: null,
      bounceType: null,
      bounceSubType: null,
      complainedAt: null,
      error: null,
    })
    expect(logs[3].status).toBe('pending')
    expect(logs[0].error).toBe('MessageRejected')
  })

  test('shows each mail once by cursor', async () => {
    const seen: string[] = []
    let query = '?limit=2'
    for (;;) {
      const { logs, nextCursor } = await list(query)
      seen.push(...logs.map(({ id }: { id: string }) => id))
      if (nextCursor === null) break
      query = `?limit=2&cursor=${nextCursor}`
    }
    expect(seen).toEqual([receiptId, row(3), row(2), row(1), row(0)])
  })

  test('is filtered by each parameter', async () => {
    expect(await ids('?status=pending')).toEqual([row(1)])
    expect(await ids('?status=queued')).toEqual([row(2)])
    expect(await ids('?status=suppressed')).toEqual([row(3)])
    expect(await ids('?recipient=ADA@example.com&reached=opened')).toEqual([row(0)])
    expect(await ids('?reached=clicked')).toEqual([])
    expect(await ids(`?batchId=${batchId}&status=opened`)).toEqual([row(0)])
    expect(await ids(`?batchId=${cancelledId}`)).toEqual([])
    expect(await ids(`?batchId=${uuidv7()}`)).toEqual([])
    expect(await ids('?sourceType=transactional')).toEqual([receiptId])
    expect(await ids(`?templateId=${uuidv7()}`)).toEqual([])
    const today = new Date().toISOString().slice(0, 10)
    expect((await ids(`?from=${today}&to=${today}`)).length).toBe(5)
    expect(await ids('?to=2020-01-01')).toEqual([])
    expect(await ids(`?from=${new Date(Date.now() + 60_000).toISOString()}`)).toEqual([])
    for (const wrong of ['status=x', 'from=today', 'batchId=x', 'limit=101', 'limit=0', 'x=1']) {
      expect([wrong, (await api.alice.get(`/v1/email/logs?${wrong}`)).status]).toEqual([wrong, 400])
    }
  })

  test('is empty for a stranger', async () => {
    expect((await api.charlie.get('/v1/email/logs')).body).toEqual({ logs: [], nextCursor: null })
    expect((await api.charlie.get(`/v1/email/logs?batchId=${batchId}`)).body.logs).toEqual([])
  })
})

describe('one', () => {
  test('is found by the provider’s message id and by ours, with its timeline', async () => {
    for (const [kind, time] of [
      ['open', '2026-11-21T10:00:00Z'],
      ['send', '2026-11-21T09:00:00Z'],
    ] as const) {
      await api.sql`
        insert into delivery_events (organization_id, bucket, log_id, kind, fingerprint,
          occurred_at, data)
        values (${api.alice.organizationId}, ${bucket}, ${row(0)}, ${kind},
          ${Buffer.alloc(16)}, ${time}, ${api.sql.json({ kind })})`
    }
    for (const id of ['ses-1', row(0), row(0).toUpperCase()]) {
      const { status, body } = await api.alice.get(`/v1/email/logs/${id}`)
      expect([status, body.id, body.status]).toEqual([200, row(0), 'opened'])
      expect(body.events).toEqual([
        { type: 'send', occurredAt: '2026-11-21T09:00:00.000Z', data: { kind: 'send' } },
        { type: 'open', occurredAt: '2026-11-21T10:00:00.000Z', data: { kind: 'open' } },
      ])
    }
    expect((await api.alice.get(`/v1/email/logs/${receiptId}`)).body.events).toEqual([])
  })

  test('is 404 if it is not listed, and 403 if another organization has it', async () => {
    for (const id of [row(4), uuidv7(), 'ses-2', 'x', `${row(0)}x`]) {
      expect((await api.alice.get(`/v1/email/logs/${id}`)).status).toBe(404)
    }
    for (const id of [row(0), row(0).toUpperCase(), receiptId, row(4)]) {
      const { status, body } = await api.charlie.get(`/v1/email/logs/${id}`)
      expect([id, status, body.code]).toEqual([id, 403, 'FORBIDDEN'])
    }
    // Ids of the provider's are natural keys: they tell nothing of other organizations.
    for (const id of ['ses-1', 'ses-2', uuidv7(), row(900)]) {
      expect((await api.charlie.get(`/v1/email/logs/${id}`)).status).toBe(404)
    }
  })
})

describe('the states that mails have reached', () => {
  test('a mail that the provider’s lists refused is suppressed, and no bounce', async () => {
    const { organizationId } = api.charlie
    const kinds = ['General', '', 'OnAccountSuppressionList', 'Suppressed', 'MailboxFull']
    const made: string[] = []
    for (const kind of kinds) {
      const id = uuidv7()
      made.push(id)
      const isByList = kind === 'OnAccountSuppressionList' || kind === 'Suppressed'
      const status = isByList ? 'suppressed' : 'bounced'
      const mail = { organizationId, connectionId, id, bucket: dayBucket(id) }
      await insertMail(api.sql, { ...mail, source: 'transactional', state: 'sent', status })
      await api.sql`
        update messages
        set bounced_at = now(), bounce_type = 'Permanent', bounce_sub_type = nullif(${kind}, '')
        where id = ${id}`
    }
    const found = async (query: string) =>
      (await api.charlie.get(`/v1/email/logs?${query}`)).body.logs
        .map((log: { id: string }) => kinds[made.indexOf(log.id)])
        .toSorted()
    const bounced = ['', 'General', 'MailboxFull']
    expect(await found('reached=bounced')).toEqual(bounced)
    expect(await found('status=bounced')).toEqual(bounced)
    const suppressed = ['OnAccountSuppressionList', 'Suppressed']
    expect(await found('reached=suppressed')).toEqual(suppressed)
    expect(await found('status=suppressed')).toEqual(suppressed)
    await api.sql`delete from messages where id = any(${made}::uuid[])`
  })
})

test.each([
  ['from=2026-11-22&to=2026-11-21', 400],
  ['from=2026-11-21T12:00:00Z&to=2026-11-21T11:59:59Z', 400],
  ['from=2026-11-22T00:30:00Z&to=2026-11-21', 400],
  ['from=2026-11-21&to=2026-11-21', 200],
  ['from=2026-11-21T12:00:00Z&to=2026-11-21T12:00:00Z', 200],
  ['from=2026-11-21T23:00:00-02:00&to=2026-11-22T02:00:00Z', 200],
])('a list of logs and of what was done: %s is %i', async (query, status) => {
  for (const path of ['email/logs', 'email/logs/export', 'audit-events']) {
    const answer = await api.alice.get(`/v1/${path}?${query}`)
    const problem = status === 400 ? 'from' : undefined
    expect([path, answer.status, answer.body.details?.[0].path]).toEqual([path, status, problem])
  }
})

describe('export', () => {
  test('the filtered log as CSV, without a cell that a spreadsheet would run, audited', async () => {
    await api.sql`update messages set subject = '=cmd()' where id = ${row(0)}`
    const { status, text, headers } = await api.alice.get(
      `/v1/email/logs/export?batchId=${batchId}&reached=opened`,
    )
    expect([status, headers['content-type']]).toEqual([200, 'text/csv; charset=utf-8'])
    const [header = '', line = '', end] = text.split('\r\n')
    expect(header.split(',').slice(0, 6)).toEqual([
      '\ufeffid',
      'messageId',
      'status',
      'recipient',
      'subject',
      'from',
    ])
    expect(line).toContain(
      `"${row(0)}","ses-1","opened","ada@example.com","'=cmd()","news@example.com","batch"`,
    )
    expect(end).toBe('')
    const [audited] = await api.sql`
      select action, detail from audit_events
      where organization_id = ${api.alice.organizationId} order by id desc limit 1`
    const detail = { filters: ['batchId', 'reached'] }
    expect(audited).toEqual({ action: 'email_logs.exported', detail })
    expect((await api.charlie.get('/v1/email/logs/export')).text.split('\r\n').length).toBe(2)
    expect((await api.alice.get('/v1/email/logs/export?limit=5')).status).toBe(400)
  })
})

describe('retention', () => {
  test('is a cut-off of lists, details and exports', async () => {
    const { organizationId } = api.charlie
    const old = Date.now() - 40 * 86_400_000
    const bucket = bucketStart(old)
    const id = `${bucket.slice(0, 24)}${uuidv7().slice(24)}`
    await api.admin.unsafe(`
      create table messages_old partition of messages
        for values from ('${bucket}') to ('${bucketStart(old + 86_400_000)}')`)
    const mail = { organizationId, connectionId, id, bucket, source: 'transactional' }
    await insertMail(api.sql, { ...mail, state: 'sent', status: 'sent', messageId: 'ses-old' })
    const seen = async () => [
      (await api.charlie.get('/v1/email/logs')).body.logs.length,
      (await api.charlie.get('/v1/email/logs/ses-old')).status,
      (await api.charlie.get('/v1/email/logs/export')).text.split('\r\n').length - 2,
    ]
    const keepFor = (days: number) => api.sql`
      insert into plan_overrides (organization_id, retention_days)
      values (${organizationId}, ${days})
      on conflict (organization_id) do update set retention_days = excluded.retention_days`
    await keepFor(60)
    expect(await seen()).toEqual([1, 200, 1])
    await keepFor(30)
    expect(await seen()).toEqual([0, 404, 0])
  })
})
