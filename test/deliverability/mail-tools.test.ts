import { dkimSign } from 'mailauth/lib/dkim/sign.js'
import { generateKeyPairSync } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  runAddress,
  runDmarcGenerator,
  runHeaders,
  runUnsubscribe,
} from '../../api/deliverability/mail-tools.ts'
import type { Report, Toolbox } from '../../src/core/deliverability/toolbox.ts'
import { problemsOf } from '../support/tool-reports.ts'
import { toolboxAt } from '../support/toolbox.ts'
import { startZoneServer, type ZoneServer } from '../support/zone-server.ts'

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

/** What a report finds besides what is right; it is as the document says it. */
function codes(report: Report): string[] {
  expect(problemsOf(report)).toEqual([])
  return report.findings.filter(({ severity }) => severity !== 'pass').map(({ code }) => code)
}

describe('a mail that can be unsubscribed from', () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
  const FIELDS = {
    From: `News <news@${D}>`,
    To: 'ann@example.com',
    Subject: 'News',
    Date: 'Mon, 23 Nov 2026 12:00:00 +0000',
    'Message-ID': `<1@${D}>`,
    'List-Unsubscribe': `<https://${D}/u/1>, <mailto:u@${D}>`,
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  }
  const KEYS = 'From:To:Subject:Date:Message-ID:List-Unsubscribe:List-Unsubscribe-Post'
  const mailOf = (fields: Record<string, string | undefined>): string =>
    `${Object.entries(fields)
      .flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`]))
      .join('\r\n')}\r\n\r\nHello. Unsubscribe: https://${D}/u/1\r\n`

  async function signed(fields: Record<string, string | undefined>, headerList = KEYS) {
    const mail = mailOf(fields)
    const signer = {
      signingDomain: D,
      selector: 's',
      privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    }
    // Its types want of the mail what it reads of each signature, and a list for a text.
    const options = {
      ...signer,
      canonicalization: 'relaxed/relaxed' as const,
      headerList: headerList as never,
      signatureData: [signer],
    }
    const { signatures, errors } = await dkimSign(mail, options)
    expect(errors).toEqual([])
    return signatures + mail
  }
  beforeEach(() => {
    const key = publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
    server.set({
      [`s._domainkey.${D}`]: { TXT: [`v=DKIM1; k=rsa; p=${key}`] },
      [`_dmarc.${D}`]: { TXT: ['v=DMARC1; p=none'] },
      [D]: { TXT: ['v=spf1 -all'] },
    })
  })

  test('passes when all that RFC 8058 asks for is there', async () => {
    const report = await runUnsubscribe(toolbox, await signed(FIELDS))
    expect([report.verdict, codes(report)]).toEqual(['pass', []])
    expect(report.details).toMatchObject({
      isOneClick: true,
      signatures: [{ result: 'pass', isAligned: true }],
    })
  })

  test.each<[string, Record<string, string | undefined>, string, string?]>([
    ['no List-Unsubscribe', { 'List-Unsubscribe': undefined }, 'list_unsubscribe_missing'],
    ['mailto alone', { 'List-Unsubscribe': `<mailto:u@${D}>` }, 'list_unsubscribe_https'],
    ['http alone', { 'List-Unsubscribe': `<http://${D}/u>` }, 'list_unsubscribe_https'],
    ['no Post field', { 'List-Unsubscribe-Post': undefined }, 'list_unsubscribe_post_missing'],
    ['another Post field', { 'List-Unsubscribe-Post': 'One-Click' }, 'list_unsubscribe_post'],
    ['fields that are not signed', {}, 'not_covered', 'From:To:Subject:Date'],
    ['another From', { From: 'a@other.example' }, 'not_aligned'],
    ['no Date', { Date: undefined }, 'field_missing'],
  ])('%s fails', async (_, changes, code, headerList) => {
    const report = await runUnsubscribe(
      toolbox,
      await signed({ ...FIELDS, ...changes }, headerList),
    )
    expect([report.verdict, codes(report)]).toEqual(['fail', expect.arrayContaining([code])])
    expect(report.details).toMatchObject({
      isOneClick: code === 'not_aligned' || code === 'field_missing',
    })
  })

  test('a signature that is good makes no other of its domain and selector good', async () => {
    const mail = await signed(FIELDS, 'From:To')
    const forged = `DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=${D}; s=s; h=${KEYS}; bh=AAAA; b=AAAA`
    for (const both of [
      `${forged}\r\n${mail}`,
      mail.replace('From: News', `${forged}\r\nFrom: News`),
    ]) {
      const report = await runUnsubscribe(toolbox, both)
      expect(report.details).toMatchObject({ isOneClick: false })
      expect(codes(report)).toContain('signature_invalid')
    }
  })

  test('the message of RFC 8463, appendix A, has two signatures that are good', async () => {
    const domain = 'football.example.com'
    server.set({
      [`brisbane._domainkey.${domain}`]: {
        TXT: ['v=DKIM1; k=ed25519; p=11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo='],
      },
      [`test._domainkey.${domain}`]: {
        TXT: [
          'v=DKIM1; k=rsa; p=MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQDkHlOQoBTzWRiGs5V6NpP3idY6Wk08a5qhdR6wy5bdOKb2jLQiY/J16JYi0Qvx/byYzCNb3W91y3FutACDfzwQ/BC/e/8uBsCR+yz1Lxj+PL6lHvqMKrM3rG4hstT5QjvHO9PzoxZyVYLzBfO2EeC3Ip3G+2kryOTIKT+l/K4w3QIDAQAB',
        ],
      },
    })
    const mail = await readFile(new URL('fixtures/rfc8463-a.eml', import.meta.url), 'utf8')
    const resultsOf = async (message: string) =>
      (await runUnsubscribe(toolbox, message)).details as { signatures: { result: string }[] }
    const good = await resultsOf(mail.replaceAll('\n', '\r\n'))
    expect(good.signatures).toMatchObject([
      { algorithm: 'ed25519-sha256', result: 'pass', isAligned: true },
      { algorithm: 'rsa-sha256', result: 'pass', isAligned: true },
    ])
    const changed = await resultsOf(mail.replace('lost', 'won').replaceAll('\n', '\r\n'))
    expect(changed.signatures.map(({ result }) => result)).toEqual(['fail', 'fail'])
  })

  test('a body that was changed fails, and so does a mail without a signature', async () => {
    const changed = (await signed(FIELDS)).replace('Hello', 'Hallo')
    expect(codes(await runUnsubscribe(toolbox, changed))).toContain('signature_invalid')
    expect(codes(await runUnsubscribe(toolbox, mailOf(FIELDS)))).toContain('not_signed')
  })

  test('a signature with a length, and one beyond the fifth, are unknown and not invalid', async () => {
    const mail = await signed(FIELDS)
    const withLength = mail.replace(/\bs=s;/, 's=s; l=5;')
    const report = await runUnsubscribe(toolbox, withLength)
    expect(codes(report)).toEqual(['signature_length', 'signature_unknown'])
    expect(report.details).toMatchObject({ signatures: [{ result: 'unknown' }] })
    const others = Array.from(
      { length: 5 },
      (_, n) =>
        `DKIM-Signature: v=1; a=rsa-sha256; d=esp${n}.example; s=s; h=From; bh=AAAA; b=A${n}AA\r\n`,
    ).join('')
    const sixth = await runUnsubscribe(toolbox, others + mail)
    expect([sixth.verdict, codes(sixth)]).toEqual([
      'unknown',
      expect.arrayContaining(['signature_unknown', 'aligned_unknown', 'signatures_many']),
    ])
    const fourth = await runUnsubscribe(toolbox, others.split('\r\n').slice(2).join('\r\n') + mail)
    expect(fourth.details).toMatchObject({ isOneClick: true })
  })

  test('a key that nobody answers for is unknown, and its address is never called', async () => {
    const mail = await signed(FIELDS)
    server.set({ [`s._domainkey.${D}`]: { TXT: 'SERVFAIL' } })
    const report = await runUnsubscribe(toolbox, mail)
    expect([report.verdict, codes(report)]).toEqual(['unknown', ['signature_unknown']])
    expect(server.questions.filter((each) => each.startsWith('A '))).toEqual([])
  })
})

