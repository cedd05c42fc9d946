import { DEEPEST_PROPERTIES } from '../domain/contacts/properties.ts'

/** Characters of a flat key. */
const LONGEST_FLAT_KEY = 255

type Values = Readonly<Record<string, unknown>>

/**
 * Returns the same values, in which what is written flat is also found nested, and the other way
 * round: `{ "address.city": "Berlin" }` has `address.city` and `address["city"]`, as conditions
 * find it. Where a value is written both ways the flat one counts. Only what was there is listed
 * or printed as JSON.
 */
export function withFlatKeys(values: Values): Values {
  const entries = Object.entries(values)
  const isPlain = entries.every(([key, value]) => !key.includes('.') && !isObject(value))
  if (isPlain) return values
  const made = { ...values }
  for (const [key, value] of entries) if (key.includes('.')) addNested(made, key.split('.'), value)
  for (const key of Object.getOwnPropertyNames(made)) {
    const value = made[key]
    if (isObject(value)) addFlat(made, key, value, DEEPEST_PROPERTIES)
  }
  return made
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Adds what is nested in `value` under flat keys that begin with `path`. */
function addFlat(made: Values, path: string, value: Values, levels: number): void {
  if (levels === 0) return
  for (const [key, each] of Object.entries(value)) {
    const flat = `${path}.${key}`
    if (flat.length > LONGEST_FLAT_KEY) continue
    if (!Object.hasOwn(made, flat)) hide(made, flat, each)
    if (isObject(each)) addFlat(made, flat, each, levels - 1)
  }
}

/** Adds a value of a flat key where `keys` lead, unless something that is no object is there. */
function addNested(made: Values, keys: readonly string[], value: unknown): void {
  let at = made
  for (const key of keys.slice(0, -1)) {
    const found = Object.hasOwn(at, key) ? at[key] : {}
    if (!isObject(found)) return
    const isHidden = !Object.prototype.propertyIsEnumerable.call(at, key)
    // A copy: what is nested belongs to the caller. One that is made here is hidden at the top.
    const copy = { ...found }
    if (isHidden && at === made) hide(at, key, copy)
    else show(at, key, copy)
    at = copy
  }
  show(at, keys.at(-1) ?? '', value)
}

const hide = (object: Values, key: string, value: unknown) =>
  Object.defineProperty(object, key, { value, configurable: true, enumerable: false })

const show = (object: Values, key: string, value: unknown) =>
  Object.defineProperty(object, key, { value, configurable: true, enumerable: true })
