const PLACE = /\{\{\{?\s*([\w.-]+)\s*\}\}\}?/g

/** SES inline templates know simple substitutions only. Values are not evaluated. */
export const renderTemplate = (template: string, data: Record<string, unknown>): string =>
  template.replaceAll(PLACE, (_, path: string) => textOf(lookUp(data, path)))

/** The first place without data, for which SES reports a rendering failure. */
export const missingIn = (places: readonly string[], data: Record<string, unknown>) =>
  places.find((path) => lookUp(data, path) === undefined)

const placesByTemplate = new Map<string, string[]>()

/** All places of a template. Cached, since the same template comes with every call of a batch. */
export function placesOf(template: string): string[] {
  const cachedPlaces = placesByTemplate.get(template)
  if (cachedPlaces) return cachedPlaces
  const places = [...new Set(Array.from(template.matchAll(PLACE), ([, path]) => path ?? ''))]
  if (placesByTemplate.size > 200) placesByTemplate.clear()
  placesByTemplate.set(template, places)
  return places
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
