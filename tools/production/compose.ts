import { readFileSync } from 'node:fs'
import { parse } from 'yaml'

/** What this project reads of a compose file. */
export interface ComposeFile {
  services: Record<string, Service>
  networks: Record<string, { internal?: boolean }>
}

export interface Service {
  image: string
  entrypoint?: string[]
  command?: string[]
  restart?: string
  depends_on?: Record<string, { condition: string }>
  /** A null is passed on from the outside, if it is set there. */
  environment?: Record<string, string | null>
  healthcheck?: { test: string[] }
  ports?: string[]
  networks: string[]
  volumes?: string[]
}

/**
 * Returns the compose file at `path`: anchors and merges are resolved, variables stay as they are,
 * and numbers are texts, as in an environment.
 */
export function readComposeFile(path: string | URL): ComposeFile {
  const textOf = (_key: unknown, value: unknown): unknown =>
    typeof value === 'number' ? String(value) : value
  return parse(readFileSync(path, 'utf8'), textOf, { merge: true }) as ComposeFile
}

const VARIABLE = /\$\{([A-Z_]+)(?:(:[-?])([^}]*))?\}/g

/** The names of the variables in a text, and whether one must be there. */
export const variablesOf = (text: string): { name: string; required: boolean }[] =>
  [...text.matchAll(VARIABLE)].map(([, name = '', operator]) => ({
    name,
    required: operator === ':?',
  }))

/** Puts the values of `variables` in, as Compose does. Throws where a required one is missing. */
export function interpolate(text: string, variables: Record<string, string>): string {
  return text.replaceAll(VARIABLE, (_, name: string, operator?: string, argument?: string) => {
    const value = variables[name]
    if (value !== undefined && value !== '') return value
    if (operator === ':?') throw new Error(`${name} ${argument}`)
    return operator === ':-' ? (argument ?? '') : ''
  })
}

/** What a container of this service finds in its environment. */
export function environmentOf(
  service: Service,
  variables: Record<string, string>,
): Record<string, string> {
  const environment: Record<string, string> = {}
  for (const [name, text] of Object.entries(service.environment ?? {})) {
    const value = text === null ? variables[name] : interpolate(text, variables)
    if (value !== undefined) environment[name] = value
  }
  return environment
}
