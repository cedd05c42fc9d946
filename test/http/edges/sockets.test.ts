import { type AddressInfo, connect as openSocket, Socket } from 'node:net'
import { once } from 'node:events'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { buildApp } from '../../../api/app.ts'
import { type Api, startApi } from '../../support/api.ts'
import { until } from '../../support/engine.ts'

let api: Api
let port: number
const sockets = new Set<Socket>()
beforeAll(async () => {
  api = await startApi()
  await api.app.listen({ port: 0, host: '127.0.0.1' })
  port = (api.app.server.address() as AddressInfo).port
})
afterEach(async () => {
  for (const socket of sockets) socket.destroy()
  sockets.clear()
  await until(async () => api.app.traffic.sockets.size === 0)
})
afterAll(() => api.close())

function open(at = port): Socket {
  const socket = openSocket(at, '127.0.0.1').on('error', () => {})
  sockets.add(socket)
  return socket
}

/** Everything that is answered to `text` until the connection ends. */
async function exchange(text: string): Promise<string> {
  const socket = open()
  let answer = ''
  socket.on('data', (bytes: Buffer) => (answer += bytes.toString()))
  socket.write(text)
  await once(socket, 'close')
  return answer
}

const get = (path: string, headers: readonly string[] = ['Host: x']) =>
  `GET ${path} HTTP/1.1\r\n${[...headers, 'Connection: close'].join('\r\n')}\r\n\r\n`

describe('a head out of all proportion is refused as an ApiError', () => {
  const many = Array.from({ length: 120 }, (_, i) => `X-${i}: 1`)
  test.each([
    [
      'an address of 10,000 characters',
      get(`/health?${'a'.repeat(10_000)}`),
      414,
      'REQUEST_FAILED',
    ],
    ['120 headers', get('/health', ['Host: x', ...many]), 431, 'REQUEST_FAILED'],
    [
      'headers of 20 KB',
      get('/health', ['Host: x', `A: ${'a'.repeat(20_000)}`]),
      431,
      'REQUEST_FAILED',
    ],
    ['no Host', get('/health', []), 400, 'MALFORMED_REQUEST'],
    ['two Hosts', get('/health', ['Host: x', 'Host: y']), 400, 'MALFORMED_REQUEST'],
    ['the same Host twice', get('/health', ['Host: x', 'hOST: x']), 400, 'MALFORMED_REQUEST'],
    ['Hosts around others', get('/', ['Host: x', 'A: b', 'Host: ']), 400, 'MALFORMED_REQUEST'],
    [
      'two credentials',
      get('/health', ['Host: x', 'Authorization: Bearer a', 'Authorization: Bearer b']),
      400,
      'MALFORMED_REQUEST',
    ],
    [
      'two lengths',
      get('/health', ['Host: x', 'Content-Length: 1', 'Content-Length: 2']),
      400,
      'MALFORMED_REQUEST',
    ],
    [
      'a length and chunks',
      get('/health', ['Host: x', 'Content-Length: 1', 'Transfer-Encoding: chunked']),
      400,
      'MALFORMED_REQUEST',
    ],
    ['an unknown method', 'BREW /health HTTP/1.1\r\nHost: x\r\n\r\n', 400, 'MALFORMED_REQUEST'],
  ])('%s', async (_name, text, status, code) => {
    const answer = await exchange(text)
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    const body = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n{') + 4))
    expect(body.code).toBe(code)
    expect(answer.toLowerCase()).toContain(`x-request-id: ${body.requestId}`)
    expect(answer.toLowerCase()).toContain('x-content-type-options: nosniff')
  })

  test('what is within proportion is answered', async () => {
    expect(await exchange(get(`/health?${'a'.repeat(7_000)}`))).toMatch(/^HTTP\/1.1 200 /)
  })
})

test('a thousand slow senders keep nobody else out, and lose their connections in time', async () => {
  const isProxied = { ...api.deps, trustedProxies: ['loopback'] }
  const app = await buildApp(isProxied)
  await app.listen({ port: 0, host: '127.0.0.1' })
  const slowPort = (app.server.address() as AddressInfo).port
  for (let i = 0; i < 1_000; i++) open(slowPort).write('GET /health HTTP/1.1\r\nHost: x\r\nX-')
  await until(async () => app.traffic.sockets.size === 1_000)
  const answer = await fetch(`http://127.0.0.1:${slowPort}/health`)
  expect(answer.status).toBe(200)
  // The head must be there within ten seconds.
  await until(async () => app.traffic.sockets.size <= 1)
  await app.close()
})

test('one address that is no proxy gets five hundred connections, the next are closed', async () => {
  const first = Array.from({ length: 500 }, () => open())
  await until(async () => api.app.traffic.sockets.size === 500)
  expect(await exchange(get('/health'))).toBe('')
  expect((await api.deps.metrics.socketsRefused.get()).values[0]?.value).toBe(1)
  first[0]?.destroy()
  await until(async () => api.app.traffic.sockets.size < 500)
  expect(await exchange(get('/health'))).toMatch(/^HTTP\/1.1 200 /)
})

test('an IPv6 network has as many as an address', async () => {
  const { server } = api.app
  /** No machine has as many addresses: the server is told of a connection that nobody made. */
  const arrive = (remoteAddress: string) => {
    const socket = new Socket()
    Object.defineProperty(socket, 'remoteAddress', { value: remoteAddress })
    sockets.add(socket)
    server.emit('connection', socket)
    return socket
  }
  const first = Array.from({ length: 500 }, (_, i) => arrive(`2001:db8:1:2:${i.toString(16)}::1`))
  expect(first.filter(({ destroyed }) => destroyed)).toEqual([])
  expect(arrive('2001:db8:1:2:ffff::1').destroyed).toBe(true)
  expect(arrive('2001:db8:1:3::1').destroyed).toBe(false)
})

test('a caller who pipelines and goes away is owed no further answer', async () => {
  const { traffic } = api.app
  await api.sql.begin(async (tx) => {
    // The first answer waits, so that the others have to wait for their turn.
    await tx`lock table contacts in access exclusive mode`
    const socket = open()
    const keyed = `Host: x\r\nAuthorization: Bearer ${api.alice.key}\r\n\r\n`
    const later = 'GET /health HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(20)
    socket.write(`GET /v1/contacts HTTP/1.1\r\n${keyed}${later}`)
    await until(async () => traffic.inFlight.size === 21)
    socket.destroy()
    await until(async () => traffic.sockets.size === 0)
  })
  await until(async () => traffic.inFlight.size === 0)
  expect([...traffic.inFlight]).toEqual([])
})

test('a caller who pipelines and stays gets every answer in order', async () => {
  const one = `GET /v1/contacts HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${api.alice.key}\r\n\r\n`
  const answers = await exchange(`${one.repeat(20)}${get('/v1/contacts')}`)
  const statuses = [...answers.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status)
  expect(statuses).toEqual([...Array.from({ length: 20 }, () => '200'), '401'])
  await until(async () => api.app.traffic.inFlight.size === 0)
})
