import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { addressed } from '../../src/keys/addresses.ts'
import type { Filter } from '../../src/domain/audience/condition.ts'
import type { Trigger } from '../../src/domain/flows/flow.ts'
import { type Uuid, uuidv7 } from '../../src/runtime/ids.ts'
import * as executions from '../../src/store/flows/executions.ts'
import { fire } from '../../src/core/flows/triggers.ts'
import { transact } from '../../src/store/db/sql.ts'
import * as subscriptions from '../../src/core/consent/subscriptions.ts'
import { addressHash, signLink, signUnsubscribe } from '../../src/keys/tokens.ts'
import { type Answer, type Api, createContact, inject, startApi } from '../support/api.ts'
import { importFile } from '../support/imports.ts'
import { countersOf, executionsOf, seedFlow } from '../support/seed-flow.ts'
import { insertTopic } from '../support/topics.ts'

let api: Api
let organizationId: Uuid
let topicId: Uuid
let asking: Uuid
beforeAll(async () => {
  api = await startApi()
  organizationId = api.alice.organizationId
  topicId = await insertTopic(api.sql, organizationId, { slug: 'news' })
  asking = await insertTopic(api.sql, organizationId, { slug: 'offers', doubleOptIn: true })
})
beforeEach(async () => {
  await api.sql`update flows set enabled = false`
})
afterAll(() => api.close())

/** Everybody may enter it as often as they like. */
const flow = (trigger: Trigger, whose = organizationId) =>
  seedFlow(api.sql, whose, { trigger, settings: { allowReentry: true } })
const created = () => flow({ type: 'contact_created' })
const updated = () => flow({ type: 'contact_updated' })
const entered = async (flowId: Uuid): Promise<Uuid[]> =>
  (await executionsOf(api.sql, flowId)).map(({ contactId }) => contactId)

let people = 0
const email = () => `person-${++people}-${uuidv7()}@example.com`
const make = (input: object = {}) => createContact(api.alice, { email: email(), ...input })
const expectOk = ({ status, text }: Answer) => {
  expect([200, 201], text).toContain(status)
}

describe('contact_created', () => {
  test('a contact made by the API starts an execution, in its name and with its request', async () => {
    const flowId = await created()
    const theirs = await flow({ type: 'contact_created' }, api.charlie.organizationId)
    const off = await seedFlow(api.sql, organizationId, {
      trigger: { type: 'contact_created' },
      enabled: false,
    })
    const { body, headers } = await api.alice.post('/v1/contacts', { email: email() })
    expect(await executionsOf(api.sql, flowId)).toMatchObject([
      { contactId: body.id, status: 'pending', data: {}, requestId: headers['x-request-id'] },
    ])
    expect([await entered(theirs), await entered(off)]).toEqual([[], []])
  })

  test('a contact that was refused starts nothing', async () => {
    const { id } = await make({ externalId: 'taken' })
    const flowId = await created()
    const refused = await api.alice.post('/v1/contacts', { email: email(), externalId: 'taken' })
    expect(refused.status).toBe(409)
    await api.alice.delete(`/v1/contacts/${id}`)
    expect(await entered(flowId)).toEqual([])
  })

  test('a batch starts one for each new row and none for the others', async () => {
    const known = await make({ externalId: 'known' })
    const [flowId, changed] = await Promise.all([created(), updated()])
    const fresh = email()
    const { body } = await api.alice.post('/v1/contacts/batch', {
      contacts: [
        { externalId: 'known', firstName: 'Ada' },
        { email: fresh },
        { email: fresh, firstName: 'Bea' },
        { firstName: 'Nobody' },
      ],
    })
    expect(body).toMatchObject({ created: 1, updated: 2, failed: 1 })
    expect(await entered(flowId)).toEqual([body.results[1].id])
    // What was made a moment ago is new, however often it is named.
    expect(await entered(changed)).toEqual([known.id])
  })

  test('an import starts them with each page, and a dry run starts none', async () => {
    const flowId = await created()
    const file = `email\n${Array.from({ length: 30 }, email).join('\n')}\n`
    await importFile(api, api.alice, file, { dryRun: 'true' })
    expect(await entered(flowId)).toEqual([])
    expect(await importFile(api, api.alice, file)).toMatchObject({ created: 30 })
    expect(new Set(await entered(flowId)).size).toBe(30)
    expect(await importFile(api, api.alice, file)).toMatchObject({ created: 0, updated: 30 })
    expect(await entered(flowId)).toHaveLength(30)
    expect(await countersOf(api.sql, flowId)).toMatchObject({ started: 30, dropped: 0 })
  })
})

