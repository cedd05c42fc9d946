import fc from 'fast-check'
import { expect, test } from 'vitest'
import { pageStyle } from '../../api/http/page-style.ts'
import { linkColor, readableOn } from '../../src/domain/content/brand.ts'
import { brandWith } from '../support/brands.ts'

const channel = (hexadecimal: string, at: number): number => {
  const value = Number.parseInt(hexadecimal.slice(at, at + 2), 16) / 255
  return value <= 0.040_45 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
}
/** WCAG 2.2, contrast ratio. */
const contrast = (a: string, b: string): number => {
  const luminance = (color: string) =>
    0.2126 * channel(color, 1) + 0.7152 * channel(color, 3) + 0.0722 * channel(color, 5)
  const [light = 0, dark = 0] = [luminance(a), luminance(b)].toSorted((x, y) => y - x)
  return (light + 0.05) / (dark + 0.05)
}

const colors = fc
  .integer({ min: 0, max: 0xff_ff_ff })
  .map((value) => `#${value.toString(16).padStart(6, '0')}`)

test('a link can be read on white in every colour that an organization may choose', () => {
  fc.assert(
    fc.property(colors, (color) => {
      const link = linkColor(color)
      expect(link).toMatch(/^#[0-9a-f]{6}$/)
      expect(contrast(link, '#ffffff')).toBeGreaterThanOrEqual(4.5)
      // One that can be read stays as it is.
      expect(contrast(color, '#ffffff') < 4.5 || link === color).toBe(true)
    }),
    { numRuns: 2_000 },
  )
})

test('the text of a button can be read on every colour that an organization may choose', () => {
  fc.assert(
    fc.property(colors, (color) => {
      expect(contrast(readableOn(color), color)).toBeGreaterThanOrEqual(4.5)
    }),
    { numRuns: 5_000 },
  )
  expect([readableOn('#ffffff'), readableOn('#ffff00'), readableOn('#000000')]).toEqual([
    '#000000',
    '#000000',
    '#ffffff',
  ])
})

test('nothing but a colour gets into the style, whatever storage says', () => {
  const ours = pageStyle(undefined)
  for (const wrong of ['red', '#fff', '#12345G', '#123456}</style><script>', 'url(//x)', '']) {
    expect(pageStyle(brandWith('A', { accentColor: wrong, backgroundColor: wrong }))).toBe(ours)
  }
  const own = pageStyle(brandWith('A', { accentColor: '#ffee00', backgroundColor: '#102030' }))
  expect(own).toContain('color: #000000; background: #ffee00')
  expect(own).toContain('background: #102030; margin: 0')
})
