import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { uuidv7 } from '../../src/runtime/ids.ts'
import * as organizations from '../../src/store/access/organizations.ts'
import { type Api, type Client, startApi } from '../support/api.ts'
import { until } from '../support/engine.ts'
import { type ProviderEngine, startProviderEngine } from '../support/provider-engine.ts'

let engine: ProviderEngine
let api: Api
let dora: Client
let accountId: string

beforeAll(async () => {
  engine = await startProviderEngine()
  api = await startApi({ asker: engine.asker })
  await engine.work(api.databaseUrl)
})
beforeEach(async () => {
  const id = uuidv7()
  await organizations.create(api.sql, { id, name: 'D', plan: 'enterprise' })
  dora = await api.client(id, ['full'])
  const identities = [{ identity: 'one.example', verified: true }]
  accountId = (await engine.connect(dora, { identities })).accountId
})
afterAll(async () => {
  await engine.stop()
  await api.close()
})

const flow = (from: string, more: object = {}) => ({
  name: 'Welcome',
  slug: 'welcome',
  triggerType: 'api',
  steps: [
    { id: 'pause', type: 'delay', name: 'Pause', config: { amount: 1, unit: 'hours' } },
    {
      id: 'hello',
      type: 'send_email',
      name: 'Say hello',
      config: { from, subject: 'Hello', html: '<p>Hello</p>' },
    },
  ],
  transitions: [{ from: 'pause', to: 'hello' }],
  ...more,
})
const GOOD = 'news@mail.one.example'
const BAD = 'news@two.example'
const PATH = 'steps[1].config.from'
const refusal = {
  reason: 'sender_not_verified',
  details: [{ path: PATH, message: expect.stringMatching(/Say hello.*news@two\.example/) }],
}
const silence = () => engine.control.setFaults({ readLatencyMs: 4_000 }, accountId)
/** A busy machine may need longer than the check waits for the first list. */
const told = () =>
  until(async () => (await dora.get('/v1/domains')).body.accounts?.[0]?.reachable === true)
const isEnabled = async () => (await dora.get('/v1/workflows/welcome')).body.enabled

const warned = (path: string) => [
  { reason: 'sender_not_checked', path, message: expect.stringContaining(BAD) },
]

test('a push over a running workflow has a warning if the account does not answer', async () => {
  const { body: made } = await dora.post('/v1/workflows', flow(BAD))
  await api.sql`update flows set enabled = true where id = ${made.id}`
  await silence()
  const workflows = [flow(BAD, { settings: { allowReentry: true } })]
  const pushed = await dora.post('/v1/workflows/push', { workflows, force: true })
  expect([pushed.status, pushed.body.warnings]).toEqual([200, warned(`workflows[0].${PATH}`)])
})

test('where the account does not say so, it is enabled with a warning', async () => {
  await dora.post('/v1/workflows', flow(BAD))
  await silence()
  const enabled = await dora.post('/v1/workflows/welcome/enable')
  expect([enabled.status, enabled.body.warnings]).toEqual([200, warned(PATH)])
  expect(await isEnabled()).toBe(true)
  const renamed = await dora.patch('/v1/workflows/welcome', { name: 'Hello' })
  expect([renamed.status, renamed.body.warnings]).toEqual([200, undefined])
  // What was answered can be edited and sent back.
  const { warnings } = enabled.body
  expect((await dora.patch('/v1/workflows/welcome', { warnings })).status).toBe(200)
})

describe('a workflow whose mails are from a sender that is not verified', () => {
  test('is saved, but not enabled: the answer names the step and the sender', async () => {
    await told()
    expect((await dora.post('/v1/workflows', flow(BAD))).body).not.toHaveProperty('warnings')
    const { status, body } = await dora.post('/v1/workflows/welcome/enable')
    expect([status, body]).toMatchObject([400, refusal])
    expect(await isEnabled()).toBe(false)
    const patched = await dora.patch('/v1/workflows/welcome', { enabled: true })
    expect([patched.status, patched.body]).toMatchObject([400, refusal])
    const made = await dora.post('/v1/workflows', flow(BAD, { enabled: true, slug: 'other' }))
    expect([made.status, made.body]).toMatchObject([400, refusal])
    expect((await dora.get('/v1/workflows')).body.data).toHaveLength(1)
  })

  test('cannot replace one that runs', async () => {
    await told()
    const made = await dora.post('/v1/workflows', flow(GOOD, { enabled: true }))
    expect([made.status, made.body.warnings]).toEqual([201, undefined])
    const { steps } = flow(BAD)
    const patched = await dora.patch('/v1/workflows/welcome', { steps })
    expect([patched.status, patched.body]).toMatchObject([400, refusal])
    const pushed = await dora.post('/v1/workflows/push', { workflows: [flow(BAD)], force: true })
    expect([pushed.status, pushed.body.details]).toEqual([
      400,
      [{ path: `workflows[0].${PATH}`, message: expect.stringContaining(BAD) }],
    ])
    expect((await dora.get('/v1/workflows/welcome')).body.version).toBe(1)
  })

  test('that does not run is pushed without a word, whatever the account says', async () => {
    await silence()
    const pushed = await dora.post('/v1/workflows/push', { workflows: [flow(BAD)] })
    expect([pushed.status, pushed.body.warnings]).toEqual([200, undefined])
  })
})

test('a verified sender is enabled without a word', async () => {
  await told()
  await dora.post('/v1/workflows', flow(GOOD))
  const { status, body } = await dora.post('/v1/workflows/welcome/enable')
  expect([status, body.enabled, body.warnings]).toEqual([200, true, undefined])
  const again = await dora.post('/v1/workflows/welcome/enable')
  expect([again.status, again.body.warnings]).toEqual([200, undefined])
  expect((await dora.post('/v1/workflows/welcome/disable')).status).toBe(200)
})
