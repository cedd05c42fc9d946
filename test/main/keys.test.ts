import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { checkedKeyring } from '../../src/main/programs/keys.ts'
import { newKeyringText } from '../../src/keys/tokens.ts'

const key = (bytes: Buffer | string, kid = 'k1') =>
  `${kid}:${Buffer.from(bytes).toString('base64')}`
const good = key(randomBytes(32))
const twin = randomBytes(32)
const check = (env: Record<string, string>) => checkedKeyring(readConfig(env))

describe('no program starts, and no value is repeated, with', () => {
  test.each([
    ['no keys', '', 'LETTERLOOM_KEYS is not set'],
    ['a short key', key(randomBytes(31)), 'LETTERLOOM_KEYS: entry 1 ("k1") has 31 bytes'],
    ['a key id that is there twice', `${good},${key(twin)}`, 'key id "k1" is used twice'],
    [
      'a secret that is there twice',
      `${key(twin)},${key(twin, 'k2')}`,
      'has the same secret as another key',
    ],
    ['zeros', key(Buffer.alloc(32)), 'key "k1" is not random'],
    ['one byte repeated', key(Buffer.alloc(32, 7)), 'key "k1" is not random'],
    ['bytes that count', key(Buffer.from([...Array(32).keys()])), 'key "k1" is not random'],
    ['hexadecimal digits', key(randomBytes(16).toString('hex')), 'key "k1" is not random'],
    ['words', key('correct horse battery staple now'), 'key "k1" is not random'],
    [
      'a weak key behind a good one',
      `${good},${key(Buffer.alloc(32), 'old')}`,
      'key "old" is not random',
    ],
    ['the key of development', newKeyringText(), 'key "dev" is one of development'],
  ])('%s', (_name, keys, words) => {
    const start = () => check({ LETTERLOOM_KEYS: keys })
    expect(start).toThrow(words)
    for (const entry of keys.split(',').filter((each) => each !== '')) {
      expect(start).not.toThrow(entry.split(':')[1] ?? '')
    }
  })

  test.each(['http://mail.example.com', 'http://10.0.0.1', 'http://127.0.0.1.example.com'])(
    'the public address %s',
    (url) => {
      expect(() => check({ LETTERLOOM_KEYS: good, PUBLIC_URL: url })).toThrow(
        'PUBLIC_URL: outside development it must begin with https://',
      )
    },
  )

  test('several of them: all are named at once', () => {
    expect(() =>
      check({ LETTERLOOM_KEYS: newKeyringText(), PUBLIC_URL: 'http://x.example' }),
    ).toThrow(/LETTERLOOM_KEYS: .+\n.+PUBLIC_URL: /)
  })
})

test('good keys and an address with TLS, or on this machine, are taken', () => {
  for (const url of [
    'https://mail.example.com',
    'http://127.0.0.1:3000',
    'http://[::1]:3000',
    'http://localhost',
  ]) {
    expect(check({ LETTERLOOM_KEYS: good, PUBLIC_URL: url }).signing.id).toBe('k1')
  }
  // A thousand times, since it must not refuse what chance makes.
  for (let i = 0; i < 1_000; i++)
    expect(() => check({ LETTERLOOM_KEYS: key(randomBytes(32)) })).not.toThrow()
})

test('in development the key that `dev` makes is enough, a short one is not', () => {
  const env = { LETTERLOOM_MODE: 'development', PUBLIC_URL: 'http://x.example' }
  expect(check({ ...env, LETTERLOOM_KEYS: newKeyringText() }).signing.id).toBe('dev')
  expect(() => check({ ...env, LETTERLOOM_KEYS: key('short') })).toThrow('has 5 bytes')
})
