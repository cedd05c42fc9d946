import type { FastifyContextConfig, FastifyRequest } from 'fastify'

/** What a route declares, and its pattern; a request that found no route has none. */
type RouteConfig = FastifyContextConfig & { url?: string }

/** What the route of a request declares. */
export const configOf = ({ routeOptions }: FastifyRequest): RouteConfig => routeOptions.config

/** Whether a path is of the API that callers use, in our words or in those of another service. */
export const isOfCallers = (path: string): boolean => /^\/(?:v1|compat)\//.test(path)
