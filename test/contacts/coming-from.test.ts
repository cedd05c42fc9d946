import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Api, startApi } from '../support/api.ts'
import { root } from '../house/files.ts'

/** The commands of docs/coming-from.md, with files as the services export them. */

let api: Api
beforeAll(async () => {
  api = await startApi()
  await api.alice.post('/v1/topics', { name: 'News', slug: 'news' })
})
afterAll(() => api.close())

const page = readFileSync(join(root, 'docs/coming-from.md'), 'utf8')
const fieldsOf = (service: string): Record<string, string> => {
  const [, section = ''] = page.split(`\n## ${service}\n`)
  const [command = ''] = section.split('\n## ')
  const fields = [...command.matchAll(/-F (?:'(\w+)=([^'\n]+)'|(\w+)=([^@\s]+))/g)]
  return Object.fromEntries(fields.map(([, a, b, c, d]) => [a ?? c ?? '', b ?? d ?? '']))
}

test.each([
  [
    'listmonk',
    'uuid,email,name,attributes,status,created_at,updated_at',
    '5e91dda1-1c16-467d-9bf9-2a21bf22ae21,ada@example.com,Ada,"{""city"": ""London""}",enabled,2024-01-01,2024-01-02',
    ['"externalId":"5e91dda1', '"firstName":"Ada"', '"city":"London"'],
  ],
  [
    'Mailchimp',
    '"Email Address","First Name","Last Name",Address,MEMBER_RATING,OPTIN_TIME',
    'grace@example.com,Grace,Hopper,,2,"2024-01-01 00:00:00"',
    ['"email":"grace@example.com"', '"firstName":"Grace"', '"lastName":"Hopper"'],
  ],
])('an export of %s is taken with the mapping of the page', async (service, head, row, fields) => {
  const { mapping, ...options } = fieldsOf(service)
  expect(mapping).toBeDefined()
  const query = new URLSearchParams({ ...options, mapping: mapping ?? '' }).toString()
  const answer = await api.alice.send({
    method: 'POST',
    url: `/v1/contacts/import?${query}`,
    headers: { 'content-type': 'text/csv' },
    payload: `${head}\n${row}\n`,
  })
  expect([answer.status, answer.text]).toEqual([202, expect.stringContaining('"pending"')])
  const [chunk] = await api.sql<{ rows: string }[]>`
    select rows from import_chunks where import_id = ${answer.body.id}`
  for (const field of fields) expect(chunk?.rows).toContain(field)
})
