import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Api, inject, startApi } from '../support/api.ts'
import { chromium, openPage, type Page } from '../support/browser.ts'
import { documentOf, operationsOf } from '../support/document.ts'

let api: Api
let origin: string
beforeAll(async () => {
  api = await startApi()
  await api.app.listen({ host: '127.0.0.1', port: 0 })
  origin = `http://127.0.0.1:${(api.app.server.address() as AddressInfo).port}`
})
afterAll(() => api.close())

/** `script-src 'self'` → `script-src` → `'self'`. */
const directivesOf = (policy: string) =>
  new Map(
    policy.split(';').map((each): [string, string] => {
      const [name = '', ...sources] = each.trim().split(' ')
      return [name, sources.join(' ')]
    }),
  )

/** Everything that the page names in an attribute or a style sheet. */
async function loadedBy(url: string): Promise<{ address: string; text: string }[]> {
  const { text } = await inject(api.app, { url })
  const named = [...text.matchAll(/(?:src|href)="([^"]+)"|url\(["']?([^"')]+)["']?\)/g)]
  const addresses = named.map(([, attribute, style]) => attribute ?? style ?? '')
  return addresses.map((address) => ({ address, text }))
}

describe.each(['/docs', '/docs/'])('%s', (url) => {
  test('forbids everything foreign, scripts in the page, frames and forms', async () => {
    const { status, headers } = await inject(api.app, { url })
    expect(status).toBe(200)
    const policy = directivesOf(String(headers['content-security-policy']))
    expect(policy.get('default-src')).toBe("'none'")
    expect(policy.get('script-src')).toBe("'self'")
    expect(policy.get('connect-src')).toBe("'self'")
    for (const name of ['base-uri', 'form-action', 'frame-ancestors']) {
      expect([name, policy.get(name)]).toEqual([name, "'none'"])
    }
    const sources = new Set([...policy.values()].flatMap((each) => each.split(' ')))
    // Swagger UI sets styles on elements; its icons are in its style sheet.
    expect([...sources].sort()).toEqual(["'none'", "'self'", "'unsafe-inline'", 'data:'])
    expect(policy.get('style-src')).toBe("'self' 'unsafe-inline'")
    expect(policy.get('img-src')).toBe("'self' data:")
  })

  test('names nothing foreign, and all it names is there', async () => {
    const loaded = await loadedBy(url)
    expect(loaded.length).toBeGreaterThan(3)
    for (const { address, text } of loaded) {
      expect(address).not.toMatch(/^(?:[a-z]+:)?\/\//i)
      expect(text).not.toMatch(/<script(?![^>]*\bsrc=)/)
      const path = new URL(address, 'http://here/docs/').pathname
      expect([path, (await inject(api.app, { url: path })).status]).toEqual([path, 200])
    }
  })
})

test('the style sheets name nothing foreign', async () => {
  for (const name of ['swagger-ui.css', 'index.css', 'theme/letterloom.css']) {
    const sheets = await loadedBy(`/docs/static/${name}`)
    const foreign = sheets.filter(({ address }) => !/^(?:data:|#)/.test(address))
    expect([name, foreign.map(({ address }) => address)]).toEqual([name, []])
  }
})

test('it sends the document to no validator, and calls the host it came from', async () => {
  const start = await inject(api.app, { url: '/docs/static/swagger-initializer.js' })
  expect(start.text).toMatch(/"?validatorUrl"?:\s*null/)
  const { body } = await inject(api.app, { url: '/docs/json' })
  expect(body).toEqual({ ...documentOf(api.app), servers: [{ url: '/' }] })
  expect((await inject(api.app, { url: '/openapi.json' })).body.servers).toEqual([
    { url: 'https://mail.example.com' },
  ])
})

// The policy above is what forbids; this sees it obeyed wherever there is a browser to see it with.
describe.runIf(chromium !== undefined)('in a browser', () => {
  let page: Page
  beforeAll(async () => {
    page = await openPage(chromium ?? '', `${origin}/docs`)
    await page.until('document.querySelector(".opblock")')
  })
  afterAll(() => page.close())

  test('shows every operation', async () => {
    // Swagger UI draws the operations near the window and no others.
    const shown = await page.evaluate<string[]>(`(async () => {
      const seen = new Set()
      const bottom = () => document.documentElement.scrollHeight - innerHeight
      for (let top = 0; top <= bottom(); top += innerHeight / 2) {
        scrollTo(0, top)
        await new Promise((drawn) => setTimeout(drawn, 100))
        for (const { id } of document.querySelectorAll('.opblock')) seen.add(id)
      }
      scrollTo(0, 0)
      return [...seen]
    })()`)
    const ids = operationsOf(documentOf(api.app)).map(({ operationId }) => operationId)
    expect(new Set(shown.map((id) => id.split('-').at(-1)))).toEqual(new Set(ids))
    expect(shown).toHaveLength(ids.length)
    expect(await page.evaluate('document.title')).toBe('Letterloom API')
  })

  test('opens an operation and tries it out', async () => {
    const health = '[id$="getHealth"]'
    const click = (what: string) => page.evaluate(`document.querySelector('${what}').click()`)
    await click(`${health} .opblock-summary-control`)
    await page.until(`document.querySelector('${health} .try-out__btn')`)
    await click(`${health} .try-out__btn`)
    await page.until(`document.querySelector('${health} .execute')`)
    await click(`${health} .execute`)
    await page.until(`document.querySelector('${health} .live-responses-table')`)
    const answer = `document.querySelector('${health} .live-responses-table').innerText`
    expect(await page.evaluate(answer)).toMatch(/200[\s\S]*"status": "ok"/)
  })

  test('asked for nothing foreign, and nothing was refused', async () => {
    expect(page.requested.length).toBeGreaterThan(5)
    const foreign = page.requested.filter((url) => !/^(?:data|blob):/.test(url))
    expect(foreign.filter((url) => !url.startsWith(`${origin}/`))).toEqual([])
    expect(page.complaints).toEqual([])
  })

  test('could not reach another host if it tried', async () => {
    const other = origin.replace('127.0.0.1', 'localhost')
    const tried = await page.evaluate(
      `fetch('${other}/health', { mode: 'no-cors' }).then(() => 'reached', () => 'refused')`,
    )
    expect(tried).toBe('refused')
    const complaints = () => page.complaints.join('\n')
    await expect.poll(complaints).toMatch(/Content Security Policy.*connect-src/)
  })
})
