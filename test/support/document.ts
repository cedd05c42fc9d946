import type { App } from '../../api/app.ts'
import type { Schema } from './arbitrary.ts'

export interface Media {
  schema: object
  example?: unknown
  examples?: Record<string, { value: unknown }>
}
export interface Response {
  description: string
  headers?: Record<string, unknown>
  content?: Record<string, Media>
}
export interface Parameter {
  name: string
  in: string
  required: boolean
  schema: object
  description?: string
}
export interface Operation {
  /** As in `GET /v1/batch/{id}`. */
  name: string
  method: string
  path: string
  operationId?: string
  summary?: string
  description?: string
  tags?: string[]
  deprecated?: boolean
  security?: Record<string, string[]>[]
  'x-required-scope'?: string[]
  'x-shown-once'?: string[]
  parameters: Parameter[]
  requestBody?: { required?: boolean; content: Record<string, Media> }
  responses: Record<string, Response>
}
type Described = Omit<Operation, 'name' | 'method' | 'path' | 'parameters'> & {
  parameters?: Parameter[]
}

export interface Document {
  openapi: string
  info: { title: string; version: string }
  tags: { name: string }[]
  paths: Record<string, Record<string, unknown>>
  components: {
    parameters: Record<string, { schema: object }>
    schemas: Record<string, object>
    securitySchemes: Record<string, object>
    responses: Record<string, Response>
    headers: Record<string, object>
  }
}

/** The document as a client reads it. */
export const documentOf = (app: App): Document => JSON.parse(JSON.stringify(app.swagger()))

/** Every operation, with its shared responses and parameters. */
export function operationsOf(document: Document): Operation[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, given]) => {
      const operation = given as Described
      const { parameters = [], responses } = operation
      return {
        ...operation,
        name: `${method.toUpperCase()} ${path}`,
        method,
        path,
        parameters: parameters.map((each) => resolve(document, each)),
        responses: Object.fromEntries(
          Object.entries(responses).map(([status, each]) => [status, resolve(document, each)]),
        ),
      }
    }),
  )
}

/** Resolves a reference. Schemas stay references. */
function resolve<T extends object>(document: Document, node: T): T {
  if (!('$ref' in node)) return node
  const steps = String(node.$ref).split('/').slice(1)
  const target = steps.reduce<unknown>((at, step) => Reflect.get(Object(at), step), document)
  if (target === undefined) throw new Error(`${String(node.$ref)} points at nothing`)
  return target as T
}

/** Methods that come with others: the HEAD of a GET, the OPTIONS of browsers. */
const IMPLIED = new Set(['HEAD', 'OPTIONS'])

/** `GET /v1/batch/:id` of every route of the app. */
export function routesOf(app: App): string[] {
  const above: string[] = []
  return app
    .printRoutes({ commonPrefix: false })
    .split('\n')
    .flatMap((line) => {
      const [, indent = '', part = '', methods = ''] =
        /^((?:[│ ] {3})*)[├└]── (.*) \((.+)\)$/.exec(line) ?? []
      const depth = indent.length / 4
      above.length = depth
      above[depth] = part
      const url = above.join('')
      return methods
        .split(', ')
        .filter((method) => method !== '' && !IMPLIED.has(method))
        .map((method) => `${method} ${url}`)
    })
}

/** The document with resolved components. */
export function inlined(document: Document): Document {
  const components: Record<string, Record<string, unknown>> = document.components
  const put = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(put)
    if (typeof node !== 'object' || node === null) return node
    const { $ref } = node as { $ref?: string }
    const [, kind = '', name = ''] = /^#\/components\/(\w+)\/([^/]+)$/.exec($ref ?? '') ?? []
    if ($ref !== undefined) return put(components[kind]?.[name])
    return Object.fromEntries(Object.entries(node).map(([key, each]) => [key, put(each)]))
  }
  return { ...document, paths: put(document.paths) as Document['paths'] }
}

/** Body schema of an inlined operation that takes JSON. */
export const bodySchema = ({ requestBody }: Operation): Schema | undefined =>
  requestBody?.content['application/json']?.schema
