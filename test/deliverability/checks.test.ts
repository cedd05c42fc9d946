import { generateKeyPairSync } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { readIp } from '../../src/core/deliverability/subject.ts'
import type { CheckInput, CheckTool, Toolbox } from '../../src/core/deliverability/toolbox.ts'
import { problemsOf } from '../support/tool-reports.ts'
import { toolboxAt } from '../support/toolbox.ts'
import { startZoneServer, type Zone, type ZoneServer } from '../support/zone-server.ts'

let server: ZoneServer
let toolbox: Toolbox

beforeAll(async () => {
  server = await startZoneServer()
})
beforeEach(() => {
  server.clear()
  server.questions.length = 0
  toolbox = toolboxAt(server.address)
})
afterAll(() => server.close())

const D = 'shop.example'
const DMARC = `_dmarc.${D}`
/** `::ffff:7f00:2`, as lists have it. */
const IPV6_TEST = '2.0.0.0.0.0.f.7.f.f.f.f.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0'
const RSA_2048 = generateKeyPairSync('rsa', { modulusLength: 2_048 })
  .publicKey.export({ format: 'der', type: 'spki' })
  .toString('base64')
const RSA_1024 =
  'MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQC/QEI3dKjtxj29+7OOXnsiItk+XA5lwvbVNm1D3Rdp5iLxV5PRk+0N9lxD3lr5slB4lPtg5qLcHX6zlBs8QhpF5aoXtaRsDqJzuZqx0hJRyZ4VBAQK1wV9+iQj7Nwp0o0cjWXx0RiT60p0MzBPq6Xn2YjXPWYIe0ukCT+u3aRzyQIDAQAB'

/** A tool, a zone, its verdict, and codes that are among the findings. */
type Case<Tool extends CheckTool> = [
  what: string,
  zone: Zone,
  verdict: 'pass' | 'warning' | 'fail' | 'unknown',
  codes: string[],
  input?: Partial<CheckInput<Tool>>,
]

function table<Tool extends CheckTool>(tool: Tool, cases: Case<Tool>[]): void {
  test.each(cases)('%s', async (_, zone, verdict, codes, input = {}) => {
    server.set(zone)
    const { report } = await toolbox.check(tool, D, { domain: D, ...input })
    const found = report.findings.map(({ code }) => code)
    expect([report.verdict, found]).toEqual([verdict, expect.arrayContaining(codes)])
    expect(problemsOf(report)).toEqual([])
    expect(report.summary).not.toBe('')
    expect(report.lookups).toBeLessThanOrEqual(25)
  })
}

const spf = (record: string): Zone => ({ [D]: { TXT: [record] } })
const chain = (count: number): Zone =>
  Object.fromEntries(
    Array.from({ length: count + 1 }, (_, n) => [
      n === 0 ? D : `i${n}.example`,
      {
        TXT: [n === count ? 'v=spf1 ip4:192.0.2.1 -all' : `v=spf1 include:i${n + 1}.example -all`],
      },
    ]),
  )

