import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { keepMembership } from '../../src/core/flows/membership.ts'
import type { Operator } from '../../src/domain/audience/condition.ts'
import { type Uuid, uuidv7 } from '../../src/runtime/ids.ts'
import { worsen } from '../../src/store/consent/contact-statuses.ts'
import { type Sql, transact } from '../../src/store/db/sql.ts'
import { readLags } from '../../src/store/platform/lags.ts'
import { type Api, type Client, createContact, startApi } from '../support/api.ts'
import { createFlow, smallFlow } from '../support/flow-inputs.ts'
import { countersOf, executionsOf } from '../support/seed-flow.ts'
import { keepAll, keptMembers, watchSegment } from '../support/membership.ts'
import { insertTopic } from '../support/topics.ts'
import { connectAs } from '../support/logins.ts'

let api: Api
let workerSql: Sql
let client: Client
beforeAll(async () => {
  api = await startApi()
  workerSql = connectAs(api.databaseUrl, { name: 'test-worker', role: 'letterloom_worker' })
})
beforeEach(async () => {
  client = await organization()
})
afterAll(async () => {
  await workerSql.end()
  await api.close()
})

async function organization(plan = 'starter'): Promise<Client> {
  const id = uuidv7()
  await api.sql`insert into organizations (id, name, plan) values (${id}, 'Own', ${plan})`
  return api.client(id, ['full'])
}
const keep = () => keepAll(workerSql)

const condition = (field: string, operator: Operator, value?: unknown, more: object = {}) => ({
  logic: 'AND' as const,
  groups: [{ filters: [{ field, operator, ...(value === undefined ? {} : { value }), ...more }] }],
})
const pro = condition('properties.plan', 'equals', 'pro')

async function segment(given: object = pro, whose = client): Promise<Uuid> {
  const { status, body } = await whose.post('/v1/segments', { name: 'Some', condition: given })
  expect([status, body.error]).toEqual([201, undefined])
  return body.id
}
/** A flow that everybody may enter as often as they like, enabled. */
async function watch(segmentId: Uuid, type = 'segment_entry', enabled = true): Promise<Uuid> {
  const settings = { allowReentry: true }
  const input = { triggerType: type, triggerConfig: { segmentId }, settings, enabled }
  return (await createFlow(client, smallFlow(input))).id
}
const person = async (plan?: string): Promise<Uuid> => {
  const input = { email: `${uuidv7()}@example.com`, properties: plan === undefined ? {} : { plan } }
  return (await createContact(client, input)).id
}
const change = async (id: Uuid, plan: string) => {
  const { status } = await client.patch(`/v1/contacts/${id}`, { properties: { plan } })
  expect(status).toBe(200)
}
const subscribe = (contactId: Uuid, topicId: Uuid) => workerSql`
  insert into subscriptions (organization_id, contact_id, topic_id, status)
  values (${client.organizationId}, ${contactId}, ${topicId}, 'subscribed')`
const started = async (flowId: Uuid): Promise<Uuid[]> =>
  (await executionsOf(api.sql, flowId)).map(({ contactId }) => contactId)
const membersOf = async (segmentId: Uuid) =>
  (await client.get(`/v1/segments/${segmentId}/members`)).body.contacts.map(
    ({ id, enteredAt }: { id: Uuid; enteredAt: string | null }) => [id, enteredAt],
  )

