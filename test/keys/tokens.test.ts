import { createHash, randomBytes } from 'node:crypto'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { uuidv7 } from '../../src/runtime/ids.ts'
import {
  addressHash,
  apiKeyHash,
  DEVELOPMENT_KEY_ID,
  equal,
  type Link,
  type LinkKind,
  newApiKey,
  newKeyringText,
  isWebhookSecret,
  newSessionToken,
  newWebhookSecret,
  parseKeyring,
  readLink,
  readUnsubscribe,
  sessionTokenHash,
  sha256,
  signLink,
  signUnsubscribe,
  type UnsubscribeLink,
} from '../../src/keys/tokens.ts'

const keyOf = (kid: string, byte: number): string =>
  `${kid}:${Buffer.alloc(32, byte).toString('base64')}`
const ring = parseKeyring(keyOf('a1', 1))
const hash = addressHash('0190f2c4-0000-7000-8000-000000000001', 'ann@example.com')
const link = (more: Partial<UnsubscribeLink> = {}): UnsubscribeLink => ({
  organizationId: uuidv7(),
  contactId: uuidv7(),
  addressHash: hash,
  ...more,
})

describe('session tokens', () => {
  test('a token has the promised shape and its hash is that of the whole token', () => {
    const { token, hash } = newSessionToken()
    expect(token).toMatch(/^loomses_[0-9A-Za-z]{49}$/)
    expect(hash).toEqual(createHash('sha256').update(token).digest())
    expect(sessionTokenHash(token)).toEqual(hash)
  })

  test('no token is a key and no key is a token, also with the other’s mark', () => {
    const { token } = newSessionToken()
    const { key } = newApiKey()
    expect(apiKeyHash(token)).toBeUndefined()
    expect(sessionTokenHash(key)).toBeUndefined()
    expect(apiKeyHash(token.replace('loomses_', 'loom_'))).toBeUndefined()
    expect(sessionTokenHash(key.replace('loom_', 'loomses_'))).toBeUndefined()
  })

  test.each(['', 'loomses_', ' ', 'x'])('%j around a token makes it none', (more) => {
    const { token } = newSessionToken()
    const changed = more === '' ? token.slice(0, -1) : `${token}${more}`
    expect(sessionTokenHash(changed)).toBeUndefined()
  })
})

describe('API keys', () => {
  test('a key has the promised shape and its hash is that of the whole key', () => {
    const { key, prefix, hash } = newApiKey()
    expect(key).toMatch(/^loom_[0-9A-Za-z]{49}$/)
    expect(prefix).toBe(key.slice(0, 12))
    expect(hash).toEqual(createHash('sha256').update(key).digest())
    expect(apiKeyHash(key)).toEqual(hash)
  })

  test('the prefix still leaves a secret of more than 200 bits', () => {
    const { key, prefix } = newApiKey()
    expect((43 - (prefix.length - 'loom_'.length)) * Math.log2(62)).toBeGreaterThan(200)
    expect(key.length).toBe(54)
  })

  test('any other character at any place is refused before storage is asked', () => {
    const { key } = newApiKey()
    const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_- '
    const accepted = []
    for (let at = 0; at < key.length; at++) {
      for (const other of alphabet) {
        if (other === key[at]) continue
        const changed = key.slice(0, at) + other + key.slice(at + 1)
        if (apiKeyHash(changed) !== undefined) accepted.push(changed)
      }
    }
    expect(accepted).toEqual([])
  })

  test('two neighbours changing places is refused', () => {
    const { key } = newApiKey()
    const accepted = []
    for (let at = 5; at < key.length - 1; at++) {
      if (key[at] === key[at + 1]) continue
      const swapped = key.slice(0, at) + key[at + 1] + key[at] + key.slice(at + 2)
      if (apiKeyHash(swapped) !== undefined) accepted.push(swapped)
    }
    expect(accepted).toEqual([])
  })

  test.each([
    ['nothing', ''],
    ['a cut key', newApiKey().key.slice(0, -1)],
    ['a longer key', `${newApiKey().key}0`],
    ['a line break behind it', `${newApiKey().key}\n`],
    ['another prefix', newApiKey().key.replace('loom_', 'lome_')],
  ])('%s is no key', (_, text) => {
    expect(apiKeyHash(text)).toBeUndefined()
  })

  test('a thousand keys are a thousand different ones', () => {
    const keys = Array.from({ length: 1_000 }, () => newApiKey().key)
    expect(new Set(keys).size).toBe(1_000)
    expect(keys.every((key) => apiKeyHash(key) !== undefined)).toBe(true)
  })
})

