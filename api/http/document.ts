import { CLEANED_KEYWORD, NOT_YET_KEYWORD } from '../../src/schemas/common.ts'
import { IDEMPOTENCY_KEY } from '../../src/schemas/patterns.ts'
import { sharedFailures } from './failures.ts'
import { headersOf, RESPONSE_HEADERS } from './response-headers.ts'
import { isOfCallers } from './route-config.ts'

/** The only description of `Idempotency-Key`. Every POST of callers takes it. */
const IDEMPOTENCY_PARAMETER = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Remembered for 24 hours. A repeated request with the same key returns the first response and has no further effect.',
  // Without an example: the page would send it with everything that is tried out.
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: IDEMPOTENCY_KEY },
}

type Node = Record<string, unknown>

/**
 * Completes the generated document: names its components, and adds what follows from a method, a
 * path and a status alone (headers, `Idempotency-Key`), so that no route can forget it.
 */
export function finishDocument(document: object): Node {
  const { components, paths, ...rest } = asNode(document)
  const schemas: Node = {}
  const all = asNode(nameComponents(titledBodies(asNode(relax(available(paths)))), schemas))
  const shared = new Map(
    sharedFailures().map(({ name, response }) => [
      JSON.stringify(nameComponents(titled(response, ''), schemas)),
      name,
    ]),
  )
  const responses: Node = {}
  const parameters: Node = {}
  const headers: Node = {}

  const described = mapOperations(all, (path, method, operation) => {
    const isIdempotent = method === 'post' && isOfCallers(path)
    const isDeprecated = operation['deprecated'] === true
    const countsEvents = operation['x-counts-events'] === true
    if (isIdempotent) parameters['IdempotencyKey'] = IDEMPOTENCY_PARAMETER
    return {
      ...operation,
      ...(isIdempotent
        ? {
            parameters: [
              ...asList(operation['parameters']),
              { $ref: '#/components/parameters/IdempotencyKey' },
            ],
          }
        : {}),
      ...('requestBody' in operation
        ? { requestBody: withNeed(asNode(operation['requestBody']), schemas) }
        : {}),
      responses: mapValues(asNode(operation['responses']), (status, response) => {
        const sharedName = shared.get(JSON.stringify(response))
        const { content, ...described } = asNode(response)
        const fullResponse = {
          ...described,
          ...(content === undefined ? {} : { content: showExamples(asNode(content), schemas) }),
          headers: refer(headersOf({ status, isIdempotent, isDeprecated, countsEvents })),
        }
        // These say more than the others.
        if (!sharedName || isDeprecated || countsEvents) return fullResponse
        responses[sharedName] = fullResponse
        return { $ref: `#/components/responses/${sharedName}` }
      }),
    }
  })

  function refer(names: ReturnType<typeof headersOf>): Node {
    for (const name of names) headers[name] = RESPONSE_HEADERS[name]
    return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
  }

  return {
    ...rest,
    paths: described,
    components: {
      ...asNode(components),
      schemas: sorted(schemas),
      responses: sorted(responses),
      parameters,
      headers,
    },
  }
}

function withNeed(body: Node, schemas: Node): Node {
  const isNullable = Object.values(asNode(body['content'])).some((media) => {
    const schema = asNode(asNode(media)['schema'])
    const { type } =
      typeof schema['$ref'] === 'string' ? componentOf(schema['$ref'], schemas) : schema
    return asList(type).includes('null')
  })
  return isNullable ? { ...body, required: false } : body
}

