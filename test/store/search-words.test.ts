import { expect, test } from 'vitest'
import { uuidv7 } from '../../src/ids.ts'
import { madeAt, partsOf, spansBetween, wordOf } from '../../src/store/search-words.ts'

test.each([
  [' Ada@Example.com ', 'ada@example.com'],
  ['+49 (151) 123-45', '+4915112345'],
  ['0151 / 123', '0151123'],
  ['1.2', '1.2'],
  ['ada-1 b', 'ada-1 b'],
  ['   ', ''],
  ['( )', '( )'],
  [')', ')'],
])('"%s" is looked for as "%s"', (given, word) => {
  expect(wordOf(given)).toBe(word)
})

test.each([
  ['+491510000777', ['007', '077', '777']],
  ['@company12.com', ['y12', '12.', '2.c']],
  ['dora.12ab', ['.12', '12a', '2ab']],
  ['gmail.com', ['gma', 'il.', 'com']],
  ['gmail', ['gma', 'ail']],
  ['ada.lovelace@gmail.com', ['ada', '.lo', 'vel', 'e@g']],
  ['ada@example.com', ['ada', 'a@e', 'xam', 'ple']],
  ['info@firma.de', ['inf', 'o@f', 'irm', 'a.d']],
  ['kontakt@firma.de', ['kon', 'tak', 't@f']],
  ['zhangwei@163.com', ['wei', 'ei@', 'i@1']],
  ['al@example.com', ['al@', 'l@e', 'xam', 'ple']],
  ['ada@', ['ada', 'da@']],
  ['@example', ['@ex', 'amp', 'ple']],
  ['ada2@example.com', ['da2', 'a2@', '2@e']],
  ['777', ['777']],
  ['ada.3', ['ada', 'da.', 'a.3']],
  ['7 eleven', ['7 e', ' el', 'ele']],
  ['ada.', ['ada', 'da.']],
  ['a1', ['a1']],
  ['x', ['x']],
  ['@g', ['g']],
  ['+4', ['4']],
  ['+', ['+']],
  ['@@', ['@@']],
  ['a@', ['a@']],
  ['ë😀x', ['ë😀x']],
])('of "%s" the index is asked for %j', (word, parts) => {
  expect(partsOf(word)).toEqual(parts)
})

test('an id tells when it was made', () => {
  const before = Date.now()
  const at = madeAt(uuidv7())
  expect(at).toBeGreaterThanOrEqual(before - 1)
  expect(at).toBeLessThanOrEqual(Date.now() + 1)
})

const idAt = (ms: number) => {
  const digits = ms.toString(16).padStart(12, '0')
  return `${digits.slice(0, 8)}-${digits.slice(8)}-7000-8000-000000000000`
}

const SHORTEST = 256

test.each([
  [0, 0],
  [1, 1],
  [5_000, 5_000],
  [65_536 * 3, 100_000],
  [3_600_000, 1],
  [86_400_000 * 20, 1_000],
  [86_400_000 * 365 * 5, 86_400_000],
  [86_400_000 * 365 * 5, 300],
  [86_400_000 * 365 * 5, Infinity],
])('spans of %i ms and at most %d before have every moment once', (ms, before) => {
  const to = 1_700_000_123_456
  const from = to - ms
  const spans = spansBetween(from, to, from - before)
  const has = (at: number) => spans.filter((span) => idAt(at).startsWith(span)).length
  for (let n = 0; n <= 1_000; n++) expect(has(Math.round(to - (ms * n) / 1_000))).toBe(1)
  for (let back = 1; back < Math.min(ms, 1e6); back *= 2) expect(has(from + back)).toBe(1)
  expect(has(from - Math.max(before, SHORTEST) - 1)).toBe(0)
  // A quarter of a second in years.
  expect(spans.length).toBeLessThan(140)
})

test('spans are long ones where that is near enough', () => {
  const to = 0x18b_cfe5_68ff
  expect(spansBetween(0x18b_cfe4_1234, to, 0x18b_cfe4_0000)).toEqual(['018bcfe4', '018bcfe5'])
  expect(spansBetween(0x18b_cfe4_e234, to, 0x18b_cfe4_d000)).toEqual([
    '018bcfe5',
    '018bcfe4-e',
    '018bcfe4-f',
  ])
})
