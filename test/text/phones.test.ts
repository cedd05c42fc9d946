import { expect, test } from 'vitest'
import { toE164 } from '../../src/text/phones.ts'

test.each([
  ['+4915112345678', '+4915112345678'],
  [' +49 (151) 123-45678 ', '+4915112345678'],
  ['+49.151.12345678', '+4915112345678'],
  ['+1 555 000-1111', '+15550001111'],
  ['+44 20 7946 0018', '+442079460018'],
])('%s is stored as %s', (given, stored) => {
  expect(toE164(given)).toBe(stored)
})

test.each([
  ['no country', '0151 12345678'],
  ['a country that is none', '+999 12345678'],
  ['too few digits for its country', '+49151'],
  ['too many digits', '+1 555 000-1111-2222'],
  ['an extension', '+49 151 12345678 ext. 5'],
  ['a number within other words', 'call +4915112345678 today'],
  ['nothing', ''],
  ['a word', 'phone'],
])('%s is not a number', (_why, given) => {
  expect(toE164(given)).toBeUndefined()
})

test('a stored number stays unchanged', () => {
  for (const given of ['+4915112345678', '+15550001111', '+390612345678']) {
    expect(toE164(toE164(given) ?? '')).toBe(given)
  }
})
