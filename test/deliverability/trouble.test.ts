import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runAddress, runUnsubscribe } from '../../api/deliverability/mail-tools.ts'
import {
  type CheckInput,
  type CheckTool,
  createToolbox,
  type Report,
  type Toolbox,
} from '../../src/core/deliverability/toolbox.ts'
import { askDns } from '../../src/net/dns.ts'
import { FetchError } from '../../src/net/fetch-error.ts'
import { createFetcher, type Fetcher } from '../../src/net/fetch.ts'
import { createLookups } from '../../src/net/lookups.ts'
import { partOf } from '../support/size.ts'
import { problemsOf } from '../support/tool-reports.ts'
import { askPatiently } from '../support/toolbox.ts'
import { startZoneServer, type Zone, type ZoneServer } from '../support/zone-server.ts'

/** What nobody could say is `unknown`, whichever of the names that a tool asks for it is about. */

const D = 'shop.example'
const IP = '9.9.9.10'
const KEY =
  'MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQC/QEI3dKjtxj29+7OOXnsiItk+XA5lwvbVNm1D3Rdp5iLxV5PRk+0N9lxD3lr5slB4lPtg5qLcHX6zlBs8QhpF5aoXtaRsDqJzuZqx0hJRyZ4VBAQK1wV9+iQj7Nwp0o0cjWXx0RiT60p0MzBPq6Xn2YjXPWYIe0ukCT+u3aRzyQIDAQAB'

/** With everything that a domain can have, in order. */
const GOOD: Zone = {
  [D]: { TXT: ['v=spf1 include:spf.example a:mx.example mx -all'], MX: ['10 mx.example'] },
  'spf.example': { TXT: ['v=spf1 redirect=spf2.example'] },
  'spf2.example': { TXT: [`v=spf1 ip4:${IP} -all`] },
  'mx.example': { A: [IP] },
  '10.9.9.9.in-addr.arpa': { PTR: ['mx.example'] },
  [`s._domainkey.${D}`]: { TXT: [`p=${KEY}`] },
  [`_dmarc.${D}`]: { TXT: ['v=DMARC1; p=reject; rua=mailto:a@reports.example'] },
  [`${D}._report._dmarc.reports.example`]: { TXT: ['v=DMARC1'] },
  [`_smtp._tls.${D}`]: { TXT: [`v=TLSRPTv1; rua=mailto:t@${D}`] },
  [`_mta-sts.${D}`]: { TXT: ['v=STSv1; id=1'] },
  [`mta-sts.${D}`]: { A: ['10.0.0.1'] },
  [`default._bimi.${D}`]: { TXT: [`v=BIMI1; l=https://logo.${D}/l.svg`] },
  [`logo.${D}`]: { A: ['10.0.0.1'] },
  '2.0.0.127.zen.spamhaus.org': { A: ['127.0.0.2'] },
  '2.0.0.127.bl.spamcop.net': { A: ['127.0.0.2'] },
  '2.0.0.127.psbl.surriel.com': { A: ['127.0.0.2'] },
  'dbltest.com.dbl.spamhaus.org': { A: ['127.0.1.2'] },
  'test.surbl.org.multi.surbl.org': { A: ['127.0.0.254'] },
  'test.uribl.com.multi.uribl.com': { A: ['127.0.0.14'] },
}

const MAIL = `From: News <news@${D}>
Date: Mon, 23 Nov 2026 12:00:00 +0000
Message-ID: <1@${D}>

Hello`

const FILES: Readonly<Record<string, [type: string, body: string]>> = {
  [`mta-sts.${D}`]: [
    'text/plain',
    'version: STSv1\nmode: enforce\nmax_age: 604800\nmx: mx.example\n',
  ],
  [`logo.${D}`]: [
    'image/svg+xml',
    '<svg version="1.2" baseProfile="tiny-ps"><title>x</title></svg>',
  ],
}

const check =
  <Tool extends CheckTool>(tool: Tool, input: CheckInput<Tool>) =>
  async (toolbox: Toolbox): Promise<Report> =>
    (await toolbox.check(tool, D, input)).report

