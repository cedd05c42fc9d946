import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { runUnsubscribe } from '../../api/deliverability/mail-tools.ts'
import type { Report, Toolbox } from '../../src/core/deliverability/toolbox.ts'
import { watched } from '../support/event-loop.ts'
import { toolboxAt } from '../support/toolbox.ts'
import { startZoneServer, type Zone, type ZoneServer } from '../support/zone-server.ts'

/** What strangers write into zones and mails costs little, and tells them nothing of us. */

const D = 'shop.example'
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

const codes = ({ findings }: Report): string[] =>
  findings.filter(({ severity }) => severity === 'fail').map(({ code }) => code)

/** With the old code they took between half a second and half a minute. */
const MOST_HOLD_MS = 300

describe('a mail does not hold the event loop', () => {
  const signature = (names: string, more = '') =>
    `DKIM-Signature: v=1; a=rsa-sha256; c=simple/simple; d=${D}; s=s; h=${names}; bh=AAAA; b=AAAA${more}`

  test.each<[string, () => string]>([
    [
      'many signatures of many names, and many fields',
      () =>
        [
          ...Array.from({ length: 30 }, () => signature('q:'.repeat(2_000))),
          ...Array.from({ length: 42_000 }, () => 'z:'),
        ].join('\r\n'),
    ],
    [
      'many signatures and a long Content-Type',
      () =>
        [
          ...Array.from({ length: 2_200 }, () => signature('from').slice(0, 60)),
          `Content-Type: text/plain; ${'a="b"; '.repeat(18_000)}`,
        ].join('\r\n'),
    ],
    [
      'as much as is verified',
      () =>
        [
          ...Array.from({ length: 5 }, () => signature('q:'.repeat(99))),
          ...Array.from({ length: 490 }, () => 'z:'),
          `Content-Type: text/plain; ${'a="b"; '.repeat(8_000)}`,
        ].join('\r\n'),
    ],
    ['a long From', () => [signature('from'), `From: ${'<a@b>,"('.repeat(7_500)}`].join('\r\n')],
    [
      'a body that is nearly base64',
      () => `From: a@b.example\r\n\r\n${'\n'.repeat(199)}${'A'.repeat(261_000)}!`,
    ],
  ])('%s', async (_, mailOf) => {
    const mail = mailOf()
    expect(mail.length).toBeLessThan(300_000)
    const { holdMs, value } = await watched(() => runUnsubscribe(toolbox, mail))
    expect(holdMs).toBeLessThan(MOST_HOLD_MS)
    expect(value.verdict).not.toBe('pass')
  })

  test('a header that is too large is not judged', async () => {
    const mail = `${signature('from')}\r\nFrom: a@${D}\r\n${'z:\r\n'.repeat(600)}\r\nHello`
    const { details } = await runUnsubscribe(toolbox, mail)
    expect(details).toMatchObject({
      signatures: [{ result: 'unknown', reason: expect.stringContaining('too large') }],
    })
  })

  test('a time that no clock knows makes the signature invalid', async () => {
    for (const time of ['; t=99999999999999999999', '; x=99999999999999999999']) {
      const mail = `${signature('from', time)}\r\nFrom: a@${D}\r\n\r\nHello`
      const { details } = await runUnsubscribe(toolbox, mail)
      expect(details).toMatchObject({ signatures: [{ result: 'fail' }] })
    }
  })
})

