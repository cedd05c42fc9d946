import { parsePhoneNumberFromString } from 'libphonenumber-js/min'

/**
 * Returns a telephone number as it is stored and compared: E.164 (ITU-T), `+4915112345678`.
 * Undefined: it has no country, an extension, or a number of digits that its country does not have.
 * `00` is read as `+`, the prefix that most countries dial.
 *
 * Only the length is checked, not the range, so the small tables suffice (83 KB, not 157). New
 * ranges open every week, and refusing a new number is worse than keeping a dead one.
 */
export function toE164(text: string): string | undefined {
  const number = parsePhoneNumberFromString(text.trim().replace(/^00/, '+'), { extract: false })
  if (!number?.isPossible() || number.ext !== undefined) return undefined
  return number.number
}