describe('SPF', () => {
  test.each([
    ['a:relay.example', { A: ['10.1.2.3'] }],
    ['a:relay.example', { A: ['192.168.4.5', '192.0.2.9'] }],
    ['mx:relay.example', { MX: ['10 mx.relay.example'] }],
    ['exists:relay.example', { A: ['172.16.0.9'] }],
    ['a:relay.example/24//64', { AAAA: ['fd00::5'] }],
    ['include:relay.example', { TXT: ['v=spf1 a:mx.relay.example ?all'] }],
  ])('private addresses of relays are found and not told: %s', async (term, relay) => {
    const terms = ['a:one.example', 'a:two.example', term, 'ip4:9.9.9.0/24', '-all']
    server.set({
      ...spf(`v=spf1 ${terms.join(' ')}`),
      'one.example': { A: ['10.0.0.1'] },
      'two.example': { A: ['100.64.0.7'] },
      'mx.relay.example': { A: ['10.7.7.7'] },
      'relay.example': relay,
    })
    const input = { domain: D, ip: '9.9.9.9' }
    const { report, json } = await toolbox.check('spf-check', D, input)
    const found = report.findings.map(({ code }) => code)
    // What is there for everybody lets everybody in, whatever address it is.
    const isOpen = term.startsWith('exists')
    expect([report.verdict, found.includes('spf_all_pass')]).toEqual([
      isOpen ? 'fail' : 'pass',
      isOpen,
    ])
    expect(report.details).toMatchObject({
      voidLookups: 0,
      evaluation: { result: 'pass', term: isOpen ? term : 'ip4:9.9.9.0/24' },
    })
    expect(json).not.toMatch(/10\.\d+\.\d+\.\d+|192\.168|172\.16|100\.64|fd00/)
    expect(report.records).toContainEqual({
      name: 'one.example',
      type: 'A',
      status: 'found',
      values: ['(a private address)'],
    })
    const { report: whole } = await toolbox.check('email-check', D, { domain: D })
    expect(whole.findings.filter(({ code }) => /void|error/.test(code))).toEqual([])
  })

  test.each(['::ffff:9.9.9.9', '::FFFF:909:909', '0:0:0:0:0:ffff:9.9.9.9', ' 9.9.9.9 '])(
    'an IPv4 address may be written as %s',
    async (given) => {
      server.set(spf('v=spf1 ip4:9.9.9.9 -all'))
      const ip = readIp(given)
      expect(ip).toBe('9.9.9.9')
      const { report } = await toolbox.check('spf-check', D, { domain: D, ip })
      expect(report.details).toMatchObject({ evaluation: { result: 'pass', ip: '9.9.9.9' } })
    },
  )

  test('a private address is none however it is written', () => {
    const given = ['::ffff:10.0.0.1', '::ffff:a00:1', '::ffff:127.0.0.1', '64:ff9b::909:909', '::']
    expect(given.map(readIp)).toEqual(given.map(() => undefined))
  })

  table('spf-check', [
    ['a good record passes', spf('v=spf1 ip4:192.0.2.0/24 -all'), 'pass', ['spf_all']],
    ['no record fails', { [D]: { A: ['192.0.2.1'] } }, 'fail', ['spf_missing']],
    ['no domain fails', {}, 'fail', ['spf_missing']],
    ['two records fail', { [D]: { TXT: ['v=spf1 -all', 'v=spf1 ~all'] } }, 'fail', ['spf_many']],
    [
      'other TXT records are none',
      { [D]: { TXT: ['v=spf10 -all', 'x'] } },
      'fail',
      ['spf_missing'],
    ],
    ['a term that is none fails', spf('v=spf1 ipv4:192.0.2.1 -all'), 'fail', ['spf_syntax']],
    ...['exists:%{d0}.b.example', 'include:%{i0r}.b.example', 'a:%{d00}', 'redirect=%{o0}'].map(
      (term): Case<'spf-check'> => [
        `a macro of no labels fails: ${term}`,
        spf(`v=spf1 ${term} -all`),
        'fail',
        ['spf_syntax'],
      ],
    ),
    [
      'a macro of labels passes',
      spf('v=spf1 exists:%{d01}.%{i4r}.b.example -all'),
      'pass',
      ['spf_all'],
    ],
    ['everybody may send: fails', spf('v=spf1 +all'), 'fail', ['spf_all_pass']],
    [
      'everybody may send by an include: fails',
      { ...spf('v=spf1 include:b.example -all'), 'b.example': { TXT: ['v=spf1 +all'] } },
      'fail',
      ['spf_all_pass'],
    ],
    [
      'everybody may send by an include of a redirect: fails',
      {
        ...spf('v=spf1 include:b.example -all'),
        'b.example': { TXT: ['v=spf1 redirect=c.example'] },
        'c.example': { TXT: ['v=spf1 all'] },
      },
      'fail',
      ['spf_all_pass'],
    ],
    [
      'everybody may send by a redirect: fails',
      { ...spf('v=spf1 redirect=b.example'), 'b.example': { TXT: ['v=spf1 +all'] } },
      'fail',
      ['spf_all_pass'],
    ],
    ...['ip4:0.0.0.0/0', 'ip6:::/0', 'a/0', 'a:b.example//0', 'mx/0', 'exists:b.example'].map(
      (term): Case<'spf-check'> => [
        `everybody may send by ${term}: fails`,
        {
          [D]: { TXT: [`v=spf1 ${term} -all`], A: ['192.0.2.1'], MX: ['10 b.example'] },
          'b.example': { A: ['192.0.2.1'] },
        },
        'fail',
        ['spf_all_pass'],
      ],
    ),
    ...[
      'include:b.example',
      '?include:c.example',
      '-ip4:0.0.0.0/0',
      'a:b.example/0',
      'exists:b.example',
    ].map(
      (term): Case<'spf-check'> => [
        `${term} lets nobody in`,
        {
          ...spf(`v=spf1 ${term} -all`),
          'b.example': { TXT: ['v=spf1 -ip4:0.0.0.0/0 ?all'] },
          'c.example': { TXT: ['v=spf1 +all'] },
        },
        term.startsWith('a:') ? 'warning' : 'pass',
        ['spf_all'],
      ],
    ),
    [
      'a redirect to a record that says nothing of others is a warning',
      { ...spf('v=spf1 redirect=b.example'), 'b.example': { TXT: ['v=spf1 ?all'] } },
      'warning',
      ['spf_all_neutral'],
    ],
    [
      'a redirect to a record without an end is a warning',
      { ...spf('v=spf1 redirect=b.example'), 'b.example': { TXT: ['v=spf1 ip4:192.0.2.1'] } },
      'warning',
      ['spf_no_all'],
    ],
    [
      'a redirect that depends on the mail is unknown',
      spf('v=spf1 redirect=%{l}.b.example'),
      'unknown',
      ['spf_redirect_unknown'],
    ],
    [
      'a very wide range behind an include is a warning',
      {
        ...spf('v=spf1 include:b.example -all'),
        'b.example': { TXT: ['v=spf1 a/2 -all'], A: ['192.0.2.1'] },
      },
      'warning',
      ['spf_wide_range'],
    ],
    [
      'the ranges of a large mail service pass',
      {
        ...spf('v=spf1 include:b.example -all'),
        'b.example': { TXT: ['v=spf1 ip4:40.92.0.0/15 -all'] },
      },
      'pass',
      ['spf_all'],
    ],
    [
      'a wide range of its own is a warning',
      spf('v=spf1 ip4:40.92.0.0/15 -all'),
      'warning',
      ['spf_wide_range'],
    ],
    ...['include:vault.corp.internal', 'redirect=postgres.local'].map(
      (term): Case<'spf-check'> => [
        `${term}, a name that is not public, fails`,
        spf(`v=spf1 ${term}`),
        'fail',
        ['spf_include_broken'],
      ],
    ),
    [
      'more than ten mail hosts behind mx fail',
      {
        [D]: {
          TXT: ['v=spf1 mx -all'],
          MX: Array.from({ length: 11 }, (_, n) => `1 m${n}.example`),
        },
      },
      'fail',
      ['spf_term_error'],
    ],
    ['no end is a warning', spf('v=spf1 ip4:192.0.2.1'), 'warning', ['spf_no_all']],
    ['an end that says nothing is a warning', spf('v=spf1 ?all'), 'warning', ['spf_all_neutral']],
    ['what is after all is a warning', spf('v=spf1 -all a'), 'warning', ['spf_after_all']],
    ['ptr is a warning', spf('v=spf1 ptr -all'), 'warning', ['spf_ptr']],
    ['ten look-ups pass', chain(10), 'pass', ['spf_lookups_near']],
    ['eleven look-ups fail', chain(11), 'fail', ['spf_lookups']],
    [
      'one look-up that finds nothing is a warning',
      spf('v=spf1 a:gone1.example -all'),
      'warning',
      ['spf_void'],
    ],
    [
      'three look-ups that find nothing fail',
      spf('v=spf1 a:gone1.example a:gone2.example mx:gone3.example -all'),
      'fail',
      ['spf_voids'],
    ],
    [
      'an include that is not there fails',
      spf('v=spf1 include:gone.example -all'),
      'fail',
      ['spf_include_broken'],
    ],
    [
      'a loop fails',
      {
        ...spf('v=spf1 include:b.example -all'),
        'b.example': { TXT: [`v=spf1 include:${D} -all`] },
      },
      'fail',
      ['spf_loop'],
    ],
    [
      'a broken include fails',
      { ...spf('v=spf1 include:b.example -all'), 'b.example': { TXT: ['v=spf1 foo -all'] } },
      'fail',
      ['spf_include_syntax'],
    ],
    [
      'an include that nobody answers is unknown',
      { ...spf('v=spf1 include:b.example -all'), 'b.example': { TXT: 'SERVFAIL' } },
      'unknown',
      ['spf_term_failed'],
    ],
    ['a server that fails is unknown', { [D]: { TXT: 'SERVFAIL' } }, 'unknown', ['dns_failed']],
    ['a server that refuses is unknown', { [D]: { TXT: 'REFUSED' } }, 'unknown', ['dns_failed']],
    ['garbage is unknown', { [D]: { TXT: 'garbage' } }, 'unknown', ['dns_failed']],
    [
      'a CNAME loop is unknown',
      { [D]: { CNAME: ['b.example'] }, 'b.example': { CNAME: [D] } },
      'unknown',
      ['dns_failed'],
    ],
    [
      'a chain of CNAMEs is followed',
      {
        [D]: { CNAME: ['b.example'] },
        'b.example': { CNAME: ['c.example'] },
        'c.example': { TXT: ['v=spf1 -all'] },
      },
      'pass',
      ['spf_found'],
    ],
    ['an empty answer is no record', { [D]: { TXT: [] } }, 'fail', ['spf_missing']],
    [
      'a record in pieces is one',
      { [D]: { TXT: [['v=spf1 ip4:192.0.2.1', ' -all']] } },
      'pass',
      ['spf_found'],
    ],
    [
      'an address that passes',
      spf('v=spf1 ip4:192.0.2.0/24 -all'),
      'pass',
      ['spf_ip'],
      { ip: '192.0.2.7' },
    ],
    [
      'an address that fails',
      spf('v=spf1 ip4:192.0.2.0/24 -all'),
      'fail',
      ['spf_ip'],
      { ip: '198.51.100.1' },
    ],
  ])

  test('a TXT record of 64 KiB comes over TCP, is judged and is cut in the report', async () => {
    server.set(spf(`v=spf1 ${'ip4:192.0.2.1 '.repeat(4_600)}-all`))
    const { report } = await toolbox.check('spf-check', D, { domain: D })
    expect(server.overTcp).toContain(`TXT ${D}`)
    expect(report.verdict).toBe('pass')
    expect(report.records[0]?.values[0]?.length).toBeLessThan(5_000)
  })

  test('silence is unknown, soon', async () => {
    server.set({ [D]: { TXT: 'silence' } })
    const begin = performance.now()
    const { report } = await toolbox.check('spf-check', D, { domain: D })
    expect(report.verdict).toBe('unknown')
    expect(performance.now() - begin).toBeLessThan(10_000)
  })
})

