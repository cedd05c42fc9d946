import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createOrganization } from '../../src/core/access/organizations.ts'
import { answered } from '../support/answered.ts'
import { type ApiProcess, startApiProcess } from '../support/api-process.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { sized } from '../support/size.ts'

let database: TestDatabase
let api: ApiProcess
let key: string
beforeAll(async () => {
  database = await createDatabase()
  api = await startApiProcess(database.url)
  await answered(() => fetch(`${api.url}/openapi.json`))
  ;({ key } = await createOrganization(database.sql, {
    name: 'Slow',
    ownerEmail: 'slow@example.com',
    ownerName: 'Slow',
  }))
})
afterAll(async () => {
  await api.stop()
  await database.drop()
})

interface Drip {
  path: string
  type: string
  head: string
  piece: string
  pieces: number
  everyMs: number
}

/** Sends a body piece by piece; what was answered, and after how many seconds. */
async function drip({ path, type, head, piece, pieces, everyMs }: Drip) {
  const socket = connect({ port: api.port, host: '127.0.0.1' })
  const begunAt = performance.now()
  let heard = ''
  const isAnswered = new Promise<void>((resolve) => {
    socket.on('data', (bytes) => {
      heard += bytes.toString('latin1')
      resolve()
    })
    socket.once('close', () => resolve())
    socket.on('error', () => resolve())
  })
  const length = head.length + piece.length * pieces
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\nContent-Type: ${type}\r\nContent-Length: ${length}\r\n\r\n${head}`,
  )
  const over = isAnswered.then(() => true)
  for (let n = 0; n < pieces; n++) {
    if (socket.writable) socket.write(piece)
    if (await Promise.race([over, sleep(everyMs, false)])) break
  }
  await isAnswered
  socket.destroy()
  const status = Number(/^HTTP\/1\.1 (\d+)/.exec(heard)?.[1] ?? 0)
  return { status, seconds: (performance.now() - begunAt) / 1000 }
}

test('an upload that goes on is not cut; one that stalls, and any other slow body, is', async () => {
  const csv = { path: '/v1/contacts/import', type: 'text/csv', head: 'email\n' }
  const line = `${'a'.repeat(60)}@example.com\n`
  const [steady, stalled, ordinary] = await Promise.all([
    // A second after others would be cut at the latest, at more than the least rate.
    drip({ ...csv, piece: line.repeat(100), pieces: 125, everyMs: 500 }),
    drip({ ...csv, piece: 'a', pieces: 200, everyMs: 500 }),
    drip({
      path: '/v1/contacts',
      type: 'application/json',
      head: '{"a":"',
      piece: 'a',
      pieces: 200,
      everyMs: 500,
    }),
  ])
  expect(steady.status).toBe(202)
  expect(steady.seconds).toBeGreaterThan(61)
  expect(stalled.status).toBe(408)
  // Half a minute, where others have a whole one.
  expect(stalled.seconds).toBeLessThan(55)
  expect(ordinary.status).toBe(408)
})

const FORM = [
  '--edge\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\nemail\n',
  '\r\n--edge--\r\n',
] as const

/** More than the buffers between us take: eleven megabytes, which a busy machine reads in time. */
const PIECES = sized(180, 500)

/** Sends all of them as fast as they are taken, whatever is answered meanwhile; how many were. */
async function sendAll(type: string, head: string, tail: string, keyed: boolean) {
  const socket = connect({ port: api.port, host: '127.0.0.1' })
  let heard = ''
  socket.on('data', (bytes) => (heard += bytes.toString('latin1')))
  socket.on('error', () => {})
  const piece = Buffer.alloc(60_000, 'ada@example.com\n')
  const length = head.length + piece.length * PIECES + tail.length
  const name = keyed ? `Idempotency-Key: ${type}\r\n` : ''
  socket.write(
    `POST /v1/contacts/import?topicSlugs=none HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n${name}Content-Type: ${type}\r\nContent-Length: ${length}\r\n\r\n${head}`,
  )
  let taken = 0
  for (; taken < PIECES && !socket.destroyed; taken++) {
    if (socket.write(piece)) continue
    const waiting = new AbortController()
    const { signal } = waiting
    await Promise.race([once(socket, 'drain', { signal }), once(socket, 'close', { signal })])
      .catch(() => {})
      .finally(() => waiting.abort())
  }
  socket.write(tail)
  await expect.poll(() => heard, { timeout: 120_000 }).toMatch(/^HTTP/)
  socket.destroy()
  return { status: Number(heard.slice(9, 12)), taken }
}

test('the rest of a refused upload is accepted, however much of it was read', async () => {
  for (const keyed of [false, true]) {
    const csv = await sendAll('text/csv', 'email\n', '', keyed)
    const form = await sendAll('multipart/form-data; boundary=edge', ...FORM, keyed)
    expect([csv, form]).toEqual([
      { status: 400, taken: PIECES },
      { status: 400, taken: PIECES },
    ])
  }
})
