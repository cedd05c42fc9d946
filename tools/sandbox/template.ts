const PLACE = /\{\{\{?\s*([\w.-]+)\s*\}\}\}?/g

/**
 * Inline templates of SES know simple substitutions only, and nothing in a value is looked at
 * again.
 */
export const renderTemplate = (template: string, data: Record<string, unknown>): string =>
  template.replaceAll(PLACE, (_, path: string) => textOf(lookUp(data, path)))

/** The first place that the data does not fill: SES then reports a rendering failure. */
export const missingIn = (places: readonly string[], data: Record<string, unknown>) =>
  places.find((path) => lookUp(data, path) === undefined)

const known = new Map<string, string[]>()

/** Every place of a template. Remembered: the same template comes with every call of a batch. */
export function placesOf(template: string): string[] {
  const found = known.get(template)
  if (found) return found
  const made = [...new Set(Array.from(template.matchAll(PLACE), ([, path]) => path ?? ''))]
  if (known.size > 200) known.clear()
  known.set(template, made)
  return made
}

const lookUp = (data: Record<string, unknown>, path: string): unknown =>
  path.includes('.')
    ? path
        .split('.')
        .reduce<unknown>((value, name) => (isRecord(value) ? value[name] : undefined), data)
    : data[path]

const textOf = (value: unknown): string => {
  if (typeof value === 'string') return value
  return value === undefined || value === null ? '' : JSON.stringify(value)
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
