import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { App } from '../../api/app.ts'
import { evaluateSpf } from '../../src/core/tools/spf-evaluate.ts'
import { isSpf, parseSpf } from '../../src/domain/tools/spf-record.ts'
import { sized } from '../support/size.ts'
import { openTrap, type SocketWatch, type Trap, watchSockets } from '../support/sockets.ts'
import { SSRF_NAMES, ssrfCases } from '../support/ssrf.ts'
import { offlineToolbox, toolboxAt } from '../support/toolbox.ts'
import { startToolsApi } from '../support/tools-api.ts'
import { startZoneServer, type ZoneServer } from '../support/zone-server.ts'

describe('nothing can be made to reach a private address', () => {
  let trap: Trap
  let watch: SocketWatch
  let names: ZoneServer
  beforeAll(async () => {
    trap = await openTrap()
    names = await startZoneServer()
    watch = watchSockets(trap.port)
  })
  beforeEach(() => names.clear())
  afterAll(async () => {
    watch.stop()
    await names.close()
    await trap.close()
  })

  test('hundreds of spellings of private addresses as the logo of a domain', async () => {
    names.set(SSRF_NAMES)
    const cases = ssrfCases(trap.port).map(({ url }) => url.replace(/^http:/, 'https:'))
    expect(cases.length).toBeGreaterThan(300)
    const toolbox = toolboxAt(names.address)
    const seen: string[] = []
    for (const [index, url] of cases.entries()) {
      const domain = `d${index}.example`
      names.set({ [`default._bimi.${domain}`]: { TXT: [`v=BIMI1; l=${url}`] } })
      const { report } = await toolbox.check('bimi-check', domain, { domain })
      seen.push(...report.records.flatMap(({ type, status }) => (type === 'HTTPS' ? [status] : [])))
    }
    expect(new Set(seen)).toEqual(new Set(['failed']))
    expect(seen.length).toBeGreaterThan(250)
    expect(watch.attempts).toEqual([])
    expect(trap.connections()).toBe(0)
  }, 120_000)

  test('names of policy hosts that lead to private addresses', async () => {
    const toolbox = toolboxAt(names.address)
    for (const [index, found] of Object.values(SSRF_NAMES).entries()) {
      const domain = `p${index}.example`
      names.set({
        [`_mta-sts.${domain}`]: { TXT: ['v=STSv1; id=1'] },
        [`mta-sts.${domain}`]: found,
      })
      const { report } = await toolbox.check('mta-sts-check', domain, { domain })
      expect(report.findings.map(({ code }) => code)).toContain('mta_sts_unreachable')
      expect(report.records.at(-1)).toMatchObject({ type: 'HTTPS', values: ['address_refused'] })
    }
    expect(watch.attempts).toEqual([])
    expect(trap.connections()).toBe(0)
  }, 60_000)
})

describe('whatever is typed', () => {
  let app: App
  beforeAll(async () => {
    app = await startToolsApi(offlineToolbox())
  })
  afterAll(() => app.close())

  const PIECES = [
    'a',
    'example.com',
    '.',
    '..',
    '-',
    '_',
    '@',
    '%',
    '%00',
    '%2e',
    '/',
    '\\',
    ':',
  ].concat([
    ' ',
    '\t',
    '\n',
    '\0',
    '💥',
    'ß',
    'ı',
    '。',
    'xn--',
    'xn--a',
    '127.0.0.1',
    '[::1]',
    '0x7f.1',
    'localhost',
    '<script>',
    '"',
    "'",
    ';',
    '=',
    '%s',
    '{{7*7}}',
    '\u202e',
    '\ud800',
    'a'.repeat(64),
    'a.'.repeat(130),
    'http://',
    'v=spf1',
  ])
  const pick = (n: number): string => PIECES[n % PIECES.length] ?? ''
  const odd = (n: number): string =>
    [pick(n * 7), pick(n * 13 + 5), pick(Math.floor(n / 3)), pick(n * 31 + 11)]
      .slice(0, (n % 4) + 1)
      .join('')
  const TOOLS = [
    'email',
    'spf',
    'dkim',
    'dmarc',
    'mx',
    'mta-sts',
    'tls-rpt',
    'bimi',
    'blocklist',
  ].concat(['reverse-dns'])

  test('no malformed domain or header is ever our error', async () => {
    const count = sized(300, 10_000)
    const statuses: Record<number, number> = {}
    const wrong: unknown[] = []
    for (let n = 0; n < count; n++) {
      const text = odd(n)
      const tool = `${TOOLS[n % TOOLS.length]}-check`
      const requests = [
        { method: 'GET', url: `/tools/${tool}/${encode(text)}` },
        {
          method: 'GET',
          url: `/tools?tool=${tool}&domain=${encode(text)}&ip=${encode(odd(n + 1))}`,
        },
        { method: 'POST', url: `/tools/${tool}`, payload: { domain: text } },
        {
          method: 'POST',
          url: '/tools/validate-address',
          payload: { address: `${text}@${odd(n + 2)}` },
        },
        { method: 'POST', url: '/tools/headers', payload: { headers: header(n) } },
        {
          method: 'POST',
          url: '/tools/unsubscribe-check',
          payload: { message: `${header(n)}\n\n${text}` },
        },
      ] as const
      const request = requests[n % requests.length]
      if (request === undefined) continue
      const { statusCode } = await app.inject(request)
      statuses[statusCode] = (statuses[statusCode] ?? 0) + 1
      if (statusCode >= 500) wrong.push([request, statusCode])
    }
    expect(wrong).toEqual([])
    expect(Object.keys(statuses).length).toBeGreaterThan(1)
  }, 300_000)

  const encode = (text: string): string =>
    encodeURIComponent(text.replaceAll('\ud800', '?')).slice(0, 900)
  const FIELDS = [
    'From',
    'Received',
    'DKIM-Signature',
    'List-Unsubscribe',
    'Authentication-Results',
    'Date',
  ]
  const header = (n: number): string =>
    Array.from(
      { length: (n % 7) + 1 },
      (_, i) =>
        `${FIELDS[(n + i) % FIELDS.length]}${i % 3 === 2 ? '' : ':'} ${odd(n + i)}; ${odd(n * i)}=${odd(i)}`,
    ).join(n % 2 === 0 ? '\r\n' : '\n ')
})

test('an SPF record of any letters is read in time, and never throws', async () => {
  const count = sized(500, 10_000)
  const words = [
    'include:',
    'a',
    'mx',
    '/',
    '//',
    '%{',
    'd',
    '}',
    'ip4:',
    '1.2.3.4',
    ' ',
    '=',
    '-all',
  ].concat(['redirect=', 'exp=', ':', '::', '%%', '~', 'r', '99', '.', 'é'])
  for (let n = 0; n < count; n++) {
    const text = `v=spf1 ${Array.from({ length: 12 }, (_, i) => words[(n * (i + 3) + i * i * 7) % words.length]).join('')}`
    if (isSpf(text)) parseSpf(text)
    await evaluateSpf(async () => ({ status: 'found', values: [text] }), {
      domain: 'a.example',
      ip: '192.0.2.1',
      sender: 'x@a.example',
      helo: 'a.example',
    })
  }
  const begin = performance.now()
  for (const part of ['a/', 'a:%{d}', '%{d', 'ip4:1', 'a//', '::']) {
    parseSpf(`v=spf1 ${part.repeat(60_000 / part.length)}`)
  }
  expect(performance.now() - begin).toBeLessThan(3_000)
}, 60_000)