describe('DMARC', () => {
  const org = { [DMARC]: { TXT: [`v=DMARC1; p=reject; rua=mailto:d@${D}`] } }
  table('dmarc-check', [
    ['an enforced policy passes', org, 'pass', ['dmarc_enforced']],
    ['none fails', {}, 'fail', ['dmarc_missing']],
    [
      'two fail',
      { [DMARC]: { TXT: ['v=DMARC1; p=none', 'v=DMARC1; p=reject'] } },
      'fail',
      ['dmarc_many'],
    ],
    [
      'p=none is a warning',
      { [DMARC]: { TXT: ['v=DMARC1; p=none; rua=mailto:d@shop.example'] } },
      'warning',
      ['dmarc_p_none'],
    ],
    [
      'no reports are a warning',
      { [DMARC]: { TXT: ['v=DMARC1; p=reject'] } },
      'warning',
      ['dmarc_no_reports'],
    ],
    [
      'a part of the mail is a warning',
      { [DMARC]: { TXT: [`v=DMARC1;p=reject;pct=50;rua=mailto:d@${D}`] } },
      'warning',
      ['dmarc_percent'],
    ],
    [
      'no policy fails',
      { [DMARC]: { TXT: ['v=DMARC1; rua=mailto:d@shop.example'] } },
      'fail',
      ['dmarc_no_policy'],
    ],
    [
      'a policy that is none fails',
      { [DMARC]: { TXT: ['v=DMARC1; p=block; rua=mailto:d@shop.example'] } },
      'fail',
      ['dmarc_no_policy'],
    ],
    ...[
      'pct=101',
      'pct=-1',
      'pct=x',
      'pct=',
      'pct=50.5',
      'pct=1000',
      'sp=all',
      'np=',
      'adkim=strict',
      'fo=2',
      'ri=day',
      't=yes',
    ].map(
      (tag): Case<'dmarc-check'> => [
        `${tag} is a warning`,
        { [DMARC]: { TXT: [`v=DMARC1; p=reject; ${tag}; rua=mailto:d@${D}`] } },
        'warning',
        ['dmarc_syntax'],
      ],
    ),
    ...['pct=100', 'fo=1:d:s', 'ri=86400', 't=n', 'np=reject', 'psd=u'].map(
      (tag): Case<'dmarc-check'> => [
        `${tag} is fine`,
        { [DMARC]: { TXT: [`v=DMARC1; p=reject; ${tag}; rua=mailto:d@${D}`] } },
        'pass',
        ['dmarc_enforced'],
      ],
    ),
    ['v has to be first', { [DMARC]: { TXT: ['p=reject; v=DMARC1'] } }, 'fail', ['dmarc_missing']],
    [
      'reports elsewhere need consent',
      { [DMARC]: { TXT: ['v=DMARC1; p=reject; rua=mailto:a@other.example'] } },
      'warning',
      ['dmarc_report_refused'],
    ],
    [
      'reports elsewhere with consent pass',
      {
        [DMARC]: { TXT: ['v=DMARC1; p=reject; rua=mailto:a@other.example'] },
        [`${D}._report._dmarc.other.example`]: { TXT: ['v=DMARC1'] },
      },
      'pass',
      ['dmarc_report_accepted'],
    ],
    ['a subdomain inherits', org, 'pass', ['dmarc_inherited'], { domain: `news.eu.${D}` }],
    [
      'a subdomain inherits sp, not p',
      { [DMARC]: { TXT: [`v=DMARC1; p=reject; sp=none; rua=mailto:d@${D}`] } },
      'warning',
      ['dmarc_p_none'],
      { domain: `news.${D}` },
    ],
    ['a failing server is unknown', { [DMARC]: { TXT: 'SERVFAIL' } }, 'unknown', ['dns_failed']],
  ])

  test('the organizational domain is that of the public suffix list', async () => {
    server.set({
      '_dmarc.brand.co.uk': { TXT: ['v=DMARC1; p=reject; rua=mailto:d@brand.co.uk'] },
      '_dmarc.co.uk': { TXT: ['v=DMARC1; p=none'] },
    })
    const { report } = await toolbox.check('dmarc-check', 'a.b.brand.co.uk', {
      domain: 'a.b.brand.co.uk',
    })
    expect(report.details).toMatchObject({
      organizationalDomain: 'brand.co.uk',
      foundAt: '_dmarc.brand.co.uk',
      effectivePolicy: 'reject',
    })
    const other = await toolbox.check('dmarc-check', 'x.github.io', { domain: 'y.x.github.io' })
    expect(other.report.details).toMatchObject({ organizationalDomain: 'x.github.io' })
  })
})

