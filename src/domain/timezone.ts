/** Parts begin with a capital as in the database, since Temporal knows no other spelling. */
const NAME = /^[A-Z][A-Za-z0-9_+-]*(?:\/[A-Z][A-Za-z0-9_+-]*){0,3}$/

/** Returns whether a name can be a timezone of IANA's database: `Europe/Berlin`, `UTC`. */
export function isTimezone(name: string): boolean {
  if (name.length > 64 || !NAME.test(name)) return false
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}
