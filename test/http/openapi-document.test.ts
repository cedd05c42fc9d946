import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Api, startApi } from '../support/api.ts'

let api: Api
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

const get = (headers: Record<string, string> = {}) =>
  api.app.inject({ url: '/openapi.json', headers })

test.each([
  ['br, gzip', 'br', brotliDecompressSync],
  ['gzip, deflate', 'gzip', gunzipSync],
  ['br;q=0, *', 'gzip', gunzipSync],
  ['GZIP;q=0.5', 'gzip', gunzipSync],
])('to a client that accepts "%s" the document is sent as %s', async (accepted, encoding, open) => {
  const [plain, packed] = [await get(), await get({ 'accept-encoding': accepted })]
  expect(packed.headers['content-encoding']).toBe(encoding)
  expect(packed.headers['vary']).toContain('accept-encoding')
  expect(open(packed.rawPayload).toString()).toBe(plain.body)
  expect(packed.rawPayload.length).toBeLessThan(plain.rawPayload.length / 5)
})

test.each(['', 'identity', 'gzip;q=0, br;q=0.0', 'deflate', 'x'.repeat(4_000)])(
  'to a client that accepts "%s" it is sent as it is',
  async (accepted) => {
    const answer = await get({ 'accept-encoding': accepted })
    expect(answer.headers['content-encoding']).toBeUndefined()
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
    expect(answer.json()).toMatchObject({ openapi: '3.1.0' })
  },
)

test('a client that has it is told so, in each encoding by a tag of its own', async () => {
  const tags = new Set<unknown>()
  for (const accepted of ['', 'gzip', 'br']) {
    const { etag } = (await get({ 'accept-encoding': accepted })).headers
    tags.add(etag)
    for (const known of [String(etag), `W/${String(etag)}`, `"other", ${String(etag)}`, '*']) {
      const again = await get({ 'accept-encoding': accepted, 'if-none-match': known })
      expect([again.statusCode, again.body, again.headers['etag']]).toEqual([304, '', etag])
    }
    const changed = await get({ 'accept-encoding': accepted, 'if-none-match': '"other"' })
    expect(changed.statusCode).toBe(200)
  }
  expect(tags.size).toBe(3)
})