describe('MX', () => {
  const mx = (...values: string[]): Zone => ({ [D]: { MX: values, A: ['192.0.2.9'] } })
  const host = { 'mx.example': { A: ['192.0.2.1'] } }
  table('mx-check', [
    ['a host with an address passes', { ...mx('10 mx.example'), ...host }, 'pass', ['mx_host']],
    [
      'one with IPv6 only, too',
      { ...mx('10 mx.example'), 'mx.example': { AAAA: ['2001:db8::1'] } },
      'pass',
      ['mx_host'],
    ],
    [
      'no MX but an address is a warning',
      { [D]: { A: ['192.0.2.1'] } },
      'warning',
      ['mx_implicit'],
    ],
    ['nothing fails', { [D]: { TXT: ['x'] } }, 'fail', ['mx_missing']],
    ['no domain fails', {}, 'fail', ['no_domain']],
    ['a null MX is a warning', mx('0 .'), 'warning', ['mx_null']],
    [
      'a host without address fails',
      mx('10 gone.example'),
      'fail',
      ['mx_host_missing', 'mx_unreachable'],
    ],
    ['an address instead of a host fails', mx('10 192.0.2.1'), 'fail', ['mx_is_address']],
    [
      'a host without address beside one that has one is a warning',
      { ...mx('10 gone.example', '20 mx.example'), ...host },
      'warning',
      ['mx_host', 'mx_host_missing'],
    ],
    [
      'when one host is looked at and not there, the next one is',
      { ...mx('10 gone.example', '20 mx.example'), ...host },
      'warning',
      ['mx_host', 'mx_host_missing'],
      { isBrief: true },
    ],
    [
      'no MX but an IPv6 address is a warning',
      { [D]: { AAAA: ['2001:db8::1'] } },
      'warning',
      ['mx_implicit'],
    ],
    [
      'no MX and a failing address is unknown',
      { [D]: { A: 'SERVFAIL' } },
      'unknown',
      ['dns_failed'],
    ],
    [
      'no MX and a failing IPv6 address is unknown',
      { [D]: { AAAA: 'SERVFAIL' } },
      'unknown',
      ['dns_failed'],
    ],
    ['a failing server is unknown', { [D]: { MX: 'SERVFAIL' } }, 'unknown', ['dns_failed']],
  ])

  test('of six hosts five are looked at, so nothing is said of all', async () => {
    server.set(mx(...Array.from({ length: 6 }, (_, n) => `${n} gone${n}.example`)))
    for (const isBrief of [false, true]) {
      const { report } = await toolbox.check('mx-check', D, { domain: D, isBrief })
      expect(report.findings.map(({ code }) => code)).toEqual(Array(5).fill('mx_host_missing'))
    }
    expect(server.questions.filter((each) => each.startsWith('A gone5'))).toEqual([])
  })
})

