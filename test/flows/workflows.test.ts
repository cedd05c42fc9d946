import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { uuidv7 } from '../../src/runtime/ids.ts'
import { open, flowHeadersPlace, flowSecretPlace } from '../../src/keys/sealing.ts'
import { createDefinitionCache } from '../../src/store/flows/definition-cache.ts'
import { type Api, startApi } from '../support/api.ts'
import { createFlow, flowInput, smallFlow, webhookConfig } from '../support/flow-inputs.ts'

let api: Api
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

const get = (id: string) => api.alice.get(`/v1/workflows/${id}`)
const patch = (id: string, body: object) => api.alice.patch(`/v1/workflows/${id}`, body)

describe('a workflow that is created', () => {
  test('is read as it was given, and not enabled', async () => {
    const { status, body } = await api.alice.post('/v1/workflows', flowInput())
    expect(status).toBe(201)
    const { webhookSecret, ...flow } = body
    const input = flowInput()
    const hidden = { ...webhookConfig, headers: { authorization: '***' } }
    expect(flow).toEqual({
      ...input,
      steps: [...input.steps.slice(0, 3), { ...input.steps[3], config: hidden }],
      id: expect.any(String),
      slug: 'welcome',
      description: null,
      enabled: false,
      version: 1,
      settings: {
        allowReentry: false,
        reentryDelaySeconds: 0,
        maxConcurrentExecutions: null,
        contactCooldownSeconds: 0,
        exitOn: { events: [] },
      },
      stats: { started: 0, completed: 0, failed: 0, cancelled: 0, dropped: 0, live: 0 },
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
      pushedAt: null,
      scheduleFailure: null,
    })
    expect((await get(flow.id)).body).toEqual(flow)
    expect((await get('welcome')).body).toEqual(flow)
    expect(webhookSecret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  })

  test('keeps its secrets sealed, where only their row opens them', async () => {
    const { organizationId } = api.alice
    const { body } = await api.alice.post('/v1/workflows', flowInput({ slug: 'sealed' }))
    const { id: flowId, webhookSecret } = body
    const [row] = await api.sql<{ secret: Buffer; definition: string; sealed: Buffer }[]>`
      select f.sealed_secret as secret, v.definition::text as definition, h.sealed
      from flows f
      join flow_versions v on v.flow_id = f.id
      join flow_headers h on h.flow_id = f.id
      where f.id = ${flowId}`
    const { keyring } = api.deps
    const place = flowSecretPlace(organizationId, flowId)
    expect(open(keyring, 'flow-secret', place, row!.secret)).toBe(webhookSecret)
    const other = flowSecretPlace(api.charlie.organizationId, flowId)
    expect(open(keyring, 'flow-secret', other, row!.secret)).toBeUndefined()
    expect(row!.definition).not.toContain('s3cret')
    const headers = flowHeadersPlace(organizationId, { flowId, version: 1, stepId: 'call' })
    expect(open(keyring, 'flow-headers', headers, row!.sealed)).toBe(
      JSON.stringify({ authorization: 'Bearer s3cret' }),
    )
  })

  test('shows its secret once: a replay has none', async () => {
    const send = () =>
      api.alice.send({
        method: 'POST',
        url: '/v1/workflows',
        headers: { 'idempotency-key': 'once' },
        payload: smallFlow({ slug: 'once' }),
      })
    const first = await send()
    const again = await send()
    expect([first.status, again.status]).toEqual([201, 201])
    expect(again.body).toEqual({ ...first.body, webhookSecret: null })
  })

  test('by other names for the same', async () => {
    const { body: topic } = await api.alice.post('/v1/topics', { name: 'Fresh' })
    const { body } = await api.alice.post('/v1/workflows', {
      name: 'Aliases',
      triggerType: 'event',
      triggerConfig: { name: 'x' },
      steps: [
        { id: 'a', type: 'subscribe_topic', name: 'A', config: { topicSlug: topic.slug } },
        {
          id: 'c',
          type: 'condition',
          name: 'C',
          config: {
            condition: {
              logic: 'OR',
              groups: [{ filters: [{ field: 'topics', operator: 'hasTopic', value: topic.slug }] }],
            },
          },
        },
        { id: 'b', type: 'exit', name: 'B', config: { outcome: 'failed', reason: 'why' } },
      ],
      transitions: [
        { fromStepId: 'a', toStepId: 'c' },
        { from: 'c', to: 'b', condition: 'yes' },
      ],
    })
    expect(body).toMatchObject({
      triggerConfig: { eventName: 'x' },
      steps: [
        { config: { topicId: topic.id } },
        { config: { condition: { groups: [{ filters: [{ value: topic.id }] }] } } },
        {},
      ],
      transitions: [
        { from: 'trigger', to: 'a' },
        { from: 'a', to: 'c' },
        { from: 'c', to: 'b', branch: 'yes' },
      ],
    })
  })

  test('never has a slug that is a path of the API’s own', async () => {
    const pull = await api.alice.post('/v1/workflows', smallFlow({ name: 'Pull' }))
    expect(pull.body.slug).toMatch(/^pull-[0-9a-f]{8}$/)
    const asked = await api.alice.post('/v1/workflows', smallFlow({ slug: 'push' }))
    expect([asked.status, asked.body.reason]).toEqual([409, 'slug_taken'])
    const path = `/v1/workflows/${pull.body.id}`
    const renamed = await api.alice.patch(path, { slug: 'executions' })
    expect([renamed.status, renamed.body.reason]).toEqual([409, 'slug_taken'])
    expect((await api.alice.get(`/v1/workflows/${pull.body.slug}`)).body.id).toBe(pull.body.id)
  })

  test('takes a slug that nobody has', async () => {
    const taken = await api.alice.post('/v1/workflows', smallFlow({ slug: 'mine' }))
    expect(taken.status).toBe(201)
    const refused = await api.alice.post('/v1/workflows', smallFlow({ slug: 'mine' }))
    expect([refused.status, refused.body.reason]).toEqual([409, 'slug_taken'])
    expect((await api.charlie.post('/v1/workflows', smallFlow({ slug: 'mine' }))).status).toBe(201)
    const { body } = await api.alice.post('/v1/workflows', smallFlow({ name: 'Mine' }))
    expect(body.slug).toMatch(/^mine-[0-9a-f]{8}$/)
  })

  test('has room: a plan counts those that are not deleted', async () => {
    const { organizationId } = api.charlie
    await api.sql`update organizations set plan = 'free' where id = ${organizationId}`
    await api.sql`
      update flows set deleted_at = now(), enabled = false where organization_id = ${organizationId}`
    const ids = []
    for (const _ of [1, 2]) ids.push((await createFlow(api.charlie)).id)
    const full = await api.charlie.post('/v1/workflows', smallFlow())
    expect([full.status, full.body.reason]).toEqual([402, 'plan_limit'])
    expect((await api.charlie.delete(`/v1/workflows/${ids[0]}`)).status).toBe(200)
    const both = await Promise.all(
      [1, 2, 3].map(() => api.charlie.post('/v1/workflows', smallFlow())),
    )
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 402, 402])
    await api.sql`update organizations set plan = 'enterprise' where id = ${organizationId}`
  })
})

