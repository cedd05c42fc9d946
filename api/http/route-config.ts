import type { FastifyContextConfig, FastifyRequest } from 'fastify'

type RouteConfig = FastifyContextConfig & { url?: string }

export const configOf = ({ routeOptions }: FastifyRequest): RouteConfig => routeOptions.config

/** Returns whether callers use the path: ours, or a path of another service's API. */
export const isOfCallers = (path: string): boolean => /^\/(?:v1|compat)\//.test(path)
