import type { ServerResponse } from 'node:http'
import { createServer as createHttps } from 'node:https'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { CheckTool, Report } from '../../src/core/deliverability/toolbox.ts'
import { createToolbox } from '../../src/core/deliverability/toolbox.ts'
import { createFetcher } from '../../src/net/fetch.ts'
import { createLookups } from '../../src/net/lookups.ts'
import { testAuthority, testCertificate } from '../support/certificates.ts'
import { createServers } from '../support/servers.ts'
import { problemsOf } from '../support/tool-reports.ts'
import { askPatiently } from '../support/toolbox.ts'
import { startZoneServer, type Zone, type ZoneServer } from '../support/zone-server.ts'

const D = 'shop.example'
/** Whose name the certificate of the tests has. */
const CERTIFIED = 'receiver.example'

type Serve = (response: ServerResponse) => void

const servers = createServers()
let names: ZoneServer
let port: number
let serve: Serve
let asked: string[]
let agents: (string | undefined)[]

beforeAll(async () => {
  names = await startZoneServer()
  port = await servers.listen(
    createHttps(testCertificate, (request, response) => {
      asked.push(request.url ?? '')
      agents.push(request.headers['user-agent'])
      serve(response)
    }),
  )
})
beforeEach(() => {
  names.clear()
  asked = []
  agents = []
})
afterAll(async () => {
  await servers.close()
  await names.close()
})

/**
 * The tools with the real fetch over TLS. Only a superuser may listen at 443, and the certificate
 * has another name: so the request goes to the test's port, and to that name unless it is the
 * certificate that is wrong.
 */
async function report(
  tool: CheckTool,
  { at = CERTIFIED, now = Date.now } = {},
): Promise<Report & { codes: string[] }> {
  names.set({ [CERTIFIED]: { A: ['127.0.0.1'] }, [`mta-sts.${D}`]: { A: ['127.0.0.1'] } })
  const toolbox = createToolbox({
    lookups: createLookups({ servers: [names.address], ask: askPatiently }),
    createFetcher: (findAddresses) => {
      const { send } = createFetcher({ allowed: ['127.0.0.1'], ca: testAuthority, findAddresses })
      const moved = (url: string): string =>
        Object.assign(new URL(url), { hostname: at, port }).toString()
      return { send: (request) => send({ ...request, url: moved(request.url) }) }
    },
    now,
    userAgent: 'Letterloom-Tools/test',
  })
  const { report: found } = await toolbox.check(tool, D, { domain: D })
  return { ...found, codes: found.findings.map(({ code }) => code) }
}

const text =
  (body: string, type = 'text/plain'): Serve =>
  (response) =>
    response.writeHead(200, { 'content-type': type }).end(body)

const redirect: Serve = (response) =>
  response.writeHead(301, { location: 'http://169.254.169.254/latest/meta-data' }).end()

