import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { flowSecretPlace, open } from '../../src/keys/sealing.ts'
import { type Api, connectAccount, startApi } from '../support/api.ts'
import { createFlow, flowInput, smallFlow } from '../support/flow-inputs.ts'

let api: Api
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

const get = async (id: string) => (await api.alice.get(`/v1/workflows/${id}`)).body
const enable = (id: string) => api.alice.post(`/v1/workflows/${id}/enable`)
const disable = (id: string) => api.alice.post(`/v1/workflows/${id}/disable`)

describe('a workflow', () => {
  test('is enabled and disabled, any number of times, without a new version', async () => {
    const { id } = await createFlow(api.alice, smallFlow({ slug: 'switched' }))
    for (const [call, enabled] of [
      [enable, true],
      [enable, true],
      [disable, false],
      [disable, false],
    ] as const) {
      const { status, body } = await call(id)
      expect(status).toBe(200)
      expect(body).toMatchObject({ id, enabled, version: 1 })
      expect(await get(id)).toEqual(body)
    }
    expect((await enable('switched')).body.enabled).toBe(true)
    expect((await api.alice.patch(`/v1/workflows/${id}`, { enabled: false })).body).toMatchObject({
      enabled: false,
      version: 1,
    })
  })

  test('cannot be enabled without what it needs; the step is named', async () => {
    const sms = { id: 'sms', type: 'send_sms', name: 'Text', config: { body: 'Hi' } }
    const { id } = await createFlow(api.alice, smallFlow({ steps: [sms] }))
    const refused = await enable(id)
    expect([refused.status, refused.body.reason]).toEqual([400, 'workflow_not_runnable'])
    expect(refused.body.details).toEqual([
      {
        path: 'steps[0].config',
        message: 'Step "Text" (sms): needs an SMS transport; none is configured',
      },
    ])
    expect((await get(id)).enabled).toBe(false)
    const created = await api.alice.post(
      '/v1/workflows',
      smallFlow({ steps: [sms], enabled: true }),
    )
    expect(created.status).toBe(400)
  })

  test('that mails needs an account, which one when there are several', async () => {
    const { id } = await createFlow(api.alice, flowInput({ slug: 'mails' }))
    expect((await enable(id)).body.details).toEqual([
      {
        path: 'steps[0].config.cloudAccountId',
        message: 'Step "Welcome mail" (welcome): no account is connected',
      },
    ])
    const { connectionId } = await connectAccount(api.alice)
    expect((await enable(id)).status).toBe(200)
    await disable(id)
    await connectAccount(api.alice, { accountId: '210987654321' })
    const { details } = (await enable(id)).body
    expect(details[0].message).toContain('is required, since several accounts are connected')
    const { steps } = await get(id)
    steps[0].config.cloudAccountId = connectionId
    await api.alice.patch(`/v1/workflows/${id}`, { steps })
    expect((await enable(id)).status).toBe(200)
    await disable(id)
    await api.alice.delete(`/v1/connections/${connectionId}`)
    expect((await enable(id)).body.details[0].message).toContain('the account is disconnected')
  })

  test('that is enabled cannot be changed into one that cannot run', async () => {
    const { id } = await createFlow(api.alice, smallFlow({ enabled: true }))
    const steps = [{ id: 'sms', type: 'send_sms', name: 'Text', config: { body: 'Hi' } }]
    const refused = await api.alice.patch(`/v1/workflows/${id}`, { steps, transitions: [] })
    expect(refused.status).toBe(400)
    expect(await get(id)).toMatchObject({ version: 1, enabled: true })
    const off = { steps, transitions: [], enabled: false }
    expect((await api.alice.patch(`/v1/workflows/${id}`, off)).body.version).toBe(2)
  })

  test('that needs a template needs it published', async () => {
    const { body: template } = await api.alice.post('/v1/templates', {
      name: 'T',
      source: '<p>x</p>',
    })
    const step = (config: object) => ({
      ...flowInput().steps[0],
      config: { from: 'a@example.com', templateId: template.id, ...config },
    })
    const without = await api.alice.post('/v1/workflows', smallFlow({ steps: [step({})] }))
    expect(without.body.details[0].message).toContain('config.subject is required')
    await connectAccount(api.alice, { accountId: '111122223333' })
    const [account] = (await api.alice.get('/v1/connections')).body.connections
    const steps = [step({ subject: 'S', cloudAccountId: account.id })]
    const { id } = await createFlow(api.alice, smallFlow({ steps }))
    await api.sql`update templates set status = 'ARCHIVED' where id = ${template.id}`
    expect((await enable(id)).body.details[0].message).toContain('its template is not published')
    await api.sql`update templates set status = 'PUBLISHED' where id = ${template.id}`
    expect((await enable(id)).status).toBe(200)
  })
})

