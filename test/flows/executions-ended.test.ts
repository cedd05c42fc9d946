import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Uuid, uuidv7 } from '../../src/runtime/ids.ts'
import * as confirmations from '../../src/core/consent/double-opt-in.ts'
import { transact } from '../../src/store/db/sql.ts'
import { addressHash, signLink, signUnsubscribe } from '../../src/keys/tokens.ts'
import { type Api, createContact, inject, startApi } from '../support/api.ts'
import { importFile } from '../support/imports.ts'
import { seedTopic } from '../support/seed.ts'
import { standing, seedExecution, seedExitFlow } from '../support/waiting.ts'

let api: Api
let organizationId: Uuid
let flowId: Uuid
let contactId: Uuid
let otherContact: Uuid
let email: string
let topicId: Uuid
let otherTopic: Uuid
/** Executions that the subscription to the topic started, in several states. */
let started: Uuid[]
/** Others of the contact: that another topic or no topic started. */
let others: Uuid[]
/** Of another contact, that the same topic started. */
let neighbours: Uuid[]
beforeAll(async () => {
  api = await startApi()
  organizationId = api.alice.organizationId
})
beforeEach(async () => {
  flowId = await seedExitFlow(api.sql, organizationId)
  email = `ada-${uuidv7()}@example.com`
  contactId = (await createContact(api.alice, { email, externalId: uuidv7() })).id
  otherContact = (await createContact(api.alice, { email: `bob-${email}` })).id
  topicId = await seedTopic(api.sql, organizationId, [contactId, otherContact])
  otherTopic = await seedTopic(api.sql, organizationId, [contactId])
  started = [
    await execution({ topicId, status: 'paused' }),
    await execution({ topicId, status: 'waiting' }),
  ]
  others = [await execution({ topicId: otherTopic }), await execution()]
  neighbours = [await execution({ contactId: otherContact, topicId })]
})
afterAll(() => api.close())

const execution = (more: { contactId?: Uuid; topicId?: Uuid; status?: string } = {}) =>
  seedExecution(api.sql, { organizationId, flowId, contactId, ...more })
const rows = (ids: readonly Uuid[]) => Promise.all(ids.map((id) => standing(api.sql, id)))
const link = () => ({ organizationId, contactId, addressHash: addressHash(organizationId, email) })
const leave = (changes: { topicId?: Uuid } = {}) =>
  inject(api.app, {
    method: 'POST',
    url: `/unsubscribe/${signUnsubscribe(api.deps.keyring, { ...link(), batchId: uuidv7(), ...changes })}`,
  })
const choose = (topicIds: Uuid[]) => {
  const token = signLink(api.deps.keyring, 'preferences', {
    ...link(),
    expiresAt: Date.now() + 60_000,
  })
  return inject(api.app, {
    method: 'POST',
    url: `/preferences/${token}`,
    payload: { topics: topicIds },
  })
}
const counted = async () => {
  const [row] = await api.sql<{ cancelled: number }[]>`
    select coalesce(sum(cancelled), 0)::int as cancelled from flow_counters where flow_id = ${flowId}`
  return row!.cancelled
}
const told = async () => {
  const sent = await api.sql<{ id: string }[]>`
    select payload ->> 'workflowId' as id
    from outbox
    where organization_id = ${organizationId} and kind = 'cancel_execution'`
  return (ids: readonly Uuid[]) =>
    ids.filter((id) => sent.some((each) => each.id === `execution/${id}/1`)).length
}

