import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { uuidv7 } from '../../src/runtime/ids.ts'
import { addressHash, signLink, signUnsubscribe } from '../../src/keys/tokens.ts'
import {
  type Api,
  type Answer,
  connectAccount,
  createBatch,
  createContact,
  freeze,
  inject,
  insertMail,
  startApi,
} from '../support/api.ts'
import { upload } from '../support/imports.ts'
import { seedExecution, seedFlow } from '../support/seed-flow.ts'
import { sized } from '../support/size.ts'
import { damaged, type Schema, valid } from '../support/arbitrary.ts'
import { bodyWithoutRows, rowListOf } from '../../api/http/row-schemas.ts'

/** Of each operation. */
const EXAMPLES = sized(4, 30)
/** With the right secret: the event bus would take a refusal for the end of the event. */
const NEVER_REFUSED = 'receiveSesEvent'
const ONCE = { numRuns: 1 }
const ACCOUNT = '123456789012'

interface Operation {
  operationId: string
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  parameters: { name: string; in: string; required?: boolean; schema: Schema }[]
  body: Schema | undefined
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>
}

let api: Api
let operations: Operation[]
let known: Record<string, string[]>
let fits: (schema: object) => (value: unknown) => boolean
let webhookSecret: string

beforeAll(async () => {
  api = await startApi()
  const { connectionId, ...account } = await connectAccount(api.alice, { accountId: ACCOUNT })
  webhookSecret = account.webhookSecret
  const { organizationId } = api.alice
  const contact = await createContact(api.alice, {
    email: 'known@example.com',
    externalId: 'known',
  })
  const batch = await createBatch(api.alice)
  const bucket = uuidv7()
  const mail = { organizationId, bucket, connectionId, batchId: batch.id, contactId: contact.id }
  await insertMail(api.sql, {
    ...mail,
    id: uuidv7(),
    state: 'sent',
    status: 'sent',
    messageId: 'm1',
  })
  await freeze(api.sql, batch.id, bucket, 1)
  const template = await api.alice.post('/v1/templates', { name: 'Known', source: '<p>Hello</p>' })
  const topic = await api.alice.post('/v1/topics', { name: 'Known' })
  const gone = await createContact(api.alice, { email: 'gone@example.com' })
  const erasure = await api.alice.post(`/v1/contacts/${gone.id}/erase`)
  const token = signUnsubscribe(api.deps.keyring, {
    organizationId,
    contactId: contact.id,
    addressHash: addressHash(organizationId, 'known@example.com'),
  })
  await api.sql`
    insert into subscriptions (organization_id, contact_id, topic_id, status)
    values (${organizationId}, ${contact.id}, ${topic.body.id}, 'pending')`
  const confirmation = signLink(api.deps.keyring, 'confirm', {
    organizationId,
    contactId: contact.id,
    topicId: topic.body.id,
    generation: 1,
    addressHash: addressHash(organizationId, 'known@example.com'),
  })
  const preferences = signLink(api.deps.keyring, 'preferences', {
    organizationId,
    contactId: contact.id,
    addressHash: addressHash(organizationId, 'known@example.com'),
    expiresAt: Date.now() + 3_600_000,
  })
  const imported = await upload(api.alice, 'email\nimported@example.com\n')
  const flowId = await seedFlow(api.sql, organizationId)
  const run = { flowId, contactId: contact.id }
  const executionId = await seedExecution(api.sql, organizationId, { ...run, status: 'failed' })
  await api.sql`
    insert into flow_counters (organization_id, flow_id, slot, started, failed)
    values (${organizationId}, ${flowId}, 0, 1, 1)`
  known = {
    id: [
      flowId,
      executionId,
      contact.id,
      batch.id,
      imported.body.id,
      template.body.id,
      topic.body.id,
      erasure.body.id,
      connectionId,
      'known',
      'known@example.com',
    ],
    workflowId: [flowId],
    executionId: [executionId],
    messageId: ['m1'],
    cloudAccountId: [connectionId],
    identity: [`mark${organizationId.slice(-12)}.example.com`],
    accountNumber: [ACCOUNT],
    token: [token, confirmation, preferences],
    email: ['known@example.com'],
    contactId: [contact.id],
    contactEmail: ['known@example.com'],
    contactExternalId: ['known'],
  }
  const { body: document } = await inject(api.app, { url: '/openapi.json' })
  operations = operationsOf(document)
  const ajv = new Ajv2020({ strict: false, validateFormats: true })
  addFormats.default(ajv)
  // A format of ours: while it is unknown each use of it is a warning.
  ajv.addFormat('mailbox', true)
  fits = (schema) => ajv.compile(schema)
})
afterAll(() => api.close())

// oxlint-disable-next-line typescript/no-explicit-any
function operationsOf(document: any): Operation[] {
  const put = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(put)
    if (typeof node !== 'object' || node === null) return node
    const { $ref } = node as { $ref?: string }
    const [, kind = '', name = ''] = /^#\/components\/(\w+)\/([^/]+)$/.exec($ref ?? '') ?? []
    if ($ref !== undefined) return put(document.components[kind][name])
    return Object.fromEntries(Object.entries(node).map(([name, each]) => [name, put(each)]))
  }
  return Object.entries<object>(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, found]) => ({
      parameters: [],
      ...(put(found) as object),
      path,
      method: method.toUpperCase(),
      body: put(found.requestBody?.content['application/json']?.schema) as Schema | undefined,
    })),
  ) as unknown[] as Operation[]
}

