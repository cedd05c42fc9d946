import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { uuidv7 } from '../../src/runtime/ids.ts'
import { type Api, connectAccount, startApi } from '../support/api.ts'
import { flowInput, smallFlow } from '../support/flow-inputs.ts'

// Requests as clients of other services write them.

let api: Api
let connectionId: string
beforeAll(async () => {
  api = await startApi()
  connectionId = (await connectAccount(api.alice)).connectionId
})
afterAll(() => api.close())

const batch = (input: object) =>
  api.alice.post('/v1/batch', {
    audienceType: 'all',
    from: 'news@example.com',
    subject: 'News',
    htmlContent: '<p>News</p>',
    ...input,
  })
let names = 0
const topic = (input: object) => api.alice.post('/v1/topics', { name: `N ${names++}`, ...input })
const mailing = (config: object) => {
  const [step] = flowInput().steps
  return { steps: [{ ...step, config: { ...step?.config, ...config } }], transitions: [] }
}
const flow = (config: object) => api.alice.post('/v1/workflows', flowInput(mailing(config)))
const push = (config: object) =>
  api.alice.post('/v1/workflows/push', {
    workflows: [flowInput({ slug: `f-${names++}`, ...mailing(config) })],
  })

describe('from may be `Name <address>`', () => {
  const forms = [
    ['News <news@example.com>', 'News'],
    ['"Doe, Jane" <news@example.com>', 'Doe, Jane'],
    ['=?UTF-8?B?w5xiZXI=?= <news@example.com>', 'Über'],
    ['<news@example.com>', null],
  ] as const

  test.each(forms)('of a batch: %s', async (from, fromName) => {
    const { status, body } = await batch({ from })
    expect([status, body]).toMatchObject([201, { from: 'news@example.com', fromName }])
  })

  test.each(forms)('of a topic’s confirmations: %s', async (from, fromName) => {
    const made = await topic({ from, doubleOptIn: true })
    expect([made.status, made.body]).toMatchObject([201, { from: 'news@example.com', fromName }])
    const { body } = await api.alice.patch(`/v1/topics/${made.body.id}`, {
      from: 'Other <other@example.com>',
    })
    expect(body).toMatchObject({ from: 'other@example.com', fromName: 'Other' })
    const address = await api.alice.patch(`/v1/topics/${made.body.id}`, { from: 'a@example.com' })
    expect(address.body).toMatchObject({ from: 'a@example.com', fromName: 'Other' })
  })

  test.each(forms)('of a workflow’s step, created and pushed: %s', async (from, fromName) => {
    const sender = { from: 'news@example.com', ...(fromName === null ? {} : { fromName }) }
    const { status, body } = await flow({ from })
    expect([status, body.steps[0].config]).toEqual([201, expect.objectContaining(sender)])
    const pushed = await push({ from })
    expect(pushed.status).toBe(200)
    const [{ slug }] = pushed.body.results
    const { workflows } = (await api.alice.get(`/v1/workflows/pull?slug=${slug}`)).body
    expect(workflows[0].steps[0].config).toMatchObject(sender)
    const same = await api.alice.post('/v1/workflows/push', {
      workflows: [flowInput({ slug, ...mailing({ from }) })],
    })
    expect(same.body.results[0].outcome).toBe('unchanged')
  })

  test.each([
    ['batch', batch, ''],
    ['topic', topic, ''],
    ['workflow', flow, 'steps[0].config.'],
    ['push', push, 'workflows[0].steps[0].config.'],
  ] as const)('of a %s, with the same fromName only', async (_, send, path) => {
    const from = 'News <news@example.com>'
    expect((await send({ from, fromName: 'News' })).status).toBeLessThan(300)
    const { status, body } = await send({ from, fromName: 'Other' })
    expect([status, body.details[0].path]).toEqual([400, `${path}fromName`])
    expect(body.error).toContain('differs from the name in from')
    for (const bad of ['News\r\nBcc: x <a@b.c>', 'Doe, Jane <a@b.c>', 'a@b.c, d@e.f', 'News <a>']) {
      const refused = await send({ from: bad })
      expect([bad, refused.status, refused.body.details[0].path]).toEqual([bad, 422, `${path}from`])
    }
  })
})

