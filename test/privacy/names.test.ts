import { describe, expect, test } from 'vitest'
import { personNames } from '../../src/core/privacy/person-names.ts'
import { addressesIn, phonesIn } from '../../src/domain/privacy/names.ts'
import { uuidv7 } from '../../src/runtime/ids.ts'
import { addressHash } from '../../src/keys/tokens.ts'

const organizationId = uuidv7()
const nobody = { contactIds: [], email: null, phone: null, addresses: [] }

describe('an address in a text', () => {
  const { namesIn } = personNames(organizationId, { ...nobody, email: 'ann@x.example' })
  test.each([
    'ann@x.example',
    ' ANN@X.Example.',
    '<ann@x.example>',
    '"Ann" <ann@x.example>, bob@x.example',
    '{"email":"ann@x.example"}',
    JSON.stringify({ note: 'first\nann@x.example\tlast' }),
    JSON.stringify({ unread: '{"to": "ann@x.example' }),
    JSON.stringify({ note: 'tab\u000bann@x.example' }),
    "'ann@x.example'",
    'mailto:ann@x.example?subject=x',
    '/v1/contacts/ann@x.example/topics',
    '?email=ann@x.example&x=1',
    'sync ann@x.example',
    'Dear **ann@x.example**',
    'ann@x.example@',
    `${'x'.repeat(300)} ann@x.example`,
  ])('is found in %s', (text) => {
    expect(namesIn(text)).toContain('ann@x.example')
  })

  test.each([
    'joann@x.example',
    'jo.ann@x.example',
    'jo-ann@x.example',
    'jo+ann@x.example',
    'jo_ann@x.example',
    "o'ann@x.example",
    'éann@x.example',
    'ann@x.example.org',
    'ann@x.examples',
    'ann@x.example-y.org',
    'ann@xx.example',
    'ann@x',
    'ann at x.example',
  ])('is not found in %s', (text) => {
    expect(namesIn(text)).toEqual([])
  })

  test('is the same in either spelling of its domain', () => {
    const found = personNames(organizationId, { ...nobody, email: 'ann@xn--bcher-kva.example' })
    expect(found.namesIn('To: Ann@Bücher.example')).toEqual(['ann@xn--bcher-kva.example'])
    expect(new RegExp(found.pattern ?? '', 'iu').test('Ann@bücher.example')).toBe(true)
  })

  test('that is known by its hash alone is found as well, and every text is looked at', () => {
    const hash = addressHash(organizationId, 'old@x.example').toString('hex')
    const addresses = [{ kind: 'email' as const, hash }]
    const found = personNames(organizationId, { ...nobody, email: 'ann@x.example', addresses })
    expect(found.namesIn('old@x.example, joold@x.example')).toEqual(['old@x.example'])
    expect(new RegExp(found.pattern ?? '', 'iu').test('to old@x.example')).toBe(true)
  })

  test.each([
    ['a', 400_000],
    ['a@', 100_000],
    ['1', 400_000],
    ['/@x.y', 80_000],
    ["'@", 200_000],
  ])('costs no more than the length of %s, many times', (text, times) => {
    // A cost that grows with the square of the length would take minutes.
    const started = process.cpuUsage()
    addressesIn(text.repeat(times))
    phonesIn(text.repeat(times))
    expect(process.cpuUsage(started).user / 1e6).toBeLessThan(20)
  })
})

describe('a number in a text', () => {
  const { namesIn, pattern } = personNames(organizationId, { ...nobody, phone: '+4915112345678' })
  test.each([
    '+4915112345678',
    '{"phone":"+49 151 1234-5678"}',
    '0049 (151) 12345678',
    '+49 (0)151 12345678',
    '4915112345678',
    'called +49 151 12345678 2026-11-26',
  ])('is found in %s', (text) => {
    expect(namesIn(text)).toContain('+4915112345678')
    expect(new RegExp(pattern ?? '', 'iu').test(text)).toBe(true)
  })
  test.each(['+491511234567', '+49151123456789', '1+4915112345670'])('is not in %s', (text) => {
    expect(namesIn(text)).toEqual([])
  })
})
