import { readFileSync } from 'node:fs'
import { parse } from 'yaml'

/** The used parts of a compose file. */
export interface ComposeFile {
  services: Record<string, Service>
  networks: Record<string, { internal?: boolean }>
}

export interface Service {
  image: string
  entrypoint?: string[]
  command?: string[]
  restart?: string
  /** Such as `30s`. */
  stop_grace_period?: string
  depends_on?: Record<string, { condition: string }>
  /** Null: taken from the outer environment, if set there. */
  environment?: Record<string, string | null>
  healthcheck?: { test: string[] }
  ports?: string[]
  networks: string[]
  volumes?: string[]
}

/**
 * Returns the compose file at `path` with resolved anchors and merges. Variables are kept, and
 * numbers are texts, as in an environment.
 */
export function readComposeFile(path: string | URL): ComposeFile {
  const textOf = (_key: unknown, value: unknown): unknown =>
    typeof value === 'number' ? String(value) : value
  return parse(readFileSync(path, 'utf8'), textOf, { merge: true }) as ComposeFile
}

const VARIABLE = /\$\{([A-Z_]+)(?:(:[-?])([^}]*))?\}/g

/** Names of the variables in a text, and whether each is required. */
export const variablesOf = (text: string): { name: string; required: boolean }[] =>
  [...text.matchAll(VARIABLE)].map(([, name = '', operator]) => ({
    name,
    required: operator === ':?',
  }))

/** Inserts the values of `variables` as Compose does. Throws if a required one is missing. */
export function interpolate(text: string, variables: Record<string, string>): string {
  return text.replaceAll(VARIABLE, (_, name: string, operator?: string, argument?: string) => {
    const value = variables[name]
    if (value !== undefined && value !== '') return value
    if (operator === ':?') throw new Error(`${name} ${argument}`)
    return operator === ':-' ? (argument ?? '') : ''
  })
}

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