describe('the policy of MTA-STS', () => {
  const RECORD: Zone = {
    [`_mta-sts.${D}`]: { TXT: ['v=STSv1; id=20261123T120000'] },
    [D]: { MX: ['10 mx1.shop.example', '20 mx.other.example'] },
  }
  const policy = (lines: Record<string, string | string[]>): string =>
    Object.entries({ version: 'STSv1', mode: 'enforce', max_age: '604800', ...lines })
      .flatMap(([name, values]) => [values].flat().map((value) => `${name}: ${value}`))
      .join('\r\n')
  const GOOD = { mx: ['*.shop.example', 'mx.other.example'] }

  test('that is right passes, and is read at its address', async () => {
    names.set(RECORD)
    serve = text(policy(GOOD))
    const { verdict, details, codes } = await report('mta-sts-check')
    expect([verdict, codes]).toEqual(['pass', ['mta_sts_enforced', 'mta_sts_mx']])
    expect(details).toMatchObject({ mode: 'enforce', maxAgeSeconds: 604_800, mx: GOOD.mx })
    expect(asked).toEqual(['/.well-known/mta-sts.txt'])
  })

  test.each<[string, Serve, string, string]>([
    [
      'in testing is a warning',
      text(policy({ ...GOOD, mode: 'testing' })),
      'warning',
      'mta_sts_mode',
    ],
    ['without a known mode fails', text(policy({ ...GOOD, mode: 'on' })), 'fail', 'mta_sts_mode'],
    ['without a version fails', text(policy({ ...GOOD, version: '' })), 'fail', 'mta_sts_version'],
    ['without hosts fails', text(policy({})), 'fail', 'mta_sts_no_mx'],
    [
      'that lacks a host fails, because mail to it is lost',
      text(policy({ mx: ['*.shop.example'] })),
      'fail',
      'mta_sts_mx',
    ],
    [
      'with a star for two labels does not cover the host',
      text(policy({ mx: ['*.example', 'mx1.shop.example'] })),
      'fail',
      'mta_sts_mx',
    ],
    [
      'for a minute is a warning',
      text(policy({ ...GOOD, max_age: '60' })),
      'warning',
      'mta_sts_max_age',
    ],
    ['for ever fails', text(policy({ ...GOOD, max_age: '9999999999' })), 'fail', 'mta_sts_max_age'],
    ['as a web page fails', text(policy(GOOD), 'text/html'), 'fail', 'mta_sts_type'],
    [
      'beyond 64 KB fails',
      text(`${policy(GOOD)}\r\n${' '.repeat(65_536)}`),
      'fail',
      'mta_sts_large',
    ],
    ['that is elsewhere fails, and nobody goes there', redirect, 'fail', 'mta_sts_status'],
    ['that is cut off fails', (response) => response.destroy(), 'fail', 'mta_sts_unreachable'],
  ])('%s', async (_, answer, verdict, code) => {
    names.set(RECORD)
    serve = answer
    const found = await report('mta-sts-check')
    expect([found.verdict, found.codes]).toEqual([verdict, expect.arrayContaining([code])])
    expect(asked).toHaveLength(1)
  })

  test('whose host nobody can tell is unknown; that has no address fails', async () => {
    for (const [said, verdict, reason] of [
      [{ A: 'SERVFAIL', AAAA: 'SERVFAIL' }, 'unknown', 'dns_unanswered'],
      [{ TXT: ['x'] }, 'fail', 'dns_failed'],
    ] as const) {
      names.clear()
      names.set({ ...RECORD, 'policy.example': said })
      const found = await report('mta-sts-check', { at: 'policy.example' })
      expect([found.verdict, found.codes]).toEqual([verdict, ['mta_sts_unreachable']])
      expect(found.records.at(-1)?.values).toEqual([reason])
    }
    expect(asked).toEqual([])
  })

  test('tells no more of itself than the document says', async () => {
    names.set(RECORD)
    serve = text(policy(GOOD))
    const { codes: _, ...found } = await report('mta-sts-check')
    expect(problemsOf(found)).toEqual([])
  })

  test('with a certificate for another name is not read', async () => {
    names.set(RECORD)
    serve = text(policy(GOOD))
    const found = await report('mta-sts-check', { at: `mta-sts.${D}` })
    expect([found.verdict, found.codes]).toEqual(['fail', ['mta_sts_unreachable']])
    expect(found.records.at(-1)?.values).toEqual(['tls_failed'])
    expect(asked).toEqual([])
  })

  test('that never comes is unknown within five seconds', async () => {
    names.set(RECORD)
    serve = () => {}
    const begun = performance.now()
    const found = await report('mta-sts-check')
    expect([found.verdict, found.codes]).toEqual(['unknown', ['mta_sts_unreachable']])
    expect(performance.now() - begun).toBeLessThan(10_000)
  })
})