/** Path and query that fit the schema; most ids name something. */
function address({ path, parameters }: Operation): fc.Arbitrary<string> {
  const ofParameter = ({ name, in: place, schema }: Operation['parameters'][number]) =>
    place === 'path' && known[name]
      ? fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...known[name]) }, valid(schema))
      : valid(schema)
  const query = parameters.filter((each) => each.in === 'query')
  return fc
    .tuple(
      fc.tuple(...parameters.filter((each) => each.in === 'path').map(ofParameter)),
      fc.record(Object.fromEntries(query.map((each) => [each.name, ofParameter(each)])), {
        requiredKeys: [],
      }),
    )
    .map(([ids, values]) => {
      const left = [...ids]
      const filled = path.replace(/\{\w+\}/g, () => encodeURIComponent(String(left.shift())))
      const search = new URLSearchParams(
        Object.entries(values).map(([name, each]): [string, string] => [name, String(each)]),
      )
      return search.size === 0 ? filled : `${filled}?${search.toString()}`
    })
}

const ask = (operation: Operation, url: string, body?: unknown): Promise<Answer> =>
  api.alice.send({
    method: operation.method,
    url,
    headers: {
      'x-webhook-secret': webhookSecret,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
  })

/** The answer is one that the document knows: status, media type, shape, and the request's id. */
function expectDocumented({ operationId, responses }: Operation, answer: Answer): void {
  const { status, headers, body } = answer
  const said = `${operationId} ${status} ${answer.text.slice(0, 300)}`
  expect(status, said).toBeLessThan(500)
  expect(Object.keys(responses), said).toContain(String(status))
  const type = String(headers['content-type']).split(';')[0] ?? ''
  const { content = {} } = responses[String(status)] ?? {}
  expect(Object.keys(content), said).toContain(type)
  expect(type !== 'application/json' || fits(content[type]?.schema ?? {})(body), said).toBe(true)
  expect(status < 400 ? undefined : body.requestId, said).toBe(
    status < 400 ? undefined : headers['x-request-id'],
  )
}

/** Rows that the answer says do not fit their schema. */
const malformedRows = ({ body }: Answer): number[] =>
  (body?.errorDetails ?? [])
    .filter(({ code }: { code: string }) => code === 'VALIDATION_FAILED')
    .map(({ index }: { index: number }) => index)

type Property = fc.IAsyncProperty<unknown>

/** A property of every operation in turn: what one makes is there for the next. */
const inTurn = (requests: (operation: Operation) => Property | undefined) =>
  fc.asyncProperty(fc.constant(undefined), async () => {
    for (const operation of operations) {
      const property = requests(operation)
      if (property !== undefined) await fc.assert(property, { numRuns: EXAMPLES })
    }
  })

test('input that fits the document gets an answer of the document, and never 422', async () => {
  await fc.assert(
    inTurn((operation) => {
      const body = operation.body === undefined ? fc.constant(undefined) : valid(operation.body)
      return fc.asyncProperty(address(operation), body, async (url, sent) => {
        const answer = await ask(operation, url, sent)
        expectDocumented(operation, answer)
        expect([413, 415, 422], `${url} ${answer.text}`).not.toContain(answer.status)
        expect(malformedRows(answer), `${url} ${answer.text}`).toEqual([])
      })
    }),
    ONCE,
  )
})

test('a body that does not fit is refused as the document says, and never taken', async () => {
  await fc.assert(
    inTurn((operation) => {
      const { body } = operation
      if (body === undefined) return undefined
      const isNeverRefused = operation.operationId === NEVER_REFUSED
      const isValid = isNeverRefused ? () => true : fits(bodyWithoutRows(body))
      const rows = rowListOf(body)
      const fitsRow = fits(rows === undefined ? {} : (body.properties?.[rows]?.items ?? {}))
      const request = valid(body).chain(damaged)
      return fc.asyncProperty(address(operation), request, async (url, sent) => {
        const answer = await ask(operation, url, sent)
        expectDocumented(operation, answer)
        const taken = answer.status < 400 && !isValid(sent)
        expect(taken, `${url} ${answer.text}`).toBe(false)
        if (answer.status >= 400 || rows === undefined) return
        const given: unknown[] = Reflect.get(Object(sent), rows)
        const wrong = [...given.keys()].filter((index) => !fitsRow(given[index]))
        expect(malformedRows(answer), answer.text).toEqual(expect.arrayContaining(wrong))
      })
    }),
    ONCE,
  )
})

test('parameters of any kind are answered as the document says', async () => {
  const value = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 1_100 }),
    fc.constantFrom('', '0', '-1', '1e3', '99999999999999999999', '../..', '%', 'null', '\0'),
  )
  await fc.assert(
    inTurn((operation) =>
      fc.asyncProperty(
        fc.dictionary(fc.string({ maxLength: 9 }), value),
        value,
        async (query, id) => {
          const names = operation.parameters.filter((each) => each.in === 'query')
          const more = names.map(({ name }): [string, string] => [
            name,
            Object.values(query)[0] ?? id,
          ])
          const search = new URLSearchParams([...Object.entries(query), ...more])
          const path = operation.path.replace(/\{\w+\}/g, encodeURIComponent(id || 'x'))
          const answer = await ask(operation, `${path}?${search.toString()}`, operation.body && {})
          expectDocumented(operation, answer)
        },
      ),
    ),
    ONCE,
  )
})