describe('the header of a mail', () => {
  const header = `Return-Path: <b@mail.${D}>
Authentication-Results: mx.example.org; spf=pass smtp.mailfrom=x; dkim=pass
 header.d=${D}; dmarc=fail
Received: from b.example by mx.example.org with ESMTPS; Mon, 23 Nov 2026 12:10:00 +0000
Received: from a.example by b.example with SMTP; Mon, 23 Nov 2026 12:00:00 +0000 (UTC)
DKIM-Signature: v=1; a=rsa-sha1; d=${D}; s=s; h=Subject; l=10; b=x
From: News <news@${D}>
Date: Mon, 23 Nov 2026 12:00:00 +0000
Message-ID: <1@${D}>
Subject: a
Subject: b`

  test('tells its way, its results and what is wrong with it', async () => {
    const report = await runHeaders(toolbox, header)
    expect(report.verdict).toBe('fail')
    expect(codes(report)).toEqual(
      expect.arrayContaining([
        'dmarc_result',
        'field_twice',
        'slow_hop',
        'signature_from',
        'signature_sha1',
        'signature_length',
      ]),
    )
    expect(report.details).toMatchObject({
      hops: [
        { by: 'b.example', isEncrypted: false },
        { by: 'mx.example.org', delaySeconds: 600, isEncrypted: true },
      ],
      signatures: [{ domain: D, isAligned: true }],
      authentication: [
        { method: 'spf', result: 'pass' },
        { method: 'dkim' },
        { method: 'dmarc', result: 'fail' },
      ],
    })
    expect(server.questions).toEqual([])
  })

  const inOrder = (...results: string[]): string =>
    `${results.map((each) => `Authentication-Results: ${each}`).join('\n')}
Received: from b.example by mx.example.org with ESMTPS; Mon, 23 Nov 2026 12:00:00 +0000
Authentication-Results: mx.example.org; dmarc=fail
DKIM-Signature: v=1; a=rsa-sha256; d=${D}; s=s; h=From; b=x
From: News <news@${D}>
Date: Mon, 23 Nov 2026 12:00:00 +0000
Message-ID: <1@${D}>`

  test('results of one server may be in several fields; those of others are not believed', async () => {
    const report = await runHeaders(
      toolbox,
      inOrder(
        `mx.example.org 1; spf=pass (ok; really) smtp.mailfrom=b@mail.${D}`,
        `MX.Example.Org; dkim=pass header.i=@${D}; dmarc=pass header.from=${D}`,
        'elsewhere.example; dkim=fail',
      ),
    )
    expect([report.verdict, codes(report)]).toEqual(['pass', ['way']])
    expect(report.details).toMatchObject({
      authentication: [
        { server: 'mx.example.org', method: 'spf', result: 'pass', domain: `mail.${D}` },
        { method: 'dkim', domain: D },
        { method: 'dmarc', result: 'pass' },
      ],
    })
  })

  test.each([
    ['dmarc=pass', true],
    [`dkim=pass header.d=${D}`, true],
    [`spf=pass smtp.mailfrom=x@news.${D}`, true],
    ['spf=pass smtp.mailfrom=x@other.example', false],
    ['dkim=pass header.d=other.example', false],
    ['dkim=pass', false],
    ['arc=pass', false],
  ])('that a mail is from its sender is proven by %s: %s', async (result, isProven) => {
    const { summary, verdict } = await runHeaders(toolbox, inOrder(`mx.example.org; ${result}`))
    expect([verdict, summary.includes('is authenticated')]).toEqual(['pass', isProven])
  })

  test('what is no header is said to be none', async () => {
    expect(codes(await runHeaders(toolbox, 'hello'))).toEqual(['no_header'])
  })
})

