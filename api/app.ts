import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import fastify, { LogController } from 'fastify'
import { authenticate } from './access/authenticate.ts'
import { createLoginGuard } from './access/login.ts'
import { readBodies } from './http/bodies.ts'
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
import { accountPolicyRoutes } from './accounts/routes/console-policy.ts'
import { accountHealthRoutes } from './accounts/routes/account-health.ts'
import { apiKeyRoutes } from './access/routes/api-keys.ts'
import { auditEventRoutes } from './access/routes/audit-events.ts'
import { authRoutes } from './access/routes/auth.ts'
import { batchRoutes } from './sending/routes/batches.ts'
import { confirmRoutes } from './consent/routes/confirm.ts'
import { connectionRoutes } from './accounts/routes/connections.ts'
import { contactBatchRoutes } from './contacts/routes/contact-batch.ts'
import { contactChangeRoutes } from './contacts/routes/contact-changes.ts'
import { contactEventRoutes } from './events/routes/contact-events.ts'
import { contactRoutes } from './contacts/routes/contacts.ts'
import { domainRoutes } from './accounts/routes/domains.ts'
import { emailMetricsRoutes } from './metrics/routes/email-metrics.ts'
import { emailLogRoutes } from './sending/routes/email-logs.ts'
import { eventRoutes } from './events/routes/events.ts'
import { executionRoutes } from './flows/routes/executions.ts'
import { exportRoutes } from './contacts/routes/exports.ts'
import { batchChangeRoutes } from './sending/routes/batch-changes.ts'
import { batchReportRoutes } from './sending/routes/batch-report.ts'
import { linkClickRoutes } from './sending/routes/link-clicks.ts'
import { failedBatchRoutes } from './sending/routes/failed-batches.ts'
import { flowPushRoutes } from './flows/routes/flow-push.ts'
import { flowStateRoutes } from './flows/routes/flow-states.ts'
import { flowTriggerRoutes } from './flows/routes/flow-triggers.ts'
import { flowRoutes } from './flows/routes/flows.ts'
import { healthRoutes } from './http/routes/health.ts'
import { invitationPageRoutes } from './access/routes/invitation-page.ts'
import { invitationRoutes } from './access/routes/invitations.ts'
import { importUploadRoutes } from './contacts/routes/import-upload.ts'
import { importRoutes } from './contacts/routes/imports.ts'
import { memberRoutes } from './access/routes/members.ts'
import { organizationRoutes } from './access/routes/organization.ts'
import { personalDataRoutes } from './privacy/routes/personal-data.ts'
import { preferencesRoutes } from './consent/routes/preferences.ts'
import { singleMailRoutes } from './sending/routes/single-mail.ts'
import { segmentRoutes } from './audience/routes/segments.ts'
import { sessionRoutes } from './access/routes/sessions.ts'
import { suppressionRoutes } from './consent/routes/suppressions.ts'
import { templateRoutes } from './content/routes/templates.ts'
import { templateTestRoutes } from './sending/routes/template-test.ts'
import { templatePushRoutes } from './content/routes/template-push.ts'
import { templatePreviewRoutes } from './content/routes/template-preview.ts'
import { templateStateRoutes } from './content/routes/template-states.ts'
import { mailToolRoutes } from './tools/routes/mail-tools.ts'
import { toolsPageRoutes } from './tools/routes/page.ts'
import { toolCheckRoutes } from './tools/routes/checks.ts'
import { topicRoutes } from './consent/routes/topics.ts'
import { unsubscribeRoutes } from './consent/routes/unsubscribe.ts'
import { snsRoutes } from './sending/routes/sns-events.ts'
import { webhookRoutes } from './sending/routes/delivery-events.ts'
import { buildSerializers } from './http/serializers.ts'
import { validateRequests } from './http/validation.ts'
import { REQUEST_LIMITS } from './http/request-limits.ts'

/**
 * The whole API, not listening yet. Hooks run in the order they are added, which is the order in
 * which a request is checked: size of its head, pressure, credentials, rate limit, scope, route,
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
    bodyLimit: REQUEST_LIMITS.bodyBytes,
    // Of a union the branch is answered whose formats fit, too.
    serializerOpts: { ajv: { formats: KNOWN_FORMATS } },
    schemaController: { compilersFactory: { buildSerializer: buildSerializers } },
    routerOptions: {
      ignoreTrailingSlash: true,
      maxParamLength: REQUEST_LIMITS.pathParameterCharacters,
    },
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
  const methodsOf = recordMethods(app)
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

  await app.register(healthRoutes, deps)
  // One for both: it bounds how many passwords are hashed at once.
  const guard = createLoginGuard(deps)
  await app.register(authRoutes, { ...deps, guard })
  await app.register(sessionRoutes, deps)
  await app.register(apiKeyRoutes, deps)
  await app.register(organizationRoutes, deps)
  await app.register(memberRoutes, deps)
  await app.register(invitationRoutes, deps)
  await app.register(invitationPageRoutes, { ...deps, guard })
  await app.register(auditEventRoutes, deps)
  await app.register(contactRoutes, deps)
  await app.register(topicRoutes, deps)
  await app.register(segmentRoutes, deps)
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
  await app.register(batchChangeRoutes, deps)
  await app.register(linkClickRoutes, deps)
  await app.register(batchReportRoutes, deps)
  await app.register(failedBatchRoutes, deps)
  await app.register(singleMailRoutes, deps)
  await app.register(flowTriggerRoutes, deps)
  await app.register(executionRoutes, deps)
  await app.register(connectionRoutes, deps)
  await app.register(accountHealthRoutes, deps)
  await app.register(accountPolicyRoutes, deps)
  await app.register(domainRoutes, deps)
  await app.register(templateRoutes, deps)
  await app.register(templateStateRoutes, deps)
  await app.register(templatePreviewRoutes, deps)
  await app.register(templateTestRoutes, deps)
  await app.register(templatePushRoutes, deps)
  await app.register(flowRoutes, deps)
  await app.register(flowStateRoutes, deps)
  await app.register(flowPushRoutes, deps)
  await app.register(emailLogRoutes, deps)
  await app.register(emailMetricsRoutes, deps)
  await app.register(webhookRoutes, deps)
  await app.register(snsRoutes, deps)
  await app.register(unsubscribeRoutes, deps)
  await app.register(confirmRoutes, deps)
  await app.register(preferencesRoutes, deps)
  await app.register(toolCheckRoutes, deps)
  await app.register(toolsPageRoutes, deps)
  await app.register(mailToolRoutes, deps)
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
