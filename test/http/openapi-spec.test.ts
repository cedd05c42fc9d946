import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Api, inject, startApi } from '../support/api.ts'
import { type Document, inlined, type Operation, operationsOf } from '../support/document.ts'

let api: Api
let operations: Operation[]
beforeAll(async () => {
  api = await startApi()
  const document: Document = (await inject(api.app, { url: '/openapi.json' })).body
  operations = operationsOf(inlined(document))
})
afterAll(() => api.close())

/** The operations that are specified, with their path and query parameters. */
const SPECIFIED: Record<string, string[]> = {
  'GET /health': [],
  'GET /': [],
  'POST /v1/account/console-policy/{cloudAccountId}/recheck': ['cloudAccountId'],
  'GET /v1/account/health': [],
  'GET /v1/account/health/{cloudAccountId}': ['cloudAccountId'],
  'POST /v1/connections': [],
  'GET /v1/connections': [],
  'DELETE /v1/connections/{id}': ['id'],
  'GET /v1/domains': ['cloudAccountId'],
  'GET /v1/domains/{identity}': ['identity', 'cloudAccountId'],
  'GET /v1/email/logs': ['status', 'limit', 'cursor'],
  'GET /v1/email/logs/{messageId}': ['messageId'],
  'GET /v1/email/metrics': [
    'start_date',
    'end_date',
    'timezone',
    'granularity',
    'dimensions',
    'broadcast_id',
    'template_id',
    'cloud_account_id',
    'domain',
  ],
  'GET /v1/contacts': [
    'page',
    'pageSize',
    'emailStatus',
    'smsStatus',
    'search',
    'preferredChannel',
  ],
  'POST /v1/contacts': [],
  'PATCH /v1/contacts/{id}': ['id'],
  'PUT /v1/contacts/{id}/topics': ['id'],
  'PUT /v1/contacts/{id}': ['id'],
  'DELETE /v1/contacts/{id}': ['id'],
  'POST /v1/batch': [],
  'GET /v1/batch/{id}': ['id'],
  'DELETE /v1/batch/{id}': ['id'],
  'POST /v1/events': [],
  'POST /v1/events/batch': [],
  'POST /v1/workflows/{workflowId}/trigger': ['workflowId'],
  'POST /v1/workflows/{workflowId}/trigger/batch': ['workflowId'],
  'POST /v1/workflows/executions/{executionId}/retry': ['executionId'],
  'POST /v1/workflows/executions/{executionId}/cancel': ['executionId'],
}

describe('the specified operations', () => {
  const named = (name: string) => operations.find((each) => each.name === name)

  test.each(Object.entries(SPECIFIED))('%s has its parameters', (name, parameters) => {
    const given = named(name)?.parameters.map((each) => each.name)
    expect(given).toEqual(expect.arrayContaining(parameters))
  })

  test('a parameter of a resource has one name in all paths', () => {
    const paths = operations.map(({ path }) => path)
    const wrong = paths.filter((path) => /\/(workflows|executions)\/\{id\}/.test(path))
    expect(wrong).toEqual([])
  })
})

test('input that is not available yet is not in the document', async () => {
  const schemas: Record<string, { properties: Record<string, { enum?: string[] }> }> = (
    await inject(api.app, { url: '/openapi.json' })
  ).body.components.schemas
  const wordsOf = (schema: string, field: string) => schemas[schema]?.properties[field]?.enum
  expect(wordsOf('BatchInput', 'audienceType')).toEqual(['all', 'topic', 'segment', 'contacts'])
  expect(wordsOf('BatchInput', 'channel')).toEqual(['email'])
})
