import { HIDDEN } from './flow-steps.ts'
import type { Definition, Step } from './flow.ts'

/** Headers by the id of their webhook step. */
export type Headers = ReadonlyMap<string, Readonly<Record<string, string>>>

/** Headers of webhook steps that are there already, and where each step sends them. */
export type FormerHeaders = ReadonlyMap<
  string,
  { url: string; values: Readonly<Record<string, string>> }
>

/** Scheme, host and port: a secret that was meant for them is nobody else's to be told. */
export const isSameOrigin = (url: string, other: string): boolean =>
  URL.canParse(url) && URL.canParse(other) && new URL(url).origin === new URL(other).origin

/** What is stored of a definition: each header's value is `***`. The values are beside it. */
export function hideHeaders(definition: Definition): { definition: Definition; headers: Headers } {
  const headers = new Map<string, Record<string, string>>()
  const steps = definition.steps.map((step): Step => {
    if (step.type !== 'webhook' || step.config.headers === undefined) return step
    headers.set(step.id, step.config.headers)
    const names = Object.keys(step.config.headers)
    const hidden = Object.fromEntries(names.map((name) => [name, HIDDEN]))
    return { ...step, config: { ...step.config, headers: hidden } }
  })
  return { definition: { ...definition, steps }, headers }
}

/**
 * The headers of a step with the values that it had where `***` is given. Undefined stands for a
 * value that there was not.
 */
export const keepHidden = (
  given: Readonly<Record<string, string>>,
  former: Readonly<Record<string, string>> = {},
): [string, string | undefined][] =>
  Object.entries(given).map(([name, value]) => [
    name,
    value !== HIDDEN ? value : Object.hasOwn(former, name) ? former[name] : undefined,
  ])
