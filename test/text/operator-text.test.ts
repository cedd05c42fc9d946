import fc from 'fast-check'
import { expect, test } from 'vitest'
import { operatorText } from '../../src/domain/operator-text.ts'

test.each([
  ['Spring sale - 20 %', 'Spring sale - 20 %'],
  ['**Bold** [a link](b) <b>', '\\*\\*Bold\\*\\* \\[a link\\](b) \\<b\\>'],
  ['two\nlines\tand \u0000 more', 'two lines and more'],
  ['1. first', '1\\. first'],
  ['- item', '\\- item'],
  ['  ', ''],
  ['half \ud83d', 'half ?'],
  ['x'.repeat(200), `${'x'.repeat(59)}…`],
])('%j is shown as %j', (text, shown) => {
  expect(operatorText(text)).toBe(shown)
})

test('whatever the text, Temporal takes it beside the rest of a summary', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
      const bytes = Buffer.byteLength(JSON.stringify(operatorText(text)))
      expect(bytes).toBeLessThanOrEqual(60 * 4 + 4)
    }),
  )
  const worst = JSON.stringify(operatorText('\\'.repeat(300)))
  expect(Buffer.byteLength(worst)).toBeLessThanOrEqual(60 * 4 + 4)
})