describe('the logo of BIMI', () => {
  const zone = (record: string, dmarc = 'v=DMARC1; p=reject'): Zone => ({
    [`default._bimi.${D}`]: { TXT: [record] },
    [`_dmarc.${D}`]: { TXT: [dmarc] },
  })
  const RECORD = `v=BIMI1; l=https://${D}/logo.svg; a=https://${D}/mark.pem`
  const svg = (inside = '<title>Shop</title>', profile = 'tiny-ps'): string =>
    `<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" version="1.2" baseProfile="${profile}">${inside}</svg>`
  const logo = (body: string, type = 'image/svg+xml'): Serve => text(body, type)

  test('that is right passes', async () => {
    names.set(zone(RECORD))
    serve = logo(svg())
    const { verdict, codes, details } = await report('bimi-check')
    expect([verdict, codes]).toEqual([
      'pass',
      ['bimi_found', 'bimi_dmarc', 'bimi_logo', 'bimi_certificate_unread'],
    ])
    expect(agents).toEqual(['Letterloom-Tools/test'])
    expect(details).toMatchObject({
      logoUrl: `https://${D}/logo.svg`,
      foundAt: `default._bimi.${D}`,
    })
    expect(asked).toEqual(['/logo.svg'])
  })

  test.each<[string, Serve, string, string]>([
    ['of another profile fails', logo(svg(undefined, 'full')), 'fail', 'bimi_logo_profile'],
    [
      'with a script fails',
      logo(svg('<title>x</title><script>alert(1)</script>')),
      'fail',
      'bimi_logo_active',
    ],
    ['without a title is a warning', logo(svg('')), 'warning', 'bimi_logo_title'],
    ['as another type is a warning', logo(svg(), 'text/plain'), 'warning', 'bimi_logo_type'],
    [
      'beyond 32 KB is a warning',
      logo(svg(`<title>x</title>${' '.repeat(32_768)}`)),
      'warning',
      'bimi_logo_large',
    ],
    ['that is a photograph fails', logo('\u0089PNG', 'image/png'), 'fail', 'bimi_logo_type'],
    ['that is elsewhere fails, and nobody goes there', redirect, 'fail', 'bimi_logo_status'],
    ['that has no end is read no further', endless, 'fail', 'bimi_logo_type'],
  ])('%s', async (_, answer, verdict, code) => {
    names.set(zone(RECORD))
    serve = answer
    const found = await report('bimi-check')
    expect([found.verdict, found.codes]).toEqual([verdict, expect.arrayContaining([code])])
    expect(asked).toHaveLength(1)
  })

  test('is read at the usual port only', async () => {
    names.set(zone(`v=BIMI1; l=https://${D}:8443/logo.svg`))
    serve = logo(svg())
    const { verdict, codes, records } = await report('bimi-check')
    expect([verdict, codes]).toEqual(['warning', expect.arrayContaining(['bimi_logo_unreachable'])])
    expect(records.at(-1)).toMatchObject({ type: 'HTTPS', values: ['request_refused'] })
    expect(asked).toEqual([])
  })

  test('of two records is none', async () => {
    const record = {
      [`default._bimi.${D}`]: { TXT: [RECORD, 'v=BIMI1; l=https://b.example/l.svg'] },
    }
    names.set({ ...zone(RECORD), ...record })
    const { verdict, codes } = await report('bimi-check')
    expect([verdict, codes, asked]).toEqual(['fail', ['bimi_many'], []])
  })

  test.each([
    ['of a domain that enforces nothing', zone(RECORD, 'v=DMARC1; p=none'), 'fail', 'bimi_dmarc'],
    ['of a domain that wants none', zone('v=BIMI1; l=; a='), 'pass', 'bimi_declined'],
    [
      'that is not https',
      zone('v=BIMI1; l=http://shop.example/l.svg'),
      'fail',
      'bimi_logo_address',
    ],
    [
      'without a mark certificate',
      zone(`v=BIMI1; l=https://${D}/l.svg`),
      'pass',
      'bimi_no_certificate',
    ],
  ])('%s', async (_, found, verdict, code) => {
    names.set(found)
    serve = logo(svg())
    const said = await report('bimi-check')
    expect([said.verdict, said.codes]).toEqual([verdict, expect.arrayContaining([code])])
  })
})

/** Writes for as long as anybody reads. */
function endless(response: ServerResponse): void {
  const more = (): void => {
    while (!response.destroyed && response.write('x'.repeat(16_384)));
  }
  response.writeHead(200, { 'content-type': 'image/svg+xml' }).on('drain', more)
  more()
}
