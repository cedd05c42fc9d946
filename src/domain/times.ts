const FOUR_DIGIT_YEAR = /^(?!0000)\d{4}-/

/**
 * A time of the input as we keep it, in UTC; undefined when it cannot be kept: a leap second, which
 * JavaScript does not know, or a year that does not have four digits once it is in UTC.
 */
export function toUtc(text: string, plusMs = 0): string | undefined {
  const time = Date.parse(text) + plusMs
  if (Number.isNaN(time)) return undefined
  const utc = new Date(time).toISOString()
  return FOUR_DIGIT_YEAR.test(utc) ? utc : undefined
}
