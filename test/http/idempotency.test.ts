import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { uuidv7 } from '../../src/runtime/ids.ts'
import { deleteOld } from '../../src/store/platform/idempotency-keys.ts'
import {
  type Api,
  type Client,
  asTest,
  batchWithFailed,
  connectAccount,
  createBatch,
  inject,
  startApi,
  tally,
} from '../support/api.ts'
import { createFlow, smallFlow } from '../support/flow-inputs.ts'
import { sentAs } from '../support/matrix.ts'
import { signIn } from '../support/people.ts'
import { seedExecution, seedFlow } from '../support/seed-flow.ts'

let api: Api

beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

const post = (client: Client, url: string, key: string, payload: object) =>
  client.send({ method: 'POST', url, headers: { 'idempotency-key': key }, payload })

const contact = (name: string) => ({ email: `${name}@example.com`, firstName: name })

const contactsCalled = async (name: string): Promise<number> => {
  const [row] = await api.sql<{ count: number }[]>`
    select count(*) as count from contacts where email = ${`${name}@example.com`}`
  return row?.count ?? 0
}

test('the same key and request get the first answer again, and the work is done once', async () => {
  const key = uuidv7()
  const first = await post(api.alice, '/v1/contacts', key, contact('ada'))
  const second = await post(api.alice, '/v1/contacts', key, contact('ada'))
  expect(first.status).toBe(201)
  expect(first.headers['idempotency-replayed']).toBeUndefined()
  expect(second.status).toBe(201)
  expect(second.headers['idempotency-replayed']).toBe('true')
  expect(second.headers['content-type']).toBe(first.headers['content-type'])
  expect(second.text).toBe(first.text)
  expect(await contactsCalled('ada')).toBe(1)
})

test('the same key with another body, query or path is 422, and nothing is done', async () => {
  const key = uuidv7()
  await post(api.alice, '/v1/contacts', key, contact('bea'))
  for (const [url, body] of [
    ['/v1/contacts', contact('cleo')],
    ['/v1/contacts?x=1', contact('bea')],
    ['/v1/contacts/batch', { contacts: [contact('cleo')] }],
  ] as const) {
    const refused = await post(api.alice, url, key, body)
    expect([400, 422]).toContain(refused.status)
  }
  const refused = await post(api.alice, '/v1/contacts', key, contact('cleo'))
  expect(refused).toMatchObject({
    status: 422,
    body: { code: 'VALIDATION_FAILED', reason: 'idempotency_key_reused' },
  })
  expect(await contactsCalled('cleo')).toBe(0)
})

test('a key of one organization is nothing to another', async () => {
  const key = uuidv7()
  const ours = await post(api.alice, '/v1/contacts', key, contact('dora'))
  const theirs = await post(api.charlie, '/v1/contacts', key, contact('dora'))
  expect(theirs.status).toBe(201)
  expect(theirs.body.id).not.toBe(ours.body.id)
})

test('a refusal is not kept: it is decided afresh', async () => {
  const key = uuidv7()
  await post(api.alice, '/v1/contacts', uuidv7(), contact('emma'))
  const taken = await post(api.alice, '/v1/contacts', key, contact('emma'))
  expect(taken.status).toBe(409)
  await api.sql`delete from contacts where email = 'emma@example.com'`
  const made = await post(api.alice, '/v1/contacts', key, contact('emma'))
  expect(made.status).toBe(201)
  expect(made.headers['idempotency-replayed']).toBeUndefined()
})

test('one of fifty concurrent requests does the work; the others are told to wait or get its answer', async () => {
  const key = uuidv7()
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => post(api.alice, '/v1/contacts', key, contact('fay'))),
  )
  const counts = tally(answers.map(({ status }) => status))
  expect(Object.keys(counts).every((status) => ['201', '409'].includes(status))).toBe(true)
  const done = answers.filter(({ status }) => status === 201)
  expect(done.filter(({ headers }) => headers['idempotency-replayed'] === undefined)).toHaveLength(
    1,
  )
  expect(new Set(done.map(({ text }) => text)).size).toBe(1)
  const busy = answers.find(({ status }) => status === 409)
  expect(busy === undefined || busy.headers['retry-after'] === '1').toBe(true)
  expect(busy?.body.reason ?? 'idempotency_in_progress').toBe('idempotency_in_progress')
  expect(await contactsCalled('fay')).toBe(1)
})

