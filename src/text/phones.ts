import { parsePhoneNumberFromString } from 'libphonenumber-js/min'

/**
 * A telephone number as it is stored and compared: E.164 (ITU-T), `+4915112345678`. Undefined when
 * it has no country, an extension, or more or fewer digits than numbers of its country have. `00`
 * is read as `+`, the prefix that most countries dial.
 *
 * Its length is checked and not the range it lies in, so the small tables do (83 KB, not 157):
 * ranges are opened every week, and to refuse somebody's new number is worse than to keep a dead
 * one.
 */
export function toE164(text: string): string | undefined {
  const number = parsePhoneNumberFromString(text.trim().replace(/^00/, '+'), { extract: false })
  if (!number?.isPossible() || number.ext !== undefined) return undefined
  return number.number
}