describe('the list', () => {
  test('is newest first, by pages, of what is asked for', async () => {
    const client = await api.client(await fresh(), ['full'])
    const ids: string[] = []
    for (let n = 0; n < 5; n++) {
      const trigger = n % 2 === 0 ? {} : { triggerType: 'contact_created' }
      ids.unshift((await createFlow(client, smallFlow({ name: `Flow ${n}_%`, ...trigger }))).id)
    }
    await client.post(`/v1/workflows/${ids[0]}/enable`)
    const seen: string[] = []
    let cursor = ''
    do {
      const { body } = await client.get(`/v1/workflows?limit=2${cursor}`)
      seen.push(...body.data.map(({ id }: { id: string }) => id))
      cursor = body.nextCursor === null ? '' : `&cursor=${body.nextCursor}`
    } while (cursor !== '')
    expect(seen).toEqual(ids)
    const listed = async (query: string) =>
      (await client.get(`/v1/workflows?${query}`)).body.data.map(({ id }: { id: string }) => id)
    expect(await listed('enabled=true')).toEqual([ids[0]])
    expect(await listed('enabled=false')).toEqual(ids.slice(1))
    expect(await listed('triggerType=contact_created')).toEqual([ids[1], ids[3]])
    expect(await listed('search=w%203_')).toEqual([ids[1]])
    expect(await listed('search=nobody')).toEqual([])
    const { body } = await client.get('/v1/workflows?limit=1')
    expect(body.data[0]).not.toHaveProperty('steps')
    const foreign = await api.alice.get(`/v1/workflows?cursor=${body.nextCursor}`)
    expect(foreign.status).toBe(400)
  })

  test('and one workflow say what became of executions', async () => {
    const { organizationId } = api.alice
    const { id } = await createFlow(api.alice)
    await api.sql`
      insert into flow_counters (organization_id, flow_id, slot, started, completed, failed,
        cancelled, dropped)
      values (${organizationId}, ${id}, 0, 10, 2, 1, 1, 5), (${organizationId}, ${id}, 9, 1, 1, 0, 0, 0)`
    const stats = { started: 11, completed: 3, failed: 1, cancelled: 1, dropped: 5, live: 6 }
    expect((await get(id)).body.stats).toEqual(stats)
    const { body } = await api.alice.get('/v1/workflows?limit=1')
    expect(body.data[0]).toMatchObject({ id, stats })
  })
})

