import { type Schema, together } from './arbitrary.ts'

/** A value that differs from an example in one place, and that place. */
export interface Variant {
  place: string
  value: unknown
}

/**
 * Values of `schema` that each add something to the example: one of the optional fields, each word
 * of an `enum`, each branch of a union.
 */
export function variantsOf(schema: Schema, example: unknown, place = ''): Variant[] {
  const { anyOf, ...rest } = schema
  const { properties = {}, items } = rest
  if (anyOf) {
    return anyOf.flatMap((branch) => {
      const completeSchema = together(rest, branch)
      const value = fits(branch, example) ? example : sampleOf(completeSchema)
      return [
        { place: `${place}|${nameOf(branch)}`, value },
        ...variantsOf(completeSchema, value, place),
      ]
    })
  }
  if (schema.enum) {
    return schema.enum.map((value) => ({ place: `${place}=${String(value)}`, value }))
  }
  if (items && Array.isArray(example)) {
    const [first = sampleOf(items), ...others] = example
    return variantsOf(items, first, `${place}[]`).map((each) => ({
      ...each,
      value: [each.value, ...others],
    }))
  }
  const exampleFields = Object(example ?? {}) as Record<string, unknown>
  return Object.entries(properties).flatMap(([name, field]) => {
    const at = place === '' ? name : `${place}.${name}`
    const value = name in exampleFields ? exampleFields[name] : sampleOf(field)
    return [{ place: at, value }, ...variantsOf(field, value, at)].map((each) => ({
      ...each,
      value: { ...exampleFields, [name]: each.value },
    }))
  })
}

function nameOf({ properties = {} }: Schema): string {
  const kind = properties['type']?.const
  return typeof kind === 'string' ? kind : (Object.keys(properties)[0] ?? '')
}

/** Returns whether an example belongs to a branch, by its `type`, else by its fields. */
function fits({ properties = {}, required = [] }: Schema, example: unknown): boolean {
  const exampleFields = Object(example ?? {}) as Record<string, unknown>
  const kind = properties['type']?.const
  if (kind !== undefined) return exampleFields['type'] === kind
  return required.every((name) => name in exampleFields)
}

/** The smallest value of a schema, or its example. */
export function sampleOf(schema: Schema & { examples?: unknown[] }): unknown {
  const [example] = schema.examples ?? []
  if (example !== undefined) return example
  if ('const' in schema) return schema.const
  if (schema.enum) return schema.enum[0]
  const { anyOf, ...rest } = schema
  if (anyOf?.[0]) return sampleOf(together(rest, anyOf[0]))
  switch ([schema.type].flat()[0]) {
    case 'string':
      return TEXTS[schema.format ?? ''] ?? 'a'.repeat(schema.minLength ?? 1)
    case 'integer':
    case 'number':
      return schema.minimum ?? 1
    case 'boolean':
      return true
    case 'array':
      return Array.from({ length: schema.minItems || 1 }, () => sampleOf(schema.items ?? {}))
    case 'object':
      return Object.fromEntries(
        (schema.required ?? []).map((name) => [name, sampleOf(schema.properties?.[name] ?? {})]),
      )
    default:
      return 'x'
  }
}

const TEXTS: Record<string, string> = {
  uuid: '0199c2f4-7d1e-7a60-9c1b-2f6d1f0b7a11',
  email: 'ann@example.com',
  mailbox: 'Ann <ann@example.com>',
  date: '2026-11-21',
  'date-time': '2036-11-21T10:56:09.120Z',
}
