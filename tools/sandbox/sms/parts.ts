/** GSM 03.38: the default alphabet, and characters that take two septets. */
const BASIC = new Set(
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà',
)
const EXTENDED = new Set('\f^{}\\[~]|€')

export interface Counted {
  encoding: 'GSM' | 'UNICODE'
  parts: number
  /** Characters as the service limits them: septets, or UTF-16 units. */
  length: number
}

/**
 * Counts the parts of a text: 160 septets alone and 153 in each of several, 70 and 67 UTF-16 units
 * for texts with any other character. No escape and no surrogate pair is cut in two.
 */
export function countParts(text: string): Counted {
  const characters = Array.from(text)
  const isGsm = characters.every((character) => BASIC.has(character) || EXTENDED.has(character))
  const sizes = characters.map((character) =>
    isGsm ? (EXTENDED.has(character) ? 2 : 1) : character.length,
  )
  const length = sizes.reduce((sum, size) => sum + size, 0)
  const encoding = isGsm ? 'GSM' : 'UNICODE'
  if (length <= (isGsm ? 160 : 70)) return { encoding, parts: 1, length }
  const room = isGsm ? 153 : 67
  let parts = 1
  let used = 0
  for (const size of sizes) {
    if (used + size > room) {
      parts++
      used = 0
    }
    used += size
  }
  return { encoding, parts, length }
}
