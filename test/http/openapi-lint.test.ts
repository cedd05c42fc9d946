import { createConfig, lintFromString } from '@redocly/openapi-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Api, startApi } from '../support/api.ts'

/** All recommended rules as errors, and those beyond them that make a better document. */
const RULES = {
  extends: ['recommended-strict' as const],
  rules: {
    'operation-description': 'error',
    'operation-tag-defined': 'error',
    'operation-singular-tag': 'error',
    'path-params-defined': 'error',
    'paths-kebab-case': 'error',
    'component-name-unique': 'error',
    'spec-example-values': 'error',
  } as const,
}

let api: Api
beforeAll(async () => {
  // Only here: that the server is an example is one of the mistakes the linter knows.
  api = await startApi({ publicUrl: 'https://mail.letterloom.test' })
})
afterAll(() => api.close())

async function lint(document: object): Promise<string[]> {
  const problems = await lintFromString({
    source: JSON.stringify(document),
    absoluteRef: 'openapi.json',
    config: await createConfig(RULES),
  })
  return problems.map(
    ({ ruleId, message, location: [place] }) => `${place?.pointer}: ${message} (${ruleId})`,
  )
}

/**
 * A contact may be named `imports` by its external id, and a workflow `executions` by its slug; the
 * words of a path come before ids. No mail is named `logs`: its id is a UUID.
 */
const DECIDED = [
  '`/v1/contacts/imports/{id}`',
  '`/v1/workflows/executions/{executionId}`',
  '`/v1/email/logs/{messageId}`',
]
const isDecided = (problem: string): boolean =>
  problem.includes('(no-ambiguous-paths)') && DECIDED.some((path) => problem.includes(path))

test('the document has neither errors nor warnings', async () => {
  const problems = await lint(api.app.swagger())
  expect(problems.filter((problem) => !isDecided(problem))).toEqual([])
})

test('the linter would find an operation without a description and a wrong example', async () => {
  const { paths, ...rest } = JSON.parse(JSON.stringify(api.app.swagger()))
  const get = { ...paths['/health'].get, description: undefined }
  get.responses['200'].content['application/json'].example = { status: 1 }
  const problems = await lint({ ...rest, paths: { '/health': { get } } })
  expect(problems).toEqual(
    expect.arrayContaining([
      expect.stringContaining('(operation-description)'),
      expect.stringContaining('(no-invalid-media-type-examples)'),
    ]),
  )
})
