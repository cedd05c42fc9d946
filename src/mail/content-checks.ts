import { type AppError, badRequest, unavailable } from '../domain/errors.ts'
import type { Content, ContentPaths, ContentSource } from './content.ts'
import type { Syntax } from './liquid.ts'
import { RenderError } from './render.ts'
import { type Renderer, RendererBusy } from './renderer.ts'

const CHECK_TIMEOUT_MS = 10_000
const RETRY_AFTER_SECONDS = 2

export interface Contents {
  compile(source: ContentSource, paths: ContentPaths): Promise<Content>
  /** Returns `rootsOf` of a source that was checked before. `path` names it in a refusal. */
  roots(syntax: Syntax, source: string, path: string): Promise<Set<string>>
  /** Returns the problems of each value. `path` names all of them in a refusal. */
  values(sources: readonly string[], path: string): Promise<string[][]>
}

/** Waits for checks and ignores their outcome. The handler reads it by asking again. */
export const awaitChecks = async (checks: readonly Promise<unknown>[]): Promise<void> => {
  await Promise.allSettled(checks)
}

export function createContents(renderer: Renderer, organizationId: string): Contents {
  const call = {
    organization: organizationId,
    content: 'checks',
    by: performance.now() + CHECK_TIMEOUT_MS,
  }
  const compiled = new Map<string, Promise<Content>>()
  const foundRoots = new Map<string, Promise<Set<string>>>()
  const checkedValues = new Map<string, Promise<string[][]>>()
  let refusal: AppError | undefined

  function once<T>(
    cachedChecks: Map<string, Promise<T>>,
    key: unknown,
    path: string,
    ask: () => Promise<T>,
  ) {
    const name = JSON.stringify(key)
    const check =
      cachedChecks.get(name) ??
      ask().catch((error: unknown) => Promise.reject(toRefusal(error, path)))
    cachedChecks.set(name, check)
    return check
  }

  function toRefusal(error: unknown, path: string): unknown {
    if (error instanceof RendererBusy) return refusal ?? overloaded()
    if (!(error instanceof RenderError)) return error
    const what = error.reason === 'render_timeout' ? 'Takes too long' : 'Takes too much memory'
    const details = [{ path, message: `${what} to check` }]
    refusal = badRequest('The content cannot be used', details, error.reason)
    return refusal
  }

  return {
    compile: (source, paths) =>
      once(compiled, [source, paths], paths.html, () => renderer.compile(source, paths, call)),
    roots: (syntax, source, path) =>
      once(foundRoots, [syntax, source], path, () => renderer.roots(syntax, source, call)),
    values: (sources, path) =>
      once(checkedValues, sources, path, () => renderer.checkValues(sources, call)),
  }
}

/** The checks did not finish in time. The caller may try again. */
export const overloaded = (): AppError =>
  unavailable('The content could not be checked in time. Try again', {
    reason: 'overloaded',
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  })