test('secrets are not stored: a replay has them as null', async () => {
  const key = uuidv7()
  const body = { accountId: '123456789012', region: 'eu-central-1' }
  const first = await post(api.alice, '/v1/connections', key, body)
  const second = await post(api.alice, '/v1/connections', key, body)
  expect(first.body.webhookSecret).toEqual(expect.any(String))
  expect(second.body).toEqual({ ...first.body, webhookSecret: null })
  const rows = await api.sql<{ answer: string }[]>`
    select answer from idempotency_keys where key = ${key}`
  expect(rows).toHaveLength(1)
  expect(rows[0]?.answer).not.toContain(first.body.webhookSecret)
  // The replay did not rotate: the secret of the first answer is the connection's.
  const stored = await api.sql<{ secretHash: Buffer }[]>`
    select hash as secret_hash from connection_secrets
    where connection_id = ${first.body.connectionId}`
  const hash = createHash('sha256').update(first.body.webhookSecret).digest()
  expect(stored.map(({ secretHash }) => secretHash.equals(hash))).toEqual([true])
})

test('the secret of a workflow is null in a replay, and neither made nor rotated again', async () => {
  const create = { key: uuidv7(), body: smallFlow({ name: 'Shown once' }) }
  const made = await post(api.alice, '/v1/workflows', create.key, create.body)
  expect(made.body.webhookSecret).toEqual(expect.any(String))
  const replay = await post(api.alice, '/v1/workflows', create.key, create.body)
  expect(replay.body).toEqual({ ...made.body, webhookSecret: null })
  const url = `/v1/workflows/${made.body.id}/rotate-secret`
  const key = uuidv7()
  const rotated = await post(api.alice, url, key, {})
  expect(rotated.body.webhookSecret).toEqual(expect.any(String))
  const again = await post(api.alice, url, key, {})
  expect(again.body).toEqual({ ...rotated.body, webhookSecret: null })
})

test('after 24 hours the key is as good as new, and what is older is deleted', async () => {
  const key = uuidv7()
  await post(api.alice, '/v1/contacts', key, contact('gina'))
  await api.sql`
    update idempotency_keys set created_at = now() - interval '24 hours 1 second' where key = ${key}`
  const other = await post(api.alice, '/v1/contacts', key, contact('hope'))
  expect(other.status).toBe(201)
  expect(other.headers['idempotency-replayed']).toBeUndefined()
  const again = await post(api.alice, '/v1/contacts', key, contact('hope'))
  expect(again.headers['idempotency-replayed']).toBe('true')

  await api.sql`
    update idempotency_keys set created_at = now() - interval '25 hours' where key = ${key}`
  expect(await deleteOld(api.sql)).toBe(1)
  expect(await deleteOld(api.sql)).toBe(0)
})

test('a key that is empty, too long or not ASCII is a 400 that names it', async () => {
  for (const key of ['', 'x'.repeat(256), 'schl\u00fcssel', 'a\tb']) {
    const refused = await post(api.alice, '/v1/contacts', key, contact('ines'))
    expect(refused).toMatchObject({
      status: 400,
      body: { code: 'BAD_REQUEST', details: [{ path: 'idempotency-key' }] },
    })
  }
  expect(await contactsCalled('ines')).toBe(0)
  expect((await post(api.alice, '/v1/contacts', 'k'.repeat(255), contact('ines'))).status).toBe(201)
})