describe('DKIM', () => {
  const at = (record: string): Zone => ({ [`s._domainkey.${D}`]: { TXT: [record] } })
  const given = { selectors: ['s'] }
  const ed25519 = '11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo='
  table('dkim-check', [
    [
      'a short key is a warning',
      at(`v=DKIM1; k=rsa; p=${RSA_1024}`),
      'warning',
      ['dkim_key_short'],
      given,
    ],
    ['an Ed25519 key is told', at(`v=DKIM1; k=ed25519; p=${ed25519}`), 'pass', ['dkim_key'], given],
    ['no key fails', {}, 'fail', ['dkim_missing'], given],
    ...[
      `k=rsa; v=DKIM1; p=${RSA_2048}`,
      `p=${RSA_2048}; v=DKIM1`,
      `t=s;v=DKIM1;k=rsa;p=${RSA_2048}`,
    ].map(
      (record): Case<'dkim-check'> => [
        `v= behind another tag is a warning: ${record.slice(0, 16)}`,
        at(record),
        'warning',
        ['dkim_version', 'dkim_key'],
        given,
      ],
    ),
    ['no v= is fine', at(`k=rsa; p=${RSA_2048}`), 'pass', ['dkim_key'], given],
    ['a withdrawn key fails', at('v=DKIM1; p='), 'fail', ['dkim_revoked'], given],
    ['a key that is none fails', at('v=DKIM1; p=abc'), 'fail', ['dkim_key_broken'], given],
    [
      'another kind of key fails',
      at(`v=DKIM1; k=dsa; p=${RSA_1024}`),
      'fail',
      ['dkim_key_type'],
      given,
    ],
    ['a test is a warning', at(`v=DKIM1; t=y; p=${RSA_1024}`), 'warning', ['dkim_testing'], given],
    [
      'a key for something else fails',
      at(`s=tlsrpt; p=${RSA_1024}`),
      'fail',
      ['dkim_service'],
      given,
    ],
    ['SHA-1 alone fails', at(`h=sha1; p=${RSA_1024}`), 'fail', ['dkim_hash'], given],
    [
      'two keys fail',
      { [`s._domainkey.${D}`]: { TXT: [`p=${RSA_1024}`, `p=${RSA_1024}`] } },
      'fail',
      ['dkim_many'],
      given,
    ],
    [
      'a key behind a CNAME counts',
      {
        [`s._domainkey.${D}`]: { CNAME: ['k.ses.example'] },
        'k.ses.example': { TXT: [`p=${RSA_1024}`] },
      },
      'warning',
      ['dkim_key_short'],
      given,
    ],
    [
      'no guessed selector is unknown',
      { [D]: { A: ['192.0.2.1'] } },
      'unknown',
      ['dkim_selector_unknown'],
    ],
    [
      'a wildcard of something else is no key',
      { [`google._domainkey.${D}`]: { TXT: ['v=spf1 -all'] } },
      'unknown',
      ['dkim_selector_unknown'],
    ],
    [
      'a guessed selector counts',
      { [`google._domainkey.${D}`]: { TXT: [`p=${RSA_1024}`] } },
      'warning',
      ['dkim_key_short'],
    ],
  ])
})

