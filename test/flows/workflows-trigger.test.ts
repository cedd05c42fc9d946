import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Uuid, uuidv7 } from '../../src/runtime/ids.ts'
import { type Api, type Client, createContact, startApi, tally } from '../support/api.ts'
import { countersOf, executionsOf, type FlowSeed, seedFlow } from '../support/seed-flow.ts'

let api: Api
let organizationId: Uuid
beforeAll(async () => {
  api = await startApi()
  organizationId = api.alice.organizationId
})
afterAll(() => api.close())

let people = 0
const email = () => `person-${++people}@example.com`
const make = (client: Client = api.alice) => createContact(client, { email: email() })
const seed = (given: FlowSeed = {}) => seedFlow(api.sql, organizationId, given)
const trigger = (flowId: string, body: object, client: Client = api.alice) =>
  client.post(`/v1/workflows/${flowId}/trigger`, body)
const triggerAll = (flowId: string, body: object, client: Client = api.alice) =>
  client.post(`/v1/workflows/${flowId}/trigger/batch`, body)

describe('one contact', () => {
  test('is let in by id or by address, with the data that came with it', async () => {
    const flowId = await seed({ name: 'Welcome' })
    const address = email()
    const [{ id: ada }, { id: bea }] = await Promise.all([
      make(),
      createContact(api.alice, { email: address }),
    ])
    const first = await trigger(flowId, { contactId: ada.toUpperCase(), data: { plan: 'pro' } })
    expect(first).toMatchObject({ status: 200 })
    const rows = await executionsOf(api.sql, flowId)
    expect(first.body).toEqual({
      success: true,
      executionId: rows[0]?.id,
      workflowId: flowId,
      workflowName: 'Welcome',
      contactId: ada,
      status: 'pending',
    })
    const second = await trigger(flowId, { contactEmail: ` ${address.toUpperCase()} `.trim() })
    expect(second.body.contactId).toBe(bea)
    expect(await executionsOf(api.sql, flowId)).toMatchObject([
      { contactId: ada, data: { plan: 'pro' }, requestId: first.headers['x-request-id'] },
      { contactId: bea, data: {} },
    ])
  })

  test('a workflow is named by its slug as well', async () => {
    const flowId = await seed()
    const { id: contactId } = await make()
    const { body } = await trigger(`flow-${flowId}`, { contactId })
    expect(body.workflowId).toBe(flowId)
  })

  test('a key that may only send events may trigger, and reads nothing', async () => {
    const key = await api.client(organizationId, ['events'])
    const flowId = await seed()
    const { id: contactId } = await make()
    const { status, body } = await trigger(flowId, { contactId }, key)
    expect(status).toBe(200)
    expect((await key.get(`/v1/workflows/executions/${body.executionId}`)).status).toBe(403)
    const reader = await api.client(organizationId, ['read', 'contacts', 'send'])
    expect((await trigger(flowId, { contactId }, reader)).status).toBe(403)
    expect(await executionsOf(api.sql, flowId)).toHaveLength(1)
  })

  test('409 says why: disabled, started by something else, not admitted', async () => {
    const { id: contactId } = await make()
    const off = await seed({ enabled: false })
    const byEvent = await seed({ trigger: { type: 'event', name: 'ordered' } })
    const once = await seed()
    expect((await trigger(once, { contactId })).status).toBe(200)
    for (const [flowId, reason] of [
      [off, 'workflow_disabled'],
      [byEvent, 'workflow_not_api'],
      [once, 'not_admitted'],
    ] as const) {
      const { status, body } = await trigger(flowId, { contactId })
      expect([status, body.code, body.reason]).toEqual([409, 'CONFLICT', reason])
    }
    expect(await executionsOf(api.sql, off)).toEqual([])
    expect(await executionsOf(api.sql, byEvent)).toEqual([])
    expect(await countersOf(api.sql, once)).toMatchObject({ started: 1, dropped: 1 })
  })

  test('what another organization has is 403, what nobody has 404; both write nothing', async () => {
    const flowId = await seed()
    const { id: contactId } = await make()
    const theirFlow = await seedFlow(api.sql, api.charlie.organizationId)
    const theirs = await createContact(api.charlie, { email: 'theirs@example.com' })
    expect((await trigger(theirFlow, { contactId })).status).toBe(403)
    expect((await trigger(flowId, { contactId: theirs.id })).status).toBe(403)
    // An address only ever means one's own contact.
    expect((await trigger(flowId, { contactEmail: 'theirs@example.com' })).status).toBe(404)
    expect((await trigger(uuidv7(), { contactId })).status).toBe(404)
    expect((await trigger(flowId, { contactId: uuidv7() })).status).toBe(404)
    expect((await trigger(flowId, { contactId: 'no-uuid' })).status).toBe(404)
    const gone = await seed({ enabled: false })
    await api.sql`update flows set deleted_at = now() where id = ${gone}`
    expect((await trigger(gone, { contactId })).status).toBe(404)
    expect(await executionsOf(api.sql, flowId)).toEqual([])
    expect(await executionsOf(api.sql, theirFlow)).toEqual([])
  })

  test('a body without a contact, or with data that is too large or too deep, is 400', async () => {
    const flowId = await seed()
    const { id: contactId } = await make()
    const deep = JSON.parse(`${'{"a":'.repeat(9)}1${'}'.repeat(9)}`)
    for (const [body, path] of [
      [{}, 'contactId'],
      [{ contactId, data: { a: 'x'.repeat(32_768) } }, 'data'],
      [{ contactId, data: deep }, 'data'],
    ] as const) {
      const answer = await trigger(flowId, body)
      expect(answer.status).toBe(400)
      expect(answer.body.details).toMatchObject([{ path }])
    }
    expect((await trigger(flowId, { contactId, contact: 1 })).status).toBe(422)
    expect((await trigger(flowId, { contactId, data: { a: 'x'.repeat(32_000) } })).status).toBe(200)
  })

  test('fifty at once for one contact: one gets in, the others are told', async () => {
    const flowId = await seed()
    const { id: contactId } = await make()
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => trigger(flowId, { contactId })),
    )
    expect(tally(answers.map(({ status }) => status))).toEqual({ 200: 1, 409: 49 })
    expect(await executionsOf(api.sql, flowId)).toHaveLength(1)
    expect(await countersOf(api.sql, flowId)).toMatchObject({ started: 1, dropped: 49 })
  })
})

