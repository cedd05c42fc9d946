/**
 * Rules by which JSON values compare. Values of different types differ, with two exceptions that
 * imports need, whose values are all texts: a text that is written as a number equals that number,
 * and `true` and `false`, in any case, equal the booleans.
 */
import { readTime } from '../times.ts'

const NUMBER = /^-?\d{1,15}(?:\.\d{1,15})?$/

/**
 * Reads a number, or a text that is written as one with at most 15 digits before and after the
 * point. `condition_number` in SQL does the same.
 */
export function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined
  return typeof value === 'string' && NUMBER.test(value) ? Number(value) : undefined
}

const BOOLEAN = /^(?:true|false)$/i

/**
 * Reads a boolean, or a text that is written as one: spreadsheets write `TRUE`. `condition_boolean`
 * in SQL does the same.
 */
export function booleanOf(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value
  return typeof value === 'string' && BOOLEAN.test(value)
    ? value.toLowerCase() === 'true'
    : undefined
}

/**
 * Compares two scalars: texts by their characters and case, numbers by value. Null, lists and
 * objects equal nothing.
 */
export function isSame(a: unknown, b: unknown): boolean {
  if (typeof a === 'string' && typeof b === 'string') return a === b
  if (typeof a === 'number' || typeof b === 'number') {
    const number = numberOf(a)
    return number !== undefined && number === numberOf(b)
  }
  if (typeof a === 'boolean' || typeof b === 'boolean') {
    const boolean = booleanOf(a)
    return boolean !== undefined && boolean === booleanOf(b)
  }
  return false
}

export const isScalar = (value: unknown): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'

export interface Listed {
  has: (value: unknown) => boolean
}

export function listOf(values: readonly unknown[]): Listed {
  const texts = new Set(values.filter((each) => typeof each === 'string'))
  const booleans = new Set(values.filter((each) => typeof each === 'boolean').map(booleanOf))
  const writtenBooleans = new Set(values.map(booleanOf))
  const writtenNumbers = new Set(values.map(numberOf))
  const numbers = new Set(values.filter((each) => typeof each === 'number').map(numberOf))
  const hasNumber = (among: ReadonlySet<number | undefined>, value: unknown): boolean => {
    const number = numberOf(value)
    return number !== undefined && among.has(number)
  }
  const hasBoolean = (among: ReadonlySet<boolean | undefined>, value: unknown): boolean => {
    const boolean = booleanOf(value)
    return boolean !== undefined && among.has(boolean)
  }
  return {
    has: (value) => {
      switch (typeof value) {
        case 'string':
          return texts.has(value) || hasBoolean(booleans, value) || hasNumber(numbers, value)
        case 'number':
          return hasNumber(writtenNumbers, value)
        case 'boolean':
          return hasBoolean(writtenBooleans, value)
        default:
          return false
      }
    },
  }
}

/** Returns the milliseconds since 1970 of a text that is a time, otherwise undefined. */
export const timeOf = (value: unknown): number | undefined =>
  typeof value === 'string' ? readTime(value) : undefined

/**
 * Returns the value at `path`. Keys may contain points: `address.city` is the key of that name, as
 * columns of files have, or `city` in `address`. The longest key wins, and the rest is looked up
 * key by key. A number is an index from 0. Only own properties count. Undefined: there is no value.
 *
 * An object that is written flat, as keys that begin with `path` and a point, exists, too, as an
 * empty object.
 */
export function lookUp(root: Record<string, unknown>, path: string): unknown {
  if (Object.hasOwn(root, path)) return root[path]
  const keys = path.split('.')
  for (let length = keys.length - 1; length > 0; length--) {
    const value = walk(root, [keys.slice(0, length).join('.'), ...keys.slice(length)])
    if (value !== undefined) return value
  }
  return Object.keys(root).some((key) => key.startsWith(`${path}.`)) ? {} : undefined
}

function walk(root: unknown, keys: readonly string[]): unknown {
  let value = root
  for (const key of keys) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
    // Excludes a list's own `length`.
    if (Array.isArray(value) && !/^\d+$/.test(key)) return undefined
    value = Reflect.get(value, key)
  }
  return value
}

/** Returns whether a value has neither NUL nor unpaired surrogates, which cannot be stored. */
export const isStorable = (value: unknown): boolean =>
  typeof value !== 'string' || !/\p{Surrogate}|\0/u.test(value)

export const listedValues = (value: unknown): unknown[] =>
  (Array.isArray(value) ? value : [value]).filter(isStorable)
