import type { FastifyContextConfig, FastifyRequest } from 'fastify'

/** What a route declares, and its pattern; a request that found no route has none. */
type RouteConfig = FastifyContextConfig & { url?: string }

/** What the route of a request declares. */
export const configOf = ({ routeOptions }: FastifyRequest): RouteConfig => routeOptions.config

/** Returns true for the paths that callers use: ours, and those in the words of other services. */
export const isOfCallers = (path: string): boolean => /^\/(?:v1|compat)\//.test(path)
