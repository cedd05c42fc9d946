/** GSM 03.38: the default alphabet, and characters that take two septets. */
const BASIC = new Set(
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà',
)
const EXTENDED = new Set('\f^{}\\[~]|€')

/** Room of a text that is alone, and of each of several parts, in septets or UTF-16 units. */
const ROOM = {
  gsm: { alone: 160, each: 153 },
  unicode: { alone: 70, each: 67 },
} as const

/** The provider refuses longer texts (user guide, "SMS character limits"). */
export const LONGEST_UNITS = { gsm: 1_530, unicode: 630 } as const

/** Limit of a text's price. The provider takes ten parts of the GSM alphabet at most. */
export const MOST_PARTS = 10
/** Characters that the schema of the provider's API allows. */
export const LONGEST_TEXT = 1_600

export interface TextParts {
  encoding: keyof typeof ROOM
  parts: number
  isTooLong: boolean
}

/**
 * Returns how many parts a text is sent in, which are what the provider limits and charges. One
 * character outside of the GSM alphabet makes all of the text UTF-16. No part ends within a
 * character.
 */
export function partsOf(text: string): TextParts {
  const characters = Array.from(text)
  const isGsm = characters.every((each) => BASIC.has(each) || EXTENDED.has(each))
  const encoding = isGsm ? 'gsm' : 'unicode'
  const { alone, each: room } = ROOM[encoding]
  let length = 0
  let parts = 1
  let used = 0
  for (const character of characters) {
    const size = isGsm ? (EXTENDED.has(character) ? 2 : 1) : character.length
    length += size
    if (used + size > room) {
      parts++
      used = 0
    }
    used += size
  }
  return {
    encoding,
    parts: length <= alone ? 1 : parts,
    isTooLong: length > LONGEST_UNITS[encoding],
  }
}
