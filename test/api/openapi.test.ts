import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildApp } from '../../api/app.ts'
import { type Api, createContact, inject, startApi } from '../support/api.ts'

interface Operation {
  operationId: string
  summary: string
  tags: string[]
  security: object[]
  parameters?: { name: string; in: string; required: boolean; schema: object }[]
  requestBody?: { content: Record<string, { schema: object }> }
  responses: Record<string, { description: string; content: Record<string, { schema: object }> }>
}
interface Document {
  openapi: string
  info: { title: string; version: string }
  tags: { name: string }[]
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, object>; securitySchemes: object }
}

let api: Api
let document: Document
let operations: [string, Operation][]
beforeAll(async () => {
  api = await startApi()
  const answer = await inject(api.app, { url: '/openapi.json' })
  document = answer.body
  operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]): [string, Operation] => [
      `${method.toUpperCase()} ${path}`,
      operation,
    ]),
  )
})
afterAll(() => api.close())

const walk = (node: unknown, visit: (node: object) => void): void => {
  if (typeof node !== 'object' || node === null) return
  visit(node)
  for (const child of Object.values(node)) walk(child, visit)
}

test('the document says 3.1, the version, and the routes of this thin slice', () => {
  expect(document.openapi).toMatch(/^3\.1\.\d+$/)
  expect(document.info).toMatchObject({ title: 'Letterloom', version: '1.0.0' })
  expect(operations.map(([name]) => name).sort()).toEqual([
    'DELETE /v1/batch/{id}',
    'DELETE /v1/connections/{id}',
    'GET /',
    'GET /health',
    'GET /unsubscribe/{token}',
    'GET /v1/batch',
    'GET /v1/batch/{id}',
    'GET /v1/batch/{id}/recipients',
    'GET /v1/connections',
    'GET /v1/contacts',
    'GET /v1/contacts/{id}',
    'GET /v1/email/logs',
    'GET /v1/email/logs/{messageId}',
    'GET /v1/templates',
    'GET /v1/templates/{id}',
    'POST /unsubscribe/{token}',
    'POST /v1/batch',
    'POST /v1/connections',
    'POST /v1/contacts',
    'POST /v1/contacts/batch',
    'POST /v1/templates',
    'POST /webhooks/ses/{accountNumber}',
  ])
})

describe('every operation', () => {
  test('has its own operationId, a summary, a known tag and its security', () => {
    const ids = operations.map(([, { operationId }]) => operationId)
    expect(new Set(ids).size).toBe(ids.length)
    const tags = document.tags.map(({ name }) => name)
    for (const [name, operation] of operations) {
      expect([name, operation.summary.length > 0]).toEqual([name, true])
      expect(operation.tags.every((tag) => tags.includes(tag))).toBe(true)
      const isOpen = !name.includes('/v1/')
      expect([name, operation.security]).toEqual([name, isOpen ? [] : [{ bearer: [] }]])
    }
  })

  test('declares exactly the parameters of its path', () => {
    for (const [name, { parameters = [] }] of operations) {
      const named = [...name.matchAll(/\{(\w+)\}/g)].map(([, each]) => each)
      const declared = parameters.filter((each) => each.in === 'path')
      expect([name, declared.map((each) => each.name)]).toEqual([name, named])
      expect(declared.every(({ required }) => required)).toBe(true)
      const optional = parameters.filter(({ schema }) => 'default' in schema)
      expect(optional.some(({ required }) => required)).toBe(false)
    }
  })

  test('answers errors with ApiError, each with a description and a schema', () => {
    for (const [name, { responses, security }] of operations) {
      const always = ['400', '404', '429', '500', ...(security.length > 0 ? ['401', '403'] : [])]
      const statuses = Object.keys(responses)
      expect([name, statuses]).toEqual([name, expect.arrayContaining(always)])
      expect(statuses.some((status) => status.startsWith('2'))).toBe(true)
      const schemas = Object.entries(responses).map(([status, { description, content }]) => {
        expect(description).not.toMatch(/^(?:Default Response)?$/)
        return { status, schemas: Object.values(content).map(({ schema }) => schema) }
      })
      for (const {
        status,
        schemas: [schema],
      } of schemas) {
        const wanted = Number(status) < 400 ? schema : { $ref: '#/components/schemas/ApiError' }
        expect([name, status, schema ?? 'none']).toEqual([name, status, wanted])
      }
    }
  })
})

test('components are named, and every reference names one of them', () => {
  const names = Object.keys(document.components.schemas)
  expect(names).toEqual(
    expect.arrayContaining(['ApiError', 'Batch', 'Connection', 'Contact', 'EmailLog', 'Template']),
  )
  const used = new Set<string>()
  walk(document, (node) => {
    if (!('$ref' in node)) return
    const [, name] = /^#\/components\/schemas\/(\w+)$/.exec(String(node.$ref)) ?? []
    expect([node.$ref, names]).toEqual([node.$ref, expect.arrayContaining([name])])
    used.add(String(name))
  })
  expect([...used].sort()).toEqual([...names].sort())
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
  for (const [, { parameters = [] }] of operations) {
    for (const { schema } of parameters) expect(ajv.validateSchema(schema)).toBe(true)
  }
})

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
  check('EmailLogList', (await api.alice.get('/v1/email/logs')).body)
})

test('the documentation page loads nothing foreign', async () => {
  for (const url of ['/docs', '/docs/']) {
    const { status, headers, text } = await inject(api.app, { url })
    expect(status).toBe(200)
    const policy = String(headers['content-security-policy'])
    expect(policy).toContain("default-src 'none'")
    expect(policy).not.toMatch(/https?:|\*|script-src[^;]*unsafe/)
    const loaded = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => address ?? '')
    expect(loaded.length).toBeGreaterThan(3)
    expect(text).not.toMatch(/<script(?![^>]*\bsrc=)/)
    for (const address of loaded) {
      const path = new URL(address, 'http://here/docs/').pathname
      expect(address).not.toMatch(/^(?:https?:)?\/\//)
      expect([path, (await inject(api.app, { url: path })).status]).toEqual([path, 200])
    }
  }
  const start = await inject(api.app, { url: '/docs/static/swagger-initializer.js' })
  expect(start.text).toMatch(/"?validatorUrl"?:\s*null/)
  expect((await inject(api.app, { url: '/docs/json' })).body.openapi).toBe('3.1.0')
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
