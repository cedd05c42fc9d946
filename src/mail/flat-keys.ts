import { DEEPEST_PROPERTIES } from '../domain/contacts/properties.ts'

const LONGEST_FLAT_KEY = 255

type Values = Readonly<Record<string, unknown>>

/**
 * Returns the same values, where flat keys can also be read as nested ones and the other way round:
 * `{ "address.city": "Berlin" }` has `address.city` and `address["city"]`, as in conditions. The
 * flat value wins. Added keys are not listed and not printed as JSON.
 */
export function withFlatKeys(values: Values): Values {
  const entries = Object.entries(values)
  const isPlain = entries.every(([key, value]) => !key.includes('.') && !isObject(value))
  if (isPlain) return values
  const target = { ...values }
  for (const [key, value] of entries)
    if (key.includes('.')) addNested(target, key.split('.'), value)
  for (const key of Object.getOwnPropertyNames(target)) {
    const value = target[key]
    if (isObject(value)) addFlat(target, key, value, DEEPEST_PROPERTIES)
  }
  return target
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function addFlat(target: Values, path: string, value: Values, levels: number): void {
  if (levels === 0) return
  for (const [key, each] of Object.entries(value)) {
    const flat = `${path}.${key}`
    if (flat.length > LONGEST_FLAT_KEY) continue
    if (!Object.hasOwn(target, flat)) hide(target, flat, each)
    if (isObject(each)) addFlat(target, flat, each, levels - 1)
  }
}

function addNested(target: Values, keys: readonly string[], value: unknown): void {
  let at = target
  for (const key of keys.slice(0, -1)) {
    const nested = Object.hasOwn(at, key) ? at[key] : {}
    if (!isObject(nested)) return
    const isHidden = !Object.prototype.propertyIsEnumerable.call(at, key)
    // A copy, since nested values belong to the caller. Top-level ones that are created here are
    // hidden.
    const copy = { ...nested }
    if (isHidden && at === target) hide(at, key, copy)
    else show(at, key, copy)
    at = copy
  }
  show(at, keys.at(-1) ?? '', value)
}

const hide = (object: Values, key: string, value: unknown) =>
  Object.defineProperty(object, key, { value, configurable: true, enumerable: false })

const show = (object: Values, key: string, value: unknown) =>
  Object.defineProperty(object, key, { value, configurable: true, enumerable: true })
