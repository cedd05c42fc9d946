import { sayAs, type Voice } from './wording.ts'

export interface Brand extends Voice {
  name: string
  /** Hexadecimal: `#` and six digits. */
  accentColor: string | null
  backgroundColor: string | null
  /** Address in lines, separated by line feeds. */
  postalAddress: string | null
}

export interface MailBrand {
  name: string
  postalAddress?: string | null
  /** Texts of the links at the end of marketing mail. Absent: English. */
  links?: { unsubscribe: string; preferences: string }
  /** Color of these links. Undefined: ours. Readable on white. */
  linkColor?: string | undefined
}

export function mailBrand(brand: Brand): MailBrand {
  const say = sayAs(brand)
  return {
    name: brand.name,
    postalAddress: brand.postalAddress,
    links: {
      unsubscribe: say('footer.unsubscribe'),
      preferences: say('footer.preferences'),
    },
    ...(brand.accentColor === null ? {} : { linkColor: linkColor(brand.accentColor) }),
  }
}

const ACCENT = '#1f4fd8'
const COLOR = /^#[0-9a-f]{6}$/

/** Returns a colour that is valid in a style, whatever is stored. */
export const colorOr = (color: string | null | undefined, ours: string): string =>
  COLOR.test(color ?? '') ? (color ?? ours) : ours

export function buttonColors(brand: Pick<Brand, 'accentColor'> | undefined, ours = ACCENT) {
  const background = colorOr(brand?.accentColor, ours)
  return { background, text: readableOn(background) }
}

/**
 * Returns black or white, whichever has the greater contrast (WCAG 2.2, relative luminance). One of
 * them always has 4.5 or more.
 */
export function readableOn(background: string): '#000000' | '#ffffff' {
  const luminance = luminanceOf(background)
  return (luminance + 0.05) / 0.05 > 1.05 / (luminance + 0.05) ? '#000000' : '#ffffff'
}

/** Least contrast of text on its background (WCAG 2.2, 1.4.3). */
const LEAST_CONTRAST = 4.5
/** Factor that darkens a colour step by step. */
const DARKER = 0.95

/**
 * Returns the colour of an organization's links: its accent, darkened until it is readable on
 * white.
 */
export function linkColor(accent: string | null, ours = ACCENT): string {
  let color = colorOr(accent, ours)
  while (1.05 / (luminanceOf(color) + 0.05) < LEAST_CONTRAST) {
    const parts = partsOf(color).map((part) => Math.floor(part * DARKER))
    color = `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`
  }
  return color
}

const partsOf = (hexadecimal: string): number[] =>
  [1, 3, 5].map((at) => Number.parseInt(hexadecimal.slice(at, at + 2), 16))

function luminanceOf(hexadecimal: string): number {
  const [red = 0, green = 0, blue = 0] = partsOf(hexadecimal).map((part) => {
    const value = part / 255
    return value <= 0.040_45 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
