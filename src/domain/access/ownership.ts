import { type AppError, forbidden, notFound } from '../errors.ts'

/** What the API calls the resources whose kind is another word. */
const NAMES: Readonly<Record<string, string>> = { api_key: 'API key', flow: 'Workflow' }

/** The refusal for a resource that an organization does not have: 403 if another one has it. */
export function refusalOf(kind: string, isElsewhere: boolean): AppError {
  const name = NAMES[kind] ?? kind.charAt(0).toUpperCase() + kind.slice(1).replaceAll('_', ' ')
  return isElsewhere
    ? forbidden(`This ${name.toLowerCase()} belongs to another organization`)
    : notFound(name)
}
