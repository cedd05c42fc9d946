import { HIDDEN } from './steps/webhook.ts'
import type { Definition, Step } from './flow.ts'
import { isCalling, withConfig } from './steps/index.ts'

export type Headers = ReadonlyMap<string, Readonly<Record<string, string>>>

/** Stored headers of steps, and the addresses to which the steps send them. */
export type FormerHeaders = ReadonlyMap<
  string,
  { url: string; values: Readonly<Record<string, string>> }
>

/** Returns whether scheme, host and port are equal. A secret may not be sent to another origin. */
export const isSameOrigin = (url: string, other: string): boolean =>
  URL.canParse(url) && URL.canParse(other) && new URL(url).origin === new URL(other).origin

/**
 * Returns the definition in stored form, with `***` for each header, and the values of the headers.
 */
export function hideHeaders(definition: Definition): { definition: Definition; headers: Headers } {
  const headers = new Map<string, Record<string, string>>()
  const steps = definition.steps.map((step): Step => {
    if (!isCalling(step) || step.config.headers === undefined) return step
    headers.set(step.id, step.config.headers)
    const names = Object.keys(step.config.headers)
    const hidden = Object.fromEntries(names.map((name) => [name, HIDDEN]))
    return withConfig(step, { ...step.config, headers: hidden })
  })
  return { definition: { ...definition, steps }, headers }
}

/** Returns the headers of a step, with the former value for `***`. Undefined: it had none. */
export const keepHidden = (
  headers: Readonly<Record<string, string>>,
  former: Readonly<Record<string, string>> = {},
): [string, string | undefined][] =>
  Object.entries(headers).map(([name, value]) => [
    name,
    value !== HIDDEN ? value : Object.hasOwn(former, name) ? former[name] : undefined,
  ])
