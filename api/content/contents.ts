import type { FastifyInstance } from 'fastify'
import { type Contents, createContents } from '../../src/mail/content-checks.ts'
import type { Renderer } from '../../src/mail/renderer.ts'

declare module 'fastify' {
  interface FastifyRequest {
    readonly contents: Contents
    [CONTENTS]: Contents | undefined
  }
}

const CONTENTS = Symbol('contents')

export function checkContents(app: FastifyInstance, { renderer }: { renderer: Renderer }): void {
  app.decorateRequest(CONTENTS, undefined)
  app.decorateRequest('contents', {
    getter() {
      this[CONTENTS] ??= createContents(renderer, this.caller.organizationId)
      return this[CONTENTS]
    },
  })
}
