import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import fastify, { LogController } from 'fastify'
import { authenticate } from './auth.ts'
import { BODY_LIMIT, readBodies } from './bodies.ts'
import { announceDeprecations } from './deprecation.ts'
import type { Deps } from './deps.ts'
import { allowOrigins, originAdmitter } from './edges/cors.ts'
import { refuseUnderPressure } from './edges/pressure.ts'
import { proxyMatcher, readForwarded } from './edges/proxies.ts'
import { secureAnswers, securityHeaders } from './edges/security-headers.ts'
import { limitSockets, refuseOversized, serverLimits } from './edges/sockets.ts'
import { countTraffic } from './edges/traffic.ts'
import { answerClientError, answerError, answerErrors, MOST_PARAM_LENGTH } from './errors.ts'
import { tellEventUsage } from './event-usage.ts'
import { takeIdempotencyKeys } from './idempotency.ts'
import { measureRequests } from './metrics.ts'
import { answerUnknownRoutes, knowRoutes } from './methods.ts'
import { checkContents } from './contents.ts'
import { describeRoutes } from './openapi.ts'
import { answerRequestId, requestId } from './request-id.ts'
import { configOf } from './route-config.ts'
import { accountPolicyRoutes } from './routes/account-policy.ts'
import { accountHealthRoutes } from './routes/account-health.ts'
import { apiKeyRoutes } from './routes/api-keys.ts'
import { auditEventRoutes } from './routes/audit-events.ts'
import { authRoutes } from './routes/auth.ts'
import { batchRoutes } from './routes/batch.ts'
import { confirmRoutes } from './routes/confirm.ts'
import { connectionRoutes } from './routes/connections.ts'
import { contactBatchRoutes } from './routes/contact-batch.ts'
import { contactChangeRoutes } from './routes/contact-changes.ts'
import { contactEventRoutes } from './routes/contact-events.ts'
import { contactRoutes } from './routes/contacts.ts'
import { domainRoutes } from './routes/domains.ts'
import { emailLogRoutes } from './routes/email-logs.ts'
import { eventRoutes } from './routes/events.ts'
import { executionRoutes } from './routes/executions.ts'
import { exportRoutes } from './routes/exports.ts'
import { failedBatchRoutes } from './routes/failed-batches.ts'
import { flowPushRoutes } from './routes/flow-push.ts'
import { flowStateRoutes } from './routes/flow-states.ts'
import { flowTriggerRoutes } from './routes/flow-triggers.ts'
import { flowRoutes } from './routes/flows.ts'
import { healthRoutes } from './routes/health.ts'
import { importUploadRoutes } from './routes/import-upload.ts'
import { importRoutes } from './routes/imports.ts'
import { memberRoutes } from './routes/members.ts'
import { organizationRoutes } from './routes/organization.ts'
import { personalDataRoutes } from './routes/personal-data.ts'
import { preferencesRoutes } from './routes/preferences.ts'
import { sessionRoutes } from './routes/sessions.ts'
import { suppressionRoutes } from './routes/suppressions.ts'
import { templateRoutes } from './routes/templates.ts'
import { topicRoutes } from './routes/topics.ts'
import { unsubscribeRoutes } from './routes/unsubscribe.ts'
import { webhookRoutes } from './routes/webhooks.ts'
import { validateRequests } from './validation.ts'

/**
 * The whole API, not listening yet. Hooks run in the order they are added, which is the order in
 * which a request is checked: size of its head, pressure, route, credentials, rate limit, scope,
 * size and media type, path and query, body.
 */
export async function buildApp(deps: Deps) {
  const headers = securityHeaders(deps.publicUrl)
  const isProxy = proxyMatcher(deps.trustedProxies)
  const admitOrigin = originAdmitter(deps.corsOrigins)
  const app = fastify({
    ...serverLimits,
    trustProxy: isProxy,
    ...logging(deps.log),
    // A child for each request cost as much as its line: who logs names the request, `reqId`.
    childLoggerFactory: (logger) => logger,
    // One line per answer with the route's pattern: an address may be a secret (public links).
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestId,
    requestIdHeader: false,
    bodyLimit: BODY_LIMIT,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: MOST_PARAM_LENGTH },
    // What has no valid path passes no hook.
    frameworkErrors: (error, request, reply) => {
      admitOrigin(request, reply)
      void answerError(error, request, reply.headers(headers))
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
  const methodsOf = knowRoutes(app)
  allowOrigins(app, { origins: deps.corsOrigins, methodsOf })
  refuseOversized(app)
  refuseUnderPressure(app, deps.metrics)
  answerUnknownRoutes(app, methodsOf)
  announceDeprecations(app)
  await describeRoutes(app, deps)
  authenticate(app, deps)
  readBodies(app)
  takeIdempotencyKeys(app)
  checkContents(app, deps)
  tellEventUsage(app, deps)
  validateRequests(app)

  await app.register(healthRoutes, deps)
  await app.register(authRoutes, deps)
  await app.register(sessionRoutes, deps)
  await app.register(apiKeyRoutes, deps)
  await app.register(organizationRoutes, deps)
  await app.register(memberRoutes, deps)
  await app.register(auditEventRoutes, deps)
  await app.register(contactRoutes, deps)
  await app.register(topicRoutes, deps)
  await app.register(personalDataRoutes, deps)
  await app.register(suppressionRoutes, deps)
  await app.register(contactChangeRoutes, deps)
  await app.register(contactBatchRoutes, deps)
  await app.register(contactEventRoutes, deps)
  await app.register(eventRoutes, deps)
  await app.register(importRoutes, deps)
  await app.register(importUploadRoutes, deps)
  await app.register(exportRoutes, deps)
  await app.register(batchRoutes, deps)
  await app.register(failedBatchRoutes, deps)
  await app.register(flowTriggerRoutes, deps)
  await app.register(executionRoutes, deps)
  await app.register(connectionRoutes, deps)
  await app.register(accountHealthRoutes, deps)
  await app.register(accountPolicyRoutes, deps)
  await app.register(domainRoutes, deps)
  await app.register(templateRoutes, deps)
  await app.register(flowRoutes, deps)
  await app.register(flowStateRoutes, deps)
  await app.register(flowPushRoutes, deps)
  await app.register(emailLogRoutes, deps)
  await app.register(webhookRoutes, deps)
  await app.register(unsubscribeRoutes, deps)
  await app.register(confirmRoutes, deps)
  await app.register(preferencesRoutes, deps)
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
