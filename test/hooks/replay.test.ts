import { MockActivityEnvironment } from '@temporalio/testing'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createErasureActivities } from '../../activities/privacy/erasures.ts'
import { dropOldDays } from '../../src/core/privacy/drop-old-days.ts'
import { lowestId, uuidv7 } from '../../src/runtime/ids.ts'
import { createPartitions } from '../../src/store/db/partitions.ts'
import * as hookDeliveries from '../../src/store/hooks/hook-deliveries.ts'
import { type Api, createContact, startApi } from '../support/api.ts'
import {
  createDrainer,
  createEndpoint,
  type HookAnswer,
  makeDue,
  startHookReceiver,
} from '../support/hooks.ts'
import { createServers } from '../support/servers.ts'

const DAY_MS = 86_400_000
const servers = createServers()
let api: Api
let drainer: ReturnType<typeof createDrainer>
let answer: HookAnswer = 200
beforeAll(async () => {
  api = await startApi({ allowsHttpHooks: true })
  drainer = createDrainer({ sql: api.sql, keyring: api.deps.keyring })
})
afterEach(async () => {
  answer = 200
  await servers.close()
  await api.sql`delete from hook_endpoints`
})
afterAll(() => api.close())

const pathOf = (id: string) => `/v1/webhook-endpoints/${id}`
const deliveriesOf = async (id: string, query = '') =>
  (await api.alice.get(`${pathOf(id)}/deliveries${query}`)).body.data

async function endpoint() {
  const receiver = await startHookReceiver(servers, () => answer)
  const { id } = await createEndpoint(api.alice, receiver.url, {
    eventTypes: ['contact.created', 'contact.deleted'],
  })
  return { id, calls: receiver.calls }
}

/** Makes every delivery fail for good. */
const giveUp = (id: string) => api.sql`
  with over as (delete from hook_queue where endpoint_id = ${id} returning id)
  update hook_deliveries d set state = 'failed' from over where d.id = over.id`

test('a delivery is sent again with the same event id', async () => {
  const { id, calls } = await endpoint()
  await createContact(api.alice, { email: 'ada@example.com' })
  await drainer.drainOf(id)
  const [delivery] = await deliveriesOf(id)
  const replayed = await api.alice.post(`${pathOf(id)}/deliveries/${delivery.id}/replay`)
  expect(replayed).toMatchObject({ status: 202, body: { id: delivery.id, state: 'pending' } })
  const again = await api.alice.post(`${pathOf(id)}/deliveries/${delivery.id}/replay`)
  expect(again).toMatchObject({ status: 409, body: { reason: 'delivery_pending' } })
  await drainer.drainOf(id)
  expect(calls.map(({ event }) => event.id)).toEqual([delivery.eventId, delivery.eventId])
  const audited = await api.sql`
    select action from audit_events where subject_id = ${id} order by id desc limit 1`
  expect(audited).toMatchObject([{ action: 'webhook_endpoint.replayed' }])
})

test('a delivery of another endpoint or of nobody is 404', async () => {
  const { id } = await endpoint()
  const other = await endpoint()
  await createContact(api.alice, { email: 'bea@example.com' })
  const [delivery] = await deliveriesOf(other.id)
  for (const wrongId of [delivery.id, uuidv7(), 'none']) {
    const answered = await api.alice.post(`${pathOf(id)}/deliveries/${wrongId}/replay`)
    expect(answered).toMatchObject({ status: 404 })
  }
})

test('what failed in a period is sent again, oldest first, and nothing else', async () => {
  const { id, calls } = await endpoint()
  answer = 500
  const before = new Date(Date.now() - 1_000).toISOString()
  for (let n = 0; n < 3; n++) await createContact(api.alice, { email: `cleo-${n}@example.com` })
  await giveUp(id)
  answer = 200
  await createContact(api.alice, { email: 'fine@example.com' })
  await drainer.drainOf(id)
  expect(calls).toHaveLength(1)
  const later = await api.alice.post(`${pathOf(id)}/replay`, {
    since: new Date(Date.now() - 10 * DAY_MS).toISOString(),
    until: before,
  })
  expect(later.body).toEqual({ replayed: 0, more: false })
  const replayed = await api.alice.post(`${pathOf(id)}/replay`, { since: before })
  expect(replayed).toMatchObject({ status: 202, body: { replayed: 3, more: false } })
  await drainer.drainOf(id)
  expect(calls).toHaveLength(4)
  expect(await deliveriesOf(id, '?state=delivered')).toHaveLength(4)
  const wrong = await api.alice.post(`${pathOf(id)}/replay`, { since: before, until: before })
  expect(wrong).toMatchObject({ status: 400, body: { details: [{ path: 'since' }] } })
})

