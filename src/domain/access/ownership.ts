import { type AppError, forbidden, notFound } from '../errors.ts'

const NAMES: Readonly<Record<string, string>> = { api_key: 'API key', flow: 'Workflow' }

/** Returns a 403 if another organization has the resource, else a 404. */
export function refusalOf(kind: string, isElsewhere: boolean): AppError {
  const name = NAMES[kind] ?? kind.charAt(0).toUpperCase() + kind.slice(1).replaceAll('_', ' ')
  return isElsewhere
    ? forbidden(`This ${name.toLowerCase()} belongs to another organization`)
    : notFound(name)
}
