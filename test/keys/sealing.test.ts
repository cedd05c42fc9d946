import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { uuidv7 } from '../../src/runtime/ids.ts'
import {
  flowHeadersPlace,
  flowSecretPlace,
  open,
  type SealedPlace,
  seal,
} from '../../src/keys/sealing.ts'
import { newKeyringText, parseKeyring } from '../../src/keys/tokens.ts'

const keyOf = (kid: string): string => newKeyringText().replace(/^[^:]*/, kid)
const oldKey = keyOf('old')
const newKey = keyOf('new')
const ring = parseKeyring(oldKey)
const organizationId = uuidv7()
const place: SealedPlace = { table: 'flows', organizationId, rowId: uuidv7() }

test('any sealed text opens again', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 500 }), (text) => {
      const sealed = seal(ring, 'flow-secret', place, text)
      expect(open(ring, 'flow-secret', place, sealed)).toBe(text)
    }),
  )
})

test('nothing of the text is seen, and twice the same text is not the same', () => {
  const text = 'whsec_c2VjcmV0LXNlY3JldC1zZWNyZXQ='
  const [one, two] = [0, 1].map(() => seal(ring, 'flow-secret', place, text))
  expect(one).not.toEqual(two)
  expect(one?.toString('latin1')).not.toContain('whsec_')
  expect(one?.subarray(0, 9).toString('latin1')).toBe('\u0001old\0\0\0\0\0')
  expect(one).toHaveLength(9 + 12 + text.length + 16)
})

test('another row, table, organization or purpose is refused', () => {
  const sealed = seal(ring, 'flow-secret', place, 'secret')
  const others: SealedPlace[] = [
    { ...place, rowId: uuidv7() },
    { ...place, table: 'flow_headers' },
    { ...place, organizationId: uuidv7() },
    { ...place, table: '', rowId: `flows${place.rowId}` },
  ]
  for (const other of others) expect(open(ring, 'flow-secret', other, sealed)).toBeUndefined()
  expect(open(ring, 'flow-headers', place, sealed)).toBeUndefined()
  expect(open(ring, 'flow-secret', place, sealed)).toBe('secret')
})

test('each changed bit, and each cut, is noticed', () => {
  const sealed = seal(ring, 'flow-headers', place, '{"Authorization":"Bearer x"}')
  for (let bit = 0; bit < sealed.length * 8; bit++) {
    const changed = Buffer.from(sealed)
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
    expect(open(ring, 'flow-headers', place, changed)).toBeUndefined()
  }
  for (let length = 0; length < sealed.length; length++) {
    expect(open(ring, 'flow-headers', place, sealed.subarray(0, length))).toBeUndefined()
  }
})

test('after a rotation the old key opens and the new one seals, until the old one is gone', () => {
  const sealed = seal(ring, 'flow-secret', place, 'secret')
  const rotated = parseKeyring(`${newKey},${oldKey}`)
  expect(open(rotated, 'flow-secret', place, sealed)).toBe('secret')
  const resealed = seal(rotated, 'flow-secret', place, 'secret')
  expect(open(parseKeyring(newKey), 'flow-secret', place, resealed)).toBe('secret')
  expect(open(parseKeyring(newKey), 'flow-secret', place, sealed)).toBeUndefined()
  expect(open(parseKeyring(keyOf('old')), 'flow-secret', place, sealed)).toBeUndefined()
})

test('the headers of two steps, versions or flows have places of their own', () => {
  const flowId = uuidv7()
  const places = [
    flowHeadersPlace(organizationId, { flowId, version: 1, stepId: '2' }),
    flowHeadersPlace(organizationId, { flowId, version: 12, stepId: '' }),
    flowHeadersPlace(organizationId, { flowId, version: 1, stepId: '2"' }),
    flowHeadersPlace(organizationId, { flowId: uuidv7(), version: 1, stepId: '2' }),
    flowSecretPlace(organizationId, flowId),
  ]
  const sealed = places.map((each) => seal(ring, 'flow-headers', each, '{}'))
  for (const [index, each] of places.entries()) {
    const opened = sealed.map((bytes) => open(ring, 'flow-headers', each, bytes))
    expect(opened).toEqual(places.map((_, other) => (other === index ? '{}' : undefined)))
  }
})
