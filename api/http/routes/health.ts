import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ApiInfo, Health } from '../../../src/schemas/health.ts'

interface Deps {
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
        summary: 'Get the status of the API',
        description:
          'Returns a status as long as the process runs. It does not check the database or other services.',
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
        summary: 'Get the name and version of the API',
        description: 'Returns the name, the version and the address of the documentation.',
        response: { 200: ApiInfo },
      },
    },
    () => ({ name: 'Letterloom', version, docs: `${publicUrl}/docs` }),
  )
}