const componentOf = ($ref: string, schemas: Node): Node =>
  asNode(schemas[$ref.replace(/^.*\//, '')])

const showExamples = (content: Node, schemas: Node): Node =>
  mapValues(content, (_type, mediaType) => {
    const media = asNode(mediaType)
    const { $ref } = asNode(media['schema'])
    if ('example' in media || 'examples' in media || typeof $ref !== 'string') return media
    const [example] = asList(componentOf($ref, schemas)['examples'])
    return example === undefined ? media : { ...media, example }
  })

const titledBodies = (paths: Node): Node =>
  mapOperations(paths, (_path, _method, operation) => {
    const { operationId } = operation
    const id = typeof operationId === 'string' ? capital(operationId) : ''
    return {
      ...operation,
      ...('requestBody' in operation
        ? { requestBody: titled(operation['requestBody'], `${id}Input`) }
        : {}),
      responses: titled(operation['responses'], `${id}Answer`),
    }
  })

/**
 * Names nested objects after their schema and place. Otherwise programs that generate clients name
 * them by rules of their own, give some a name twice, and leave out names with two meanings.
 */
function titled(node: unknown, name: string): unknown {
  if (Array.isArray(node)) return node.map((each) => titled(each, name))
  if (typeof node !== 'object' || node === null) return node
  const schema = asNode(node)
  const isObject = asList(schema['type'] ?? []).includes('object') || schema['type'] === 'object'
  const isNamed = typeof schema['title'] === 'string' && 'type' in schema
  const own = isNamed ? String(schema['title']) : name
  const titledNode = mapValues(schema, (key, value) => {
    if (EXAMPLES.has(key)) return value
    if (key === 'properties') {
      return mapValues(asNode(value), (field, each) => titled(each, `${own}${capital(field)}`))
    }
    if (key === 'items') return titled(value, `${own}Item`)
    if (key === 'anyOf') return asList(value).map((each, index) => titledForm(each, own, index))
    if (key === 'additionalProperties') return titled(value, `${own}Value`)
    return titled(value, own)
  })
  return isObject && !isNamed && name !== '' ? { ...titledNode, title: name } : titledNode
}

/** Names one form of a union. A form without a type only refines the schema itself. */
const titledForm = (form: unknown, name: string, index: number): unknown =>
  titled(form, 'type' in asNode(form) ? `${name}${index + 1}` : name)

const capital = (text: string): string =>
  text.replaceAll(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9]?)/g, (_, first: string) => first.toUpperCase())

/**
 * Makes a schema with a title a component of that name. Throws if another schema has the same
 * title.
 */
function nameComponents(node: unknown, schemas: Node): unknown {
  if (Array.isArray(node)) return node.map((each) => nameComponents(each, schemas))
  if (typeof node !== 'object' || node === null) return node
  const namedNode = mapValues(asNode(node), (name, value) =>
    EXAMPLES.has(name) ? value : nameComponents(value, schemas),
  )
  const { title } = namedNode
  if (typeof title !== 'string' || !('type' in namedNode)) return namedNode
  const formerNode = schemas[title]
  if (formerNode !== undefined && rules(formerNode) !== rules(namedNode)) {
    throw new Error(`two schemas are called ${title}`)
  }
  schemas[title] = { ...asNode(formerNode), ...namedNode }
  return { $ref: `#/components/schemas/${title}` }
}

const EXAMPLES = new Set(['example', 'examples'])

/** Returns a schema without its examples, which move to the description of the body. */
const rules = (schema: unknown): string =>
  JSON.stringify(schema, (name, value) => (EXAMPLES.has(name) ? undefined : value))

/** Text of the generator for missing descriptions. */
const UNSAID = 'Default Response'

/**
 * Removes what is refused as not available yet: marked fields, query parameters and words of an
 * `enum`.
 */
function available(node: unknown): unknown {
  if (Array.isArray(node)) return node.filter((each) => !isNotYet(each)).map(available)
  if (typeof node !== 'object' || node === null) return node
  const { [NOT_YET_KEYWORD]: soon, [CLEANED_KEYWORD]: _cleaned, ...rest } = asNode(node)
  const availableEntries = Object.entries(rest).filter(([, each]) => !isNotYet(each))
  const availableNode = mapValues(Object.fromEntries(availableEntries), (_name, value) =>
    available(value),
  )
  const words = availableNode['enum']
  if (!Array.isArray(words) || !Array.isArray(soon)) return availableNode
  return { ...availableNode, enum: words.filter((word) => !soon.includes(word)) }
}

function isNotYet(node: unknown): boolean {
  const { [NOT_YET_KEYWORD]: soon, schema } = asNode(node)
  return soon === true || asNode(schema)[NOT_YET_KEYWORD] === true
}

/** Makes parameters with a default optional, whatever validation needs them to be. */
function relax(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(relax)
  if (typeof node !== 'object' || node === null) return node
  const relaxedNode = mapValues(asNode(node), (_name, value) => relax(value))
  const { schema } = relaxedNode
  const hasDefault = typeof schema === 'object' && schema !== null && 'default' in schema
  if (relaxedNode['in'] === 'query' && hasDefault) return { ...relaxedNode, required: false }
  return relaxedNode['description'] === UNSAID
    ? { ...relaxedNode, description: 'Success' }
    : relaxedNode
}

const mapOperations = (
  paths: Node,
  change: (path: string, method: string, operation: Node) => Node,
): Node =>
  mapValues(paths, (path, item) =>
    mapValues(asNode(item), (method, operation) => change(path, method, asNode(operation))),
  )

const mapValues = (node: Node, change: (name: string, value: unknown) => unknown): Node =>
  Object.fromEntries(Object.entries(node).map(([name, value]) => [name, change(name, value)]))

const sorted = (node: Node): Node =>
  Object.fromEntries(Object.entries(node).sort(([a], [b]) => (a < b ? -1 : 1)))

const asList = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

const asNode = (value: unknown): Node =>
  typeof value === 'object' && value !== null ? { ...value } : {}