describe('TLS-RPT', () => {
  const at = (...records: string[]): Zone => ({ [`_smtp._tls.${D}`]: { TXT: records } })
  table('tls-rpt-check', [
    ['a record passes', at('v=TLSRPTv1; rua=mailto:t@shop.example'), 'pass', ['tls_rpt_found']],
    ['none is a warning', {}, 'warning', ['tls_rpt_missing']],
    [
      'two fail',
      at('v=TLSRPTv1;rua=mailto:a@b.example', 'v=TLSRPTv1;rua=mailto:a@b.example'),
      'fail',
      ['tls_rpt_many'],
    ],
    ['no address fails', at('v=TLSRPTv1; rua=ftp://x'), 'fail', ['tls_rpt_rua']],
  ])
})

describe('blocklists', () => {
  const mail = { [D]: { MX: ['10 mx.example'] }, 'mx.example': { A: ['192.0.2.10'] } }
  const tests: Zone = {
    '2.0.0.127.zen.spamhaus.org': { A: ['127.0.0.2'] },
    '2.0.0.127.bl.spamcop.net': { A: ['127.0.0.2'] },
    '2.0.0.127.psbl.surriel.com': { A: ['127.0.0.2'] },
    'dbltest.com.dbl.spamhaus.org': { A: ['127.0.1.2'] },
    'test.surbl.org.multi.surbl.org': { A: ['127.0.0.254'] },
    'test.uribl.com.multi.uribl.com': { A: ['127.0.0.14'] },
  }
  const zen = (code: string): Zone => ({
    ...mail,
    ...tests,
    '10.2.0.192.zen.spamhaus.org': { A: [code] },
  })
  table('blocklist-check', [
    ['on no list passes', { ...mail, ...tests }, 'pass', ['blocklist_not_listed']],
    ['a listing fails', zen('127.0.0.2'), 'fail', ['blocklist_listed']],
    ['a policy listing is a warning', zen('127.0.0.10'), 'warning', ['blocklist_listed']],
    ['a refusal is no listing', zen('127.255.255.254'), 'pass', ['blocklist_unknown']],
    ['a wildcard is no listing', zen('198.51.100.7'), 'pass', ['blocklist_unknown']],
    [
      '127.0.0.1 is no listing',
      { ...mail, ...tests, [`${D}.multi.uribl.com`]: { A: ['127.0.0.1'] } },
      'pass',
      ['blocklist_unknown'],
    ],
    [
      'a listed domain fails',
      { ...mail, ...tests, [`${D}.dbl.spamhaus.org`]: { A: ['127.0.1.4'] } },
      'fail',
      ['blocklist_listed'],
    ],
    [
      'lists that are silent about their own tests are unknown',
      mail,
      'unknown',
      ['blocklists_unknown'],
    ],
    [
      'a mail host that nobody tells is unknown',
      { ...tests, [D]: { MX: 'SERVFAIL' } },
      'unknown',
      ['dns_failed'],
    ],
    [
      'a mail host whose address nobody tells is unknown',
      { ...tests, [D]: { MX: ['10 mx.example'] }, 'mx.example': { A: 'SERVFAIL' } },
      'unknown',
      ['dns_failed'],
    ],
    [
      'a silent refusal is not taken for an answer in a check among others',
      mail,
      'unknown',
      ['blocklists_unknown'],
      { isBrief: true },
    ],
    [
      'the registered domain is what is listed',
      { ...tests, [`${D}.multi.surbl.org`]: { A: ['127.0.0.8'] } },
      'fail',
      ['blocklist_listed'],
      { domain: `news.eu.${D}` },
    ],
    [
      'an IPv6 address on lists that have none of them is unknown',
      tests,
      'unknown',
      ['blocklists_unknown'],
      { domain: undefined, ip: '2606:4700::1111' } as never,
    ],
    [
      'an IPv6 address that is not on a list of them passes',
      { ...tests, [`${IPV6_TEST}.zen.spamhaus.org`]: { A: ['127.0.0.2'] } },
      'pass',
      ['blocklist_not_listed', 'blocklist_unknown'],
      { domain: undefined, ip: '2606:4700::1111' } as never,
    ],
    [
      'an address alone',
      { '1.2.0.192.zen.spamhaus.org': { A: ['127.0.0.4'] } },
      'fail',
      ['blocklist_listed'],
      { domain: undefined, ip: '192.0.2.1' } as never,
    ],
  ])

  test('no code that a list gives to those it refuses is ever a listing', async () => {
    const refusals = [
      '127.255.255.252',
      '127.255.255.254',
      '127.255.255.255',
      '127.0.0.1',
      '127.0.1.255',
      '10.0.0.1',
    ]
    for (const [index, code] of refusals.entries()) {
      server.clear()
      const zone: Zone = {}
      for (const list of ['zen.spamhaus.org', 'bl.spamcop.net', 'psbl.surriel.com']) {
        zone[`10.2.0.192.${list}`] = { A: [code] }
      }
      for (const list of ['dbl.spamhaus.org', 'multi.surbl.org', 'multi.uribl.com']) {
        zone[`shop${index}.example.${list}`] = { A: [code] }
      }
      server.set({ ...zone, [`shop${index}.example`]: mail[D] })
      const fresh = toolboxAt(server.address)
      const domain = `shop${index}.example`
      const { report } = await fresh.check('blocklist-check', domain, { domain })
      const states = (report.details as { readings: { state: string }[] }).readings
      expect(states.map(({ state }) => state)).not.toContain('listed')
      expect(report.verdict).toBe('unknown')
    }
  })
})

