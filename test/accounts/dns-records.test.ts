import { describe, expect, test } from 'vitest'
import {
  compareRecord,
  placesOf,
  wantedRecords,
  type WantedRecord,
} from '../../src/domain/accounts/dns-records.ts'
import { type Identity, isIdentity } from '../../src/domain/accounts/identity.ts'

const identity = (given: Partial<Identity> = {}): Identity => ({
  identity: 'example.com',
  identityType: 'DOMAIN',
  verifiedForSending: true,
  verificationStatus: 'SUCCESS',
  dkim: {
    status: 'SUCCESS',
    signingAttributesOrigin: 'AWS_SES',
    tokens: ['one', 'two'],
    signingHostedZone: 'dkim.eu.example',
  },
  mailFromDomain: { domain: 'Bounce.Example.com', status: 'PENDING' },
  feedbackForwarding: true,
  configurationSet: null,
  ...given,
})

describe('a domain needs', () => {
  const lines = (given: Partial<Identity> = {}) =>
    wantedRecords(identity(given), 'eu-west-1').map(
      ({ purpose, type, name, value }) => `${purpose} ${type} ${name} ${value}`,
    )
  const dmarc = 'dmarc TXT _dmarc.example.com v=DMARC1; p=none;'

  test('its tokens in the zone the provider names, both records of MAIL FROM, and DMARC', () => {
    expect(lines()).toEqual([
      'dkim CNAME one._domainkey.example.com one.dkim.eu.example',
      'dkim CNAME two._domainkey.example.com two.dkim.eu.example',
      'mail_from MX bounce.example.com 10 feedback-smtp.eu-west-1.amazonses.com',
      'mail_from TXT bounce.example.com v=spf1 include:amazonses.com ~all',
      dmarc,
    ])
  })

  test('the zone that was always there when none is named', () => {
    const dkim = { ...identity().dkim!, signingHostedZone: null }
    expect(lines({ dkim, mailFromDomain: null })).toEqual([
      'dkim CNAME one._domainkey.example.com one.dkim.amazonses.com',
      'dkim CNAME two._domainkey.example.com two.dkim.amazonses.com',
      dmarc,
    ])
  })

  test('no CNAME for keys the customer brought, nor without DKIM', () => {
    const dkim = { ...identity().dkim!, signingAttributesOrigin: 'EXTERNAL' }
    expect(lines({ dkim, mailFromDomain: null })).toEqual([dmarc])
    expect(lines({ dkim: null, mailFromDomain: null })).toEqual([dmarc])
  })

  test('nothing when it is an address', () => {
    expect(lines({ identity: 'jane@example.com' })).toEqual([])
  })
})

describe('a record is', () => {
  const [cname, , mx, spf, dmarc] = wantedRecords(identity(), 'eu-west-1') as [
    WantedRecord,
    WantedRecord,
    WantedRecord,
    WantedRecord,
    WantedRecord,
  ]
  const right = '10 feedback-smtp.eu-west-1.amazonses.com'

  test.each([
    [cname, 'unknown', 'unknown'],
    [cname, [], 'missing'],
    [cname, ['one.dkim.eu.example'], 'found'],
    [cname, ['ONE.dkim.eu.example.'], 'found'],
    [cname, ['two.dkim.eu.example'], 'different'],
    [mx, [right], 'found'],
    [mx, ['20 feedback-smtp.eu-west-1.amazonses.com.'], 'found'],
    [mx, [right, '20 mail.example.com'], 'different'],
    [mx, ['10 feedback-smtp.us-east-1.amazonses.com'], 'different'],
    [spf, ['site-verification=1'], 'missing'],
    [spf, ['v=spf1 include:amazonses.com -all', 'x'], 'found'],
    [spf, ['v=spf1 a mx +include:amazonses.com ?all'], 'found'],
    [spf, ['v=spf1 -include:amazonses.com ~all'], 'different'],
    [spf, ['v=spf1 include:amazonses.com.evil.example ~all'], 'different'],
    [spf, ['v=spf1 include:amazonses.com ~all', 'v=spf1 ~all'], 'different'],
    [spf, ['v=spf10 include:amazonses.com ~all'], 'missing'],
    [dmarc, ['v=DMARC1; p=reject'], 'found'],
    [dmarc, ['v=DMARC1; p=reject', 'v=DMARC1; p=none'], 'different'],
    [dmarc, ['v=DMARC2; p=reject'], 'missing'],
  ] as const)('%o with %j %s', (record, answer, state) => {
    expect(compareRecord(record, answer).state).toBe(state)
  })

  test('shown with what speaks of it, and with nothing else', () => {
    expect(compareRecord(spf, ['secret=1', 'v=spf1 ~all']).found).toEqual(['v=spf1 ~all'])
  })

  test('looked for above the domain only when it is DMARC, not at the registry', () => {
    expect(placesOf(cname)).toEqual(['one._domainkey.example.com'])
    expect(placesOf({ ...dmarc, name: '_dmarc.a.b.example.com' })).toEqual([
      '_dmarc.a.b.example.com',
      '_dmarc.b.example.com',
      '_dmarc.example.com',
    ])
    expect(placesOf({ ...dmarc, name: `_dmarc.${'x.'.repeat(60)}example` })).toHaveLength(5)
  })
})

test.each([
  ['example.com', true],
  ['_x.example.com', true],
  ['jane@example.com', true],
  ["o'brien+x@example.com", true],
  ['example', false],
  ['EXAMPLE.com', false],
  ['.example.com', false],
  ['example.com.', false],
  ['-a.example', false],
  ['..', false],
  ['127.0.0.1', false],
  ['jane@10.0.0.1', false],
  ['1.example.c0m', true],
  ['@example.com', false],
  ['a b@example.com', false],
  ['a/../b@example', false],
  ['jane@@example.com', false],
  [`${'a'.repeat(64)}.com`, false],
  [`${'a.'.repeat(126)}com`, false],
])('%s can be an identity: %s', (text, can) => {
  expect(isIdentity(text)).toBe(can)
})