test('deliveries are listed by pages and filters, newest first', async () => {
  const { id } = await endpoint()
  for (let n = 0; n < 5; n++) await createContact(api.alice, { email: `dora-${n}@example.com` })
  await drainer.drainOf(id)
  const { id: gone } = await createContact(api.alice, { email: 'gone@example.com' })
  await api.alice.delete(`/v1/contacts/${gone}`)
  const ids: string[] = []
  let cursor = ''
  do {
    const page = await api.alice.get(`${pathOf(id)}/deliveries?limit=2${cursor}`)
    ids.push(...page.body.data.map((each: { id: string }) => each.id))
    cursor = page.body.nextCursor === null ? '' : `&cursor=${page.body.nextCursor}`
  } while (cursor !== '')
  expect(ids).toHaveLength(7)
  expect(ids).toEqual(ids.toSorted().toReversed())
  expect(await deliveriesOf(id, '?type=contact.deleted')).toHaveLength(1)
  expect(await deliveriesOf(id, '?state=pending')).toHaveLength(2)
})

test('an event about a contact that is gone is cancelled, and cannot be sent again', async () => {
  const { id, calls } = await endpoint()
  const { id: contactId } = await createContact(api.alice, {
    email: 'emil@example.com',
    externalId: 'user-7',
  })
  await api.alice.delete(`/v1/contacts/${contactId}`)
  await drainer.drainOf(id)
  expect(calls.map(({ event }) => [event.type, event.data])).toEqual([
    ['contact.deleted', { contact: { id: contactId, externalId: 'user-7' } }],
  ])
  const [created] = await deliveriesOf(id, '?state=cancelled')
  expect(created).toMatchObject({
    type: 'contact.created',
    tries: [{ status: null, error: 'What the event is about is gone' }],
  })
  const refused = await api.alice.post(`${pathOf(id)}/deliveries/${created.id}/replay`)
  expect(refused).toMatchObject({ status: 409, body: { reason: 'payload_gone' } })
})

test('an erasure leaves nothing of the person in deliveries, pending or not', async () => {
  const { id, calls } = await endpoint()
  answer = { status: 500, body: 'no such customer: fay@example.com' }
  const { id: contactId } = await createContact(api.alice, {
    email: 'fay@example.com',
    externalId: 'user-of-fay',
  })
  await drainer.drainOf(id)
  const erasure = await api.alice.post(`/v1/contacts/${contactId}/erase`)
  expect(erasure.status).toBe(202)
  const { organizationId } = api.alice
  const input = { organizationId, erasureId: erasure.body.id }
  const activities = createErasureActivities({
    sql: api.sql,
    content: { keyring: api.deps.keyring },
  })
  const [before] = await api.sql<{ rows: string }[]>`
    select string_agg(d::text, ' ') as rows from hook_deliveries d where contact_id = ${contactId}`
  expect(before?.rows).toMatch(/fay@example\.com[^]*user-of-fay|user-of-fay[^]*fay@example\.com/)
  const run = <T>(work: () => Promise<T>) => new MockActivityEnvironment().run(work)
  await run(() => activities.beginErasure(input))
  await expect.poll(() => run(() => activities.eraseRecords(input))).toBe(true)
  const [after] = await api.sql<{ rows: string }[]>`
    select string_agg(d::text, ' ') as rows from hook_deliveries d where contact_id = ${contactId}`
  expect(after?.rows).not.toMatch(/fay|user-of/)
  answer = 200
  calls.length = 0
  await makeDue(api.sql, id)
  await drainer.drainOf(id)
  expect(calls.map(({ event }) => [event.type, event.data])).toEqual([
    ['contact.deleted', { contact: { id: contactId, externalId: null } }],
  ])
})

test('deliveries of more than 14 days ago are dropped with what waits of them', async () => {
  const { id } = await endpoint()
  const { organizationId } = api.alice
  const now = Date.now()
  const times = [now - 16 * DAY_MS, now - 13 * DAY_MS]
  for (const time of times) {
    await createPartitions(api.sql, time)
    const deliveryId = lowestId(time)
    await api.sql`
      insert into hook_deliveries (organization_id, id, endpoint_id, event_id, type, occurred_at,
        priority, state, attempts, tries)
      values (${organizationId}, ${deliveryId}, ${id}, ${uuidv7()}, 'contact.deleted', now(), 1,
        'pending', 0, '[]')`
  }
  await dropOldDays(api.sql, { now })
  expect(await deliveriesOf(id)).toHaveLength(1)
  const [row] = await api.sql<{ count: number }[]>`
    select count(*) as count from hook_queue where endpoint_id = ${id}`
  expect(row?.count).toBe(1)
})

test('what waits for a deleted endpoint is tidied away', async () => {
  const { id } = await endpoint()
  await createContact(api.alice, { email: 'gus@example.com' })
  await api.alice.delete(pathOf(id))
  expect(await hookDeliveries.deleteOld(api.sql)).toBeGreaterThan(0)
  const [row] = await api.sql<{ count: number }[]>`select count(*) as count from hook_queue`
  expect(row?.count).toBe(0)
})