describe('reverse DNS', () => {
  const mail = { [D]: { MX: ['10 mx.example'] }, 'mx.example': { A: ['192.0.2.10'] } }
  const ptr = (name: string): Zone => ({ ...mail, '10.2.0.192.in-addr.arpa': { PTR: [name] } })
  table('reverse-dns-check', [
    ['a name that leads back passes', ptr('mx.example'), 'pass', ['reverse_dns_confirmed']],
    ['no name fails', mail, 'fail', ['reverse_dns_missing']],
    [
      'a name that leads elsewhere fails',
      ptr('other.example'),
      'fail',
      ['reverse_dns_unconfirmed'],
    ],
    [
      'a name made of the address is a warning',
      {
        ...ptr('host-192-0-2-10.isp.example'),
        'host-192-0-2-10.isp.example': { A: ['192.0.2.10'] },
      },
      'warning',
      ['reverse_dns_generic'],
    ],
    ['no mail host is unknown', {}, 'unknown', ['reverse_dns_no_address']],
    ['one that nobody tells is unknown', { [D]: { MX: 'SERVFAIL' } }, 'unknown', ['dns_failed']],
    [
      'one whose address nobody tells is unknown beside others',
      {
        ...ptr('mx.example'),
        [D]: { MX: ['10 mx.example', '20 mx2.example'] },
        'mx2.example': { A: 'SERVFAIL' },
      },
      'unknown',
      ['dns_failed', 'reverse_dns_confirmed'],
    ],
  ])
})

