/** Keys of a contact's own, at its top. */
export const MOST_PROPERTIES = 500
/** Characters of all of them, written as JSON. */
export const LONGEST_PROPERTIES = 32_768
/** Objects and lists within one another, the outermost included. */
export const DEEPEST_PROPERTIES = 8

/** Why these properties cannot be kept; undefined when they can. */
export const refuseProperties = (properties: Record<string, unknown>): string | undefined =>
  writeProperties(properties).refusal

/** Properties as the JSON that is stored, or why they cannot be. */
export function writeProperties(
  properties: Record<string, unknown>,
): { json: string; refusal?: never } | { json?: never; refusal: string } {
  if (Object.keys(properties).length > MOST_PROPERTIES) {
    return { refusal: `must not have more than ${MOST_PROPERTIES} keys` }
  }
  // Depth first: what is nested too deeply would be too deep to be written as JSON as well.
  if (isDeeper(properties, DEEPEST_PROPERTIES)) {
    return { refusal: `must not be nested deeper than ${DEEPEST_PROPERTIES}` }
  }
  const json = JSON.stringify(properties)
  if (json.length > LONGEST_PROPERTIES) {
    return { refusal: `must not be longer than ${LONGEST_PROPERTIES} characters as JSON` }
  }
  return { json }
}

/** What is left when these are merged in: one level deep, and null takes a key away. */
export function mergeProperties(
  current: Record<string, unknown>,
  given: Record<string, unknown>,
): Record<string, unknown> {
  const merged = { ...current, ...given }
  for (const [key, value] of Object.entries(given)) {
    if (value === null) Reflect.deleteProperty(merged, key)
  }
  return merged
}

/** Whether a JSON value has more than `levels` objects and lists within one another. */
export function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  // Most are neither object nor list: a call for each would cost as much as writing them as JSON.
  const isNested = (each: unknown): boolean =>
    typeof each === 'object' && isDeeper(each, levels - 1)
  if (Array.isArray(value)) return value.some(isNested)
  const object: Readonly<Record<string, unknown>> = Object(value)
  for (const key in object) if (isNested(object[key])) return true
  return false
}
