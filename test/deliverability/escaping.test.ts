import { afterAll, beforeAll, expect, test } from 'vitest'
import type { App } from '../../api/app.ts'
import { startToolsApi } from '../support/tools-api.ts'
import { hostileWorld, mailOf, XSS } from '../support/xss.ts'

/** The page has the tags that it is made of, and no others, whatever is typed or published. */

const world = hostileWorld()
let app: App
beforeAll(async () => {
  app = await startToolsApi(world.toolbox)
})
afterAll(() => app.close())

const TAGS = [
  'html',
  'head',
  'meta',
  'title',
  'style',
  'body',
  'main',
  'h1',
  'h2',
  'h3',
  'p',
].concat([
  'nav',
  'ul',
  'li',
  'a',
  'form',
  'input',
  'div',
  'label',
  'small',
  'select',
  'option',
  'textarea',
  'button',
  'section',
  'span',
  'b',
  'details',
  'summary',
  'dl',
  'dt',
  'dd',
  'pre',
  'time',
  'footer',
])
const ATTRIBUTES = [
  'lang',
  'charset',
  'name',
  'content',
  'nonce',
  'class',
  'aria-label',
  'href',
].concat([
  'aria-current',
  'aria-labelledby',
  'action',
  'method',
  'type',
  'value',
  'required',
  'placeholder',
  'autocapitalize',
  'autocorrect',
  'spellcheck',
  'maxlength',
  'id',
  'role',
  'datetime',
  'selected',
])
const ATTRIBUTE = /\s+([a-z-]+)(?:="([^"<>]*)")?/g

/** What of a page is no tag of ours. Whatever begins with `<` has to be one. */
function strangersIn(html: string): string[] {
  const [, rest = ''] = html.split('<!doctype html>')
  return Array.from(rest.matchAll(/<[^]{0,2000}?(?:>|$)/g), ([tag]) => tag).filter((tag) => {
    const [, name = '', attributes = ''] =
      /^<\/?([a-z][a-z0-9]*)((?:\s+[a-z-]+(?:="[^"<>]*")?)*)\s*>$/.exec(tag) ?? []
    const isOurs = Array.from(attributes.matchAll(ATTRIBUTE)).every(
      ([, attribute = '', value = '']) =>
        ATTRIBUTES.includes(attribute) &&
        (attribute !== 'href' || /^\/(?:tools|docs)(?:$|\?)/.test(value)) &&
        (attribute !== 'action' || value === '/tools'),
    )
    return !TAGS.includes(name) || !isOurs
  })
}

const CHECKS = ['email', 'spf', 'dkim', 'dmarc', 'mx', 'mta-sts', 'tls-rpt', 'bimi'].concat([
  'blocklist',
  'reverse-dns',
])

test('a tag that is not ours would be seen', () => {
  const page = (inside: string): string => `<!doctype html><main><p>${inside}</p></main>`
  expect(strangersIn(page('x &lt;script&gt; y'))).toEqual([])
  for (const attack of XSS.filter((each) => each.includes('<'))) {
    expect([attack, strangersIn(page(attack))]).not.toEqual([attack, []])
  }
  for (const tag of ['<p onclick="x">', '<a href="javascript:x">', '<input value="" autofocus>']) {
    expect(strangersIn(page(tag))).toEqual([tag])
  }
})

test.each(XSS)('nothing that is typed or published comes alive: %s', async (attack) => {
  world.attack = attack
  const encoded = encodeURIComponent(attack)
  const domain = `x${XSS.indexOf(attack)}.example`
  const browser = { accept: 'text/html' }
  const pages = await Promise.all([
    ...CHECKS.map((tool) => app.inject(`/tools?tool=${tool}-check&domain=${domain}&selector=s`)),
    app.inject(`/tools?tool=spf-check&domain=${domain}&ip=9.9.9.9`),
    ...[
      `domain=${encoded}&selector=${encoded}`,
      `tool=${encoded}&fill=${encoded}`,
      `tool=spf-check&domain=${domain}&ip=${encoded}`,
      `tool=dmarc-generator&domain=${domain}&policy=${encoded}&rua=${encoded}`,
    ].map((query) => app.inject({ url: `/tools?${query}`, headers: browser })),
    ...[
      { tool: 'headers', headers: mailOf(attack, domain) },
      { tool: 'unsubscribe-check', message: mailOf(attack, domain) },
      { tool: 'validate-address', address: attack },
      { tool: 'validate-address', address: `ann@${domain}` },
    ].map((fields) =>
      app.inject({
        method: 'POST',
        url: '/tools',
        headers: { ...browser, 'content-type': 'application/x-www-form-urlencoded' },
        payload: new URLSearchParams(fields).toString(),
      }),
    ),
  ])
  const found = pages.map(({ statusCode, body }) => [statusCode < 500, strangersIn(body)])
  expect(found).toEqual(pages.map(() => [true, []]))
  // It is there all the same, as text.
  const escaped = attack.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  const told = pages.filter(({ body }) => unquoted(body).includes(escaped))
  expect(told.length).toBeGreaterThan(10)
})

const unquoted = (html: string): string => html.replaceAll('&quot;', '"').replaceAll('&#39;', "'")
