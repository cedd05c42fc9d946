import { expect, test } from 'vitest'
import { pagesOf } from '../../api/contacts/import-rows.ts'
import type { NewPage } from '../../src/store/contacts/imports.ts'

type Limits = Parameters<typeof pagesOf>[2]

async function pages(text: string, limits: Limits, format: 'csv' | 'ndjson' = 'ndjson') {
  const bytes = async function* () {
    yield Buffer.from(text)
  }
  const options = { mapping: new Map(), delimiter: ',', topicIds: [], resubscribe: false }
  const how = { ...options, format, findTopic: async () => undefined }
  const all: NewPage[] = []
  for await (const page of pagesOf(bytes(), how, limits)) all.push(page)
  return all
}
const read = async (text: string, limits: Limits) =>
  (await pages(text, limits)).reduce((sum, { rows }) => sum + rows, 0)
const good = (n: number) =>
  Array.from({ length: n }, (_, i) => `{"email":"reader-${i}@example.com"}\n`).join('')

test('a file of as many rows as one may have is read, and one more is too large', async () => {
  const limits = { rows: 3, faultyRows: 3 }
  expect(await read(good(3), limits)).toBe(3)
  await expect(read(good(4), limits)).rejects.toMatchObject({
    code: 'PAYLOAD_TOO_LARGE',
    message: 'The file has more than 3 rows',
  })
})

test('a file of which hardly anything can be read is refused, not kept row by row', async () => {
  const limits = { rows: 100, faultyRows: 2 }
  expect(await read(`${good(5)}{}\n{}\n`, limits)).toBe(7)
  await expect(read(`${good(5)}{}\n{}\n{}\n`, limits)).rejects.toMatchObject({
    code: 'BAD_REQUEST',
    details: [{ path: 'body' }],
  })
})

test('a page is ended in time however few rows it has: an upload that stores none is given up', async () => {
  expect(await pages(good(3), {})).toMatchObject([{ page: 0, rows: 3 }])
  expect(await pages(good(3), { pageMs: 0 })).toMatchObject([
    { page: 0, rows: 1 },
    { page: 1, rows: 1 },
    { page: 2, rows: 1 },
  ])
})

test('the report has the cells that a row has, and of a file no more than its share', async () => {
  const records = async (limits: Limits) => {
    const [page] = await pages('email,firstName,phone\nnobody,Ada,\n,,no\n', limits, 'csv')
    const rows: { record: string }[] = JSON.parse(page?.text ?? '')
    return rows.map(({ record }) => record)
  }
  const first = '{"email":"nobody","firstName":"Ada"}'
  expect(await records({})).toEqual([first, '{"phone":"no"}'])
  expect(await records({ recordedCharacters: first.length })).toEqual([first, '{}'])
})
