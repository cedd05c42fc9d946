/** Keys of a contact's properties at the top level. */
export const MOST_PROPERTIES = 500
/** Characters of all properties as JSON. */
export const LONGEST_PROPERTIES = 32_768
/** Levels of nested objects and lists, including the outermost. */
export const DEEPEST_PROPERTIES = 8

/** Prefix of a property's name among other fields: `properties.plan`. */
export const PROPERTY_PREFIX = 'properties.'
/** Limit of a property's name in that form, in characters. */
export const LONGEST_PROPERTY_NAME = 255

/** Returns the property that a field names. Undefined: it is another field. */
export function propertyIn(field: string): string | undefined {
  const name = field.startsWith(PROPERTY_PREFIX) ? field.slice(PROPERTY_PREFIX.length) : ''
  return name.length > 0 && name.length <= LONGEST_PROPERTY_NAME ? name : undefined
}

export const refuseProperties = (properties: Record<string, unknown>): string | undefined =>
  writeProperties(properties).refusal

/** Properties in stored form, which is the same object if nothing changes, and their JSON. */
interface WrittenProperties {
  properties: Record<string, unknown>
  json: string
  refusal?: never
}

/** Matches characters that NFC may change. Texts without them are in NFC. */
const BEYOND_LATIN = /[\u0300-\uffff]/

/**
 * Returns the properties in stored form, with keys and texts in NFC, or the reason why they cannot
 * be stored.
 */
export function writeProperties(
  properties: Record<string, unknown>,
): WrittenProperties | { json?: never; refusal: string } {
  if (Object.keys(properties).length > MOST_PROPERTIES) {
    return { refusal: `must not have more than ${MOST_PROPERTIES} keys` }
  }
  // Depth first: what is nested too deeply would be too deep to be written as JSON as well.
  if (isDeeper(properties, DEEPEST_PROPERTIES)) {
    return { refusal: `must not be nested deeper than ${DEEPEST_PROPERTIES}` }
  }
  const serialized = JSON.stringify(properties)
  const json = BEYOND_LATIN.test(serialized) ? serialized.normalize('NFC') : serialized
  if (json.length > LONGEST_PROPERTIES) {
    return { refusal: `must not be longer than ${LONGEST_PROPERTIES} characters as JSON` }
  }
  return { properties: json === serialized ? properties : JSON.parse(json), json }
}

type Properties = Record<string, unknown>

/**
 * Returns the merged properties: one level deep, and null removes a key. `address.city` is the same
 * value in either form: a nested one is changed in its object, and a whole `address` replaces keys
 * that begin with `address.`.
 */
export function mergeProperties(current: Properties, changes: Properties): Properties {
  const merged = { ...current }
  const flatKeys = Object.keys(current).filter(
    (key) => key.includes('.') && !Object.hasOwn(changes, key),
  )
  for (const writtenKey in changes) {
    const prefix = `${inNfc(writtenKey)}.`
    for (const key of flatKeys) if (key.startsWith(prefix)) Reflect.deleteProperty(merged, key)
  }
  for (const [writtenKey, value] of Object.entries(changes)) {
    const key = inNfc(writtenKey)
    if (!Object.hasOwn(merged, key) && writeNested(merged, key, value)) continue
    write(merged, key, value)
  }
  return merged
}

/** Returns whether a merge changes only the keys that it names, so none is written flat. */
export const hasPlainKeys = (properties: Properties): boolean => {
  for (const key in properties) if (key.includes('.') || BEYOND_LATIN.test(key)) return false
  return true
}

const inNfc = (key: string): string => (BEYOND_LATIN.test(key) ? key.normalize('NFC') : key)

function write(object: Properties, key: string, value: unknown): void {
  if (value === null) Reflect.deleteProperty(object, key)
  // A key may be called `__proto__`.
  else Object.defineProperty(object, key, { value, ...OWN })
}

const OWN = { configurable: true, enumerable: true, writable: true }

function writeNested(merged: Properties, path: string, value: unknown): boolean {
  const keys = path.split('.')
  for (let length = keys.length - 1; length > 0; length--) {
    const inner = [keys.slice(0, length).join('.'), ...keys.slice(length)]
    if (!isNested(merged, inner)) continue
    const last = inner.pop() ?? ''
    let at = merged
    for (const key of inner) {
      const copy: Properties = { ...Object(at[key]) }
      write(at, key, copy)
      at = copy
    }
    write(at, last, value)
    return true
  }
  return false
}

function isNested(root: Properties, keys: readonly string[]): boolean {
  let value: unknown = root
  for (const key of keys) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
    if (!Object.hasOwn(value, key)) return false
    value = Reflect.get(value, key)
  }
  return true
}

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