test('every POST of the document takes a key: the second call is a replay', async () => {
  const { connectionId } = await connectAccount(api.alice, { accountId: '210987654321' })
  // Some of them are for people only.
  const owner = await signIn(api.app, api.sql, api.alice.organizationId, 'owner')
  const invited = await owner.send('POST', '/v1/members', {
    email: 'joe@example.com',
    role: 'viewer',
  })
  const erased = await api.alice.post('/v1/contacts', contact('lou'))
  const { organizationId } = api.alice
  const flowId = await seedFlow(api.sql, organizationId, { settings: { allowReentry: true } })
  const triggered = await api.alice.post('/v1/contacts', contact('mia'))
  const run = { flowId, contactId: triggered.body.id }
  const receipt = {
    to: 'ada@example.com',
    from: 'shop@example.com',
    subject: 'Receipt',
    text: 'Thanks',
    cloudAccountId: connectionId,
  }
  await api.sql`update connections set features = '{"sms": true}' where id = ${connectionId}`
  const reminder = {
    to: '+12065550199',
    senderId: 'LETTERS',
    body: 'Your parcel arrives today',
    cloudAccountId: connectionId,
  }
  const template = await api.alice.post('/v1/templates', {
    name: 'Kept',
    subject: 'S',
    source: '<p>x</p>',
  })
  const endpointInput = { url: 'https://shop.example.com/', eventTypes: ['email.sent'] }
  const endpoint = await api.alice.post('/v1/webhook-endpoints', endpointInput)
  const endpointId: string = endpoint.body.id
  const tested = await api.alice.post(`/v1/webhook-endpoints/${endpointId}/test`)
  await api.sql`update hook_deliveries set state = 'failed' where id = ${tested.body.deliveryId}`
  const ids: Record<string, string> = {
    '/v1/webhook-endpoints/{id}/deliveries/{deliveryId}/replay': `${endpointId}/deliveries/${tested.body.deliveryId}`,
    '/v1/workflows/{workflowId}/enable': flowId,
    '/v1/workflows/{workflowId}/disable': (await createFlow(api.alice)).id,
    '/v1/workflows/{workflowId}/cancel-executions': (await createFlow(api.alice)).id,
    '/v1/workflows/{workflowId}/retry-failed': (await createFlow(api.alice)).id,
    '/v1/workflows/{workflowId}/rotate-secret': flowId,
    '/v1/workflows/{workflowId}/trigger': flowId,
    '/v1/workflows/{workflowId}/trigger/batch': flowId,
    '/v1/workflows/executions/{executionId}/retry': await seedExecution(api.sql, organizationId, {
      ...run,
      status: 'failed',
    }),
    '/v1/workflows/executions/{executionId}/cancel': await seedExecution(
      api.sql,
      organizationId,
      run,
    ),
    '/v1/contacts/{id}/erase': erased.body.id,
    '/v1/account/console-policy/{cloudAccountId}/recheck': connectionId,
    '/v1/connections/{id}/verify': connectionId,
    '/v1/invitations/{id}/resend': invited.body.id,
    '/v1/batch/{id}/resume': await failedBatch(connectionId),
    '/v1/batch/{id}/discard': await failedBatch(connectionId),
    '/v1/webhook-endpoints/{id}/rotate-secret': endpointId,
    '/v1/webhook-endpoints/{id}/test': endpointId,
    '/v1/webhook-endpoints/{id}/replay': endpointId,
    '/v1/templates/{id}/publish': template.body.id,
    '/v1/templates/{id}/duplicate': template.body.id,
    '/v1/templates/{id}/preview': template.body.id,
    '/v1/templates/{id}/test': template.body.id,
    '/v1/email/{id}/cancel': (await api.alice.post('/v1/email/send', receipt)).body.id,
    '/v1/sms/{id}/cancel': (await api.alice.post('/v1/sms/send', reminder)).body.id,
    '/v1/batch/{id}/pause': (await createBatch(api.alice, { cloudAccountId: connectionId })).id,
    '/v1/batch/{id}/duplicate': await failedBatch(connectionId),
    '/v1/batch/{id}/choose-winner': await asTest(api, api.alice, await failedBatch(connectionId)),
    '/v1/batch/{id}/retry-failed': await batchWithFailed(
      api,
      api.alice,
      await failedBatch(connectionId),
      triggered.body.id,
    ),
  }
  const condition = {
    logic: 'AND',
    groups: [{ filters: [{ field: 'email', operator: 'exists' }] }],
  }
  const bodies: Record<string, object | string | undefined> = {
    '/v1/api-keys': { name: 'Shop' },
    '/v1/members': { email: 'jane@example.com', role: 'viewer' },
    '/v1/invitations/{id}/resend': undefined,
    '/v1/contacts': contact('jane'),
    '/v1/contacts/batch': { contacts: [contact('kim')] },
    '/v1/contacts/{id}/erase': undefined,
    '/v1/events': { name: 'x', contactEmail: 'ada@example.com', createIfMissing: true },
    '/v1/events/batch': { events: [{ name: 'x', contactEmail: 'ada@example.com' }] },
    '/v1/suppressions': { email: 'gone@example.com' },
    '/v1/contacts/import': 'email\nliz@example.com\n',
    '/v1/connections': { accountId: '123456789013', region: 'eu-central-1' },
    '/v1/account/console-policy/{cloudAccountId}/recheck': undefined,
    '/v1/connections/{id}/verify': undefined,
    '/v1/templates': { name: 'T', subject: 'S', source: '<p>x</p>' },
    '/v1/webhook-endpoints': endpointInput,
    '/v1/webhook-endpoints/{id}/rotate-secret': undefined,
    '/v1/webhook-endpoints/{id}/test': undefined,
    '/v1/webhook-endpoints/{id}/deliveries/{deliveryId}/replay': undefined,
    '/v1/webhook-endpoints/{id}/replay': { since: '2026-11-21T00:00:00.000Z' },
    '/v1/templates/{id}/publish': undefined,
    '/v1/templates/{id}/duplicate': undefined,
    '/v1/templates/{id}/preview': { contact: { firstName: 'Ada' } },
    '/v1/templates/{id}/test': {
      to: ['editor@example.com'],
      from: 'news@example.com',
      cloudAccountId: connectionId,
    },
    '/v1/templates/push': { slug: 'pushed', name: 'T', source: '<p>x</p>' },
    '/v1/templates/push/batch': {
      templates: [{ slug: 'pushed-too', name: 'T', source: '<p>x</p>' }],
    },
    '/v1/topics': { name: 'News' },
    '/v1/segments': { name: 'With address', condition },
    '/v1/segments/preview': { condition },
    '/v1/workflows': smallFlow(),
    '/v1/workflows/{workflowId}/enable': undefined,
    '/v1/workflows/{workflowId}/disable': undefined,
    '/v1/workflows/{workflowId}/cancel-executions': undefined,
    '/v1/workflows/{workflowId}/retry-failed': undefined,
    '/v1/workflows/{workflowId}/rotate-secret': undefined,
    '/v1/workflows/push': { workflows: [smallFlow({ slug: 'pushed' })] },
    '/v1/workflows/{workflowId}/trigger': { contactEmail: 'mia@example.com' },
    '/v1/workflows/{workflowId}/trigger/batch': { contacts: [{ contactEmail: 'mia@example.com' }] },
    '/v1/workflows/executions/{executionId}/retry': undefined,
    '/v1/workflows/executions/{executionId}/cancel': undefined,
    '/v1/batch/{id}/resume': undefined,
    '/v1/batch/{id}/discard': undefined,
    '/v1/email/send': receipt,
    '/v1/email/send/batch': { emails: [receipt] },
    '/v1/email/{id}/cancel': undefined,
    '/v1/sms/send': reminder,
    '/v1/sms/{id}/cancel': undefined,
    '/v1/batch/{id}/pause': undefined,
    '/v1/batch/{id}/duplicate': undefined,
    '/v1/batch/{id}/retry-failed': undefined,
    '/v1/batch/{id}/choose-winner': { variant: 'B' },
    '/v1/batch': {
      audienceType: 'all',
      from: 'news@example.com',
      subject: 'News',
      htmlContent: '<p>News</p>',
      cloudAccountId: connectionId,
    },
    '/v1/batch-drafts': { input: { subject: 'News' } },
    '/v1/batch/preview': {
      audienceType: 'all',
      from: 'news@example.com',
      subject: 'News',
      htmlContent: '<p>News</p>',
      cloudAccountId: connectionId,
    },
  }
  const { body: document } = await api.alice.get('/openapi.json')
  const posts = Object.entries<Record<string, unknown>>(document.paths)
    .filter(([path, methods]) => path.startsWith('/v1/') && 'post' in methods)
    .map(([path]) => path.replace(/\/$/, ''))
  // A new POST needs a body here that it accepts.
  expect(Object.keys(bodies).sort()).toEqual([...new Set(posts)].sort())
  for (const [path, body] of Object.entries(bodies)) {
    const url = path.replace(/\{.*\}/, ids[path] ?? '')
    const key = uuidv7()
    const sent = sentAs(body)
    const headers = {
      ...sent.headers,
      authorization: `Bearer ${owner.token}`,
      'idempotency-key': key,
    }
    const call = () => inject(api.app, { ...sent, method: 'POST', url, headers })
    const first = await call()
    const second = await call()
    expect([url, first.status < 300, first.text]).toEqual([url, true, first.text])
    expect([url, second.status, second.headers['idempotency-replayed']]).toEqual([
      url,
      first.status,
      'true',
    ])
  }
})

async function failedBatch(cloudAccountId: string): Promise<string> {
  const { id } = await createBatch(api.alice, { cloudAccountId })
  await api.sql`update batches set status = 'failed' where id = ${id}`
  return id
}