describe('contact_updated', () => {
  test('PATCH and PUT start one when something changes, and only then', async () => {
    const address = email()
    const { id } = await make({ email: address, firstName: 'Ada', properties: { a: { b: 1 } } })
    const other = await make()
    const flowId = await updated()
    const same = { firstName: 'Ada', properties: { a: { b: 1 } } }
    expectOk(await api.alice.patch(`/v1/contacts/${id}`, same))
    expectOk(await api.alice.put(`/v1/contacts/${id}`, { email: address, ...same }))
    expect(await entered(flowId)).toEqual([])
    expectOk(await api.alice.patch(`/v1/contacts/${id}`, { properties: { a: { b: 2 } } }))
    expectOk(await api.alice.put(`/v1/contacts/${id}`, { email: address }))
    expectOk(await api.alice.patch(`/v1/contacts/${other.id}`, { emailStatus: 'unsubscribed' }))
    expect(await entered(flowId)).toEqual([id, id, other.id])
  })

  test('batch and import start one for each row that changes', async () => {
    const known = await Promise.all([make({ externalId: 'one' }), make({ externalId: 'two' })])
    const flowId = await updated()
    const contacts = [
      { externalId: 'one', company: 'A' },
      { externalId: 'one', company: 'B' },
      { externalId: 'two' },
    ]
    expectOk(await api.alice.post('/v1/contacts/batch', { contacts }))
    expect(await entered(flowId)).toEqual([known[0].id])
    await importFile(api, api.alice, 'externalId,company\none,B\ntwo,B\n')
    expect(await entered(flowId)).toEqual(known.map(({ id }) => id))
    await importFile(api, api.alice, 'externalId,company\none,C\ntwo,C\n', { onDuplicate: 'skip' })
    expect(await entered(flowId)).toHaveLength(2)
  })
})

