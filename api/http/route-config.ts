import type { FastifyContextConfig, FastifyRequest } from 'fastify'

declare module 'fastify' {
  interface FastifyRequest {
    [CONFIG]: RouteConfig | undefined
  }
}

/** What a route declares, and its pattern; a request that found no route has none. */
type RouteConfig = FastifyContextConfig & { url?: string }

const CONFIG = Symbol('route config')

/**
 * What the route of a request declares. Asked of Fastify once: it makes an object of twelve fields
 * whenever `routeOptions` is read, and half a dozen hooks look here.
 */
export const configOf = (request: FastifyRequest): RouteConfig =>
  (request[CONFIG] ??= request.routeOptions.config)
