/** Keys of a contact's own, at its top. */
export const MOST_PROPERTIES = 500
/** Characters of all of them, written as JSON. */
export const LONGEST_PROPERTIES = 32_768
/** Objects and lists within one another, the outermost included. */
export const DEEPEST_PROPERTIES = 8

/** Why a contact cannot have these properties; undefined when it can. */
export function refuseProperties(properties: Record<string, unknown>): string | undefined {
  if (Object.keys(properties).length > MOST_PROPERTIES) {
    return `must not have more than ${MOST_PROPERTIES} keys`
  }
  // Depth first: what is nested too deeply would be too deep to be written as JSON as well.
  if (isDeeper(properties, DEEPEST_PROPERTIES)) {
    return `must not be nested deeper than ${DEEPEST_PROPERTIES}`
  }
  if (JSON.stringify(properties).length > LONGEST_PROPERTIES) {
    return `must not be longer than ${LONGEST_PROPERTIES} characters as JSON`
  }
  return undefined
}

/** What is left when these are merged in: one level deep, and null takes a key away. */
export const mergeProperties = (
  current: Record<string, unknown>,
  given: Record<string, unknown>,
): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries({ ...current, ...given }).filter(
      ([key]) => !Object.hasOwn(given, key) || given[key] !== null,
    ),
  )

/** Whether a value has more objects and lists within one another than so many. */
export const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((each) => isDeeper(each, levels - 1)))