describe('secrets', () => {
  test('a webhook secret is known as ours, for its account only, and by every key of the ring', () => {
    const older = newKeyringText()
    const secret = newWebhookSecret(parseKeyring(older), '123456789012')
    const ring = parseKeyring(`new:${newKeyringText().slice(4)},${older}`)
    expect(secret).toMatch(/^[A-Za-z0-9_-]{65}$/)
    expect(newWebhookSecret(ring, '123456789012')).not.toBe(newWebhookSecret(ring, '123456789012'))
    expect(isWebhookSecret(ring, '123456789012', secret)).toBe(true)
    const other = parseKeyring(newKeyringText())
    expect(isWebhookSecret(other, '123456789012', secret)).toBe(false)
    expect(isWebhookSecret(ring, '123456789013', secret)).toBe(false)
    const changed = `${secret[0] === 'A' ? 'B' : 'A'}${secret.slice(1)}`
    for (const forged of ['', 'x', changed, secret.slice(0, -1), secret.slice(0, 43)]) {
      expect(isWebhookSecret(ring, '123456789012', forged)).toBe(false)
    }
  })

  test('equal compares contents and takes different lengths for different', () => {
    expect(equal(sha256('a'), sha256('a'))).toBe(true)
    expect(equal(sha256('a'), sha256('b'))).toBe(false)
    expect(equal(sha256('a'), sha256('a').subarray(1))).toBe(false)
    expect(equal(Buffer.alloc(0), Buffer.alloc(0))).toBe(true)
  })

  test('an address hash belongs to one organization and one address, however it is spelt', () => {
    const id = uuidv7()
    expect(addressHash(id, ' Ann@Example.com ')).toEqual(addressHash(id, 'ann@example.com'))
    expect(addressHash(id, 'ann@example.com').length).toBe(16)
    expect(addressHash(id, 'bob@example.com')).not.toEqual(addressHash(id, 'ann@example.com'))
    expect(addressHash(uuidv7(), 'ann@example.com')).not.toEqual(addressHash(id, 'ann@example.com'))
  })

  test('an address hash is SHA-256 of the id and the address, whatever else changes', () => {
    expect(hash.toString('hex')).toBe(
      createHash('sha256')
        .update('0190f2c4-0000-7000-8000-000000000001ann@example.com')
        .digest('hex')
        .slice(0, 32),
    )
  })
})