describe('a segment that an enabled workflow watches', () => {
  test('is recorded silently, and then each entry and exit starts one execution', async () => {
    const [old, later] = [await person('pro'), await person('free')]
    const segmentId = await segment()
    expect(await membersOf(segmentId)).toEqual([[old, null]])
    const [entry, exit] = [await watch(segmentId), await watch(segmentId, 'segment_exit')]
    await keep()
    expect(await keptMembers(api.sql, segmentId)).toEqual([old])

    await change(later, 'pro')
    const fresh = await person('pro')
    await change(old, 'free')
    await keep()
    expect((await started(entry)).toSorted()).toEqual([later, fresh].toSorted())
    expect(await executionsOf(api.sql, exit)).toMatchObject([
      { contactId: old, status: 'pending', data: { segmentId } },
    ])
    expect(await membersOf(segmentId)).toEqual([
      [fresh, expect.any(String)],
      [later, expect.any(String)],
    ])

    // What changes nothing about membership starts nothing.
    await client.patch(`/v1/contacts/${later}`, { firstName: 'Ada' })
    await keep()
    await change(later, 'free')
    await keep()
    await change(later, 'pro')
    await keep()
    expect((await started(entry)).filter((id) => id === later)).toHaveLength(2)
    expect(await started(exit)).toEqual([old, later])
    expect(await countersOf(api.sql, entry)).toEqual({ started: 3, cancelled: 0, dropped: 0 })
  })

  test('sees topics, events, statuses and deletions, and each starts one execution', async () => {
    const id = await person()
    const topicId = await insertTopic(api.sql, client.organizationId, { slug: 'news' })
    const topical = await segment(condition('topics', 'hasTopic', 'news'))
    const buyers = await segment(condition('event.bought', 'triggeredAtLeast', 2))
    const bounced = await segment(condition('emailStatus', 'equals', 'bounced'))
    const opened = await segment(condition('emailsOpened', 'greaterThan', 0))
    const flows = await Promise.all([topical, buyers, bounced, opened].map((each) => watch(each)))
    const left = await watch(topical, 'segment_exit')
    await keep()
    const counts = async () =>
      (await Promise.all([...flows, left].map(started))).map(({ length }) => length)

    await subscribe(id, topicId)
    await client.post('/v1/events', { name: 'bought', contactId: id })
    await client.post('/v1/events', { name: 'looked', contactId: id })
    await keep()
    expect(await counts()).toEqual([1, 0, 0, 0, 0])
    await client.post('/v1/events', { name: 'bought', contactId: id })
    await transact(workerSql, (tx) =>
      worsen(tx, [{ organizationId: client.organizationId, contactId: id, status: 'bounced' }]),
    )
    await api.sql`
      insert into contact_stats (organization_id, contact_id, emails_opened)
      values (${client.organizationId}, ${id}, 1)`
    await keep()
    expect(await counts()).toEqual([1, 1, 1, 1, 0])
    expect((await client.delete(`/v1/topics/${topicId}`)).status).toBe(409)
    await workerSql`update subscriptions set status = 'unsubscribed' where contact_id = ${id}`
    await keep()
    expect(await counts()).toEqual([1, 1, 1, 1, 1])
    // A contact that is gone has no exits: an execution has a contact.
    expect((await client.delete(`/v1/contacts/${id}`)).status).toBe(200)
    await keep()
    expect(await counts()).toEqual([1, 1, 1, 1, 1])
    const [kept] = await api.sql`select from segment_members where contact_id = ${id}`
    expect(kept).toBeUndefined()
  })

  test('waits for writers that began before they could know of it', async () => {
    const id = await person('free')
    const segmentId = await segment()
    let flowId = ''
    await transact(workerSql, async (tx) => {
      await tx`update contacts set properties = '{"plan": "pro"}' where id = ${id}`
      flowId = await watch(segmentId)
      // It can be recorded only when this is committed: else this contact would never be a member.
      for (let turn = 0; turn < 3; turn++) {
        await keepMembership({ sql: workerSql, onFailure: () => {} })
      }
      expect(await keptMembers(api.sql, segmentId)).toEqual([])
    })
    await keep()
    expect(await keptMembers(api.sql, segmentId)).toEqual([id])
    expect(await started(flowId)).toEqual([])
  })

  test('counts who enters while it is recorded, if they are new', async () => {
    const segmentId = await segment()
    const flowId = await watch(segmentId)
    const fresh = await person('pro')
    await keep()
    expect(await started(flowId)).toEqual([fresh])
  })

  test('tells the difference when its condition is changed, and when a topic is renamed', async () => {
    const topicId = await insertTopic(api.sql, client.organizationId, { slug: 'offers' })
    const [pros, free] = [await person('pro'), await person('free')]
    const segmentId = await segment()
    const [entry, exit] = [await watch(segmentId), await watch(segmentId, 'segment_exit')]
    await keep()
    const patch = (given: object) => client.patch(`/v1/segments/${segmentId}`, { condition: given })
    await patch(condition('properties.plan', 'equals', 'free'))
    await keep()
    expect([await started(entry), await started(exit)]).toEqual([[free], [pros]])
    await patch(condition('event.bought', 'triggered'))
    await keep()
    // The events that it asks about now are marked from now on.
    await client.post('/v1/events', { name: 'bought', contactId: pros })
    await keep()
    expect([await started(entry), await started(exit)]).toEqual([
      [free, pros],
      [pros, free],
    ])
    await patch(condition('topics', 'hasTopic', 'news'))
    await subscribe(free, topicId)
    await keep()
    await client.patch(`/v1/topics/${topicId}`, { slug: 'news' })
    await keep()
    expect([await started(entry), await started(exit)]).toEqual([
      [free, pros, free],
      [pros, free, pros],
    ])
  })

  test('is kept no more when the last workflow is disabled, changed or deleted', async () => {
    const id = await person('pro')
    const segmentId = await segment()
    const dirty = async () => {
      const rows = await api.sql`
        select from dirty_contacts where organization_id = ${client.organizationId}`
      return rows.length
    }
    const ends: ((flowId: Uuid) => Promise<{ status: number }>)[] = [
      (flowId) => client.post(`/v1/workflows/${flowId}/disable`),
      (flowId) => client.patch(`/v1/workflows/${flowId}`, { triggerType: 'contact_updated' }),
      (flowId) => client.delete(`/v1/workflows/${flowId}`),
    ]
    for (const end of ends) {
      const other = await watch(segmentId, 'segment_exit')
      const flowId = await watch(segmentId)
      await keep()
      expect((await end(flowId)).status).toBe(200)
      await keep()
      expect(await keptMembers(api.sql, segmentId)).toEqual([id])
      expect((await client.delete(`/v1/segments/${segmentId}`)).body.reason).toBe('segment_in_use')
      expect((await client.delete(`/v1/workflows/${other}`)).status).toBe(200)
      await keep()
      const left = await api.sql`
        select from segment_members where organization_id = ${client.organizationId}`
      expect([await keptMembers(api.sql, segmentId), left.length]).toEqual([[], 0])
      expect(await membersOf(segmentId)).toEqual([[id, null]])
      await client.patch(`/v1/contacts/${id}`, { firstName: flowId })
      expect(await dirty()).toBe(0)
    }
    expect((await client.delete(`/v1/segments/${segmentId}`)).status).toBe(200)
  })

  test('may be enabled only while it exists, on a plan that has segments', async () => {
    const segmentId = await segment()
    const flowId = await watch(segmentId, 'segment_entry', false)
    const { status, body } = await client.delete(`/v1/segments/${segmentId}`)
    expect([status, body.error]).toEqual([200, undefined])
    const refused = await client.post(`/v1/workflows/${flowId}/enable`)
    expect(refused).toMatchObject({ status: 400, body: { reason: 'workflow_not_runnable' } })
    expect(refused.body.details).toMatchObject([{ path: 'triggerConfig.segmentId' }])

    const theirs = await segment(pro, api.charlie)
    const input = (id: Uuid) =>
      smallFlow({ triggerType: 'segment_exit', triggerConfig: { segmentId: id } })
    expect((await client.post('/v1/workflows', input(theirs))).status).toBe(403)
    const poor = await organization('free')
    expect((await poor.post('/v1/workflows', input(uuidv7()))).status).toBe(402)
  })

  test('does not wait behind another organization, however much that has written', async () => {
    const other = await organization()
    const id = await person()
    await watchSegment(workerSql, other.organizationId, pro)
    const mine = await segment(pro)
    const flowId = await watch(mine)
    await keep()
    await workerSql`
      insert into contacts (organization_id, id, email, properties)
      select ${other.organizationId}, gen_random_uuid(), 'p' || n || '@example.com', '{"plan": "pro"}'
      from generate_series(1, 3000) as n`
    const turn = () => keepMembership({ sql: workerSql, onFailure: () => {} })
    await turn()
    await change(id, 'pro')
    await Promise.all([turn(), turn()])
    expect(await started(flowId)).toEqual([id])
    const [left] = await api.sql`
      select from dirty_contacts where organization_id = ${other.organizationId}`
    expect(left).toBeDefined()
    await keep()
  })

  test('has a lag that is told', async () => {
    const segmentId = await segment()
    await watch(segmentId)
    await keep()
    expect(await readLags(workerSql, 1)).toMatchObject({ membershipSeconds: 0 })
    await person('pro')
    await api.sql`update dirty_contacts set marked_at = marked_at - interval '1 minute'`
    const { membershipSeconds } = await readLags(workerSql, 1)
    expect(Math.round(membershipSeconds / 10)).toBe(6)
    await keep()
  })
})
