import axe from 'axe-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { App } from '../../api/app.ts'
import { watched } from '../support/event-loop.ts'
import { chromium, openPage, type Page } from '../support/browser.ts'
import { partOf } from '../support/size.ts'
import { toolboxAt } from '../support/toolbox.ts'
import { startToolsApi } from '../support/tools-api.ts'
import { hostileWorld, mailOf, XSS } from '../support/xss.ts'
import { startZoneServer, type Zone, type ZoneServer } from '../support/zone-server.ts'

const D = 'shop.example'
const PHONE = 375
const DESKTOP = 1_280
let server: ZoneServer
let app: App
let origin: string
const world = hostileWorld()
let hostile: App
let hostileOrigin: string

beforeAll(async () => {
  server = await startZoneServer()
  app = await startToolsApi(toolboxAt(server.address))
  origin = await app.listen({ host: '127.0.0.1', port: 0 })
  hostile = await startToolsApi(world.toolbox)
  hostileOrigin = await hostile.listen({ host: '127.0.0.1', port: 0 })
})
beforeEach(() => server.clear())
afterAll(async () => {
  await app.close()
  await hostile.close()
  await server.close()
})

const good: Zone = {
  [D]: { TXT: ['v=spf1 ip4:192.0.2.10 ~all'], MX: ['10 mx.shop.example'] },
  'mx.shop.example': { A: ['192.0.2.10'] },
  '10.2.0.192.in-addr.arpa': { PTR: ['mx.shop.example'] },
  [`_dmarc.${D}`]: { TXT: [`v=DMARC1; p=none; rua=mailto:d@${D}`] },
}

const form = (fields: Record<string, string>) =>
  app.inject({
    method: 'POST',
    url: '/tools',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams(fields).toString(),
  })

test('a report has an address, and needs no script', async () => {
  server.set(good)
  const { statusCode, headers, body } = await app.inject(`/tools?tool=email-check&domain=${D}`)
  expect(statusCode).toBe(200)
  expect(body).toMatch(/<div class="grade"><b>[A-F]<\/b>/)
  expect(body).toContain('<b>Next:</b>')
  expect(body).not.toContain('<script')
  const policy = String(headers['content-security-policy'])
  expect(policy).toMatch(
    /^default-src 'none'; style-src 'nonce-[^']+'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
  )
  expect(headers).toMatchObject({ 'ratelimit-limit': expect.any(String) })
})

test('search engines find the tools, and no report about anybody', async () => {
  server.set(good)
  const robots = async (url: string) => (await app.inject(url)).headers['x-robots-tag']
  expect(await robots('/tools')).toBeUndefined()
  expect(await robots('/tools?tool=spf-check')).toBeUndefined()
  expect(await robots(`/tools?tool=spf-check&domain=${D}`)).toBe('noindex')
})

test('every tool has its form, and every form its report', async () => {
  server.set(good)
  const { body } = await app.inject('/tools')
  const tools = Array.from(body.matchAll(/href="\/tools\?tool=([a-z-]+)"/g), ([, tool]) => tool)
  expect(tools).toHaveLength(14)
  for (const tool of tools) {
    const page = await app.inject(`/tools?tool=${tool}`)
    expect([tool, page.body]).toEqual([tool, expect.stringContaining('<form class="tool"')])
    const asked = page.body.includes('method="post"')
      ? await form({
          tool: tool ?? '',
          address: `ann@${D}`,
          headers: 'From: a@b.example',
          message: 'From: a@b.example',
        })
      : await app.inject(`/tools?tool=${tool}&domain=${D}&policy=reject`)
    expect([tool, asked.statusCode, asked.body]).toEqual([
      tool,
      200,
      expect.stringContaining('id="report"'),
    ])
  }
})

test('no more fields of a form are read than the largest form has', async () => {
  const { holdMs, value } = await watched(() =>
    app.inject({
      method: 'POST',
      url: '/tools',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: `tool=validate-address&address=ann&${'a&'.repeat(500_000)}`,
    }),
  )
  expect([value.statusCode, value.body]).toEqual([200, expect.stringContaining('id="report"')])
  expect(holdMs).toBeLessThan(150)
})

