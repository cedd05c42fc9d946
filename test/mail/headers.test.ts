import { describe, expect, test } from 'vitest'
import { formatAddress, headerProblem, marketingHeaders } from '../../src/mail/headers.ts'

describe('marketing headers', () => {
  const unsubscribeUrl = 'https://mail.example.com/unsubscribe/abc_-123'

  test('one click leaves, as RFC 8058 wants it', () => {
    expect(marketingHeaders({ unsubscribeUrl })).toEqual([
      { name: 'List-Unsubscribe', value: `<${unsubscribeUrl}>` },
      { name: 'List-Unsubscribe-Post', value: 'List-Unsubscribe=One-Click' },
    ])
  })

  test('a list can have an id', () => {
    expect(marketingHeaders({ unsubscribeUrl, listId: 'news.acme.example' })[2]).toEqual({
      name: 'List-ID',
      value: '<news.acme.example>',
    })
  })

  test.each([
    'https://a.b/x\r\nBcc: eve@example.com',
    'https://a.b/x>, <https://evil.example',
    'https://a.b/x y',
    'javascript:alert(1)',
    'mailto:a@b.c',
    '',
    'https://a.b/ü',
    `https://a.b/${'x'.repeat(990)}`,
  ])('%j is no unsubscribe link', (url) => {
    expect(() => marketingHeaders({ unsubscribeUrl: url })).toThrow(RangeError)
  })

  test('a list id is one word', () => {
    expect(() => marketingHeaders({ unsubscribeUrl, listId: 'a> b' })).toThrow(RangeError)
  })
})

describe('headers', () => {
  test.each([
    ['X-Campaign', 'spring 2026'],
    ['X', ''],
    ['X-Long', 'x'.repeat(990)],
  ])('%s: %s can be sent', (name, value) => {
    expect(headerProblem({ name, value })).toBeUndefined()
  })

  test.each([
    ['X-A', 'a\r\nBcc: x', 'line breaks'],
    ['X-A', 'a\nb', 'line breaks'],
    ['X-A', 'a\rb', 'line breaks'],
    ['X-A', 'a\0b', 'line breaks'],
    ['X-A', 'a\tb', 'line breaks'],
    ['X-A', 'ü', 'US-ASCII'],
    ['X-A', 'x'.repeat(996), '995 characters'],
    ['X-Name', 'x'.repeat(991), '995 characters'],
    ['X A', 'a', 'without blanks'],
    ['X:A', 'a', 'without blanks'],
    ['', 'a', 'without blanks'],
    ['X-A\r\nBcc', 'a', 'without blanks'],
    ['X'.repeat(127), 'a', '126 characters'],
  ])('%j: %j cannot', (name, value, problem) => {
    expect(headerProblem({ name, value })).toContain(problem)
  })
})

describe('mailboxes', () => {
  test.each([
    ['no name', undefined, 'ann@example.com'],
    ['null', null, 'ann@example.com'],
    ['an empty one', '  ', 'ann@example.com'],
    ['words', 'Ann Lee', 'Ann Lee <ann@example.com>'],
    ['a comma', 'Lee, Ann', '"Lee, Ann" <ann@example.com>'],
    ['a dot', 'Acme Inc.', '"Acme Inc." <ann@example.com>'],
    ['quotes', 'Ann "A" Lee', '"Ann \\"A\\" Lee" <ann@example.com>'],
    ['a backslash', 'a\\b', '"a\\\\b" <ann@example.com>'],
    ['another mailbox', 'Eve <eve@example.com>', '"Eve <eve@example.com>" <ann@example.com>'],
    ['an umlaut', 'Jürgen', '=?UTF-8?B?SsO8cmdlbg==?= <ann@example.com>'],
    [
      'an encoded word',
      '=?UTF-8?B?RXZl?=',
      '=?UTF-8?B?PT9VVEYtOD9CP1JYWmw/PQ==?= <ann@example.com>',
    ],
  ])('%s', (_, name, expected) => {
    expect(formatAddress('ann@example.com', name)).toBe(expected)
  })

  test('a long name is words of at most 75 characters that decode one by one', () => {
    const name = 'Größe 🎉 '.repeat(20).trim()
    const words = formatAddress('ann@example.com', name).split(' ').slice(0, -1)
    expect(words.length).toBeGreaterThan(3)
    expect(words.every((word) => word.length <= 75)).toBe(true)
    const decoded = words.map((word) => {
      const [, base64 = ''] = /^=\?UTF-8\?B\?(.+)\?=$/.exec(word) ?? []
      return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(base64, 'base64'))
    })
    expect(decoded.join('')).toBe(name)
  })

  test.each(['Ann\r\nBcc: eve@example.com', 'Ann\nx', 'a\0b', 'a\tb'])('%j is no name', (name) => {
    expect(() => formatAddress('ann@example.com', name)).toThrow(RangeError)
  })

  test.each([
    '',
    'ann',
    '@example.com',
    'ann@',
    'a b@example.com',
    'ann@example.com\r\nBcc: x@y.z',
    'ann@example.com, eve@example.com',
    'Ann <ann@example.com>',
    'a@b@c',
    'jürgen@example.com',
    '"a"@example.com',
  ])('%j is no address', (address) => {
    expect(() => formatAddress(address)).toThrow(RangeError)
  })
})
