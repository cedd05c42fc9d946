import { expect, it, test } from 'vitest'
import { LONGEST_UNITS, partsOf } from '../../src/domain/mails/text-parts.ts'
import { countParts } from '../../tools/sandbox/sms/parts.ts'
import { sized } from '../support/size.ts'

it.each([
  ['x'.repeat(160), 1, 'gsm'],
  ['x'.repeat(161), 2, 'gsm'],
  ['x'.repeat(306), 2, 'gsm'],
  ['x'.repeat(307), 3, 'gsm'],
  ['€'.repeat(80), 1, 'gsm'],
  ['€'.repeat(81), 2, 'gsm'],
  // The escape of a euro sign is not cut in two.
  [`${'x'.repeat(152)}€${'x'.repeat(152)}`, 3, 'gsm'],
  ['ç', 1, 'unicode'],
  ['“quoted”', 1, 'unicode'],
  ['a\tb', 1, 'unicode'],
  ['ж'.repeat(70), 1, 'unicode'],
  ['ж'.repeat(71), 2, 'unicode'],
  ['😀'.repeat(35), 1, 'unicode'],
  ['😀'.repeat(36), 2, 'unicode'],
  [`${'ж'.repeat(66)}😀${'ж'.repeat(66)}`, 3, 'unicode'],
])('%s has %i parts in %s', (text, parts, encoding) => {
  expect(partsOf(text)).toMatchObject({ parts, encoding, isTooLong: false })
})

it.each([
  ['x', LONGEST_UNITS.gsm],
  ['ж', LONGEST_UNITS.unicode],
])('a text of %s is too long above %i units', (letter, most) => {
  expect(partsOf(letter.repeat(most)).isTooLong).toBe(false)
  expect(partsOf(letter.repeat(most + 1)).isTooLong).toBe(true)
})

test('any text has the parts that the sandbox counts', () => {
  const letters = ['a', 'é', '€', '{', '\n', 'ç', 'ж', '😀', '👨‍👩‍👧', ' ', '\f']
  for (let n = 0; n < sized(300, 3_000); n++) {
    const kinds = 1 + (n % letters.length)
    const text = Array.from({ length: n % 211 }, (_, index) => letters[(index * n) % kinds]).join(
      '',
    )
    const { parts, encoding } = countParts(text)
    expect(partsOf(text)).toMatchObject({ parts, encoding: encoding.toLowerCase() })
  }
})
