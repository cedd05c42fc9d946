import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildApp } from '../../api/app.ts'
import { uuidv7 } from '../../src/runtime/ids.ts'
import { type Api, createContact, inject, startApi } from '../support/api.ts'
import {
  type Document,
  documentOf,
  type Media,
  type Operation,
  operationsOf,
  routesOf,
} from '../support/document.ts'

let api: Api
let document: Document
let operations: Operation[]
beforeAll(async () => {
  api = await startApi()
  document = (await inject(api.app, { url: '/openapi.json' })).body
  operations = operationsOf(document)
})
afterAll(() => api.close())

/** What is wrong, one sentence each: whoever adds a route reads here what it lacks. */
const lacks = (find: (operation: Operation) => (string | false | undefined)[]): string[] =>
  operations.flatMap((operation) =>
    find(operation)
      .filter((problem) => typeof problem === 'string')
      .map((problem) => `${operation.name}: ${problem}`),
  )

const isPublic = ({ security }: Operation): boolean =>
  !(security ?? []).some((each) => 'bearer' in each)
const takesKey = ({ method, path }: Operation): boolean =>
  method === 'post' && /^\/(?:v1|compat)\//.test(path)

test('the document says 3.1, the name and the version', () => {
  expect(document).toEqual(documentOf(api.app))
  expect(document.openapi).toMatch(/^3\.1\.\d+$/)
  expect(document.info).toMatchObject({ title: 'Letterloom', version: '1.0.0' })
})

test('every route is in the document, and nothing else', () => {
  // The page and the document do not describe themselves.
  const described = routesOf(api.app).filter((name) => !/ \/(?:docs|openapi\.json)/.test(name))
  const names = described.map((name) => name.replace(/:(\w+)/g, '{$1}'))
  expect(operations.map(({ name }) => name).sort()).toEqual(names.sort())
  expect(names).toContain('GET /v1/batch/{id}/recipients')
})

/** Where objects stand that are no components: generators name those, some of them twice. */
function unnamed(node: unknown, place: string): string[] {
  if (Array.isArray(node)) return node.flatMap((each, index) => unnamed(each, `${place}/${index}`))
  if (typeof node !== 'object' || node === null) return []
  const { type, ...others } = node as { type?: unknown }
  const own = [type].flat().includes('object') ? [place] : []
  const inner = Object.entries(others).filter(([name]) => !/^examples?$/.test(name))
  return [...own, ...inner.flatMap(([name, each]) => unnamed(each, `${place}/${name}`))]
}

test('every object of every body has a name of its own', () => {
  const { schemas } = document.components
  const inner = Object.entries(schemas).flatMap(([name, schema]) =>
    Object.entries(schema).flatMap(([key, each]) =>
      key === 'type' || /^examples?$/.test(key) ? [] : unnamed(each, `${name}/${key}`),
    ),
  )
  expect([...inner, ...unnamed(document.paths, 'paths')]).toEqual([])
  // What the generator for Python once left out, and why: it names inner objects itself.
  for (const name of ['AbTest', 'AbTestPatch', 'BatchDuplicate', 'OrganizationPatchBranding']) {
    expect(Object.keys(schemas)).toContain(name)
  }
  expect(schemas['AbTest']).toMatchObject({
    properties: { variants: { items: { $ref: '#/components/schemas/AbTestVariantsItem' } } },
  })
})

test('an Idempotency-Key says its characters, and those that are refused do not fit', async () => {
  const { schema = {} } = document.components.parameters['IdempotencyKey'] ?? {}
  const fits = new Ajv2020({ strict: false }).compile(schema)
  for (const key of [
    'a',
    'a b',
    '!~',
    'x'.repeat(255),
    '',
    ' a',
    'a ',
    'ä',
    'a\tb',
    'x'.repeat(256),
  ]) {
    const headers = { authorization: `Bearer ${api.alice.key}`, 'idempotency-key': key }
    const email = `ada-${uuidv7()}@example.com`
    const options = { method: 'POST', url: '/v1/contacts', headers, payload: { email } } as const
    const { statusCode } = await api.app.inject(options)
    expect([key, statusCode === 201]).toEqual([key, fits(key)])
  }
})