describe('topics', () => {
  const subscribed = (topic?: Uuid) =>
    flow({ type: 'topic_subscribed', ...(topic === undefined ? {} : { topicId: topic }) })
  const left = (topic?: Uuid) =>
    flow({ type: 'topic_unsubscribed', ...(topic === undefined ? {} : { topicId: topic }) })
  const token = (contactId: Uuid, address: string, of?: Uuid) =>
    signUnsubscribe(api.deps.keyring, {
      organizationId,
      contactId,
      addressHash: addressHash(organizationId, address),
      ...(of === undefined ? {} : { topicId: of }),
    })

  test('subscribing starts flows of that topic and of any, with the topic as their data', async () => {
    const [this_, any, other] = await Promise.all([
      subscribed(topicId),
      subscribed(),
      subscribed(asking),
    ])
    const { id } = await make({ topicIds: [topicId] })
    for (const flowId of [this_, any]) {
      expect(await executionsOf(api.sql, flowId)).toMatchObject([
        { contactId: id, topicId, data: { topicId, topicSlug: 'news' } },
      ])
    }
    expect(await entered(other)).toEqual([])
    // They are subscribed already.
    await api.alice.patch(`/v1/contacts/${id}`, { topicIds: [topicId] })
    expect(await entered(this_)).toEqual([id])
  })

  test('every path subscribes: create, PATCH, PUT topics, batch, import', async () => {
    const flowId = await subscribed(topicId)
    const first = await make({ topicIds: [topicId] })
    const [second, third] = await Promise.all([make(), make({ externalId: 'third' })])
    expectOk(await api.alice.patch(`/v1/contacts/${second.id}`, { topicIds: [topicId] }))
    expectOk(await api.alice.put(`/v1/contacts/${third.id}/topics`, { topicIds: [topicId] }))
    const contacts = [{ email: email(), topicIds: [topicId] }]
    const batch = await api.alice.post('/v1/contacts/batch', { contacts })
    const fifth = email()
    const file = `email,topicSlugs\n${fifth},news\n`
    expect(await importFile(api, api.alice, file)).toMatchObject({ created: 1, failed: 0 })
    const { body } = await api.alice.get(`/v1/contacts/${fifth}`)
    const ids = [first.id, second.id, third.id, batch.body.results[0].id, body.id]
    expect(await entered(flowId)).toEqual(ids)
  })

  test('with double opt-in it is the confirmation that starts them', async () => {
    const flowId = await subscribed(asking)
    const address = email()
    const { id: contactId } = await make({ email: address, topicIds: [asking] })
    expect(await entered(flowId)).toEqual([])
    const confirmation = signLink(api.deps.keyring, 'confirm', {
      organizationId,
      contactId,
      topicId: asking,
      generation: 1,
      addressHash: addressHash(organizationId, address),
      expiresAt: Date.now() + 60_000,
    })
    const confirm = () =>
      inject(api.app, { method: 'POST', url: `/confirm/${confirmation}`, payload: {} })
    expectOk(await confirm())
    expect(await entered(flowId)).toEqual([contactId])
    await confirm()
    expect(await entered(flowId)).toEqual([contactId])
  })

  test('the preferences page subscribes and leaves', async () => {
    const [started, ended] = await Promise.all([subscribed(topicId), left(topicId)])
    const address = email()
    const { id: contactId } = await make({ email: address })
    const save = async (topics: Uuid[]) => {
      const link = signLink(api.deps.keyring, 'preferences', {
        organizationId,
        contactId,
        addressHash: addressHash(organizationId, address),
        expiresAt: Date.now() + 60_000,
      })
      const url = `/preferences/${link}`
      expectOk(await inject(api.app, { method: 'POST', url, payload: { topics } }))
    }
    await save([topicId])
    expect([await entered(started), await entered(ended)]).toEqual([[contactId], []])
    await save([])
    expect([await entered(started), await entered(ended)]).toEqual([[contactId], [contactId]])
  })

  test('leaving starts flows by every path: PUT topics, PUT, a link, all mail, a status', async () => {
    const address = email()
    const linked = email()
    const people = await Promise.all(
      [{}, {}, { email: linked }, { email: address }, {}].map((input) =>
        make({ ...input, topicIds: [topicId] }),
      ),
    )
    const ids = people.map(({ id }) => id)
    const [a = '', b = '', c = '', d = '', e = ''] = ids
    const flowId = await left(topicId)
    expectOk(await api.alice.put(`/v1/contacts/${a}/topics`, { topicIds: [] }))
    expectOk(await api.alice.put(`/v1/contacts/${b}`, { email: email(), topicIds: [] }))
    for (const link of [token(c, linked, topicId), token(d, address)]) {
      expectOk(await inject(api.app, { method: 'POST', url: `/unsubscribe/${link}` }))
      // Mail providers ask again.
      expectOk(await inject(api.app, { method: 'POST', url: `/unsubscribe/${link}` }))
    }
    expectOk(await api.alice.patch(`/v1/contacts/${e}`, { emailStatus: 'unsubscribed' }))
    expect(await entered(flowId)).toEqual(ids)
    const [row] = await executionsOf(api.sql, flowId)
    // Leaving it once more must not end what leaving it started.
    expect(row).toMatchObject({ topicId: null, data: { topicId, topicSlug: 'news' } })
  })

  test('leaving a topic that was never confirmed starts nothing', async () => {
    const [started, ended] = await Promise.all([subscribed(asking), left(asking)])
    const { id } = await make({ topicIds: [asking] })
    expectOk(await api.alice.put(`/v1/contacts/${id}/topics`, { topicIds: [] }))
    expect([await entered(started), await entered(ended)]).toEqual([[], []])
  })

  test('a flow that subscribes somebody starts the flows of that topic', async () => {
    const { id: contactId } = await make()
    const flowId = await subscribed(topicId)
    const addressOf = (address: string) => addressed(api.deps.keyring, organizationId, address)
    await transact(api.sql, (tx) =>
      subscriptions.subscribe(tx, organizationId, [{ contactId, topicId }], {
        source: 'workflow',
        addressOf,
      }),
    )
    expect(await entered(flowId)).toEqual([contactId])
  })
})