describe('a change', () => {
  test('of what it says is a version; executions find the one they run', async () => {
    const { id } = await createFlow(api.alice, flowInput({ slug: 'versions' }))
    const before = (await get(id)).body
    const steps = before.steps.map((step: { id: string; name: string }) =>
      step.id === 'wait' ? { ...step, name: 'Renamed' } : step,
    )
    const { status, body } = await patch(id, { steps })
    expect(status).toBe(200)
    expect(body).toMatchObject({ version: 2, steps: [{}, { name: 'Renamed' }, {}, {}] })
    expect((await api.alice.get(`/v1/workflows/${id}?version=1`)).body.steps).toEqual(before.steps)
    const unknown = await api.alice.get(`/v1/workflows/${id}?version=3`)
    expect([unknown.status, unknown.body.error]).toEqual([
      404,
      'Version 3 of the workflow not found',
    ])
    const { organizationId } = api.alice
    const { load } = createDefinitionCache()
    const first = await load(api.sql, organizationId, id, 1)
    expect(first?.entry).toBe('welcome')
    expect(first?.steps[1]?.name).toBe('First order?')
    expect(await load(api.sql, api.charlie.organizationId, id, 1)).toBeUndefined()
  })

  test('get, edit, patch works, and the same again is no version', async () => {
    const { id } = await createFlow(api.alice, flowInput({ slug: 'same' }))
    const before = (await get(id)).body
    const same = await patch(id, { ...before, stats: { started: 9 }, version: 7 })
    expect(same.body).toEqual(before)
    const renamed = await patch(id, { ...before, name: 'Other', description: 'D' })
    expect(renamed.body).toMatchObject({ name: 'Other', description: 'D', version: 1 })
    expect(Date.parse(renamed.body.updatedAt)).toBeGreaterThan(Date.parse(before.updatedAt))
    expect((await patch(id, { description: null })).body).toMatchObject({ description: null })
  })

  test('of settings is merged, of the trigger whole', async () => {
    const { id } = await createFlow(api.alice, flowInput({ slug: 'settings' }))
    await patch(id, { settings: { allowReentry: true, exitOn: { events: ['left'] } } })
    const { body } = await patch(id, { settings: { reentryDelaySeconds: 60 } })
    expect(body.settings).toMatchObject({
      allowReentry: true,
      reentryDelaySeconds: 60,
      exitOn: { events: ['left'] },
    })
    expect((await patch(id, { triggerType: 'contact_created' })).body).toMatchObject({
      triggerType: 'contact_created',
      triggerConfig: {},
    })
    const [row] = await api.sql`
      select trigger_type, trigger_key, version from flows where id = ${id}`
    expect(row).toEqual({
      triggerType: 'contact_created',
      triggerKey: null,
      version: 4,
    })
  })

  test('keeps a header that is hidden, by step and name', async () => {
    const { id } = await createFlow(api.alice, flowInput({ slug: 'headers' }))
    const { steps } = (await get(id)).body
    const withHeaders = (headers: object) => ({
      steps: [...steps.slice(0, 3), { ...steps[3], config: { ...steps[3].config, headers } }],
    })
    const { body } = await patch(id, withHeaders({ authorization: '***', 'x-more': 'm' }))
    expect(body).toMatchObject({
      version: 2,
      steps: [{}, {}, {}, { config: { headers: { authorization: '***', 'x-more': '***' } } }],
    })
    expect(JSON.parse((await headersOf(id, 2))!)).toEqual({
      authorization: 'Bearer s3cret',
      'x-more': 'm',
    })
    // A version of something else takes them along.
    await patch(id, { settings: { allowReentry: true } })
    expect(JSON.parse((await headersOf(id, 3))!)).toEqual(JSON.parse((await headersOf(id, 2))!))
    const refused = await patch(id, withHeaders({ 'x-new': '***' }))
    expect([refused.status, refused.body.details[0]]).toEqual([
      400,
      {
        path: 'steps[3].config.headers.x-new',
        message: expect.stringContaining('Step "Tell sales" (call): config.headers.x-new has no'),
      },
    ])
    expect((await get(id)).body.version).toBe(3)
  })

  test('keeps no hidden header for another host, port or scheme', async () => {
    const { id } = await createFlow(api.alice, flowInput({ slug: 'elsewhere' }))
    const { steps } = (await get(id)).body
    const to = (url: string, headers: object) =>
      patch(id, {
        steps: [
          ...steps.slice(0, 3),
          { ...steps[3], config: { ...steps[3].config, url, headers } },
        ],
      })
    for (const url of [
      'https://mine.example.net/hook',
      'http://sales.example.com/hook',
      'https://sales.example.com:8443/hook',
      'https://sales.example.com.mine.example.net/',
    ]) {
      const { status, body } = await to(url, { authorization: '***' })
      expect([url, status, body.details?.[0]]).toEqual([
        url,
        400,
        {
          path: 'steps[3].config.headers.authorization',
          message: expect.stringContaining('is required again'),
        },
      ])
    }
    const pushed = await api.alice.post('/v1/workflows/push', {
      force: true,
      workflows: [
        flowInput({
          slug: 'elsewhere',
          steps: [
            ...steps.slice(0, 3),
            {
              ...steps[3],
              config: {
                ...steps[3].config,
                url: 'https://mine.example.net',
                headers: { authorization: '***' },
              },
            },
          ],
        }),
      ],
    })
    expect(pushed.status).toBe(400)
    expect((await get(id)).body.version).toBe(1)
    // At the same host it is kept; at another one a value that is given is taken.
    expect((await to('https://sales.example.com/v2', { authorization: '***' })).status).toBe(200)
    expect(JSON.parse((await headersOf(id, 2))!)).toEqual({ authorization: 'Bearer s3cret' })
    expect((await to('https://mine.example.net/', { authorization: 'mine' })).status).toBe(200)
    expect(JSON.parse((await headersOf(id, 3))!)).toEqual({ authorization: 'mine' })
  })

  test('of what somebody else has changed since is refused', async () => {
    const { id } = await createFlow(api.alice)
    const { updatedAt } = (await get(id)).body
    const changes = [1, 2, 3, 4].map((n) =>
      patch(id, { name: `N${n}`, ifUnmodifiedSince: updatedAt }),
    )
    const answers = await Promise.all(changes)
    const [won, ...others] = answers.toSorted((a, b) => a.status - b.status)
    expect(won?.status).toBe(200)
    expect(others.map(({ status, body }) => [status, body.reason])).toEqual(
      Array.from({ length: 3 }, () => [409, 'modified']),
    )
    expect((await get(id)).body.name).toBe(won?.body.name)
  })

  test('to a slug that another one has is 409', async () => {
    await createFlow(api.alice, smallFlow({ slug: 'theirs' }))
    const { id } = await createFlow(api.alice)
    const refused = await patch(id, { slug: 'theirs', name: 'Other' })
    expect([refused.status, refused.body.reason]).toEqual([409, 'slug_taken'])
    expect((await get(id)).body.name).toBe('Small')
  })

  test('made four times at once makes four versions, one after the other', async () => {
    const { id } = await createFlow(api.alice)
    const answers = await Promise.all(
      [1, 2, 3, 4].map((n) => patch(id, { settings: { reentryDelaySeconds: n } })),
    )
    const versions = answers.map(({ body }): number => body.version)
    expect(versions.toSorted((a, b) => a - b)).toEqual([2, 3, 4, 5])
  })
})