test('a schedule is told to Temporal whenever it may have changed, and nothing else is', async () => {
  const enqueued = async () => {
    const rows = await api.sql<{ flowId: string }[]>`
      delete from outbox where kind = 'sync_schedule' returning payload ->> 'flowId' as flow_id`
    return rows.map(({ flowId }) => flowId)
  }
  await createFlow(api.alice, smallFlow({ enabled: true }))
  expect(await enqueued()).toEqual([])
  const schedule = { triggerType: 'schedule', triggerConfig: { cron: '0 9 * * mon' } }
  const { id } = await createFlow(api.alice, smallFlow(schedule))
  expect(await enqueued()).toEqual([id])
  expect(await get(id)).toMatchObject({ triggerConfig: { cron: '0 9 * * mon', timezone: 'UTC' } })
  await enable(id)
  expect(await enqueued()).toEqual([id])
  await enable(id)
  await api.alice.patch(`/v1/workflows/${id}`, { name: 'Renamed' })
  expect(await enqueued()).toEqual([])
  const berlin = { cron: '0 9 * * mon', timezone: 'Europe/Berlin' }
  await api.alice.patch(`/v1/workflows/${id}`, { triggerConfig: berlin })
  expect(await enqueued()).toEqual([id])
  await api.alice.patch(`/v1/workflows/${id}`, { triggerType: 'api' })
  expect(await enqueued()).toEqual([id])
  await api.alice.patch(`/v1/workflows/${id}`, { triggerType: 'schedule', triggerConfig: berlin })
  await enqueued()
  await api.alice.delete(`/v1/workflows/${id}`)
  expect(await enqueued()).toEqual([id])
})

describe('a schedule that starts each contact only once says so', () => {
  const cron = { triggerType: 'schedule', triggerConfig: { cron: '0 9 * * mon' } }
  const STARTS_ONCE = [
    {
      reason: 'starts_once',
      path: 'settings.allowReentry',
      message:
        'is not set, so the schedule starts each contact only once. Set it to true to start contacts each time',
    },
  ]

  test('when it is created, changed into one, and enabled', async () => {
    const created = (await api.alice.post('/v1/workflows', smallFlow(cron))).body
    expect(created.warnings).toEqual(STARTS_ONCE)
    expect((await enable(created.id)).body.warnings).toEqual(STARTS_ONCE)
    expect((await enable(created.id)).body.warnings).toBeUndefined()

    const { id } = await createFlow(api.alice, smallFlow())
    const patch = (body: object) => api.alice.patch(`/v1/workflows/${id}`, body)
    expect((await patch(cron)).body.warnings).toEqual(STARTS_ONCE)
    expect((await patch({ name: 'Another' })).body.warnings).toBeUndefined()
    expect((await patch({ settings: { allowReentry: true } })).body.warnings).toBeUndefined()
    expect((await patch({ settings: { allowReentry: false } })).body.warnings).toEqual(STARTS_ONCE)
  })

  test('when it is pushed, also as a trial', async () => {
    const { name: _, ...definition } = smallFlow(cron)
    const workflows = [
      { slug: 'every-time', name: 'A', ...definition, settings: { allowReentry: true } },
      { slug: 'only-once', name: 'B', ...definition },
    ]
    const pushed = STARTS_ONCE.map((each) => ({ ...each, path: `workflows[1].${each.path}` }))
    for (const dryRun of [true, false]) {
      const { status, body } = await api.alice.post('/v1/workflows/push', { workflows, dryRun })
      expect([status, body.warnings]).toEqual([200, pushed])
    }
  })

  test('and others do not', async () => {
    for (const more of [{ ...cron, settings: { allowReentry: true } }, {}]) {
      expect((await createFlow(api.alice, smallFlow(more))) as object).not.toHaveProperty(
        'warnings',
      )
    }
  })
})

