import { once } from 'node:events'
import { connect, type AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Api, startApi } from '../support/api.ts'
import { until } from '../support/engine.ts'

let api: Api
beforeAll(async () => {
  api = await startApi()
  await api.app.listen({ port: 0, host: '127.0.0.1' })
})
afterAll(() => api.close())

/** Two megabytes, which is many times what a page and the parser hold. */
const ROWS = 150_000

test('an upload that is interrupted ends at once, though most of it was not worked on yet', async () => {
  const { port } = api.app.server.address() as AddressInfo
  await api.admin.begin(async (tx) => {
    // No page can be stored meanwhile.
    await tx`lock table import_chunks in share mode`
    const received = once(api.app.server, 'request')
    const socket = connect({ port, host: '127.0.0.1' })
    socket.write(
      `POST /v1/contacts/import HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${api.alice.key}\r\nContent-Type: text/csv\r\nContent-Length: 50000000\r\n\r\n`,
    )
    const [request] = await received
    const closed = once(request, 'close').catch(() => {})
    await new Promise((resolve) => {
      socket.write(`email\n${'ada@example.com\n'.repeat(ROWS)}`, resolve)
    })
    socket.destroy()
    await closed
  })
  const ended = await until(async () => {
    const [row] = await api.sql`select status, rows from imports where finished_at is not null`
    return row
  })
  expect(ended['status']).toBe('aborted')
  expect(ended['rows']).toBeLessThan(ROWS / 2)
})