test('a refusal of a page is a page in the document, too', () => {
  const pages = operations.filter(({ path }) =>
    /^\/(?:tools$|confirm|preferences|unsubscribe|invitations)/.test(path),
  )
  expect(pages.length).toBeGreaterThan(8)
  for (const { name, responses } of pages) {
    for (const [status, { content = {} }] of Object.entries(responses)) {
      if (Number(status) < 400) continue
      expect([name, status, Object.keys(content)]).toEqual([
        name,
        status,
        ['application/json', 'text/html'],
      ])
    }
  }
})

describe('every operation', () => {
  test('has an operationId of its own, a summary, a description and one known tag', () => {
    const tags = document.tags.map(({ name }) => name)
    const ids = operations.map(({ operationId }) => operationId)
    const problems = lacks(({ operationId, summary, description, tags: [tag = ''] = [] }) => [
      !operationId && 'its schema needs an operationId',
      ids.filter((id) => id && id === operationId).length > 1 && `${operationId} is another’s, too`,
      !summary && 'its schema needs a summary',
      !description && 'its schema needs a description',
      !tags.includes(tag) && `its tag "${tag}" is not among TAGS of api/http/openapi.ts`,
    ])
    expect(problems).toEqual([])
  })

  test('says who may call it, with which scope', () => {
    const schemes = Object.keys(document.components.securitySchemes)
    const problems = lacks((operation) => {
      const { path, security = [], description = '' } = operation
      const scopes = operation['x-required-scope'] ?? []
      const unknown = security.flatMap(Object.keys).filter((name) => !schemes.includes(name))
      return [
        unknown.length > 0 && `its security ${unknown.join()} is not described`,
        path.startsWith('/v1/') && isPublic(operation) && 'everything under /v1 needs a bearer',
        !isPublic(operation) && scopes.length === 0 && 'x-required-scope is missing',
        scopes.some((scope) => !description.includes(`\`${scope}\``)) &&
          'its description does not name its scopes',
      ]
    })
    expect(problems).toEqual([])
    const find = operations.find(({ name }) => name === 'GET /v1/batch/{id}')
    expect(find).toMatchObject({
      'x-required-scope': ['read', 'send'],
      security: [{ bearer: [] }],
      description: expect.stringContaining('Scope: `read` or `send` or `full`.'),
    })
  })

  test('declares exactly the parameters of its path, and none with a default as required', () => {
    const problems = lacks(({ path, parameters }) => {
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, each]) => each).join()
      const declared = parameters.filter((each) => each.in === 'path')
      return [
        declared.map(({ name }) => name).join() !== named && `params must declare ${named}`,
        declared.some(({ required }) => !required) && 'a path parameter is always required',
        ...parameters.map(
          ({ name, schema, required }) =>
            required && 'default' in schema && `${name} has a default and is not required`,
        ),
      ]
    })
    expect(problems).toEqual([])
  })

  test('can succeed, and answers every error that can happen, as ApiError', () => {
    const problems = lacks((operation) => {
      const { responses, requestBody } = operation
      const statuses = Object.keys(responses)
      const wanted = [
        '400',
        '404',
        '429',
        '500',
        '503',
        ...(isPublic(operation) ? [] : ['401', '403']),
        ...(takesKey(operation) ? ['409', '422'] : []),
        ...(requestBody ? ['413', '415', '422'] : []),
      ]
      return [
        !statuses.some((status) => status.startsWith('2')) && 'it has no 2xx response',
        ...wanted.map((status) => !statuses.includes(status) && `it can answer ${status}`),
        ...Object.entries(responses).map(
          ([status, { description }]) =>
            /^(?:Default Response)?$/.test(description) && `${status} needs a description`,
        ),
        ...Object.entries(responses)
          .filter(([status]) => Number(status) >= 400)
          .map(
            ([status, { content = {} }]) =>
              !isApiError(content['application/json']) && `${status} is no ApiError`,
          ),
      ]
    })
    expect(problems).toEqual([])
  })

  test('describes the headers of its answers', () => {
    const limits = ['Limit', 'Remaining', 'Reset', 'Policy'].map((name) => `RateLimit-${name}`)
    const problems = lacks((operation) =>
      Object.entries(operation.responses).flatMap(([status, { headers = {} }]) => {
        const wanted = [
          'x-request-id',
          ...(status === '401' ? [] : [...limits, 'X-RateLimit-Limit', 'X-RateLimit-Remaining']),
          ...(['429', '503'].includes(status) ? ['Retry-After'] : []),
          ...(['401', '403'].includes(status) ? ['WWW-Authenticate'] : []),
          ...(takesKey(operation) && status.startsWith('2') ? ['Idempotency-Replayed'] : []),
          ...(operation.deprecated ? ['Deprecation', 'Sunset'] : []),
        ]
        return wanted.map((name) => !(name in headers) && `${status} lacks the header ${name}`)
      }),
    )
    expect(problems).toEqual([])
  })

  test('takes an Idempotency-Key exactly when it is a POST of callers', () => {
    const problems = lacks((operation) => {
      const has = operation.parameters.some(({ name }) => name === 'Idempotency-Key')
      return [has !== takesKey(operation) && 'Idempotency-Key']
    })
    expect(problems).toEqual([])
    expect(operations.filter(takesKey).length).toBeGreaterThan(3)
  })

  test('says that what is shown once is null in a replay', () => {
    const problems = lacks((operation) => {
      const names = operation['x-shown-once'] ?? []
      const answers = Object.entries(operation.responses).filter(([status]) => status < '300')
      return answers.flatMap(([, { content = {} }]) => {
        const { properties = {} }: Part = resolved(content['application/json']?.schema ?? {})
        return names.map((name) => {
          const { type = '' }: Part = properties[name] ?? {}
          return ![type].flat().includes('null') && `${name} is a secret: make it nullable`
        })
      })
    })
    expect(problems).toEqual([])
    const register = operations.find(({ name }) => name === 'POST /v1/connections')
    expect(register?.['x-shown-once']).toEqual(['webhookSecret'])
  })

  test('shows examples of what it takes and answers, and they fit their schemas', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false })
    ajv.addSchema(document, 'openapi')
    // Every operation answers the same errors.
    const compiled = new Map<string, ValidateFunction>()
    const compile = (schema: object): ValidateFunction => {
      const text = JSON.stringify(schema)
      const validate = compiled.get(text) ?? ajv.compile(schema)
      compiled.set(text, validate)
      return validate
    }
    const check = (what: string, media: Media | undefined): string | undefined => {
      if (media === undefined) return undefined
      const shown = [
        media.example,
        ...Object.values(media.examples ?? {}).map(({ value }) => value),
      ]
      const examples = shown.filter((each) => each !== undefined)
      if (examples.length === 0) {
        return `${what} has no example: give its schema \`examples: [...]\``
      }
      const validate = compile(absolute(media.schema))
      if (examples.every((each) => validate(each))) return undefined
      return `the example of ${what} does not fit: ${ajv.errorsText(validate.errors)}`
    }
    const problems = lacks(({ requestBody, responses }) => [
      check('the request', requestBody?.content['application/json']),
      ...Object.entries(responses).map(([status, { content = {} }]) =>
        check(`the ${status} response`, content['application/json']),
      ),
    ])
    expect(problems).toEqual([])
  })

  test('only a body that may be null may be left out', () => {
    const problems = lacks(({ requestBody }) => {
      const { type = [] }: Part = resolved(requestBody?.content['application/json']?.schema ?? {})
      const isNullable = type.includes('null')
      if (requestBody === undefined || isNullable === (requestBody.required !== true)) return []
      return [`required: ${requestBody.required}, but its type is ${String(type)}`]
    })
    expect(problems).toEqual([])
    const { requestBody } = operations.find((each) => each.operationId === 'publishTemplate') ?? {}
    expect(requestBody?.required).toBe(false)
  })
})

