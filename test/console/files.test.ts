import { createHash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Api, inject, startApi } from '../support/api.ts'
import { CONSOLE_FOLDER, consoleSettings } from '../support/console.ts'

let api: Api
beforeAll(async () => {
  api = await startApi({ console: { ...consoleSettings, isDevelopment: true } })
})
afterAll(() => api.close())

const get = (url: string, headers: Record<string, string> = {}) => inject(api.app, { url, headers })
const assets = readdirSync(join(CONSOLE_FOLDER, 'assets'))
const script = assets.find((name) => /^index-.*\.js$/.test(name)) ?? ''

test('every page is the same shell, never stored, with a policy that lets nothing foreign in', async () => {
  const nonces = new Set<string>()
  for (const url of [
    '/console',
    '/console/',
    '/console/0190/contacts',
    '/console/anything/at/all',
  ]) {
    const { status, headers, text } = await get(url)
    expect([url, status, headers['content-type']]).toEqual([url, 200, 'text/html; charset=utf-8'])
    expect(headers['cache-control']).toBe('no-store')
    expect(headers['cross-origin-opener-policy']).toBe('same-origin')
    const policy = String(headers['content-security-policy'])
    const [, nonce = ''] = /style-src 'self' 'nonce-([\w+/=]{24})'/.exec(policy) ?? []
    expect(policy).toContain("default-src 'none'; script-src 'self';")
    expect(policy).toContain("require-trusted-types-for 'script'")
    expect(policy).not.toMatch(/unsafe|https?:|\*/)
    expect(text).toContain(`nonce="${nonce}"`)
    expect(text).not.toContain('__NONCE__')
    // Scripts are files; a page with one inline would not run it.
    expect(text).not.toMatch(/<script(?![^>]*\bsrc=)/)
    nonces.add(nonce)
  }
  expect(nonces.size).toBe(4)
})

test('everything that the shell names is there', async () => {
  const { text } = await get('/console')
  const named = [...text.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, url = '']) => url)
  expect(named.length).toBeGreaterThan(2)
  for (const url of named) expect([url, (await get(url)).status]).toEqual([url, 200])
})

test('hashed files are kept for a year and come compressed; unknown ones are 404', async () => {
  const plain = await get(`/console/assets/${script}`)
  expect(plain.headers['cache-control']).toBe('public, max-age=31536000, immutable')
  expect(plain.headers['content-type']).toMatch(/javascript/)
  for (const encoding of ['br', 'gzip']) {
    const { headers } = await get(`/console/assets/${script}`, { 'accept-encoding': encoding })
    expect(headers['content-encoding']).toBe(encoding)
    expect(Number(headers['content-length'])).toBeLessThan(Buffer.byteLength(plain.text) / 2)
  }
  for (const name of ['none-12345678.js', '..%2findex.html', 'a/b.js', '']) {
    expect([name, (await get(`/console/assets/${name}`)).status]).toEqual([name, 404])
  }
})

test('mails are shown in a frame without an origin, whose one script is known by its hash', async () => {
  const { headers, text } = await get('/console/frame.html')
  const policy = String(headers['content-security-policy'])
  const [, script = ''] = /<script>([^]*?)<\/script>/.exec(text) ?? []
  const hash = createHash('sha256').update(script).digest('base64')
  expect(policy).toContain(
    `sandbox allow-scripts; default-src 'none'; script-src 'sha256-${hash}';`,
  )
  expect(policy).toContain("form-action 'none'; base-uri 'none'; frame-ancestors 'self'")
  expect(policy).not.toContain('allow-same-origin')
  expect(headers['x-frame-options']).toBe('SAMEORIGIN')
})

test('no map of the sources and nothing of the build is served', async () => {
  expect(assets.filter((name) => name.endsWith('.map'))).toEqual([])
  const { text } = await get('/console/.vite/manifest.json')
  expect(text).toMatch(/^<!doctype html>/)
})

test('the page learns what it cannot know by itself', async () => {
  const { body, headers } = await get('/console/config.json')
  expect(body).toEqual({ version: '1.0.0', isDevelopment: true, sendsNotices: true })
  expect(headers['cache-control']).toBe('no-store')
})

test('pages are not in the document and use nobody’s limit', async () => {
  const { body } = await get('/openapi.json')
  expect(Object.keys(body.paths).filter((path) => path.startsWith('/console'))).toEqual([])
  const answers = await Promise.all(
    Array.from({ length: 40 }, () =>
      inject(api.app, { url: '/console', remoteAddress: '10.9.8.7' }),
    ),
  )
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
})
