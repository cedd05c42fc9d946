import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { App } from '../../api/app.ts'
import { evaluateSpf } from '../../src/core/deliverability/spf-evaluate.ts'
import { createToolbox } from '../../src/core/deliverability/toolbox.ts'
import { isSpf, parseSpf } from '../../src/domain/deliverability/spf-record.ts'
import type { DnsAnswer, DnsType } from '../../src/net/dns.ts'
import { createFetcher } from '../../src/net/fetch.ts'
import { createLookups } from '../../src/net/lookups.ts'
import { sized } from '../support/size.ts'
import { openTrap, type SocketWatch, type Trap, watchSockets } from '../support/sockets.ts'
import { SSRF_NAMES, ssrfCases } from '../support/ssrf.ts'
import { problemsOf } from '../support/tool-reports.ts'
import { offlineToolbox, toolboxAt } from '../support/toolbox.ts'
import { startToolsApi } from '../support/tools-api.ts'
import { startZoneServer, type ZoneServer } from '../support/zone-server.ts'

const TOOLS = ['email', 'spf', 'dkim', 'dmarc', 'mx', 'mta-sts', 'tls-rpt', 'bimi'].concat([
  'blocklist',
  'reverse-dns',
])
/** Of what is drawn at random. */
const SEED = 21
const FIELDS = [
  'From',
  'Received',
  'DKIM-Signature',
  'List-Unsubscribe',
  'Authentication-Results',
  'Date',
]
const REBOUND = 'rebound.example'