const TOOLS: Readonly<Record<string, (toolbox: Toolbox) => Promise<Report>>> = {
  email: check('email-check', { domain: D, selectors: ['s'] }),
  spf: check('spf-check', { domain: D }),
  'spf of an address': check('spf-check', { domain: D, ip: IP }),
  dkim: check('dkim-check', { domain: D, selectors: ['s'] }),
  dmarc: check('dmarc-check', { domain: D }),
  mx: check('mx-check', { domain: D }),
  'mta-sts': check('mta-sts-check', { domain: D }),
  'tls-rpt': check('tls-rpt-check', { domain: D }),
  bimi: check('bimi-check', { domain: D }),
  blocklists: check('blocklist-check', { domain: D }),
  'reverse dns': check('reverse-dns-check', { domain: D }),
  address: (toolbox) => runAddress(toolbox, `ann@${D}`),
  unsubscribe: (toolbox) => runUnsubscribe(toolbox, MAIL),
}

/** Prime to the number of troubles, so that each of them has its turn. */
const PARTS = 7
const SILENT_MS = 60
const MOST_MS = 5_000

let server: ZoneServer
beforeAll(async () => {
  server = await startZoneServer()
})
afterAll(() => server.close())

/** The fetch up to where it would connect: the files are there if the name of their host is. */
function filesBehind({ send }: Fetcher): Fetcher {
  return {
    send: async (request) => {
      const refusal = await send(request).catch((error: unknown) => error)
      if (!(refusal instanceof FetchError) || refusal.reason !== 'address_refused') throw refusal
      const { hostname } = new URL(request.url)
      const [type, body] = FILES[hostname] ?? ['text/plain', '']
      const headers = new Map([['content-type', type]])
      return { url: request.url, status: 200, headers, body: Buffer.from(body), isCut: false }
    },
  }
}

const toolboxWith = (ask: typeof askDns): Toolbox =>
  createToolbox({
    lookups: createLookups({ servers: [server.address], ask }),
    createFetcher: (findAddresses) => filesBehind(createFetcher({ allowed: [], findAddresses })),
    now: Date.now,
    userAgent: 'Letterloom-Tools/test',
  })

/** Silence on purpose is not waited for. */
const askAllBut =
  (silent: string): typeof askDns =>
  (question) =>
    `${question.type} ${question.name}` === silent
      ? askDns({ ...question, signal: AbortSignal.timeout(SILENT_MS) })
      : askPatiently(question)

const without = (question: string): Zone => {
  const [type = '', name = ''] = question.split(' ')
  const { [type]: _, ...types } = GOOD[name] ?? {}
  return { ...GOOD, [name]: types }
}

const put = (question: string, said: Zone[string][string]): Zone => {
  const [type = '', name = ''] = question.split(' ')
  return { ...GOOD, [name]: { ...GOOD[name], [type]: said } }
}

/** Nobody could say. */
const FAILURES: Readonly<Record<string, (question: string) => Zone>> = {
  SERVFAIL: (question) => put(question, 'SERVFAIL'),
  silence: (question) => put(question, 'silence'),
  garbage: (question) => put(question, 'garbage'),
  'a CNAME loop': (question) => {
    const [, name = ''] = question.split(' ')
    const zone = without(question)
    return {
      ...zone,
      [name]: { ...zone[name], CNAME: ['loop.example'] },
      'loop.example': { CNAME: [name] },
    }
  },
}

/** Somebody says something odd: whatever the verdict is, it is one. */
const ODDITIES: Readonly<Record<string, (question: string) => Zone>> = {
  'no such name': (question) => {
    const { [question.split(' ')[1] ?? '']: _, ...zone } = GOOD
    return zone
  },
  'no such record': (question) => put(question, []),
  'an answer that is cut off, and 64 KiB of it': (question) => {
    const [type = '', name = ''] = question.split(' ')
    const values = GOOD[name]?.[type]
    const own = Array.isArray(values) ? values : []
    return type === 'TXT' ? put(question, [...own, 'x'.repeat(60_000)]) : put(question, own)
  },
}