test('versions are listed newest first, by pages', async () => {
  const { id } = await createFlow(api.alice)
  for (const n of [1, 2, 3]) {
    await api.alice.patch(`/v1/workflows/${id}`, { settings: { reentryDelaySeconds: n } })
  }
  const first = (await api.alice.get(`/v1/workflows/${id}/versions?limit=3`)).body
  expect(first.data.map(({ version }: { version: number }) => version)).toEqual([4, 3, 2])
  const url = `/v1/workflows/${id}/versions?limit=3&cursor=${first.nextCursor}`
  expect((await api.alice.get(url)).body).toEqual({
    data: [{ version: 1, createdAt: expect.any(String) }],
    nextCursor: null,
  })
  const other = await createFlow(api.alice)
  const foreign = await api.alice.get(
    `/v1/workflows/${other.id}/versions?cursor=${first.nextCursor}`,
  )
  expect(foreign.status).toBe(400)
})

test('a diagram is text, of any version', async () => {
  const { id } = await createFlow(api.alice, smallFlow({ slug: 'drawn' }))
  const before = await api.alice.get('/v1/workflows/drawn/diagram')
  expect(before.headers['content-type']).toBe('text/plain; charset=utf-8')
  expect(before.text).toBe(
    'flowchart TD\n  start(["Trigger<br/>api"])\n  s0(["End<br/>exit, completed"])\n  start --> s0\n',
  )
  const steps = [{ id: 'x', type: 'exit', name: 'Other "end"', config: { outcome: 'failed' } }]
  await api.alice.patch(`/v1/workflows/${id}`, { steps, transitions: [] })
  const after = await api.alice.get(`/v1/workflows/${id}/diagram`)
  expect(after.text).toContain('s0(["Other #34;end#34;<br/>exit, failed"])')
  expect((await api.alice.get(`/v1/workflows/${id}/diagram?version=1`)).text).toBe(before.text)
  expect((await api.alice.get(`/v1/workflows/${id}/diagram?version=9`)).status).toBe(404)
  expect((await api.charlie.get(`/v1/workflows/${id}/diagram`)).status).toBe(403)
})

test('another secret replaces the first, which signs for a day more', async () => {
  const { organizationId } = api.alice
  const { body: flow } = await api.alice.post('/v1/workflows', smallFlow())
  const send = () =>
    api.alice.send({
      method: 'POST',
      url: `/v1/workflows/${flow.id}/rotate-secret`,
      headers: { 'idempotency-key': 'rotate' },
    })
  const { status, body } = await send()
  expect(status).toBe(200)
  const untilMs = Date.parse(body.previousSecretUntil) - Date.now()
  expect(Math.abs(untilMs - 86_400_000)).toBeLessThan(60_000)
  expect((await send()).body).toEqual({ ...body, webhookSecret: null })
  const [row] = await api.sql<{ sealedSecret: Buffer; previousSealedSecret: Buffer }[]>`
    select sealed_secret, previous_sealed_secret from flows where id = ${flow.id}`
  const opened = (sealed: Buffer) =>
    open(api.deps.keyring, 'flow-secret', flowSecretPlace(organizationId, flow.id), sealed)
  expect(opened(row!.sealedSecret)).toBe(body.webhookSecret)
  expect(opened(row!.previousSealedSecret)).toBe(flow.webhookSecret)
  const { data } = (await api.alice.get('/v1/audit-events?limit=1')).body
  expect(data[0]).toMatchObject({ action: 'workflow.secret_rotated', subjectId: flow.id })
  expect(JSON.stringify(data)).not.toContain('whsec_')
  expect((await get(flow.id)).version).toBe(1)
})
