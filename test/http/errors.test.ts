import { connect as openSocket } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildApp } from '../../api/app.ts'
import { connect } from '../../src/store/db/sql.ts'
import { uuidv7 } from '../../src/runtime/ids.ts'
import { newApiKey, newSessionToken } from '../../src/keys/tokens.ts'
import { type Api, type Answer, inject, startApi } from '../support/api.ts'

let api: Api
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

/** Status, code, and whether the rest is as in every error. */
const seen = ({ status, headers, body }: Answer) => [
  status,
  body.code,
  typeof body.error === 'string' && body.requestId === headers['x-request-id'],
]

const json = { 'content-type': 'application/json' }
const contact = (payload: string | object, headers: object = json) => ({
  method: 'POST' as const,
  url: '/v1/contacts',
  headers: { ...headers },
  payload,
})

describe('bad input is refused as an ApiError with the request id of the header', () => {
  const deep = `{"email":"a@example.com","properties":${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}}`
  test.each([
    ['unparseable JSON', contact('{"email":'), 400, 'MALFORMED_REQUEST'],
    ['a key that reaches a prototype', contact('{"__proto__":{"a":1}}'), 400, 'MALFORMED_REQUEST'],
    [
      'another such key',
      contact('{"properties":{"constructor":{"prototype":{}}}}'),
      400,
      'MALFORMED_REQUEST',
    ],
    ['no body', { method: 'POST' as const, url: '/v1/contacts' }, 422, 'VALIDATION_FAILED'],
    ['an empty JSON body', contact('', json), 422, 'VALIDATION_FAILED'],
    ['an array', contact('[]'), 422, 'VALIDATION_FAILED'],
    ['null', contact('null'), 422, 'VALIDATION_FAILED'],
    ['a wrong type', contact({ email: 123 }), 422, 'VALIDATION_FAILED'],
    ['an unknown field', contact({ email: 'a@example.com', foo: 1 }), 422, 'VALIDATION_FAILED'],
    ['a NUL', contact({ email: 'a@example.com', lastName: 'a\u0000' }), 422, 'VALIDATION_FAILED'],
    [
      'half a character',
      contact('{"email":"a@example.com","properties":{"\\ud800":1}}'),
      422,
      'VALIDATION_FAILED',
    ],
    ['nesting without end', contact(deep), 422, 'VALIDATION_FAILED'],
    ['another media type', contact('a', { 'content-type': 'text/plain' }), 415, 'REQUEST_FAILED'],
    ['a broken media type', contact('a', { 'content-type': '/' }), 415, 'REQUEST_FAILED'],
    [
      'a content encoding',
      contact('a', { ...json, 'content-encoding': 'gzip' }),
      415,
      'REQUEST_FAILED',
    ],
    ['2 MB', contact({ lastName: 'a'.repeat(2_000_000) }), 413, 'PAYLOAD_TOO_LARGE'],
    ['an unknown id', { url: `/v1/contacts/${uuidv7()}` }, 404, 'NOT_FOUND'],
    ['a malformed id', { url: '/v1/batch/1' }, 404, 'NOT_FOUND'],
    ['a NUL in the path', { url: '/v1/batch/%00' }, 400, 'BAD_REQUEST'],
    ['a broken escape', { url: '/v1/batch/%zz' }, 400, 'BAD_REQUEST'],
    ['a long parameter', { url: `/v1/batch/${'a'.repeat(1_025)}` }, 400, 'BAD_REQUEST'],
    ['an unknown route', { url: '/v1/nothing' }, 404, 'NOT_FOUND'],
    ['another method', { method: 'PUT' as const, url: '/v1/contacts' }, 405, 'REQUEST_FAILED'],
    ['an unknown query parameter', { url: '/v1/contacts?foo=1' }, 400, 'BAD_REQUEST'],
    ['one where none is known', { url: '/v1/connections?foo=1' }, 400, 'BAD_REQUEST'],
    ['zero', { url: '/v1/contacts?page=0' }, 400, 'BAD_REQUEST'],
    ['a negative number', { url: '/v1/contacts?pageSize=-1' }, 400, 'BAD_REQUEST'],
    ['too large a number', { url: '/v1/contacts?pageSize=101' }, 400, 'BAD_REQUEST'],
    ['not a number', { url: '/v1/contacts?page=two' }, 400, 'BAD_REQUEST'],
    ['a number in another notation', { url: '/v1/contacts?page=0x1' }, 400, 'BAD_REQUEST'],
    ['a number twice', { url: '/v1/contacts?page=1&page=2' }, 400, 'BAD_REQUEST'],
    [
      'a year that is none',
      { url: '/v1/contacts?createdAfter=0000-01-01T00:00:00Z' },
      400,
      'BAD_REQUEST',
    ],
    ['a leap second', { url: '/v1/email/logs?to=2016-12-31T23:59:60Z' }, 400, 'BAD_REQUEST'],
    [
      'an id with a prefix',
      { url: `/v1/email/logs?batchId=urn:uuid:${uuidv7()}` },
      400,
      'BAD_REQUEST',
    ],
    ['a NUL in the query', { url: '/v1/contacts?search=%00' }, 400, 'BAD_REQUEST'],
  ])('%s', async (_name, request, status, code) => {
    expect(seen(await api.alice.send(request))).toEqual([status, code, true])
  })

  test.each([
    [contact('{"email":'), '', 'is not valid JSON'],
    [
      contact('{"__proto__":{"a":1}}'),
      '',
      'must not have the keys __proto__ and constructor.prototype',
    ],
    [
      contact('{"properties":{"constructor":{"prototype":{}}}}'),
      '',
      'must not have the keys __proto__ and constructor.prototype',
    ],
    [{ url: '/v1/contacts/%zz' }, 'path', 'is not validly percent-encoded'],
    [
      { url: `/v1/batch/${'a'.repeat(1_025)}` },
      'path',
      'has a parameter of more than 1024 characters',
    ],
  ])(
    'a 400 without a field says what is wrong all the same: %#',
    async (request, path, message) => {
      const { status, body } = await api.alice.send(request)
      expect([status, body.details]).toEqual([400, [{ path, message }]])
      expect(body.error).toMatch(new RegExp(`^The (body|path) ${message}$`))
    },
  )

  test('all errors are named at once, each with its path', async () => {
    const answer = await api.alice.post('/v1/contacts', { email: 5, firstName: [], foo: 1, bar: 2 })
    const paths = answer.body.details.map(({ path }: { path: string }) => path)
    expect(paths.sort()).toEqual(['bar', 'email', 'firstName', 'foo'])
  })

  test('what is inside an array is named by its place', async () => {
    const row = { email: 'a@example.com', topicIds: ['a', 5] }
    const { body } = await api.alice.post('/v1/contacts', row)
    expect(body.details[0].path).toBe('topicIds[1]')
    const rows = await api.alice.post('/v1/contacts/batch', { contacts: [row, { email: 5 }] })
    expect(rows.body.errorDetails.map(({ message }: { message: string }) => message)).toEqual([
      'contacts[0].topicIds[1] must be a string',
      'contacts[1].email must be a string',
    ])
  })

  test('where no body is known, its fields are unknown ones', async () => {
    const url = `/v1/batch/${uuidv7()}`
    const send = (payload: string) =>
      api.alice.send({ method: 'DELETE', url, headers: json, payload })
    const { status, body } = await send('{"foo":1}')
    expect([status, body.code, body.details]).toEqual([
      422,
      'VALIDATION_FAILED',
      [{ path: 'foo', message: 'is unknown' }],
    ])
    expect((await send('[]')).status).toBe(422)
    for (const nothing of ['{}', 'null', '']) expect((await send(nothing)).status).toBe(404)
  })

  test('path and query are checked before the body', async () => {
    const answer = await api.alice.send({ ...contact({ foo: 1 }), url: '/v1/contacts?foo=1' })
    expect(seen(answer)).toEqual([400, 'BAD_REQUEST', true])
  })

  test('a body that is too large is told the limit, templates and batches have a larger one', async () => {
    const small = await api.alice.send(contact({ lastName: 'a'.repeat(1_048_576) }))
    expect(small.body.error).toContain('1048576')
    const source = `<p>${'a'.repeat(900_000)}</p>${' '.repeat(300_000)}`
    const large = await api.alice.post('/v1/templates', { name: 'Large', source })
    expect(large.status).not.toBe(413)
    const over = await api.alice.post('/v1/templates', { name: 'a', source: 'a'.repeat(6_000_000) })
    expect([over.status, over.body.error]).toEqual([413, expect.stringContaining('5242880')])
  })

  test('405 says what is allowed, and a path that another pattern serves is no 405', async () => {
    const put = await api.alice.send({ method: 'PUT', url: '/v1/contacts/' })
    expect(put.headers['allow']).toBe('DELETE, GET, HEAD, POST')
    const get = await api.alice.get('/v1/contacts/batch')
    expect(seen(get)).toEqual([404, 'NOT_FOUND', true])
  })

  test('the unknown is told to nobody without a route, and needs no credentials', async () => {
    expect(seen(await inject(api.app, { url: '/v1/nothing' }))).toEqual([404, 'NOT_FOUND', true])
  })

  test('an empty body with any content type is no body', async () => {
    const answer = await api.alice.send({
      method: 'DELETE',
      url: `/v1/batch/${uuidv7()}`,
      headers: { 'content-type': 'text/plain' },
      payload: '',
    })
    expect(seen(answer)).toEqual([404, 'NOT_FOUND', true])
  })

  test('a request id of the caller is kept when it is harmless, else made', async () => {
    const good = [
      'a-1._Z',
      'OrderService-0199c2f4-7d1e-7a60-9c1b-2f6d1f0b7a11',
      'reset-password-secret_token',
      'EURASIA-1',
      'a'.repeat(128),
    ]
    for (const id of good) {
      const kept = await inject(api.app, { url: '/health', headers: { 'x-request-id': id } })
      expect(kept.headers['x-request-id']).toBe(id)
    }
    const secrets = [newApiKey().key, newSessionToken().token, 'AKIAIOSFODNN7EXAMPLE', 'whsec_1']
    for (const bad of ['', 'a b', 'ä', 'a'.repeat(129), ...secrets]) {
      const made = await inject(api.app, { url: '/nothing', headers: { 'x-request-id': bad } })
      expect(made.headers['x-request-id']).not.toBe(bad)
      expect(made.body.requestId).toBe(made.headers['x-request-id'])
    }
  })

  test('collections answer with and without a trailing slash', async () => {
    for (const path of ['contacts', 'batch', 'templates', 'connections', 'email/logs']) {
      expect((await api.alice.get(`/v1/${path}`)).status).toBe(200)
      expect((await api.alice.get(`/v1/${path}/`)).status).toBe(200)
    }
  })
})

