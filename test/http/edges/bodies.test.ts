import fc from 'fast-check'
import type { AddressInfo } from 'node:net'
import { once } from 'node:events'
import { type IncomingMessage, request as httpRequest } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findDuplicateKey, findDuplicateKeys } from '../../../api/http/edges/duplicate-keys.ts'
import { type Api, inject, startApi } from '../../support/api.ts'

let api: Api
let port: number
beforeAll(async () => {
  api = await startApi()
  await api.app.listen({ port: 0, host: '127.0.0.1' })
  port = (api.app.server.address() as AddressInfo).port
})
afterAll(() => api.close())

const find = findDuplicateKey

describe('a key that is there twice', () => {
  test.each([
    ['{"a":1,"a":1}', 'a'],
    ['{"a":1, "b" : 2 ,\n"a"\t: 3}', 'a'],
    ['{"a":{"b":1,"b":2}}', 'a.b'],
    ['{"contacts":[{},{"email":"x","email":"y"}]}', 'contacts[1].email'],
    ['[[{"a":[]},{"b":{},"b":[]}]]', '[0][1].b'],
    ['{"a":1,"\\u0061":2}', 'a'],
    ['{"a\\"b":1,"a\\"b":2}', 'a"b'],
    ['{"a\\\\":1,"a\\\\":2}', 'a\\'],
    ['{"":1,"":2}', ''],
    ['{"1":1,"1":2}', '1'],
    ['{"x":"{\\"a\\":1}","b":"]","b":1}', 'b'],
  ])('is found in %s', (text, path) => {
    expect(find(text)).toBe(path)
  })

  test.each([
    '{}',
    '[]',
    '"a"',
    '1',
    '{"a":{"a":{"a":[{"a":1},{"a":1}]}}}',
    '{"a":"\\"a\\":","b":"a:1","c":":"}',
    '{"a\\\\":":","b":"\\\\\\":"}',
    '{"a":1,"A":2}',
  ])('is not found in %s', (text) => {
    expect(find(text)).toBeUndefined()
  })

  test('is found in no text that JSON.stringify writes, and in each where one is put', () => {
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.string(),
        fc.option(fc.constantFrom(' ', '\n', '\t')),
        (value, key, space) => {
          const text = JSON.stringify(value, null, space ?? undefined)
          expect(find(text)).toBeUndefined()
          const name = JSON.stringify(key)
          expect(find(`{"outer":[${text},{${name}:${text},${name}:${text}}]}`)).toBe(
            `outer[1].${key}`,
          )
        },
      ),
      { numRuns: 500 },
    )
  })

  test('is the row’s where rows are checked each by itself, and found in the first thousand', () => {
    const text = '{"rows":[{"a":1,"a":2,"b":1,"b":2},[{"c":1,"c":2}],{"d":{"e":1,"e":2}},{"f":1}]}'
    expect(findDuplicateKeys(text, 'rows')).toEqual({
      path: undefined,
      rows: new Map([
        [0, 'a'],
        [1, '[0].c'],
        [2, 'd.e'],
      ]),
    })
    expect(findDuplicateKeys(text)).toMatchObject({ path: 'rows[0].a' })
    expect(findDuplicateKeys(text, 'row')).toMatchObject({ path: 'rows[0].a' })
    const many = `{"rows":[${Array(2_000).fill('{"a":1,"a":2}').join(',')}]}`
    expect(findDuplicateKeys(many, 'rows').rows.size).toBe(1_000)
  })

  test('is refused by name, and nothing is made', async () => {
    const answer = await api.alice.send({
      method: 'POST',
      url: '/v1/contacts',
      headers: { 'content-type': 'application/json' },
      payload: '{"email":"a@example.com","properties":{"plan":"free","plan":"pro"}}',
    })
    expect([answer.status, answer.body.code, answer.body.reason]).toEqual([
      400,
      'MALFORMED_REQUEST',
      'duplicate_key',
    ])
    expect(answer.body.details).toEqual([{ path: 'properties.plan', message: 'is repeated' }])
    expect((await api.alice.get('/v1/contacts')).body.total).toBe(0)
  })
})

describe('text that cannot be stored', () => {
  const login = (payload: string) =>
    inject(api.app, {
      method: 'POST',
      url: '/auth/login',
      headers: { 'content-type': 'application/json' },
      payload,
    })

  test('is named at most a hundred times, and never by a whole long path', async () => {
    const texts = Array<string>(90_000).fill('"\\u0000"').join(',')
    const { status, body, text } = await login(`{"${'k'.repeat(200_000)}":[${texts}]}`)
    expect([status, body.code]).toEqual([422, 'VALIDATION_FAILED'])
    expect(body.details).toHaveLength(100)
    expect(body.details[0].message).toBe('must not contain NUL characters or unpaired surrogates')
    expect(Math.max(...body.details.map(({ path }: { path: string }) => path.length))).toBe(200)
    expect(text.length).toBeLessThan(50_000)
  })

  test('of a key is named by the object that has it', async () => {
    const { body } = await login('{"a":{"b":[{"\\ud800":1}]}}')
    expect(body.details.map(({ path }: { path: string }) => path)).toEqual(['a.b[0]'])
  })
})

test('a message never shows more of what was sent than helps', async () => {
  const name = 'n'.repeat(500_000)
  for (const payload of [{ [name]: 1 }, `{"${name}":1,"${name}":2}`]) {
    const { status, text } = await api.alice.send({
      method: 'POST',
      url: '/v1/contacts',
      headers: { 'content-type': 'application/json' },
      payload,
    })
    expect(status).toBeGreaterThanOrEqual(400)
    expect(text.length).toBeLessThan(2_000)
  }
})

/** Sends chunks without saying how many there will be. */
function sendChunked(chunks: readonly string[]): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      {
        port,
        host: '127.0.0.1',
        method: 'POST',
        path: '/v1/contacts',
        headers: { authorization: `Bearer ${api.alice.key}`, 'content-type': 'application/json' },
      },
      (response) => {
        let body = ''
        response.on('data', (bytes: Buffer) => (body += bytes.toString()))
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body }))
      },
    )
    request.on('error', reject)
    for (const chunk of chunks) request.write(chunk)
    request.end()
  })
}

describe('a chunked body', () => {
  test('is taken when it is small', async () => {
    expect((await sendChunked(['{"email":', '"chunked@example.com"}'])).status).toBe(201)
  })

  test('is refused as soon as it passes the limit, and the sender can read why', async () => {
    const chunk = 'a'.repeat(65_536)
    const { status, body } = await sendChunked([
      '{"lastName":"',
      ...Array<string>(40).fill(chunk),
      '"}',
    ])
    expect(status).toBe(413)
    expect(JSON.parse(body)).toMatchObject({ code: 'PAYLOAD_TOO_LARGE' })
  })
})

test('a caller who sends too large a body and reads only then gets the refusal, not a reset', async () => {
  const asked = httpRequest({
    port,
    host: '127.0.0.1',
    method: 'POST',
    path: '/tools',
    headers: { 'content-type': 'application/x-www-form-urlencoded', connection: 'close' },
  })
  const answered = once(asked, 'response') as Promise<[IncomingMessage]>
  asked.end(Buffer.alloc(8_000_000, 'a'))
  await once(asked, 'finish')
  const [answer] = await answered
  expect(answer.statusCode).toBe(413)
  answer.resume()
  await once(answer, 'close')
})
