import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import fastify, { LogController } from 'fastify'
import { resendErrorFields } from './mails/resend-mail.ts'
import { authenticate } from './access/authenticate.ts'
import { createLoginGuard } from './access/login.ts'
import { readBodies } from './http/bodies.ts'
import { consoleRewriter, guardConsoleCalls } from './http/console-calls.ts'
import { announceDeprecations } from './http/deprecation.ts'
import type { Deps } from './deps.ts'
import { allowOrigins, originAdmitter } from './http/edges/cors.ts'
import { refuseUnderPressure } from './http/edges/pressure.ts'
import { proxyMatcher, readForwarded } from './http/edges/proxies.ts'
import { secureAnswers, securityHeaders } from './http/edges/security-headers.ts'
import { limitSockets, refuseOversized, serverLimits } from './http/edges/sockets.ts'
import { countTraffic } from './http/edges/traffic.ts'
import { answerClientError, answerError, answerErrors } from './http/errors.ts'
import { reportEventUsage } from './events/event-usage.ts'
import { takeIdempotencyKeys } from './http/idempotency.ts'
import { measureRequests } from './http/metrics.ts'
import { answerUnknownRoutes, recordMethods } from './http/methods.ts'
import { checkContents } from './content/contents.ts'
import { describeRoutes } from './http/openapi.ts'
import { KNOWN_FORMATS } from './http/formats.ts'
import { answerRequestId, requestId } from './http/request-id.ts'
import { configOf } from './http/route-config.ts'
import { buildSerializers } from './http/serializers.ts'
import { validateRequests } from './http/validation.ts'
import { REQUEST_LIMITS } from './http/request-limits.ts'
import { findRoutes } from './routes.ts'

/**
 * Builds the API without listening. Hooks run in the order in which they are added, which is the
 * order of the checks of a request: size of its head, load, credentials, rate limit, scope, route,
 * size and media type, path and query, body.
 */
export async function buildApp(deps: Deps) {
  const headers = securityHeaders(deps.publicUrl)
  const isProxy = proxyMatcher(deps.trustedProxies)
  const admitOrigin = originAdmitter(deps.corsOrigins)
  const app = fastify({
    ...serverLimits,
    ...(deps.console ? { rewriteUrl: consoleRewriter(deps.publicUrl) } : {}),
    trustProxy: isProxy,
    ...logging(deps.log),
    // A child logger for each request costs as much as its line, so callers log `reqId` themselves.
    childLoggerFactory: (logger) => logger,
    // One line per answer with the route's pattern, since an address may be a secret (public
    // links).
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestId,
    requestIdHeader: false,
    bodyLimit: REQUEST_LIMITS.bodyBytes,
    // Of a union, the branch is serialized whose formats fit, too.
    serializerOpts: { ajv: { formats: KNOWN_FORMATS } },
    schemaController: { compilersFactory: { buildSerializer: buildSerializers } },
    routerOptions: {
      ignoreTrailingSlash: true,
      maxParamLength: REQUEST_LIMITS.pathParameterCharacters,
    },
    // A request with an invalid path passes no hook.
    frameworkErrors: (error, request, reply) => {
      admitOrigin(request, reply)
      const isResend = request.url.startsWith('/compat/resend/')
      const fieldsOf = isResend ? resendErrorFields : undefined
      void answerError(error, request, reply.headers(headers), fieldsOf)
    },
    clientErrorHandler: answerClientError,
  }).withTypeProvider<TypeBoxTypeProvider>()

  countTraffic(app, deps.metrics)
  readForwarded(app)
  answerRequestId(app)
  answerErrors(app)
  secureAnswers(app, headers)
  logAnswers(app)
  measureRequests(app, deps.metrics)
  limitSockets(app, { metrics: deps.metrics, isProxy })
  const methodsOf = recordMethods(app)
  guardConsoleCalls(app, deps.publicUrl)
  allowOrigins(app, { origins: deps.corsOrigins, methodsOf })
  refuseOversized(app)
  refuseUnderPressure(app, deps)
  announceDeprecations(app)
  await describeRoutes(app, deps)
  authenticate(app, deps)
  answerUnknownRoutes(app, methodsOf)
  readBodies(app)
  takeIdempotencyKeys(app)
  checkContents(app, deps)
  reportEventUsage(app, deps)
  validateRequests(app)

  // Shared by all routes, since it limits how many passwords are hashed at once.
  const guard = createLoginGuard(deps)
  for (const routes of await findRoutes()) await app.register(routes, { ...deps, guard })
  return app
}

export type App = Awaited<ReturnType<typeof buildApp>>

const logging = (log: Deps['log']) => ('child' in log ? { loggerInstance: log } : { logger: log })

function logAnswers(app: Pick<App, 'addHook'>): void {
  app.addHook('onResponse', (request, reply, done) => {
    request.log.info(
      {
        reqId: request.id,
        method: request.method,
        route: configOf(request).url,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime),
      },
      'answered',
    )
    done()
  })
}
