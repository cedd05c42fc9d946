import { expect, test } from 'vitest'
import { isIndexed, wordOf } from '../../src/store/audience/search-terms.ts'

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

test.each(['ada', 'a', '7', 'ad', '@e', '+4', 'x@exämple', '.com', '1.234', '77@'])(
  'the index narrows "%s" down',
  (word) => {
    expect(isIndexed(word)).toBe(true)
  },
)

test.each(['@', '+', '.c', '@@', 'a@b', '.77', 'ë', 'zoë', '%_%', 'a b c'])(
  'for "%s" the index would be read whole, or is of little help',
  (word) => {
    expect(isIndexed(word)).toBe(false)
  },
)
