import { expect, test } from 'vitest'
import {
  DEEPEST_PROPERTIES,
  LONGEST_PROPERTIES,
  mergeProperties,
  MOST_PROPERTIES,
  refuseProperties,
} from '../../src/domain/contacts/properties.ts'

const nested = (levels: number): Record<string, unknown> =>
  levels === 1 ? { a: 1 } : { a: nested(levels - 1) }
const many = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, n]))

test('each limit is reached and not passed', () => {
  expect(refuseProperties(nested(DEEPEST_PROPERTIES))).toBeUndefined()
  expect(refuseProperties(nested(DEEPEST_PROPERTIES + 1))).toMatch('nested')
  expect(refuseProperties(many(MOST_PROPERTIES))).toBeUndefined()
  expect(refuseProperties(many(MOST_PROPERTIES + 1))).toMatch('keys')
  const frame = JSON.stringify({ a: '' }).length
  expect(refuseProperties({ a: 'x'.repeat(LONGEST_PROPERTIES - frame) })).toBeUndefined()
  expect(refuseProperties({ a: 'x'.repeat(LONGEST_PROPERTIES - frame + 1) })).toMatch('longer')
})

test('nesting beyond the depth of any call is refused, not a crash', () => {
  expect(refuseProperties(JSON.parse(`{"a":${'['.repeat(5_000)}${']'.repeat(5_000)}}`))).toMatch(
    'nested',
  )
})

test('merging is one level deep, and null takes a key away', () => {
  expect(mergeProperties({ a: 1, b: { c: 2 }, d: 3 }, { b: { e: 4 }, d: null, f: null })).toEqual({
    a: 1,
    b: { e: 4 },
  })
  expect(mergeProperties({ kept: null }, {})).toEqual({ kept: null })
})

test('a key called __proto__ is a key like others', () => {
  const merged = mergeProperties({}, JSON.parse('{"__proto__": {"admin": true}}'))
  expect(Object.keys(merged)).toEqual(['__proto__'])
  expect(Reflect.get(merged, 'admin')).toBeUndefined()
})

type Properties = Record<string, unknown>

test.each<[Properties, Properties, Properties]>([
  [{ 'address.city': 'Berlin' }, { 'address.city': 'Rome' }, { 'address.city': 'Rome' }],
  [
    { address: { city: 'Berlin', zip: 1 } },
    { 'address.city': 'Rome' },
    { address: { city: 'Rome', zip: 1 } },
  ],
  [{ address: { city: 'Berlin', zip: 1 } }, { 'address.city': null }, { address: { zip: 1 } }],
  [{ 'address.city': 'Berlin', x: 1 }, { address: { zip: 1 } }, { address: { zip: 1 }, x: 1 }],
  [{ 'address.city': 'Berlin', addresses: 1 }, { address: null }, { addresses: 1 }],
  [
    { address: { zip: 1 } },
    { 'address.city': 'Rome' },
    { address: { zip: 1 }, 'address.city': 'Rome' },
  ],
  [{ 'a.b': { c: 1 } }, { 'a.b.c': 2 }, { 'a.b': { c: 2 } }],
  [{ a: { b: { c: 1 } } }, { 'a.b.c': 2 }, { a: { b: { c: 2 } } }],
  [{ a: { b: { c: 1 } }, 'a.b.d': 1 }, { 'a.b': 2 }, { a: { b: 2 } }],
  [{ a: [{ b: 1 }] }, { 'a.0.b': 2 }, { a: [{ b: 1 }], 'a.0.b': 2 }],
  [{}, { 'a.b': 1, a: { c: 2 } }, { 'a.b': 1, a: { c: 2 } }],
  [
    { 'a.b': 1, a: { b: 2 } },
    { 'a.b': 1, a: { b: 2 } },
    { 'a.b': 1, a: { b: 2 } },
  ],
  [{ 'Ren\u00e9': 1 }, { 'Rene\u0301': null }, {}],
])('%j with %j is %j: a value is one, flat or nested', (current, given, expected) => {
  const before = structuredClone(current)
  expect(mergeProperties(current, given)).toEqual(expected)
  expect(current).toEqual(before)
})