test('an invalid input is reported beside the form', async () => {
  for (const path of [
    'domain=nothing',
    `domain=${D}&tool=spf-check&ip=10.0.0.1`,
    `domain=${D}&selector=%3C`,
  ]) {
    const headers = { accept: 'text/html' }
    const { statusCode, body } = await app.inject({ url: `/tools?${path}`, headers })
    expect([path, statusCode]).toEqual([path, 400])
    expect(body).toContain('role="alert"')
  }
})

describe.runIf(chromium !== undefined)('in a browser', () => {
  let page: Page
  beforeAll(async () => {
    page = await openPage(chromium ?? '', `${origin}/health`)
  })
  afterAll(() => page.close())

  test('it has nothing against accessibility, on a phone or a desktop, light or dark', async () => {
    server.set({ ...good, [`_dmarc.${D}`]: { TXT: 'SERVFAIL' } })
    const found: Record<string, unknown> = {}
    const paths = ['/tools', `/tools?domain=${D}`, '/tools?tool=headers', '/tools?domain=x']
    for (const [width, dark] of [
      [PHONE, false],
      [DESKTOP, true],
    ] as const) {
      await page.look({ width, dark })
      for (const path of paths) {
        await page.go(origin + path)
        await page.evaluate(axe.source)
        const wrong = await page.evaluate<string[]>(
          `axe.run(document, { preload: false }).then(({ violations }) => violations.map(({ id, nodes }) => id + nodes.map(({ html }) => html).join()))`,
        )
        const isWide = await page.evaluate<boolean>(
          'document.documentElement.scrollWidth > window.innerWidth',
        )
        if (wrong.length > 0 || isWide) found[`${path} ${width}`] = [wrong, isWide]
      }
    }
    expect(found).toEqual({})
  }, 300_000)

  test('nothing that anybody types or publishes comes alive in it', async () => {
    const isAlive = () => page.evaluate<boolean>('"alive" in window')
    for (const [n, attack] of XSS.entries()) {
      const domain = `x${n}.example`
      world.attack = attack
      const encoded = encodeURIComponent(attack)
      const paths = [
        `domain=${domain}&selector=s`,
        `domain=${domain}&tool=bimi-check`,
        `domain=${domain}&tool=mta-sts-check`,
        `domain=${domain}&tool=reverse-dns-check`,
        `domain=${encoded}&selector=${encoded}`,
        `tool=${encoded}&fill=${encoded}`,
        `tool=spf-check&domain=${domain}&ip=${encoded}`,
        `tool=dmarc-generator&domain=${domain}&policy=${encoded}&rua=${encoded}`,
      ]
      for (const path of partOf(paths, n, 4)) {
        await page.go(`${hostileOrigin}/tools?${path}`)
        await page.evaluate(
          'document.querySelectorAll("details").forEach((each) => { each.open = true })',
        )
        expect([path, await isAlive()]).toEqual([path, false])
      }
      // The same page as a POST answers it, put into the browser by a form of its own.
      const mail = mailOf(attack, domain)
      const forms = [
        ['headers', 'headers'],
        ['unsubscribe-check', 'message'],
        ['validate-address', 'address'],
      ]
      for (const [tool, field] of partOf(forms, n, forms.length)) {
        await page.go(`${hostileOrigin}/tools?tool=${tool}`)
        await page.evaluate(
          `window.before = true; document.querySelector('[name=${field}]').value = ${JSON.stringify(field === 'address' ? attack : mail)}; document.querySelector('form').submit()`,
        )
        await page.until('window.before === undefined && document.readyState === "complete"')
        expect([tool, await isAlive()]).toEqual([tool, false])
        expect(
          await page.evaluate<number>(
            'document.querySelectorAll("script, iframe, img, svg").length',
          ),
        ).toBe(0)
      }
    }
    expect(
      page.requested.filter(
        (url) =>
          ![origin, hostileOrigin].some((own) => url.startsWith(own)) && url !== 'about:blank',
      ),
    ).toEqual([])
  }, 300_000)
})