describe('everything at once', () => {
  test('a good domain has a good grade, within 25 questions', async () => {
    server.set({
      [D]: { TXT: ['v=spf1 ip4:192.0.2.10 -all'], MX: ['10 mx.example'] },
      'mx.example': { A: ['192.0.2.10'] },
      '10.2.0.192.in-addr.arpa': { PTR: ['mx.example'] },
      [DMARC]: { TXT: [`v=DMARC1; p=reject; rua=mailto:d@${D}`] },
      [`google._domainkey.${D}`]: { TXT: [`p=${RSA_1024}`] },
      [`_smtp._tls.${D}`]: { TXT: [`v=TLSRPTv1; rua=mailto:t@${D}`] },
    })
    const { report } = await toolbox.check('email-check', D, { domain: D })
    expect(report.details).toMatchObject({
      grade: expect.stringMatching(/^[AB]$/),
      checks: { spf: { verdict: 'pass' } },
    })
    expect(report.lookups).toBeLessThanOrEqual(25)
    // A busy machine repeats a datagram that was late.
    expect(new Set(server.questions).size).toBe(report.lookups)
    expect(problemsOf(report)).toEqual([])
  })

  test('a domain that needs the most look-ups still stays within them', async () => {
    server.set(chain(12))
    const { report } = await toolbox.check('email-check', D, { domain: D })
    expect(report.lookups).toBeLessThanOrEqual(25)
    expect(new Set(server.questions).size).toBe(report.lookups)
    expect(report.details).toMatchObject({ checks: { spf: { verdict: 'fail' } } })
  })

  test('selectors that are given are looked up however much the rest needs', async () => {
    const selectors = Array.from({ length: 10 }, (_, n) => `s${n}`)
    server.set({
      ...chain(12),
      ...Object.fromEntries(
        selectors.map((name) => [`${name}._domainkey.${D}`, { TXT: [`p=${RSA_1024}`] }]),
      ),
    })
    const { report } = await toolbox.check('email-check', D, { domain: D, selectors })
    expect(report.details).toMatchObject({ checks: { dkim: { verdict: 'warning' } } })
    expect(report.lookups).toBeLessThanOrEqual(25)
    const unknown = report.findings.filter(({ severity }) => severity === 'unknown')
    // What was left out is told as our own limit, and no fault of the name servers.
    expect(unknown.filter(({ message }) => message.includes('all of its look-ups'))).not.toEqual([])
    expect(unknown.filter(({ fix }) => fix?.includes('name servers'))).toEqual([])
    expect(problemsOf(report)).toEqual([])
  })

  test('a domain of which nothing is known has no grade', async () => {
    server.set({ [D]: { TXT: 'SERVFAIL', MX: 'SERVFAIL' }, [DMARC]: { TXT: 'SERVFAIL' } })
    const { report } = await toolbox.check('email-check', D, { domain: D })
    expect([report.verdict, report.details]).toEqual([
      'unknown',
      expect.objectContaining({ grade: null, score: null }),
    ])
  })
})
