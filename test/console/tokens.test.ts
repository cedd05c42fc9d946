import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const sheet = readFileSync(new URL('../../src/console/styles/tokens.css', import.meta.url), 'utf8')

/** Name → its colour in light and in dark. */
const TOKENS = new Map(
  [...sheet.matchAll(/--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)/g)].map(
    ([, name = '', light = '', dark = '']) => [name, [light, dark]] as const,
  ),
)

/** WCAG 2.2, relative luminance. */
function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(color.slice(at, at + 2), 16) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].toSorted((a, b) => b - a)
  return (light + 0.05) / (dark + 0.05)
}

const GROUNDS = ['ground', 'surface', 'raised', 'hover']
const TEXTS = ['text', 'soft', 'accent', 'good', 'busy', 'careful', 'bad', 'gone']
const PAIRS: [text: string, ground: string, least: number][] = [
  ...TEXTS.flatMap((text) =>
    GROUNDS.map((ground): [string, string, number] => [text, ground, 4.5]),
  ),
  ...['ground', 'surface', 'raised'].map((ground): [string, string, number] => ['edge', ground, 3]),
  ...['ground', 'surface', 'raised'].map((ground): [string, string, number] => [
    'waiting',
    ground,
    3,
  ]),
  ['on-accent', 'accent', 4.5],
  ['on-bad', 'bad', 4.5],
  ['accent', 'accent-tint', 4.5],
  ['text', 'accent-tint', 4.5],
  ['text', 'good-tint', 4.5],
  ['text', 'careful-tint', 4.5],
  ['accent', 'careful-tint', 4.5],
  ['soft', 'bad-tint', 4.5],
  ['text', 'bad-tint', 4.5],
]

test.each(PAIRS)(
  '%s on %s has a contrast of at least %f, light and dark',
  (text, ground, least) => {
    for (const theme of [0, 1]) {
      const ratio = contrast(TOKENS.get(text)?.[theme] ?? '', TOKENS.get(ground)?.[theme] ?? '')
      expect(ratio).toBeGreaterThanOrEqual(least)
    }
  },
)