describe('nothing can be made to reach a private address', () => {
  let trap: Trap
  let watch: SocketWatch
  let usual: SocketWatch
  let names: ZoneServer
  beforeAll(async () => {
    trap = await openTrap()
    names = await startZoneServer()
    watch = watchSockets(trap.port)
    usual = watchSockets(443)
  })
  beforeEach(() => {
    names.clear()
    usual.attempts.length = 0
  })
  afterAll(async () => {
    usual.stop()
    watch.stop()
    await names.close()
    await trap.close()
  })

  test('hundreds of spellings of private addresses as the logo of a domain', async () => {
    names.set(SSRF_NAMES)
    const cases = ssrfCases(trap.port).map(({ url }) => url.replace(/^http:/, 'https:'))
    expect(cases.length).toBeGreaterThan(300)
    // The port is not what they are refused for.
    const toolbox = toolboxAt(names.address, { isAnyPort: true })
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
  })

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
    // The port of policies is watched, as the last one shows, which is public.
    expect(usual.attempts).toEqual([])
    names.set({
      '_mta-sts.open.example': { TXT: ['v=STSv1; id=1'] },
      'mta-sts.open.example': { A: ['8.8.8.8'] },
    })
    await toolbox.check('mta-sts-check', 'open.example', { domain: 'open.example' })
    expect(usual.attempts).toEqual(['8.8.8.8'])
  })

  test('a policy host that is public the first time, and private when it is asked again', async () => {
    const clock = { ms: 0 }
    const toolbox = toolboxAt(names.address, { now: () => clock.ms })
    const policyOf = async (address: string) => {
      names.set({
        [`_mta-sts.${REBOUND}`]: { TXT: ['v=STSv1; id=1'] },
        [`mta-sts.${REBOUND}`]: { A: [address] },
      })
      const { report } = await toolbox.check('mta-sts-check', REBOUND, { domain: REBOUND })
      return report.records.at(-1)?.values
    }
    expect(await policyOf('8.8.8.8')).toEqual(['connect_failed'])
    // The report and the answers are forgotten.
    clock.ms += 61_000
    expect(await policyOf('127.0.0.1')).toEqual(['address_refused'])
    expect(usual.attempts).toEqual(['8.8.8.8'])
  })

  test('a host is looked up once for a request, whatever it says the next time', async () => {
    let asked = 0
    const toolbox = createToolbox({
      lookups: createLookups({
        ask: async ({ name, type }): Promise<DnsAnswer> => {
          if (type === 'TXT') return { status: 'found', values: ['v=STSv1; id=1'] }
          if (type !== 'A' || !name.startsWith('mta-sts.')) return { status: 'empty' }
          return { status: 'found', values: [asked++ === 0 ? '8.8.8.8' : '127.0.0.1'] }
        },
      }),
      createFetcher: (findAddresses) => createFetcher({ allowed: [], findAddresses }),
      now: Date.now,
      userAgent: 'Letterloom-Tools/test',
    })
    await toolbox.check('mta-sts-check', REBOUND, { domain: REBOUND })
    expect([asked, usual.attempts]).toEqual([1, ['8.8.8.8']])
  })
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
  /** Pieces that mean something to somebody, and any other characters. */
  const text = fc
    .array(
      fc.oneof(
        { weight: 3, arbitrary: fc.constantFrom(...PIECES) },
        fc.string({ unit: 'binary', maxLength: 12 }),
        fc.string({ maxLength: 12 }),
      ),
      { minLength: 1, maxLength: 8 },
    )
    .map((pieces) => pieces.join(''))
  const header = fc
    .array(fc.tuple(fc.constantFrom(...FIELDS), fc.constantFrom(':', ': ', ''), text, text), {
      minLength: 1,
      maxLength: 8,
    })
    .chain((fields) =>
      fc
        .constantFrom('\r\n', '\n', '\n ', '\r')
        .map((end) => fields.map(([name, sign, a, b]) => `${name}${sign}${a};${b}=${a}`).join(end)),
    )
  const tool = fc.constantFrom(...TOOLS)
  const input = fc.oneof(
    fc.record({ tool, text }).map(({ tool: name, text: typed }) => ({
      method: 'GET' as const,
      url: `/tools/${name}-check/${encode(typed)}`,
    })),
    fc.record({ tool, text, ip: text }).map(({ tool: name, text: typed, ip }) => ({
      method: 'GET' as const,
      url: `/tools?tool=${name}-check&domain=${encode(typed)}&ip=${encode(ip)}`,
    })),
    fc.record({ tool, text }).map(({ tool: name, text: domain }) => ({
      method: 'POST' as const,
      url: `/tools/${name}-check`,
      payload: { domain },
    })),
    fc.tuple(text, text).map(([local, domain]) => ({
      method: 'POST' as const,
      url: '/tools/validate-address',
      payload: { address: `${local}@${domain}` },
    })),
    header.map((headers) => ({
      method: 'POST' as const,
      url: '/tools/headers',
      payload: { headers },
    })),
    fc.tuple(header, text).map(([headers, body]) => ({
      method: 'POST' as const,
      url: '/tools/unsubscribe-check',
      payload: { message: `${headers}\n\n${body}` },
    })),
  )

  test('no malformed domain or header is ever our error', async () => {
    const count = sized(60, 10_000)
    const inputs = fc.sample(input, { numRuns: count, seed: SEED })
    expect(new Set(inputs.map((each) => JSON.stringify(each))).size).toBeGreaterThan(0.95 * count)
    const statuses: Record<number, number> = {}
    const wrong: unknown[] = []
    for (const request of inputs) {
      const { statusCode } = await app.inject(request)
      statuses[statusCode] = (statuses[statusCode] ?? 0) + 1
      if (statusCode >= 500) wrong.push([request, statusCode])
    }
    expect(wrong).toEqual([])
    expect(Object.keys(statuses).length).toBeGreaterThan(1)
  }, 300_000)

  test('nothing that a zone or a file says is ever our error, or more than a report holds', async () => {
    const count = sized(60, 3_000)
    const record = fc.oneof(
      text,
      fc.tuple(fc.constantFrom(...RECORDS), text, text).map(([start, a, b]) => `${start}${a};${b}`),
    )
    const said = fc.sample(fc.array(record, { maxLength: 4 }), { numRuns: 20 * count, seed: SEED })
    let next = 0
    const values = (): string[] => said[next++ % said.length] ?? []
    const answer = (type: DnsType): DnsAnswer => {
      switch (next++ % 9) {
        case 0:
          return { status: 'failed', reason: 'server' }
        case 1:
          return { status: 'empty' }
        default:
          return { status: 'found', values: values().map((value) => valueOf(type, value, next)) }
      }
    }
    const toolbox = createToolbox({
      lookups: createLookups({ ask: async ({ type }) => answer(type) }),
      createFetcher: () => ({
        send: async ({ url }) => ({
          url,
          status: next % 5 === 0 ? 404 : 200,
          headers: new Map([['content-type', next % 2 === 0 ? 'text/plain' : 'image/svg+xml']]),
          body: Buffer.from(values().join('\n')),
          isCut: false,
        }),
      }),
      now: Date.now,
      userAgent: 'Letterloom-Tools/test',
    })
    const seen = new Set<string>()
    for (let n = 0; n < count; n++) {
      const domain = `d${n}.example`
      for (const name of TOOLS) {
        const { report, json } = await toolbox.check(`${name}-check` as 'email-check', domain, {
          domain,
        })
        seen.add(`${name} ${report.verdict}`)
        expect([name, problemsOf(report)]).toEqual([name, []])
        expect(json.length).toBeLessThan(1_000_000)
      }
    }
    expect(seen.size).toBeGreaterThan(2 * TOOLS.length)
  }, 300_000)
})

/** The beginnings of records, so that more is read of them than that they are none. */
const RECORDS = [
  'v=spf1 ',
  'v=spf1 include:',
  'v=DMARC1; p=reject; rua=',
  'v=DMARC1; p=',
  'v=DKIM1; p=',
  'v=DKIM1; k=ed25519; p=',
  'v=STSv1; id=',
  'v=TLSRPTv1; rua=mailto:',
  'v=BIMI1; l=https://',
  'version: STSv1\nmode: enforce\nmx: ',
].concat(['<svg baseProfile="tiny-ps" '])

function valueOf(type: DnsType, value: string, n: number): string {
  if (type === 'A') return `127.0.${n % 2}.${n % 256}`
  if (type === 'AAAA') return `2606:4700::${n % 100}`
  return type === 'MX' ? `${n % 100} ${n % 3 === 0 ? `m${n}.example` : value}` : value
}

const encode = (typed: string): string =>
  encodeURIComponent(typed.replace(/\p{Surrogate}/gu, '?')).slice(0, 900)

test('an SPF record of any letters is read in time, and never throws', async () => {
  const count = sized(50, 10_000)
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
})