describe('a zone makes no large report', () => {
  const long = (part: string): string => part.repeat(Math.floor(60_000 / part.length))

  test.each<[string, Zone, () => Promise<{ report: Report; json: string }>]>([
    [
      'a list of tags that are none',
      Object.fromEntries(
        ['google', 'selector1', 'k1'].map((name) => [
          `${name}._domainkey.${D}`,
          { TXT: [`v=DKIM1;p=;${long('a;')}`] },
        ]),
      ),
      () => toolbox.check('dkim-check', D, { domain: D }),
    ],
    [
      'many terms of SPF, and an include of itself',
      { [D]: { TXT: [`v=spf1 include:${D} include:${D} ${long('ip4:192.0.2.1 ')} -all`] } },
      () => toolbox.check('spf-check', D, { domain: D }),
    ],
    [
      'many tags of DMARC',
      { [`_dmarc.${D}`]: { TXT: [`v=DMARC1; p=none; ${long('x;y=1;')}`] } },
      () => toolbox.check('dmarc-check', D, { domain: D }),
    ],
    [
      'addresses for reports',
      { [`_dmarc.${D}`]: { TXT: [`v=DMARC1; p=none; rua=${'\u0001'.repeat(60_000)}`] } },
      () => toolbox.check('dmarc-check', D, { domain: D }),
    ],
    [
      'the address of a logo',
      { [`default._bimi.${D}`]: { TXT: [`v=BIMI1; l=https://${'\u0001'.repeat(60_000)}`] } },
      () => toolbox.check('bimi-check', D, { domain: D }),
    ],
    [
      'many records of one name',
      { [D]: { TXT: Array.from({ length: 16 }, () => '\u0001'.repeat(4_000)) } },
      () => toolbox.check('spf-check', D, { domain: D }),
    ],
  ])('%s', async (_, zone, check) => {
    server.set(zone)
    const { report, json } = await check()
    expect(report.findings.length).toBeLessThanOrEqual(100)
    // The record itself is told, and hardly anything else.
    expect(json.length).toBeLessThan(150_000)
  })

  test('twelve keys of characters that are six in JSON', async () => {
    const selectors = Array.from({ length: 12 }, (_, n) => `s${n}`)
    server.set(
      Object.fromEntries(
        selectors.map((name) => [
          `${name}._domainkey.${D}`,
          { TXT: [`v=DKIM1; p=${'\u0001'.repeat(60_000)}`] },
        ]),
      ),
    )
    const { report, json } = await toolbox.check('dkim-check', D, { domain: D, selectors })
    expect((report.details as { keys: unknown[] }).keys.length).toBeGreaterThan(8)
    // Each is told twice, as far as records are told: 4,096 characters.
    expect(json.length).toBeLessThan(2 * 12 * 6 * 4_200)
  })
})

test('nothing is told of names and addresses that only our own resolver knows', async () => {
  server.set({
    'evil.example': {
      MX: ['10 postgres', '20 vault.corp.internal', '30 inner.evil.example'],
      TXT: ['v=spf1 a:vault.corp.internal a:inner.evil.example ~all'],
    },
    postgres: { A: ['172.18.0.3'] },
    'vault.corp.internal': { A: ['10.9.8.7'] },
    'inner.evil.example': { A: ['10.0.0.5', 'fd00::5'].slice(0, 1), AAAA: ['fd00::5'] },
    '5.0.0.10.in-addr.arpa': { PTR: ['payroll-db.corp.internal'] },
  })
  const domain = 'evil.example'
  const reports = await Promise.all([
    toolbox.check('mx-check', domain, { domain }),
    toolbox.check('spf-check', domain, { domain }),
    toolbox.check('reverse-dns-check', domain, { domain }),
    toolbox.check('blocklist-check', domain, { domain }),
    toolbox.check('email-check', domain, { domain }),
  ])
  for (const { json } of reports) {
    expect(json).not.toMatch(/172\.18\.0\.3|10\.9\.8\.7|10\.0\.0\.5|5\.0\.0\.10|fd00|payroll/)
  }
  expect(server.questions.filter((each) => /postgres|internal|arpa/.test(each))).toEqual([])
  expect(server.questions).toContain('A inner.evil.example')
})

test('terms after all in an SPF record are not looked up', async () => {
  const dead = ['a', 'b', 'c'].map((name) => `include:${name}.dead.example`).join(' ')
  server.set({ [D]: { TXT: [`v=spf1 ip4:192.0.2.1 -all ${dead}`] } })
  const { report } = await toolbox.check('spf-check', D, { domain: D })
  expect([report.verdict, codes(report)]).toEqual(['warning', []])
  expect(report.details).toMatchObject({ lookups: 0, voidLookups: 0 })
})

test.each([
  ['p=reject; sp=none', 'bimi_dmarc'],
  ['p=quarantine; t=y', 'bimi_dmarc'],
  ['p=reject', undefined],
])('a logo needs a policy for all mail: %s', async (policy, code) => {
  server.set({
    [`_dmarc.${D}`]: { TXT: [`v=DMARC1; ${policy}; rua=mailto:d@${D}`] },
    [`default._bimi.${D}`]: { TXT: [`v=BIMI1; l=https://logo.dead.example/a.svg`] },
  })
  const { report } = await toolbox.check('bimi-check', D, { domain: D })
  expect(codes(report).find((each) => each === 'bimi_dmarc')).toBe(code)
  const dmarc = await toolbox.check('dmarc-check', D, { domain: D })
  expect(dmarc.report.findings.some((each) => each.code === 'dmarc_testing')).toBe(
    policy.includes('t=y'),
  )
})