describe('an address', () => {
  beforeEach(() =>
    server.set({
      [D]: { MX: ['10 mx.example'] },
      'mx.example': { A: ['192.0.2.1'] },
      'null.example': { MX: ['0 .'] },
      'two.example': { MX: ['10 gone.example', '20 mx.example'] },
    }),
  )
  test.each([
    [`ann@${D}`, 'pass', []],
    [`info@${D}`, 'pass', ['role', 'mx_single']],
    ['ann@gone.example', 'fail', ['no_domain']],
    ['ann@null.example', 'fail', ['mx_null']],
    ['ann', 'fail', ['syntax']],
    ['a@b@c', 'fail', ['syntax']],
    ['ann@localhost', 'fail', ['syntax']],
    ['ann@gmial.com', 'fail', ['typo']],
    ['ann@two.example', 'warning', ['mx_host_missing']],
    ['ann@10.0.0.1', 'fail', ['domain']],
  ])('%s: %s', async (address, verdict, wanted) => {
    const report = await runAddress(toolbox, address)
    expect([report.verdict, codes(report)]).toEqual([verdict, expect.arrayContaining(wanted)])
  })
})

test.each(['ann@mail.com', 'ann@ymail.com'])('%s is no slip of the pen', async (address) => {
  server.set({ 'mail.com': { MX: ['1 mx.example'] }, 'ymail.com': { MX: ['1 mx.example'] } })
  server.set({ 'mx.example': { A: ['192.0.2.1'] } })
  const report = await runAddress(toolbox, address)
  expect([report.verdict, report.details]).toEqual([
    'pass',
    expect.objectContaining({ suggestion: null }),
  ])
})

test('a DMARC record is written as it is wished', async () => {
  const { details, verdict } = await runDmarcGenerator(toolbox, {
    domain: 'Shop.Example',
    policy: 'quarantine',
    subdomainPolicy: 'reject',
    aggregateReports: [`d@${D}`, 'a@other.example'],
    strictDkim: true,
  })
  expect([verdict, details]).toEqual([
    'pass',
    {
      name: `_dmarc.${D}`,
      type: 'TXT',
      value: `v=DMARC1; p=quarantine; sp=reject; rua=mailto:d@${D},mailto:a@other.example; adkim=s`,
    },
  ])
})
