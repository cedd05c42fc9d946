import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { LONGEST_MAILBOX, parseMailbox, readSender } from '../../src/domain/mailbox.ts'
import { formatAddress } from '../../src/mail/headers.ts'

const ADDRESS = 'news@example.com'

describe('a mailbox is read', () => {
  test.each([
    [ADDRESS, null],
    [`  ${ADDRESS} `, null],
    [`<${ADDRESS}>`, null],
    [`"" <${ADDRESS}>`, null],
    [`News <${ADDRESS}>`, 'News'],
    [`News<${ADDRESS}>`, 'News'],
    [`  Example   News  < ${ADDRESS} > `, 'Example News'],
    [`"Doe, Jane" <${ADDRESS}>`, 'Doe, Jane'],
    [`"Jane \\"JD\\" Doe \\\\" <${ADDRESS}>`, 'Jane "JD" Doe \\'],
    [`"a <b@example.com>" <${ADDRESS}>`, 'a <b@example.com>'],
    [`Jane D. O'Neill-Ünal <${ADDRESS}>`, "Jane D. O'Neill-Ünal"],
    [`Übermorgen 新聞 📰 <${ADDRESS}>`, 'Übermorgen 新聞 📰'],
    [`=?UTF-8?B?w5xiZXI=?= <${ADDRESS}>`, 'Über'],
    [`=?utf-8?q?=C3=9Cber_uns?= <${ADDRESS}>`, 'Über uns'],
    [`=?UTF-8*de?Q?=C3=9Cber?= <${ADDRESS}>`, 'Über'],
    [`=?UTF-8?Q?=C3=9C?= =?UTF-8?Q?ber?= uns <${ADDRESS}>`, 'Über uns'],
    // Quoted, an encoded word is what it says.
    [`"=?UTF-8?B?w5xiZXI=?=" <${ADDRESS}>`, '=?UTF-8?B?w5xiZXI=?='],
    [`${'n'.repeat(200)} <${ADDRESS}>`, 'n'.repeat(200)],
    [`${'📰'.repeat(200)} <${ADDRESS}>`, '📰'.repeat(200)],
  ])('%j', (text, name) => {
    expect(parseMailbox(text)).toEqual({ address: ADDRESS, name })
  })

  test('as what was formatted', () => {
    const words = fc.string({ unit: 'grapheme', maxLength: 60 })
    const names = words.map((name) => name.replace(/\p{Cc}|[\u2028\u2029]/gu, '').trim())
    fc.assert(
      fc.property(names, (name) => {
        const read = parseMailbox(formatAddress(ADDRESS, name))
        expect(read?.address).toBe(ADDRESS)
        expect(read?.name?.split(/\s+/)).toEqual(name === '' ? undefined : name.split(/\s+/))
      }),
    )
  })
})

describe('anything else is none', () => {
  test.each([
    '',
    'nobody',
    'News',
    '<>',
    'News <>',
    'News <nobody>',
    `News ${ADDRESS}`,
    `News <${ADDRESS}`,
    `News ${ADDRESS}>`,
    `<${ADDRESS}> News`,
    `News <<${ADDRESS}>>`,
    `News <${ADDRESS}> <${ADDRESS}>`,
    `a@example.com, ${ADDRESS}`,
    `a@example.com, News <${ADDRESS}>`,
    `Doe, Jane <${ADDRESS}>`,
    `News (weekly) <${ADDRESS}>`,
    `Team: News <${ADDRESS}>`,
    `"Doe, Jane <${ADDRESS}>`,
    `"Doe" Jane <${ADDRESS}>`,
    `"Doe\\" <${ADDRESS}>`,
    `News <${ADDRESS}\r\nBcc: eve@example.com>`,
    `News\r\n <${ADDRESS}>`,
    `"News\nX" <${ADDRESS}>`,
    `News\u0085X <${ADDRESS}>`,
    `News\u2028X <${ADDRESS}>`,
    `=?UTF-8?Q?a=0D=0ABcc:_eve@example.com?= <${ADDRESS}>`,
    `=?UTF-8?B?YQ0KQmNjOiB4?= <${ADDRESS}>`,
    `=?UTF-8?Q?=C3?= <${ADDRESS}>`,
    `=?UTF-8?Q?=C?= <${ADDRESS}>`,
    `=?UTF-8?B?w5x*?= <${ADDRESS}>`,
    `=?KOI8-R?B?8A==?= <${ADDRESS}>`,
    `=?UTF-8?X?abc?= <${ADDRESS}>`,
    `News <nëws@example.com>`,
    `${'n'.repeat(201)} <${ADDRESS}>`,
    `News <${'a'.repeat(250)}@example.com>`,
    `"${'\\n'.repeat(LONGEST_MAILBOX)}" <${ADDRESS}>`,
  ])('%j', (text) => {
    expect(parseMailbox(text)).toBeUndefined()
  })
})

describe('a sender', () => {
  test.each([
    [ADDRESS, undefined, undefined],
    [ADDRESS, null, null],
    [ADDRESS, 'News', 'News'],
    [`News <${ADDRESS}>`, undefined, 'News'],
    [`News <${ADDRESS}>`, ' News ', 'News'],
  ])('%j with the name %j', (from, fromName, name) => {
    expect(readSender(from, fromName)).toEqual({ address: ADDRESS, name, problems: [] })
  })

  test.each([
    [`News <${ADDRESS}>`, 'Others', 'differs from the name in from'],
    [`News <${ADDRESS}>`, null, 'differs from the name in from'],
    [ADDRESS, 'News\u0085X', 'must not contain control characters'],
  ])('%j cannot have the name %j', (from, fromName, message) => {
    expect(readSender(from, fromName).problems).toEqual([{ path: 'fromName', message }])
  })
})
