import { sayAs, type Voice } from './wording.ts'

/** How an organization shows itself in its mails and on its public pages; null: ours, or none. */
export interface Brand extends Voice {
  name: string
  /** `#` and six hexadecimal digits. */
  accentColor: string | null
  backgroundColor: string | null
  /** Its lines are separated by line feeds. */
  postalAddress: string | null
}

/** What mails say of the organization that sends them. */
export interface MailBrand {
  name: string
  postalAddress?: string | null
  /** Of the links that marketing mail gets at its end; without them they are in English. */
  links?: { unsubscribe: string; preferences: string }
  /** Of these links; undefined: ours. Readable on white. */
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

/** Returns a colour that may stand in a style, whatever is stored. */
export const colorOr = (given: string | null | undefined, ours: string): string =>
  COLOR.test(given ?? '') ? (given ?? ours) : ours

/** Returns the colour of an organization's buttons, and of the text on them. */
export function buttonColors(brand: Pick<Brand, 'accentColor'> | undefined, ours = ACCENT) {
  const background = colorOr(brand?.accentColor, ours)
  return { background, text: readableOn(background) }
}

/**
 * Black or white, whichever has the greater contrast (WCAG 2.2, relative luminance); one of them
 * always has 4.5 or more.
 */
export function readableOn(background: string): '#000000' | '#ffffff' {
  const luminance = luminanceOf(background)
  return (luminance + 0.05) / 0.05 > 1.05 / (luminance + 0.05) ? '#000000' : '#ffffff'
}

/** Of text on its background, WCAG 2.2, 1.4.3. */
const LEAST_CONTRAST = 4.5
/** What a colour is multiplied by until it is dark enough. */
const DARKER = 0.95

/** Returns the colour of an organization's links: its accent, as dark as white needs it. */
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
