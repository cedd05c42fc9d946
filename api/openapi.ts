import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance, RouteOptions } from 'fastify'
import { ApiError } from '../src/schemas/error.ts'
import type { Deps } from './deps.ts'

/** What an error status means; every operation answers errors with the same body. */
const MEANINGS = {
  400: 'The body cannot be parsed, a parameter is invalid, or a rule refuses the request',
  401: 'Credentials are missing, malformed, revoked or expired',
  403: 'The resource belongs to another organization, or the key lacks the scope',
  404: 'No such route or resource',
  409: 'Wrong state, duplicate or lost race',
  413: 'The body is too large',
  415: 'The media type is not supported',
  422: 'The body does not fit the schema',
  429: 'Too many requests',
  500: 'An unexpected failure; safe to retry with backoff',
  503: 'Not available for a moment; see Retry-After',
} as const
type Failure = keyof typeof MEANINGS

/**
 * Responses for a route's schema: `...failures(409)`. Those that every route has are added to it.
 */
export const failures = (...statuses: Failure[]) =>
  Object.fromEntries(statuses.map((status) => [status, failure(status)]))

const failure = (status: Failure) => ({
  description: MEANINGS[status],
  content: { 'application/json': { schema: ApiError } },
})

const TAGS = [
  { name: 'health', description: 'Is it there, and what is it' },
  { name: 'contacts', description: 'People who get mail' },
  { name: 'batch', description: 'One mail to many people' },
  { name: 'connections', description: 'Your cloud accounts, through which mail is sent' },
  { name: 'templates', description: 'What mails say' },
  { name: 'email-logs', description: 'What became of each mail' },
  { name: 'webhooks', description: 'Delivery events from your accounts' },
  { name: 'unsubscribe', description: 'One-click unsubscribe, RFC 8058' },
]

const DOCS = '/docs'
/** The page and all that it loads are ours; its scripts are files, its styles are partly inline. */
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
 * Describes the routes that are registered after it, at `/openapi.json` and `/docs`. The document
 * is made of the very schemas that validate and serialise.
 */
export async function describeRoutes(app: FastifyInstance, deps: Deps): Promise<void> {
  app.addHook('onRoute', completeRoute)
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Letterloom',
        version: deps.version,
        description: 'Email marketing on your own cloud account.',
        license: { name: 'Proprietary', url: `${deps.publicUrl}/docs` },
      },
      servers: [{ url: deps.publicUrl }],
      tags: TAGS,
      components: {
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer', description: 'An API key: `loom_…`' },
        },
      },
      security: [{ bearer: [] }],
    },
    convertConstToEnum: false,
    transformObject: (made) => ('openapiObject' in made ? finish(made.openapiObject) : {}),
  })
  await app.register(swaggerUi, {
    routePrefix: DOCS,
    staticCSP: DOCS_POLICY,
    theme: {
      title: 'Letterloom API',
      // The bar on top is for exploring other documents, under another project's logo.
      css: [{ filename: 'letterloom.css', content: '.swagger-ui .topbar { display: none }' }],
    },
    uiConfig: { validatorUrl: null, deepLinking: true },
  })
  app.get('/openapi.json', { schema: { hide: true }, config: { public: true } }, () =>
    app.swagger(),
  )
}

/** What every route has: its security and the errors that can always happen. */
function completeRoute(route: RouteOptions): void {
  if (route.url.startsWith(DOCS)) route.config = { ...route.config, public: true }
  if (route.schema === undefined || route.schema.hide === true) return
  const isPublic = route.config?.public === true
  const hasBody = route.schema.body !== undefined
  const always = failures(
    ...(isPublic ? ([] as const) : ([401, 403] as const)),
    400,
    404,
    ...(hasBody ? ([413, 415, 422] as const) : ([] as const)),
    429,
    500,
    503,
  )
  const own = typeof route.schema.response === 'object' ? route.schema.response : {}
  route.schema = {
    ...route.schema,
    security: isPublic ? [] : [{ bearer: [] }],
    response: { ...always, ...own },
  }
}

/**
 * Names the components; parameters with a default are optional, whatever validation needs them to
 * be.
 */
function finish(document: object): Record<string, unknown> {
  const schemas: Record<string, unknown> = {}
  const { components, paths, ...rest } = asRecord(document)
  const named = asRecord(nameComponents(relax(paths), schemas))
  return {
    ...rest,
    paths: named,
    components: {
      ...asRecord(components),
      schemas: Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1))),
    },
  }
}

/**
 * A schema with a title is a component of that name; the same title on another schema is an error.
 */
function nameComponents(node: unknown, schemas: Record<string, unknown>): unknown {
  if (Array.isArray(node)) return node.map((each) => nameComponents(each, schemas))
  if (typeof node !== 'object' || node === null) return node
  const made = Object.fromEntries(
    Object.entries(node).map(([name, value]) => [
      name,
      EXAMPLES.has(name) ? value : nameComponents(value, schemas),
    ]),
  )
  const { title } = made
  if (typeof title !== 'string' || !('type' in made)) return made
  const known = schemas[title]
  if (known !== undefined && rules(known) !== rules(made)) {
    throw new Error(`two schemas are called ${title}`)
  }
  schemas[title] = { ...asRecord(known), ...made }
  return { $ref: `#/components/schemas/${title}` }
}

const EXAMPLES = new Set(['example', 'examples'])

/** What a schema says apart from its examples, which are moved to where a body is described. */
const rules = (schema: unknown): string =>
  JSON.stringify(schema, (name, value) => (EXAMPLES.has(name) ? undefined : value))

/** What the generator writes where nothing was said. */
const UNSAID = 'Default Response'

function relax(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(relax)
  if (typeof node !== 'object' || node === null) return node
  const made = Object.fromEntries(Object.entries(node).map(([name, value]) => [name, relax(value)]))
  const { schema } = made
  const hasDefault = typeof schema === 'object' && schema !== null && 'default' in schema
  if (made['in'] === 'query' && hasDefault) return { ...made, required: false }
  return made['description'] === UNSAID ? { ...made, description: 'As asked for' } : made
}

const asRecord = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? { ...value } : {}