describe('the keyring', () => {
  test('the first key signs and every key can be found', () => {
    const keys = parseKeyring(`${keyOf('new', 1)}, ${keyOf('old', 2)}`)
    expect(keys.signing.id).toBe('new')
    expect([...keys.byId.keys()]).toEqual(['new', 'old'])
  })

  test('a made ring is a ring, of a key that says it is for development', () => {
    expect(parseKeyring(newKeyringText()).signing.id).toBe(DEVELOPMENT_KEY_ID)
    expect(newKeyringText()).not.toBe(newKeyringText())
  })

  test('each purpose has a key of its own, made once', () => {
    const { signing } = ring
    expect(signing.derive('one')).toHaveLength(32)
    expect(signing.derive('one')).toBe(signing.derive('one'))
    expect(signing.derive('one')).not.toEqual(signing.derive('two'))
    expect(signing.derive('one')).not.toEqual(parseKeyring(keyOf('a1', 2)).signing.derive('one'))
  })

  test('no secret can be read off a ring', () => {
    ring.signing.derive('one')
    expect(JSON.stringify(ring)).not.toContain(Buffer.alloc(32, 1).toString('base64'))
  })

  test.each([
    ['', 'entry 1 is empty'],
    [`${keyOf('a', 1)},`, 'entry 2 is empty'],
    ['nonsense', 'entry 1 is not kid:base64'],
    [keyOf('A1', 1), 'key id that is not 1 to 8 of a-z and 0-9'],
    [keyOf('ninechars', 1), 'key id that is not 1 to 8 of a-z and 0-9'],
    [keyOf('', 1), 'key id that is not 1 to 8 of a-z and 0-9'],
    ['a:***', 'entry 1 ("a") is not base64'],
    [`a:${Buffer.alloc(31).toString('base64')}`, 'entry 1 ("a") has 31 bytes, not 32'],
    [`a:${Buffer.alloc(33).toString('base64')}`, 'entry 1 ("a") has 33 bytes, not 32'],
    [`${keyOf('a', 1)},${keyOf('a', 2)}`, 'key id "a" is used twice'],
  ])('%j is refused: %s', (text, message) => {
    expect(() => parseKeyring(text)).toThrow(message)
  })
})