describe('events and segments', () => {
  const happened = (contactId: Uuid, name: string, properties = {}) =>
    ({ type: 'event', contactId, name, eventId: uuidv7(), properties }) as const
  const tell = (...occurrences: Parameters<typeof fire>[2]) =>
    transact(api.sql, (tx) => fire(tx, organizationId, occurrences, 'request'))

  test('an event starts flows of its name, once however often it is told', async () => {
    const [{ id: ada }, { id: bea }] = await Promise.all([make(), make()])
    const trigger = { type: 'event', name: 'ordered' } as const
    const [first, second] = await Promise.all([flow(trigger), flow(trigger)])
    const other = await flow({ type: 'event', name: 'Ordered' })
    const events = [happened(ada, 'ordered', { total: 5 }), happened(bea, 'left')]
    expect(await tell(...events, happened(bea, 'ordered'))).toEqual([2, 0, 2])
    expect(await tell(...events)).toEqual([0, 0])
    for (const flowId of [first, second]) {
      expect(await executionsOf(api.sql, flowId)).toMatchObject([
        { contactId: ada, eventId: events[0]?.eventId, data: { total: 5 }, topicId: null },
        { contactId: bea, data: {} },
      ])
      expect(await countersOf(api.sql, flowId)).toMatchObject({ started: 2, dropped: 0 })
    }
    expect(await entered(other)).toEqual([])
  })

  test('a filter asks about the event and its contact; what does not fit is not even dropped', async () => {
    const [{ id: ada }, { id: bea }] = await Promise.all([
      make({ firstName: 'Ada' }),
      make({ firstName: 'Bea' }),
    ])
    const filtered = (...filters: Filter[]) =>
      flow({
        type: 'event',
        name: 'ordered',
        filter: { logic: 'AND', groups: [{ filters }] },
      })
    const big: Filter = { field: 'event.properties.total', operator: 'greaterThan', value: 10 }
    const hers: Filter = { field: 'firstName', operator: 'equals', value: 'Ada' }
    const [bigOnes, bigOfHers] = await Promise.all([filtered(big), filtered(big, hers)])
    const ordered = (contactId: Uuid, total: number) => happened(contactId, 'ordered', { total })
    const events = [ordered(ada, 5), ordered(ada, 20), ordered(bea, 20), ordered(uuidv7(), 20)]
    expect(await tell(...events)).toEqual([0, 2, 1, 0])
    expect([await entered(bigOnes), await entered(bigOfHers)]).toEqual([[ada, bea], [ada]])
    expect(await countersOf(api.sql, bigOfHers)).toMatchObject({ started: 1, dropped: 0 })
  })

  test('of a thousand events at once each starts its own', async () => {
    const { id } = await make()
    const flowId = await flow({ type: 'event', name: 'ordered' })
    const started = await tell(...Array.from({ length: 1_000 }, () => happened(id, 'ordered')))
    expect(started).toEqual(Array(1_000).fill(1))
    expect(await countersOf(api.sql, flowId)).toMatchObject({ started: 1_000, dropped: 0 })
  })

  test('entering a segment starts flows of that segment only', async () => {
    const { id: contactId } = await make()
    const segmentId = uuidv7()
    const flowId = await flow({ type: 'segment_entry', segmentId })
    const other = await flow({ type: 'segment_entry', segmentId: uuidv7() })
    expect(await tell({ type: 'segment_entry', contactId, segmentId })).toEqual([1])
    expect(await tell({ type: 'segment_exit', contactId, segmentId })).toEqual([0])
    expect(await executionsOf(api.sql, flowId)).toMatchObject([{ data: { segmentId } }])
    expect(await entered(other)).toEqual([])
  })

  test('what is rolled back starts nothing', async () => {
    const { id } = await make()
    const flowId = await flow({ type: 'event', name: 'ordered' })
    const rolledBack = transact(api.sql, async (tx) => {
      await fire(tx, organizationId, [happened(id, 'ordered')], undefined)
      throw new Error('rolled back')
    })
    await expect(rolledBack).rejects.toThrow('rolled back')
    expect(await entered(flowId)).toEqual([])
    const [row] = await api.sql<{ messages: number }[]>`
      select count(*)::integer as messages from outbox where payload ->> 'flowId' = ${flowId}`
    expect(row?.messages).toBe(0)
  })
})