describe('leaving the topic that started executions cancels them and no others', () => {
  test.each<[string, () => Promise<{ status: number }>]>([
    ['by the link of a mail', () => leave({ topicId })],
    [
      'by the API',
      () => api.alice.put(`/v1/contacts/${contactId}/topics`, { topicIds: [otherTopic] }),
    ],
    [
      'by PUT of the contact',
      () => api.alice.put(`/v1/contacts/${contactId}`, { email, topicIds: [otherTopic] }),
    ],
    ['by the page of preferences', () => choose([otherTopic])],
  ])('%s', async (_, act) => {
    const answer = await act()
    expect(answer.status).toBe(200)
    expect(await rows(started)).toEqual(started.map(() => 'cancelled topic_unsubscribed'))
    expect(await rows(others)).toEqual(['active', 'active'])
    expect(await rows(neighbours)).toEqual(['active'])
    expect(await counted()).toBe(2)
    const tells = await told()
    expect([tells(started), tells(others), tells(neighbours)]).toEqual([2, 0, 0])
  })

  test('also while its confirmation is asked for again, or when that runs out', async () => {
    const pending = async () => {
      await api.sql`
        update subscriptions
        set status = 'pending', generation = 7
        where contact_id = ${contactId} and topic_id = ${topicId}`
    }
    await pending()
    await api.alice.put(`/v1/contacts/${contactId}/topics`, { topicIds: [otherTopic] })
    expect(await rows(started)).toEqual(started.map(() => 'cancelled topic_unsubscribed'))
    const again = await execution({ topicId })
    await pending()
    await transact(api.sql, (tx) =>
      confirmations.expire(tx, organizationId, { contactId, topicId, generation: 7 }, 10),
    )
    expect(await rows([again, ...others])).toEqual([
      'cancelled topic_unsubscribed',
      'active',
      'active',
    ])
  })
})

describe('leaving all mail cancels what topics started, and nothing else', () => {
  test.each<[string, () => Promise<{ status: number }>]>([
    ['by the link of a mail', () => leave()],
    [
      'by the API',
      () => api.alice.patch(`/v1/contacts/${contactId}`, { emailStatus: 'unsubscribed' }),
    ],
    [
      'by the suppression list',
      () => api.alice.post('/v1/suppressions', { email, reason: 'unsubscribed' }),
    ],
    [
      'by a set of contacts',
      () =>
        api.alice.post('/v1/contacts/batch', {
          contacts: [{ email, emailStatus: 'unsubscribed' }],
        }),
    ],
    [
      'by an import',
      async () => {
        const done = await importFile(api, api.alice, `email,emailStatus\n${email},unsubscribed\n`)
        return { status: done.updated === 1 ? 200 : 500 }
      },
    ],
  ])('%s', async (_, act) => {
    expect((await act()).status).toBeLessThan(300)
    expect(await rows(started)).toEqual(started.map(() => 'cancelled topic_unsubscribed'))
    expect(await rows(others)).toEqual(['cancelled topic_unsubscribed', 'active'])
    expect(await rows(neighbours)).toEqual(['active'])
    expect(await counted()).toBe(3)
  })
})

describe('an execution that goes on', () => {
  test('executions of somebody who leaves another topic, or is added to one', async () => {
    const third = await seedTopic(api.sql, organizationId, [contactId])
    expect((await leave({ topicId: third })).status).toBe(200)
    await api.alice.patch(`/v1/contacts/${contactId}`, { topicIds: [third], resubscribe: true })
    expect(await rows(started)).toEqual(['paused', 'waiting'])
    expect(await counted()).toBe(0)
  })

  test('executions that were over before', async () => {
    const over = await execution({ topicId, status: 'completed' })
    await leave({ topicId })
    expect(await rows([over])).toEqual(['completed'])
    await leave({ topicId })
    expect(await counted()).toBe(2)
  })
})

describe('deleting a contact cancels all that runs for it, in the same transaction', () => {
  test.each<[string, () => Promise<{ status: number }>]>([
    ['by its id', () => api.alice.delete(`/v1/contacts/${contactId}`)],
    ['in a set', () => api.alice.delete('/v1/contacts', { ids: [uuidv7(), contactId] })],
    ['by erasure', () => api.alice.post(`/v1/contacts/${contactId}/erase`)],
  ])('%s', async (_, act) => {
    const pending = await execution({ status: 'pending' })
    expect((await act()).status).toBeLessThan(300)
    const all = [...started, ...others, pending]
    expect(await rows(all)).toEqual(all.map(() => 'cancelled contact_deleted'))
    expect(await rows(neighbours)).toEqual(['active'])
    expect(await counted()).toBe(5)
    expect((await told())(all)).toBe(5)
  })

  test('by nobody who has no right to: a stranger’s deletion leaves them alone', async () => {
    expect((await api.charlie.delete(`/v1/contacts/${contactId}`)).status).toBe(403)
    await api.charlie.delete('/v1/contacts', { ids: [contactId] })
    expect(await rows(started)).toEqual(['paused', 'waiting'])
  })
})
