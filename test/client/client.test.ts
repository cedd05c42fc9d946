import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { ApiFailure, createClient, pages, type Schemas } from '../../src/client/index.ts'
import { type Api, startApi } from '../support/api.ts'

let api: Api
let baseUrl: string
beforeAll(async () => {
  api = await startApi()
  await api.app.listen({ host: '127.0.0.1', port: 0 })
  baseUrl = `http://127.0.0.1:${(api.app.server.address() as AddressInfo).port}`
})
afterAll(() => api.close())

const client = () => createClient({ baseUrl, token: api.alice.key })
const failureOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => expect.unreachable('it succeeded'),
    (error: unknown) => error,
  )

describe('against the API', () => {
  test('creates and reads with the types of the document', async () => {
    const created = await client().post('/v1/contacts', {
      body: { email: 'ada@example.com', firstName: 'Ada' },
    })
    const found = await client().get('/v1/contacts/{id}', {
      params: { path: { id: 'ada@example.com' }, query: { by: 'email' } },
    })
    expect(found).toEqual(created)
    // @ts-expect-error the document has no such field
    expect(found.surname).toBeUndefined()
  })

  test('an operation that has a file or a page as well answers its JSON', async () => {
    const metrics: Schemas['EmailMetrics'] = await client().get('/v1/email/metrics')
    expect(metrics.totals.sent).toBe(0)
    const template = { name: 'News', subject: 'News', source: '<p>News</p>' }
    const { id } = await client().post('/v1/templates', { body: template })
    const preview: Schemas['TemplatePreview'] = await client().post('/v1/templates/{id}/preview', {
      params: { path: { id } },
      body: {},
    })
    expect(preview.html).toContain('News')
    await client().delete('/v1/templates/{id}', { params: { path: { id } } })
    const file = await client().get('/v1/email/metrics', {
      parseAs: 'text',
      headers: { accept: 'text/csv' },
    })
    expect(file).toContain('sent,delivered')
  })

  test('a refusal is an ApiFailure with all that the API said', async () => {
    await client().post('/v1/contacts', { body: { email: 'taken@example.com' } })
    const again = client().post('/v1/contacts', { body: { email: 'taken@example.com' } })
    const failure = await failureOf(again)
    expect(failure).toBeInstanceOf(ApiFailure)
    expect(failure).toMatchObject({
      status: 409,
      code: 'CONFLICT',
      reason: 'email_taken',
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      message: expect.stringContaining('email'),
      details: [{ path: 'email', message: 'is taken', contactId: expect.any(String) }],
    })
  })

  test('without a token it is refused, with a stranger’s it sees nothing', async () => {
    const id = (await client().post('/v1/contacts', { body: { email: 'own@example.com' } })).id
    const get = (token?: string) =>
      createClient({ baseUrl, ...(token === undefined ? {} : { token }) }).get(
        '/v1/contacts/{id}',
        { params: { path: { id } } },
      )
    expect(await failureOf(get())).toMatchObject({ status: 401, code: 'UNAUTHORIZED' })
    expect(await failureOf(get(api.charlie.key))).toMatchObject({ status: 403, code: 'FORBIDDEN' })
  })

  test('an answer that is lost on its way is asked for again, and nothing is done twice', async () => {
    let calls = 0
    const losing = createClient({
      baseUrl,
      token: api.alice.key,
      fetch: async (request) => {
        const answer = await fetch(request)
        if (++calls === 1) throw new TypeError('connection reset')
        return answer
      },
    })
    const created = await losing.post('/v1/contacts', { body: { email: 'once@example.com' } })
    expect(calls).toBe(2)
    const query = { search: 'once@example.com' }
    const { contacts } = await client().get('/v1/contacts', { params: { query } })
    expect(contacts.map(({ id }) => id)).toEqual([created.id])
  })

  test('pages go through a whole list and end', async () => {
    for (const name of ['One', 'Two', 'Three', 'Four', 'Five']) {
      await client().post('/v1/templates', { body: { name, subject: name, source: '<p>Hi</p>' } })
    }
    const sizes: number[] = []
    const names: string[] = []
    const list = pages((cursor) =>
      client().get('/v1/templates', { params: { query: { limit: 2, ...cursor } } }),
    )
    for await (const { data } of list) {
      sizes.push(data.length)
      names.push(...data.map(({ name }) => name))
    }
    expect(sizes).toEqual([2, 2, 1])
    expect(names).toEqual(['Five', 'Four', 'Three', 'Two', 'One'])
  })
})