describe('public links', () => {
  const shapes: [string, UnsubscribeLink][] = [
    ['global', link()],
    ['of a topic', link({ topicId: uuidv7() })],
    ['of a batch', link({ batchId: uuidv7() })],
    ['of a single mail', link({ topicId: uuidv7(), mailId: uuidv7() })],
    ['of both', link({ topicId: uuidv7(), batchId: uuidv7() })],
  ]

  test.each(shapes)('an unsubscribe link (%s) says again what it was told', (_, said) => {
    const token = signUnsubscribe(ring, said)
    expect(readUnsubscribe(ring, token)).toEqual(said)
    expect(token).toMatch(/^[A-Za-z0-9_-]{108,156}$/)
  })

  test('any link of any kind says again what it was told', () => {
    const id = fc.uuid()
    const links = fc.record(
      {
        organizationId: id,
        contactId: id,
        addressHash: fc.uint8Array({ minLength: 16, maxLength: 16 }).map((b) => Buffer.from(b)),
        expiresAt: fc.integer({ min: 1_001, max: 2 ** 48 - 1 }),
        topicId: id,
        batchId: id,
        generation: fc.nat(2 ** 32 - 1),
      },
      { requiredKeys: ['organizationId', 'contactId', 'addressHash'] },
    )
    const kinds = fc.constantFrom<LinkKind>('unsubscribe', 'preferences', 'confirm')
    fc.assert(
      fc.property(kinds, links, (kind, said) => {
        expect(readLink(ring, kind, signLink(ring, kind, said as Link), 1_000)).toEqual(said)
      }),
    )
    expect.assertions(100)
  })

  test.each(shapes)('no bit of a token (%s) can be turned', (_, said) => {
    const bytes = Buffer.from(signUnsubscribe(ring, said), 'base64url')
    const accepted = []
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const forged = Buffer.from(bytes)
      forged[bit >> 3]! ^= 1 << (bit & 7)
      if (readUnsubscribe(ring, forged.toString('base64url'))) accepted.push(bit)
    }
    expect(accepted).toEqual([])
  })

  test.each(shapes)('no other spelling of a token (%s) is taken for it', (_, said) => {
    const token = signUnsubscribe(ring, said)
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    const spellings = Array.from(alphabet, (last) => token.slice(0, -1) + last)
    spellings.push(`${token}=`, `${token}==`, ` ${token}`, `${token}\n`, `${token}A`, `${token}.`)
    spellings.push(token.replaceAll('-', '+').replaceAll('_', '/').concat('='))
    const accepted = spellings.filter((each) => readUnsubscribe(ring, each))
    expect(accepted).toEqual([token])
  })

  test('a token is no token when it is cut anywhere', () => {
    const token = signUnsubscribe(ring, link({ topicId: uuidv7() }))
    const cuts = Array.from(token, (_, length) => token.slice(0, length))
    expect(cuts.filter((cut) => readUnsubscribe(ring, cut))).toEqual([])
  })

  test('a hundred thousand random tokens are refused, and quickly', () => {
    const started = performance.now()
    let accepted = 0
    for (let n = 0; n < 100_000; n++) {
      const bytes = randomBytes(64 + (n % 60))
      // Half of them look like ours as far as anyone can tell without the key.
      if (n % 2 === 0) {
        bytes.writeUInt16BE(0x0101)
        bytes.write('a1\0\0\0\0\0\0', 3, 'latin1')
      }
      if (readUnsubscribe(ring, bytes.toString('base64url'))) accepted++
    }
    expect(accepted).toBe(0)
    expect(performance.now() - started).toBeLessThan(10_000)
  })

  test('a token of one kind is none of another', () => {
    const kinds: LinkKind[] = ['unsubscribe', 'preferences', 'confirm']
    for (const made of kinds) {
      const token = signLink(ring, made, link())
      expect(kinds.filter((kind) => readLink(ring, kind, token, 0))).toEqual([made])
    }
  })

  test('relabelling the kind does not help: each kind has a key of its own', () => {
    const bytes = Buffer.from(signLink(ring, 'unsubscribe', link()), 'base64url')
    bytes[1] = 2
    expect(readLink(ring, 'preferences', bytes.toString('base64url'), 0)).toBeUndefined()
    expect(ring.signing.derive('link/unsubscribe')).not.toEqual(
      ring.signing.derive('link/preferences'),
    )
  })

  test('an expired link is refused from that millisecond on', () => {
    const token = signLink(ring, 'confirm', { ...link(), expiresAt: 5_000 })
    expect(readLink(ring, 'confirm', token, 4_999)).toMatchObject({ expiresAt: 5_000 })
    expect(readLink(ring, 'confirm', token, 5_000)).toBeUndefined()
  })

  test('after a rotation old unsubscribe links work, other old links do not', () => {
    const rotated = parseKeyring(`${keyOf('b2', 2)},${keyOf('a1', 1)}`)
    const said = link()
    expect(readUnsubscribe(rotated, signUnsubscribe(ring, said))).toEqual(said)
    expect(readUnsubscribe(rotated, signUnsubscribe(rotated, said))).toEqual(said)
    expect(readUnsubscribe(ring, signUnsubscribe(rotated, said))).toBeUndefined()
    for (const kind of ['preferences', 'confirm'] as const) {
      expect(readLink(rotated, kind, signLink(ring, kind, said), 0)).toBeUndefined()
      expect(readLink(rotated, kind, signLink(rotated, kind, said), 0)).toEqual(said)
    }
  })

  test('a key id that came back with another key verifies nothing of the old one', () => {
    const token = signUnsubscribe(ring, link())
    expect(readUnsubscribe(parseKeyring(keyOf('a1', 9)), token)).toBeUndefined()
  })

  test.each([
    ['an organization', { organizationId: 'not-an-id' }],
    ['a contact', { contactId: '' }],
    ['a topic', { topicId: '0190f2c4' }],
    ['an address hash', { addressHash: Buffer.alloc(15) }],
  ])('a link is not signed for %s that is none', (_, wrong) => {
    expect(() => signUnsubscribe(ring, link(wrong))).toThrow(RangeError)
  })

  test('thousands of links a second can be signed and read, also on a busy machine', () => {
    const said = link({ topicId: uuidv7(), batchId: uuidv7() })
    const COUNT = 10_000
    const started = performance.now()
    for (let n = 0; n < COUNT; n++) readUnsubscribe(ring, signUnsubscribe(ring, said))
    expect((COUNT / (performance.now() - started)) * 1_000).toBeGreaterThan(2_000)
  })
})
