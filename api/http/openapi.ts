import swagger from '@fastify/swagger'
import { serveDocument } from './openapi-document.ts'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance, RouteOptions } from 'fastify'
import { isPersonal, type Scope } from '../../src/domain/access/access.ts'
import { finishDocument } from './document.ts'
import { failures } from './failures.ts'
import { PAGE_CONTENT } from './link-pages.ts'
import { isOfCallers } from './route-config.ts'

const TAGS = [
  { name: 'health', description: 'Service status and version' },
  { name: 'auth', description: 'Log in, log out and change passwords' },
  { name: 'account', description: 'Your organization, its members, API keys and audit events' },
  { name: 'contacts', description: 'People who receive your mail' },
  { name: 'suppressions', description: 'Addresses that receive no mail' },
  { name: 'segments', description: 'Groups of contacts that meet a condition' },
  { name: 'batch', description: 'Mail to many contacts at once' },
  { name: 'workflows', description: 'Automations and their executions' },
  { name: 'events', description: 'Custom events that your programs report' },
  { name: 'connections', description: 'AWS accounts that send your mail' },
  { name: 'domains', description: 'Domains and addresses that your accounts can send from' },
  { name: 'templates', description: 'Reusable contents of mails' },
  { name: 'email', description: 'Single mails, such as receipts' },
  { name: 'sms', description: 'Single text messages, such as codes and reminders' },
  { name: 'resend', description: 'Single mails by the calls of Resend' },
  { name: 'email-logs', description: 'Status and timeline of each mail' },
  { name: 'metrics', description: 'Counts of mails by outcome' },
  { name: 'webhooks', description: 'Delivery events from your accounts' },
  { name: 'webhook-endpoints', description: 'Events that are sent to your own receivers' },
  { name: 'unsubscribe', description: 'One-click unsubscribe (RFC 8058)' },
  { name: 'preferences', description: 'The page on which contacts choose their topics' },
  { name: 'tools', description: 'Public checks of domains and mails, without credentials' },
]

const DOCS = '/docs'
const LETTER =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path fill="#7a3e2c" d="M1 3h14v10H1z"/><path fill="none" stroke="#fff" d="m1 3 7 6 7-6"/></svg>'

/** Policy of the page. All that it loads is ours. Scripts are files; styles are partly inline. */
const DOCS_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/**
 * Serves the description of later routes at `/openapi.json` and `/docs`. It is generated from the
 * schemas that validate and serialize.
 */
export async function describeRoutes(
  app: FastifyInstance,
  { version, publicUrl }: { version: string; publicUrl: string },
): Promise<void> {
  app.addHook('onRoute', completeRoute)
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Letterloom',
        version,
        description: 'Email marketing on your own cloud account.',
        license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
      },
      servers: [{ url: publicUrl }],
      tags: TAGS,
      components: {
        securitySchemes: {
          bearer: {
            type: 'http',
            scheme: 'bearer',
            description: 'An API key (`loom_…`) or a session token (`loomses_…`).',
          },
          webhookSecret: {
            type: 'apiKey',
            in: 'header',
            name: 'x-webhook-secret',
            description: 'The secret that was returned when the connection was registered.',
          },
        },
      },
      security: [{ bearer: [] }],
    },
    convertConstToEnum: false,
    transformObject: (description) =>
      'openapiObject' in description ? finishDocument(description.openapiObject) : {},
  })
  await app.register(swaggerUi, {
    routePrefix: DOCS,
    staticCSP: DOCS_POLICY,
    theme: {
      title: 'Letterloom API',
      // The bar on top is for exploring other documents, under another project's logo.
      css: [{ filename: 'letterloom.css', content: '.swagger-ui .topbar { display: none }' }],
      favicon: [
        {
          filename: 'letter.svg',
          rel: 'icon',
          type: 'image/svg+xml',
          sizes: 'any',
          content: LETTER,
        },
      ],
    },
    uiConfig: { validatorUrl: null, deepLinking: true },
    // The page calls the host it came from, whatever that is called: its policy allows no other.
    transformSpecification: (document) => ({ ...document, servers: [{ url: '/' }] }),
    transformSpecificationClone: false,
  })
  serveDocument(app)
}

function completeRoute(route: RouteOptions): void {
  if (route.url.startsWith(DOCS)) route.config = { ...route.config, public: true, unlimited: true }
  const { schema = {} } = route
  if (schema.hide === true) return
  const { public: isPublic = false, isPage = false, scope = [] } = route.config ?? {}
  const { secrets, countsEvents } = route.config ?? {}
  const methods = [route.method].flat()
  const takesKey = methods.includes('POST') && isOfCallers(route.url)
  // A body that is not wanted is read and refused; public pages ignore it.
  const readsBody =
    schema.body !== undefined ||
    (!isPublic && methods.some((method) => !['GET', 'HEAD'].includes(method)))
  const scopes = [scope].flat()
  const always = failures(
    ...(isPublic ? ([] as const) : ([401, 403] as const)),
    400,
    404,
    414,
    ...(takesKey ? ([409] as const) : ([] as const)),
    ...(readsBody ? ([413, 415, 422] as const) : ([] as const)),
    429,
    431,
    500,
    503,
  )
  const own = typeof schema.response === 'object' ? schema.response : {}
  route.schema = {
    ...schema,
    security: schema.security ?? (isPublic ? [] : [{ bearer: [] }]),
    ...(isPublic ? {} : { 'x-required-scope': scopes }),
    ...(secrets === undefined ? {} : { 'x-shown-once': secrets }),
    ...(countsEvents ? { 'x-counts-events': true } : {}),
    ...(schema.description === undefined || isPublic
      ? {}
      : { description: `${schema.description}\n\n${scopeSentence(scopes)}` }),
    response: isPage ? withPages({ ...always, ...own }) : { ...always, ...own },
  }
}

const withPages = (responses: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(responses).map(([status, response]) => [
      status,
      Number(status) < 400
        ? response
        : { ...response, content: { ...response.content, ...PAGE_CONTENT } },
    ]),
  )

function scopeSentence(scopes: readonly Scope[]): string {
  const isForPeople = scopes.every(isPersonal)
  const enough = isForPeople ? scopes : [...new Set([...scopes, 'full'])]
  const words = enough.map((scope) => `\`${scope}\``).join(' or ')
  return `Scope: ${words}${isForPeople ? ', which no API key has' : ''}.`
}
