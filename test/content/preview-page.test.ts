import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import axe from 'axe-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Api, startApi } from '../support/api.ts'
import { chromium, openPage, type Page } from '../support/browser.ts'

/** Each asks for `ALIVE` if anything of it is ever more than text, or goes elsewhere. */
const XSS = [
  '<script>ATTACK</script>',
  '<img src="ORIGIN/none" onerror="ATTACK">',
  '<svg onload="ATTACK"></svg>',
  '<svg><script>ATTACK</script></svg>',
  '<body onload="ATTACK">',
  '<details open ontoggle="ATTACK"><summary>x</summary></details>',
  '<input autofocus onfocus="ATTACK">',
  '<video onerror="ATTACK"><source src="ORIGIN/none"></video>',
  '<iframe srcdoc="&lt;script&gt;ATTACK&lt;/script&gt;"></iframe>',
  '<iframe src="ALIVE"></iframe>',
  '<iframe src="javascript:ATTACK"></iframe>',
  '<object data="ALIVE"></object><embed src="ALIVE">',
  '<meta http-equiv="refresh" content="0;url=ALIVE">',
  '<link rel="stylesheet" href="ALIVE"><style>@import url(ALIVE);</style>',
  '<style>@font-face { font-family: f; src: url(ALIVE) } p { font-family: f }</style><p>f</p>',
  '<style>*{animation:x 1s}@keyframes x{}</style><p onanimationstart="ATTACK">x</p>',
  '</iframe><script>ATTACK</script><iframe>',
  '"></iframe><img src="ORIGIN/none" onerror="ATTACK"><iframe srcdoc="',
  '<base href="ALIVE"><script src="x"></script>',
  '<script src="ALIVE"></script>',
  '<link rel="preload" as="script" href="ALIVE"><link rel="modulepreload" href="ALIVE">',
  '<math><mtext></form><form><mglyph><style></math><img src onerror="ATTACK">',
]

interface Shown {
  policy: string
  html: string
}
const NOTHING: Shown = { policy: '', html: '' }
/** As a file has it: whatever the page does not forbid is allowed. */
const OPEN = "default-src * data: blob: 'unsafe-inline' 'unsafe-eval'"

describe.runIf(chromium !== undefined)('the page of a preview', () => {
  let api: Api
  let server: Server
  let browser: Page
  let origin: string
  /** What the pages asked the server for. */
  const hits: string[] = []
  let shown: Shown[] = []

  beforeAll(async () => {
    // A server of its own: the API's headers would forbid what is to be seen.
    server = createServer(({ url = '' }, response) => {
      if (!url.startsWith('/page/')) {
        hits.push(url)
        response.end()
        return
      }
      const { policy, html } = shown[Number(url.slice('/page/'.length))] ?? NOTHING
      const type = 'text/html; charset=utf-8'
      response.writeHead(200, { 'content-type': type, 'content-security-policy': policy }).end(html)
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    api = await startApi()
    browser = await openPage(chromium ?? '', `${origin}/page/0`)
  })
  afterAll(async () => {
    await browser.close()
    server.close()
    server.closeAllConnections()
    await api.close()
  })

  const attack = (n: number, html: string) =>
    html
      .replaceAll('ATTACK', `new Image().src='${origin}/alive/${n}'`)
      .replaceAll('ALIVE', `${origin}/alive/${n}`)
      .replaceAll('ORIGIN', origin)

  /** The page as the API answers it, of a template that says this. */
  async function pageOf(source: string, contact: object = {}) {
    const { body } = await api.alice.post('/v1/templates', { name: 'Page', subject: 'S', source })
    const { text, headers } = await api.alice.send({
      method: 'POST',
      url: `/v1/templates/${body.id}/preview`,
      headers: { accept: 'text/html' },
      payload: { contact },
    })
    return { html: text, policy: String(headers['content-security-policy']) }
  }

  /** Opens one page, or several as frames of one, and returns what of them came alive. */
  async function visit(...pages: Shown[]): Promise<string[]> {
    const frames = pages.map((_, n) => `<iframe src="/page/${n}"></iframe>`).join('')
    shown = pages.length === 1 ? pages : [...pages, { policy: OPEN, html: frames }]
    hits.length = 0
    await browser.go(`${origin}/page/${shown.length - 1}`)
    // Whatever runs late: a refresh, an animation, a focus.
    await browser.evaluate('new Promise((done) => setTimeout(done, 250))')
    return hits.filter((url) => url.startsWith('/alive'))
  }

  test('shows the mail at two widths, and nothing against accessibility', async () => {
    const seen = `<p>Hello</p><img alt="x" src="${origin}/seen">`
    let desktop: number[] = []
    for (const [width, dark] of [
      [375, false],
      [1_440, true],
    ] as const) {
      await browser.look({ width, dark })
      expect(await visit(await pageOf(seen))).toEqual([])
      // Both frames were rendered: their images were asked for.
      expect(hits).toContain('/seen')
      await browser.evaluate(axe.source)
      const wrong = await browser.evaluate<string[]>(
        `axe.run(document, { preload: false }).then(({ violations }) => violations.map(({ id, nodes }) => id + nodes.map(({ html }) => html).join()))`,
      )
      const isWide = await browser.evaluate<boolean>(
        'document.documentElement.scrollWidth > window.innerWidth',
      )
      expect([width, wrong, isWide]).toEqual([width, [], false])
      const widths = await browser.evaluate<number[]>(
        '[...document.querySelectorAll("iframe")].map((each) => each.clientWidth)',
      )
      // As wide as they say where there is room, and no wider than the page where there is none.
      expect([width, widths.map((each) => each <= width)]).toEqual([width, [true, true]])
      desktop = widths
    }
    expect(desktop).toEqual([1_280, 375])
  })

  test('nothing that a template or a contact says runs, loads more than images or leads away', async () => {
    const attacks = XSS.map((html, n) => attack(n, html))
    // In pages that forbid nothing it does: the corpus works.
    const bare = attacks.map((html) => ({ policy: OPEN, html: `<!doctype html>${html}` }))
    expect(new Set(await visit(...bare)).size).toBeGreaterThan(XSS.length / 2)

    const pages: Shown[] = []
    for (const html of attacks) {
      const source = `<img alt="" src="${origin}/seen"><p>{{ contact.firstName }}</p>${html}`
      const page = await pageOf(source, { firstName: html.slice(0, 100) })
      expect([html, await visit(page)]).toEqual([html, []])
      expect(hits).toContain('/seen')
      expect(await browser.evaluate('location.pathname')).toBe('/page/0')
      pages.push(page)
    }
    // Kept as files they have no header, and their own policy.
    const files = pages.map(({ html }) => ({ policy: OPEN, html }))
    expect(await visit(...files)).toEqual([])
    expect(hits).toContain('/seen')
  })
})
