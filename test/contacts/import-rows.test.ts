import { expect, test } from 'vitest'
import { pagesOf } from '../../api/contacts/import-rows.ts'

const read = async (text: string, limits: { rows: number; faultyRows: number }) => {
  const bytes = async function* () {
    yield Buffer.from(text)
  }
  const options = { mapping: new Map(), delimiter: ',', topicIds: [], resubscribe: false }
  const findTopic = async () => undefined
  let rows = 0
  const how = { ...options, format: 'ndjson', findTopic } as const
  for await (const page of pagesOf(bytes(), how, limits)) rows += page.rows
  return rows
}
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