async function outcome(run: (toolbox: Toolbox) => Promise<Report>, zone: Zone, silent: string) {
  server.clear()
  server.set(zone)
  const begun = performance.now()
  const report = await run(toolboxWith(askAllBut(silent)))
  const severities = new Set(report.findings.map(({ severity }) => severity))
  return { report, severities, ms: performance.now() - begun }
}

const pairs = <A, B>(one: readonly A[], other: readonly B[]): [A, B][] =>
  one.flatMap((a) => other.map((b): [A, B] => [a, b]))

/**
 * Where another answer is enough, one that failed changes nothing: of both kinds of addresses, and
 * of SPF for bulk mail, which has to be there.
 */
const isOptional = (tool: string, question: string): boolean =>
  question.startsWith('AAAA ') ||
  (tool === 'unsubscribe' && !/^TXT (?:_dmarc\.)?shop\.example$/.test(question))
/** One list of several is told as such. */
const isOfList = ({ findings }: Report): boolean =>
  findings.some(({ code }) => code === 'blocklist_unknown')

describe.each(Object.entries(TOOLS))('%s', (name, run) => {
  test('is unknown, and never a failure, about each name that nobody could tell', async () => {
    server.questions.length = 0
    const good = await outcome(run, GOOD, '')
    expect([name, problemsOf(good.report), good.severities.has('unknown')]).toEqual([
      name,
      [],
      false,
    ])
    const before = good.report.findings.filter(({ severity }) => severity === 'fail')
    // A mail without its fields has its own failures.
    expect(before.length > 0).toBe(name === 'unsubscribe')
    const questions = [...new Set(server.questions)]
    expect(questions.length).toBeGreaterThan(0)
    // Of all by default a part, another one for each tool.
    const failures = pairs(questions, Object.entries(FAILURES))
    for (const [question, [trouble, zoneOf]] of partOf(failures, name.length, PARTS)) {
      const { report, severities, ms } = await outcome(run, zoneOf(question), question)
      const failed = report.findings.filter(({ severity }) => severity === 'fail')
      const isSaid = severities.has('unknown') || isOptional(name, question) || isOfList(report)
      expect([question, trouble, failed, isSaid]).toEqual([question, trouble, before, true])
      expect([question, problemsOf(report)]).toEqual([question, []])
      expect(ms).toBeLessThan(MOST_MS)
    }
    const oddities = pairs(questions, Object.entries(ODDITIES))
    for (const [question, [oddity, zoneOf]] of partOf(oddities, name.length, PARTS)) {
      const { report, ms } = await outcome(run, zoneOf(question), '')
      expect([question, oddity, problemsOf(report)]).toEqual([question, oddity, []])
      expect(ms).toBeLessThan(MOST_MS)
    }
  }, 300_000)
})

test('a name server that is silent about everything: each tool is done within five seconds', async () => {
  server.clear()
  server.set(
    Object.fromEntries(
      [...Object.keys(GOOD), `google._domainkey.${D}`].map((name) => [
        name,
        Object.fromEntries(['A', 'AAAA', 'MX', 'PTR', 'TXT'].map((type) => [type, 'silence'])),
      ]),
    ),
  )
  // With the timings of production; a busy machine makes timers late, and that is not measured.
  const watch = { lateMs: 0 }
  const begun = performance.now()
  const clock = sleep(4_500).then(() => {
    watch.lateMs = performance.now() - begun - 4_500
  })
  const done = await Promise.all(
    Object.entries(TOOLS).map(async ([name, run]) => {
      const report = await run(toolboxWith(askDns))
      const failed = report.findings.filter(({ severity }) => severity === 'fail').length
      return { name, failed, verdict: report.verdict, ms: performance.now() - begun }
    }),
  )
  await clock
  for (const { name, failed, verdict, ms } of done) {
    const wanted = name === 'unsubscribe' ? 'fail' : 'unknown'
    expect([name, verdict, failed > 0]).toEqual([name, wanted, wanted === 'fail'])
    expect([name, ms - watch.lateMs < MOST_MS]).toEqual([name, true])
  }
})
