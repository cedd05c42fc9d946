import type { FastifyInstance } from 'fastify'
import { AppError, badRequest } from '../src/domain/errors.ts'
import type { Uuid } from '../src/ids.ts'
import type { Content, ContentPaths, ContentSource } from '../src/mail/content.ts'
import type { Syntax } from '../src/mail/liquid.ts'
import { RenderError } from '../src/mail/render.ts'
import { type Renderer, RendererBusy } from '../src/mail/renderer.ts'

/** How long a request waits for its contents to be checked. */
const PATIENCE_MS = 10_000
const RETRY_AFTER_SECONDS = 2

/**
 * Checks what a request brings, in the threads of the renderer, each part once: what was asked
 * before the transaction is open is known in it, so that no connection is held by a template.
 */
export interface Contents {
  /** `compileContent`. Throws a 400 with what is wrong, or a 503 when there was no time to look. */
  compile(source: ContentSource, paths: ContentPaths): Promise<Content>
  /** `rootsOf` of a source that was checked before. `path` names it in a refusal. */
  roots(syntax: Syntax, source: string, path: string): Promise<Set<string>>
}

declare module 'fastify' {
  interface FastifyRequest {
    readonly contents: Contents
    [CONTENTS]: Contents | undefined
  }
}

const CONTENTS = Symbol('contents')

/** Gives every request with a caller its `contents`. */
export function checkContents(app: FastifyInstance, { renderer }: { renderer: Renderer }): void {
  app.decorateRequest(CONTENTS, undefined)
  app.decorateRequest('contents', {
    getter() {
      this[CONTENTS] ??= contentsOf(renderer, this.caller.organizationId)
      return this[CONTENTS]
    },
  })
}

/** Waits for checks whose outcome, good or bad, the handler asks for again. */
export const settled = async (checks: readonly Promise<unknown>[]): Promise<void> => {
  await Promise.allSettled(checks)
}

function contentsOf(renderer: Renderer, organizationId: Uuid): Contents {
  const call = { owner: organizationId, by: performance.now() + PATIENCE_MS }
  const compiled = new Map<string, Promise<Content>>()
  const found = new Map<string, Promise<Set<string>>>()
  /** Why there was no time, where it is the request's own fault. */
  let tooMuch: AppError | undefined

  function once<T>(
    known: Map<string, Promise<T>>,
    key: unknown,
    path: string,
    ask: () => Promise<T>,
  ) {
    const name = JSON.stringify(key)
    const asked =
      known.get(name) ?? ask().catch((error: unknown) => Promise.reject(told(error, path)))
    known.set(name, asked)
    return asked
  }

  function told(error: unknown, path: string): unknown {
    if (error instanceof RendererBusy) return tooMuch ?? overloaded()
    if (!(error instanceof RenderError)) return error
    const what = error.reason === 'render_timeout' ? 'Takes too long' : 'Takes too much memory'
    const details = [{ path, message: `${what} to check` }]
    tooMuch = badRequest('The content cannot be used', details, error.reason)
    return tooMuch
  }

  return {
    compile: (source, paths) =>
      once(compiled, [source, paths], paths.html, () => renderer.compile(source, paths, call)),
    roots: (syntax, source, path) =>
      once(found, [syntax, source], path, () => renderer.roots(syntax, source, call)),
  }
}

const overloaded = (): AppError =>
  new AppError('INTERNAL_ERROR', 'There was no time to check the content', {
    status: 503,
    reason: 'overloaded',
    headers: { 'retry-after': String(RETRY_AFTER_SECONDS) },
  })