describe('an account may be `awsAccountId`, or its 12 digits', () => {
  const NUMBER = '123456789012'
  const takers = [
    ['batch', batch, '', (body: Body) => body.cloudAccountId],
    ['topic', topic, '', (body: Body) => body.cloudAccountId],
    ['workflow', flow, 'steps[0].config.', (body: Body) => body.steps[0].config.cloudAccountId],
  ] as const
  // oxlint-disable-next-line typescript/no-explicit-any -- the answers of three operations
  type Body = any

  test.each(takers)('of a %s', async (_, send, path, accountOf) => {
    for (const names of [
      { awsAccountId: connectionId },
      { awsAccountId: NUMBER },
      { cloudAccountId: NUMBER },
      { cloudAccountId: connectionId, awsAccountId: connectionId.toUpperCase() },
    ]) {
      const { status, body } = await send(names)
      expect([names, status, accountOf(body)]).toEqual([names, 201, connectionId])
    }
    const refused = async (names: object) => {
      const { status, body } = await send(names)
      return [status, body.details?.[0]]
    }
    const differ = { cloudAccountId: connectionId, awsAccountId: NUMBER }
    expect(await refused(differ)).toEqual([
      400,
      { path: `${path}awsAccountId`, message: expect.stringContaining('differs') },
    ])
    const [status, detail] = await refused({ cloudAccountId: '999999999999' })
    expect([status, detail]).toEqual([
      400,
      {
        path: `${path}cloudAccountId`,
        message: expect.stringContaining('is not the number of a connected account'),
      },
    ])
    expect((await refused({ awsAccountId: uuidv7() }))[0]).toBe(400)
    const { connectionId: theirs } = await connectAccount(api.charlie, {
      accountId: '5'.repeat(12),
    })
    expect((await refused({ awsAccountId: theirs }))[0]).toBe(403)
    expect((await refused({ awsAccountId: '5'.repeat(12) }))[0]).toBe(400)
  })

  test('of a topic, where null clears it', async () => {
    const { body } = await topic({ awsAccountId: NUMBER })
    const cleared = await api.alice.patch(`/v1/topics/${body.id}`, { awsAccountId: null })
    expect([cleared.status, cleared.body.cloudAccountId]).toEqual([200, null])
  })

  test('in the query of domains', async () => {
    const ask = async (query: string) => {
      const { status, body } = await api.alice.get(`/v1/domains?${query}`)
      return [status, body.accounts?.map(({ id }: { id: string }) => id) ?? body.details[0].path]
    }
    expect(await ask(`awsAccountId=${connectionId}`)).toEqual([200, [connectionId]])
    expect(await ask(`awsAccountId=${NUMBER}`)).toEqual([200, [connectionId]])
    expect(await ask('awsAccountId=999999999999')).toEqual([400, 'awsAccountId'])
    expect(await ask(`cloudAccountId=${NUMBER}&awsAccountId=${connectionId}`)).toEqual([
      400,
      'awsAccountId',
    ])
    expect((await api.alice.get(`/v1/domains?awsAccountId=${uuidv7()}`)).status).toBe(404)
  })

  test('but not the digits of an account with two connections, until one is gone', async () => {
    const twice = { accountId: '777777777777' }
    const { connectionId: first } = await connectAccount(api.alice, twice)
    const { connectionId: second } = await connectAccount(api.alice, {
      ...twice,
      region: 'eu-west-1',
    })
    const answers = () =>
      Promise.all(takers.map(([, send]) => send({ awsAccountId: twice.accountId })))
    for (const { status, body } of await answers()) {
      expect([status, body.error]).toEqual([400, expect.stringContaining('several connections')])
    }
    await api.alice.delete(`/v1/connections/${first}`)
    const found = await answers()
    expect(found.map(({ body }, n) => takers[n]?.[3](body))).toEqual([second, second, second])
    await api.alice.delete(`/v1/connections/${second}`)
  })
})

describe('a push may be of one workflow by itself', () => {
  const single = (input: object) => api.alice.post('/v1/workflows/push', smallFlow(input))

  test('and is answered like a list of one', async () => {
    const { status, body } = await single({ slug: 'alone', sourceHash: 'h1' })
    expect([status, body]).toEqual([
      200,
      {
        success: true,
        dryRun: false,
        results: [{ slug: 'alone', id: expect.any(String), outcome: 'created', version: 1 }],
      },
    ])
    const workflows = [smallFlow({ slug: 'alone' })]
    const list = await api.alice.post('/v1/workflows/push', { workflows })
    expect(list.body.results).toMatchObject([{ outcome: 'unchanged' }])
    const tried = await single({ slug: 'alone', name: 'Other', dryRun: true })
    expect(tried.body).toMatchObject({ dryRun: true, results: [{ outcome: 'updated' }] })
    await api.alice.patch('/v1/workflows/alone', { description: 'Edited' })
    const edited = await single({ slug: 'alone', name: 'Other' })
    expect([edited.status, edited.body.details[0].path]).toEqual([409, 'slug'])
    expect((await single({ slug: 'alone', name: 'Other', force: true })).status).toBe(200)
  })

  test('of which the problems are named without a list', async () => {
    const steps = [{ id: 'end', type: 'exit', name: 'End', config: { outcome: 'sideways' } }]
    const shape = await single({ slug: 'wrong', steps })
    expect([shape.status, shape.body.details]).toEqual([
      422,
      [
        {
          path: 'steps[0].config.outcome',
          message: 'Step "End" (end): config.outcome must be one of: completed, cancelled, failed',
        },
      ],
    ])
    const rule = await single({ slug: 'wrong', transitions: [{ from: 'trigger', to: 'nowhere' }] })
    expect([rule.status, rule.body.details[0].path]).toEqual([400, 'transitions[0].to'])
    const both = await single({ slug: 'wrong', workflows: [] })
    expect(both.status).toBe(422)
    const nameless = await api.alice.post('/v1/workflows/push', smallFlow({}))
    expect([nameless.status, nameless.body.details]).toEqual([
      422,
      [{ path: 'slug', message: 'is required' }],
    ])
  })
})