/** ApiError itself, or a body that has all its fields and more. */
function isApiError(media: Media | undefined): boolean {
  const { required = [] }: Part = resolved(media?.schema ?? {})
  return required.includes('error') && required.includes('code')
}

/** The component that a schema refers to, or the schema itself. */
function resolved(schema: object): object {
  const { $ref = '' }: Part = schema
  return document.components.schemas[$ref.replace(/^.*\//, '')] ?? schema
}

/** The same schema, its references pointing into the document. */
const absolute = (schema: object): object =>
  JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"openapi#/'))

const walk = (node: unknown, visit: (node: object) => void): void => {
  if (typeof node !== 'object' || node === null) return
  visit(node)
  for (const child of Object.values(node)) walk(child, visit)
}

test('components are named, and every reference names one of them', () => {
  const kinds = Object.entries(document.components).filter(([kind]) => kind !== 'securitySchemes')
  const names = kinds.flatMap(([kind, named]) =>
    Object.keys(named).map((name) => `#/components/${kind}/${name}`),
  )
  const used = new Set<string>()
  walk(document, (node) => {
    if ('$ref' in node) used.add(String(node.$ref))
  })
  expect([...used].sort()).toEqual(names.sort())
  for (const name of ['Batch', 'Connection', 'Contact', 'EmailLog', 'Template']) {
    expect(names).toContain(`#/components/schemas/${name}`)
  }
})

test('every schema is valid JSON Schema 2020-12, without what only OpenAPI 3.0 knew', () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  ajv.addSchema(document, 'openapi')
  for (const name of Object.keys(document.components.schemas)) {
    const schema = document.components.schemas[name]
    expect([name, ajv.validateSchema(schema ?? {})]).toEqual([name, true])
    ajv.compile({ $ref: `openapi#/components/schemas/${name}` })
  }
  walk(document, (node) => expect(node).not.toHaveProperty('nullable'))
  for (const { parameters } of operations) {
    for (const { schema } of parameters) expect(ajv.validateSchema(schema)).toBe(true)
  }
})

test('text that a caller may send has a limit, and lists have one', () => {
  const endless: string[] = []
  for (const { name, requestBody, parameters } of operations) {
    const given = [
      ...parameters.map((each): [string, object] => [each.name, each.schema]),
      ...Object.values(requestBody?.content ?? {}).map(({ schema }): [string, object] => [
        '',
        schema,
      ]),
    ]
    for (const [at, schema] of given) {
      walkSchema(schema, at, (part, path) => {
        const { type, maxLength, maxItems, pattern = '', format = '', enum: words } = part
        const types = [type].flat()
        const isBounded = FIXED.has(format) || pattern.endsWith('}$') || (maxLength ?? words)
        if (types.includes('string') && !isBounded)
          endless.push(`${name}: ${path} has no maxLength`)
        if (types.includes('array') && maxItems === undefined) {
          endless.push(`${name}: ${path} has no maxItems`)
        }
      })
    }
  }
  expect(endless).toEqual([])
})

/** Formats that fix how long a text can be. */
const FIXED = new Set(['uuid', 'date', 'date-time'])

interface Part {
  type?: string | string[]
  maxLength?: number
  maxItems?: number
  pattern?: string
  format?: string
  enum?: unknown[]
  $ref?: string
  required?: string[]
  items?: object
  properties?: Record<string, object>
}

function walkSchema(schema: object, path: string, visit: (part: Part, path: string) => void): void {
  const part: Part = resolved(schema)
  visit(part, path)
  if (part.items) walkSchema(part.items, `${path}[]`, visit)
  for (const [name, child] of Object.entries(part.properties ?? {})) {
    walkSchema(child, path === '' ? name : `${path}.${name}`, visit)
  }
}

test('answers are what the document says', async () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  ajv.addSchema(document, 'openapi')
  const contact = await createContact(api.alice, { email: 'ada@example.com' })
  const check = (name: string, value: unknown) => {
    const validate = ajv.compile({ $ref: `openapi#/components/schemas/${name}` })
    expect([name, validate(value), validate.errors]).toEqual([name, true, null])
  }
  check('Contact', contact)
  check('ContactList', (await api.alice.get('/v1/contacts')).body)
  check('ApiError', (await api.alice.get('/v1/contacts/nobody')).body)
  check('BatchList', (await api.alice.get('/v1/batch')).body)
  const metrics = '/v1/email/metrics?dimensions=period,domain'
  check('EmailMetrics', (await api.alice.get(metrics)).body)
  check('EmailLogList', (await api.alice.get('/v1/email/logs')).body)
})

test('two schemas of one name stop the document', async () => {
  const app = await buildApp(api.deps)
  app.get(
    '/other',
    {
      config: { public: true },
      schema: { response: { 200: { title: 'Contact', type: 'object', properties: {} } } },
    },
    () => ({}),
  )
  await app.ready()
  expect(() => app.swagger()).toThrow(/Contact/)
  await app.close()
})