describe('many contacts', () => {
  test('each is let in once, its own data over what all have', async () => {
    const flowId = await seed()
    const address = email()
    const [{ id: ada }, { id: bea }, { id: cleo }] = await Promise.all([
      make(),
      createContact(api.alice, { email: address }),
      make(),
    ])
    const { status, body } = await triggerAll(flowId, {
      contacts: [
        { contactId: ada },
        { contactEmail: address, data: { seat: 'b', event: 'other' } },
        { contactId: bea, data: { seat: 'x' } },
        { contactId: cleo.toUpperCase(), data: { seat: null } },
        { contactId: ada, data: { seat: 'y' } },
      ],
      data: { event: 'Open day', seat: 'any' },
    })
    const rows = await executionsOf(api.sql, flowId)
    expect(rows).toMatchObject([
      { contactId: ada, data: { event: 'Open day', seat: 'any' } },
      { contactId: bea, data: { event: 'other', seat: 'b' } },
      { contactId: cleo, data: { event: 'Open day', seat: null } },
    ])
    expect([status, body]).toEqual([
      200,
      {
        success: true,
        triggered: 3,
        executions: rows.map(({ id: executionId, contactId }) => ({ contactId, executionId })),
        errors: [],
        errorDetails: [],
      },
    ])
  })

  test('rows that cannot be triggered are named, and the others are', async () => {
    const flowId = await seed()
    const [{ id: ada }, { id: bea }, theirs] = await Promise.all([
      make(),
      make(),
      make(api.charlie),
    ])
    await trigger(flowId, { contactId: bea })
    const { status, body } = await triggerAll(flowId, {
      contacts: [
        { contactId: ada },
        {},
        { contactId: uuidv7() },
        { contactId: theirs.id },
        { contactEmail: 'nobody@example.com' },
        { contactId: bea },
        { contactId: (await make()).id, data: { a: 'x'.repeat(32_768) } },
      ],
    })
    expect([status, body.success, body.triggered]).toEqual([200, false, 1])
    expect(
      body.errorDetails.map((each: { index: number; code: string; reason: string }) => [
        each.index,
        each.code,
        each.reason,
      ]),
    ).toEqual([
      [1, 'BAD_REQUEST', 'contact_needed'],
      [2, 'NOT_FOUND', 'contact_not_found'],
      [3, 'FORBIDDEN', 'contact_of_another_organization'],
      [4, 'NOT_FOUND', 'contact_not_found'],
      [5, 'CONFLICT', 'not_admitted'],
      [6, 'BAD_REQUEST', 'data_refused'],
    ])
    expect(body.errors).toHaveLength(6)
    expect(body.errors[0]).toBe('contacts[1].contactId or contactEmail is required')
    const entered = (await executionsOf(api.sql, flowId)).map(({ contactId }) => contactId)
    expect(entered).toEqual([bea, ada])
  })

  test('of a workflow that is disabled or not for the API every row is refused', async () => {
    const { id: contactId } = await make()
    const off = await seed({ enabled: false })
    const byEvent = await seed({ trigger: { type: 'event', name: 'ordered' } })
    for (const [flowId, reason] of [
      [off, 'workflow_disabled'],
      [byEvent, 'workflow_not_api'],
    ] as const) {
      const { status, body } = await triggerAll(flowId, { contacts: [{ contactId }] })
      expect([status, body.triggered]).toEqual([200, 0])
      expect(body.errorDetails).toMatchObject([{ index: 0, code: 'CONFLICT', reason }])
      expect(await executionsOf(api.sql, flowId)).toEqual([])
    }
  })

  test('a thousand in one request, and no more', async () => {
    const flowId = await seed()
    const rows = Array.from({ length: 1_000 }, (_, n) => ({ email: `crowd-${n}@example.com` }))
    await api.alice.post('/v1/contacts/batch', { contacts: rows })
    const contacts = rows.map((row) => ({ contactEmail: row.email, data: { a: 'x'.repeat(500) } }))
    const { body } = await triggerAll(flowId, { contacts })
    expect([body.success, body.triggered]).toEqual([true, 1_000])
    expect(await executionsOf(api.sql, flowId)).toHaveLength(1_000)
    const one = { contactEmail: 'crowd-1@example.com' }
    expect((await triggerAll(flowId, { contacts: [...contacts, one] })).status).toBe(422)
    expect((await triggerAll(flowId, { contacts: [] })).status).toBe(422)
  })

  test('the same requests at once let every contact in once', async () => {
    const flowId = await seed()
    const people = await Promise.all(Array.from({ length: 30 }, () => make()))
    const contacts = people.map(({ id: contactId }) => ({ contactId }))
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        triggerAll(flowId, { contacts: n % 2 === 0 ? contacts : contacts.toReversed() }),
      ),
    )
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200))
    const triggered = answers.reduce((sum, { body }) => sum + body.triggered, 0)
    expect(triggered).toBe(30)
    expect(await executionsOf(api.sql, flowId)).toHaveLength(30)
    expect(await countersOf(api.sql, flowId)).toMatchObject({ started: 30, dropped: 270 })
  })
})

test('another organization’s flow of the same slug is not what a slug means', async () => {
  const theirFlow = await seedFlow(api.sql, api.charlie.organizationId)
  const { id: contactId } = await make()
  expect((await trigger(`flow-${theirFlow}`, { contactId })).status).toBe(404)
  expect(await executionsOf(api.sql, theirFlow)).toEqual([])
})