test('contacts written, subscribed and left by many at once: no start is lost or counted twice', async () => {
  const flows = await Promise.all([
    created(),
    updated(),
    flow({ type: 'topic_subscribed' }),
    flow({ type: 'topic_unsubscribed' }),
  ])
  const ring = Array.from({ length: 40 }, (_, n) => ({ externalId: `ring-${n}`, email: email() }))
  const write = (round: number) =>
    api.alice.post('/v1/contacts/batch', {
      contacts: (round % 2 === 0 ? ring : ring.toReversed()).map((contact) => ({
        ...contact,
        company: `Round ${round}`,
        topicIds: [topicId],
      })),
    })
  const leave = async (n: number) => {
    const answer = await api.alice.put(`/v1/contacts/ring-${n}/topics`, { topicIds: [] })
    expect([200, 404]).toContain(answer.status)
  }
  const endSome = async () => {
    const rows = await executionsOf(api.sql, flows[1])
    const live = rows.filter(({ status }) => status === 'pending').slice(0, 20)
    const ending = { status: 'completed', reason: null } as const
    await transact(api.sql, (tx) =>
      executions.end(
        tx,
        organizationId,
        live.map(({ id }) => id),
        ending,
      ),
    )
  }
  for (let round = 0; round < 4; round++) {
    const answers = await Promise.all([
      ...Array.from({ length: 6 }, (_, n) => write(round * 6 + n)),
      endSome(),
    ])
    expect(answers.flatMap((answer) => answer?.body.failed ?? [])).toEqual(Array(6).fill(0))
    await Promise.all([...ring.keys()].map(leave))
  }
  for (const flowId of flows) {
    const rows = await executionsOf(api.sql, flowId)
    const [count] = await api.sql<{ entries: number; live: number }[]>`
      select sum(entries)::integer as entries, sum(live)::integer as live
      from flow_entries
      where flow_id = ${flowId}`
    const live = rows.filter(({ status }) => status === 'pending').length
    expect(count).toEqual({ entries: rows.length, live })
    expect(await countersOf(api.sql, flowId)).toMatchObject({ started: rows.length, dropped: 0 })
  }
  const [made, , subscribed, left] = await Promise.all(flows.map(entered))
  expect(new Set(made).size).toBe(40)
  expect(made).toHaveLength(40)
  // Each subscribed as often as they left: nobody is subscribed in the end.
  expect(subscribed?.toSorted()).toEqual(left?.toSorted())
  expect(subscribed).toHaveLength(160)
})