describe('a refusal that may pass', () => {
  /** Returns in this order, then 200; a number is a status, an Error a broken connection. */
  let script: (Response | Error)[]
  let seen: Request[]
  beforeEach(() => {
    script = []
    seen = []
  })
  const scripted = () =>
    createClient({
      baseUrl: 'http://127.0.0.1:1/',
      token: 'loom_x',
      fetch: async (request) => {
        request.signal.throwIfAborted()
        seen.push(request)
        await request.clone().text()
        const next = script.shift() ?? Response.json({ id: 'made', contacts: [] })
        if (next instanceof Error) throw next
        return next
      },
    })
  const refuse = (status: number, headers: Record<string, string> = { 'retry-after': '0' }) =>
    Response.json({ error: 'No', code: 'RATE_LIMITED' }, { status, headers })
  const keys = () => seen.map(({ headers }) => headers.get('idempotency-key'))
  const create = () => scripted().post('/v1/contacts', { body: { email: 'ada@example.com' } })
  const list = () => scripted().get('/v1/contacts')
  /** No path of `/v1`: it takes no key. */
  const unsubscribe = () =>
    scripted().post('/unsubscribe/{token}', { params: { path: { token: 'x' } } })

  test('is tried again after 429 and 503, a POST with one key and its body', async () => {
    script = [refuse(429), refuse(503), new TypeError('connection reset')]
    expect(await create()).toMatchObject({ id: 'made' })
    expect(seen).toHaveLength(4)
    expect(new Set(keys()).size).toBe(1)
    expect(keys()[0]).toMatch(/^[0-9a-f-]{36}$/)
    for (const request of seen) {
      expect(await request.json()).toEqual({ email: 'ada@example.com' })
      expect(request.headers.get('authorization')).toBe('Bearer loom_x')
    }
  })

  test('keeps a key that the caller gave, and gives the next call another', async () => {
    const params = { header: { 'Idempotency-Key': 'mine' } }
    await scripted().post('/v1/contacts', { params, body: { email: 'ada@example.com' } })
    await create()
    expect(keys()[0]).toBe('mine')
    expect(keys()[1]).not.toBe('mine')
  })

  test('waits as long as Retry-After says, and no longer than a minute', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    try {
      script = [refuse(429, { 'retry-after': '7' })]
      const call = list()
      await vi.advanceTimersByTimeAsync(6_999)
      expect(seen).toHaveLength(1)
      await vi.advanceTimersByTimeAsync(1)
      await call
      expect(seen).toHaveLength(2)
    } finally {
      vi.useRealTimers()
    }
    script = [refuse(429, { 'retry-after': '61' })]
    expect(await failureOf(list())).toMatchObject({ status: 429 })
    expect(seen).toHaveLength(3)
  })

  test('is given up after four tries, with what the last one said', async () => {
    script = Array.from({ length: 9 }, () => refuse(503))
    expect(await failureOf(list())).toMatchObject({ status: 503 })
    expect(seen).toHaveLength(4)
  })

  test('a first try that is still running is waited for; another conflict is told at once', async () => {
    script = [refuse(409)]
    expect(await create()).toMatchObject({ id: 'made' })
    script = [refuse(409, {})]
    expect(await failureOf(create())).toMatchObject({ status: 409 })
    expect(seen).toHaveLength(3)
  })

  test('a request that may have succeeded and has no key is not repeated', async () => {
    script = [refuse(503)]
    expect(await failureOf(unsubscribe())).toMatchObject({ status: 503 })
    script = [new TypeError('connection reset')]
    expect(await failureOf(unsubscribe())).toMatchObject({ message: 'connection reset' })
    expect(seen).toHaveLength(2)
    // A 429 was refused before anything was done.
    script = [refuse(429)]
    await unsubscribe()
    expect(seen).toHaveLength(4)
  })

  test('nothing else is tried again, and a proxy’s page is a failure, too', async () => {
    script = [
      new Response('<h1>Bad gateway</h1>', { status: 502, headers: { 'x-request-id': 'abc' } }),
    ]
    expect(await failureOf(list())).toMatchObject({
      status: 502,
      code: 'INTERNAL_ERROR',
      requestId: 'abc',
    })
    expect(seen).toHaveLength(1)
  })

  test('a caller that gives up does not wait', async () => {
    script = [refuse(429, { 'retry-after': '30' })]
    const giveUp = new AbortController()
    setTimeout(() => giveUp.abort(new Error('enough')), 50)
    const failure = await failureOf(scripted().get('/v1/contacts', { signal: giveUp.signal }))
    expect(failure).toMatchObject({ message: 'enough' })
    expect(seen).toHaveLength(1)
  })
})
