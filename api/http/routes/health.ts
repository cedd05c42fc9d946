import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ApiInfo, Health } from '../../../src/schemas/health.ts'

interface Deps {
  /** Of package.json. */
  version: string
  /** Without a trailing slash. */
  publicUrl: string
  /** Milliseconds since 1970. */
  now: () => number
}

export const healthRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { version, publicUrl, now } = deps
  const config = { public: true }

  app.get(
    '/health',
    {
      config,
      schema: {
        tags: ['health'],
        operationId: 'getHealth',
        summary: 'Whether the API answers',
        description:
          'Answers as long as the process does; asks neither the database nor anything else.',
        response: { 200: Health },
      },
    },
    () => ({ status: 'ok', timestamp: new Date(now()).toISOString(), version }),
  )

  app.get(
    '/',
    {
      config,
      schema: {
        tags: ['health'],
        operationId: 'getApiInfo',
        summary: 'What this API is',
        description: 'Name, version and where the documentation is.',
        response: { 200: ApiInfo },
      },
    },
    () => ({ name: 'Letterloom', version, docs: `${publicUrl}/docs` }),
  )
}