test('bytes that are not HTTP are answered as an ApiError too', async () => {
  await api.app.listen({ port: 0, host: '127.0.0.1' })
  const address = api.app.server.address()
  if (address === null || typeof address === 'string') throw new Error('not listening')
  const answer = await new Promise<string>((resolve) => {
    const socket = openSocket(address.port, '127.0.0.1', () => socket.write('nonsense\r\n\r\n'))
    let text = ''
    socket.on('data', (bytes: Buffer) => (text += bytes.toString()))
    socket.on('close', () => resolve(text))
  })
  expect(answer).toMatch(/^HTTP\/1.1 400 /)
  const body = JSON.parse(answer.slice(answer.indexOf('{')))
  expect(answer).toContain(`x-request-id: ${body.requestId}`)
  expect(body.code).toBe('MALFORMED_REQUEST')
})

test('without a database the answer is 503 with Retry-After, and tells nothing', async () => {
  const sql = connect('postgres://nobody@127.0.0.1:1/none', { name: 'down', max: 1 })
  const app = await buildApp({ ...api.deps, sql })
  const headers = { authorization: `Bearer ${newApiKey().key}` }
  const answer = await inject(app, { url: '/v1/contacts', headers })
  expect(seen(answer)).toEqual([503, 'INTERNAL_ERROR', true])
  expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
  expect(answer.text).not.toMatch(/ECONNREFUSED|127\.0\.0\.1|postgres/i)
  await app.close()
  await sql.end()
})

test('a bug is answered 500 without its words', async () => {
  const app = await buildApp(api.deps)
  app.get('/bug', { config: { public: true } }, () => {
    throw new Error('the secret words')
  })
  const answer = await inject(app, { url: '/bug' })
  expect(seen(answer)).toEqual([500, 'INTERNAL_ERROR', true])
  expect(answer.text).not.toContain('secret')
  await app.close()
})