describe('a workflow that is deleted', () => {
  test('is gone, its versions are not, and its slug is free', async () => {
    const { id } = await createFlow(api.alice, smallFlow({ slug: 'gone', enabled: true }))
    expect((await api.alice.delete('/v1/workflows/gone')).body).toEqual({ success: true })
    expect((await get(id)).status).toBe(404)
    expect((await patch(id, { name: 'x' })).status).toBe(404)
    expect((await api.alice.delete(`/v1/workflows/${id}`)).status).toBe(404)
    expect((await api.alice.post(`/v1/workflows/${id}/enable`)).status).toBe(404)
    const [row] = await api.sql`
      select enabled, deleted_at is not null as deleted from flows where id = ${id}`
    expect(row).toEqual({ enabled: false, deleted: true })
    const { load } = createDefinitionCache()
    expect(await load(api.sql, api.alice.organizationId, id, 1)).toBeDefined()
    expect((await createFlow(api.alice, smallFlow({ slug: 'gone' }))).id).not.toBe(id)
  })

  test('is another organization’s: 403 by its id, 404 by its slug, and it stays', async () => {
    const { id } = await createFlow(api.charlie, smallFlow({ slug: 'charlies' }))
    for (const call of [
      () => get(id),
      () => patch(id, { name: 'Mine now' }),
      () => api.alice.delete(`/v1/workflows/${id}`),
      () => api.alice.post(`/v1/workflows/${id}/rotate-secret`),
    ]) {
      expect((await call()).status).toBe(403)
    }
    expect((await get('charlies')).status).toBe(404)
    expect((await get(uuidv7())).status).toBe(404)
    expect((await api.charlie.get(`/v1/workflows/${id}`)).body.name).toBe('Small')
  })
})

async function headersOf(flowId: string, version: number): Promise<string | undefined> {
  const { organizationId } = api.alice
  const [row] = await api.sql<{ sealed: Buffer }[]>`
    select sealed from flow_headers
    where flow_id = ${flowId} and version = ${version} and step_id = 'call'`
  const place = flowHeadersPlace(organizationId, { flowId, version, stepId: 'call' })
  return open(api.deps.keyring, 'flow-headers', place, row?.sealed ?? Buffer.alloc(0))
}

async function fresh(): Promise<string> {
  const id = uuidv7()
  await api.sql`insert into organizations (id, name, plan) values (${id}, 'Fresh', 'scale')`
  return id
}
