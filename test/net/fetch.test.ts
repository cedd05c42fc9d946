import type { IncomingMessage } from 'node:http'
import { createServer as createHttps } from 'node:https'
import type { Socket } from 'node:net'
import { Dispatcher, fetch as undici } from 'undici'
import { afterEach, expect, test } from 'vitest'
import { createFetcher, type FetcherOptions, type Outgoing } from '../../src/net/fetch.ts'
import { createAddressFinder } from '../../src/net/find-addresses.ts'
import { REFUSED_PORTS } from '../../src/net/target.ts'
import { testAuthority, testCertificate } from '../support/certificates.ts'
import { startNameServer } from '../support/dns.ts'
import { bodyOf, createServers } from '../support/servers.ts'

const { listen, http, tcp, close } = createServers()
afterEach(close)

const send = (request: Partial<Outgoing>, options: Partial<FetcherOptions> = {}) =>
  createFetcher({ allowed: ['127.0.0.1'], ...options }).send({
    url: '',
    method: 'GET',
    timeoutMs: 3_000,
    mostBytes: 1_000,
    ...request,
  })
const local = (port: number, path = '/'): string => `http://127.0.0.1:${port}${path}`

/** Connects to nothing. */
class Nowhere extends Dispatcher {
  override dispatch(): boolean {
    throw new Error('it would be sent')
  }
}

test('a request arrives as it was asked for, and so does its answer', async () => {
  let seen: unknown
  const port = await http(async (request, response) => {
    seen = {
      method: request.method,
      url: request.url,
      headers: request.headers,
      body: await bodyOf(request),
    }
    response.writeHead(201, { 'X-One': 'a', 'set-cookie': ['b', 'c'] }).end('höre')
  })
  const answer = await send({
    url: local(port, '/a%20b?c=d#e'),
    method: 'PUT',
    headers: { 'X-Mine': 'é', 'Content-Type': 'text/plain' },
    body: 'größe',
  })
  expect(seen).toMatchObject({
    method: 'PUT',
    url: '/a%20b?c=d',
    body: 'größe',
    headers: {
      host: `127.0.0.1:${port}`,
      'x-mine': 'é',
      'content-type': 'text/plain',
      'content-length': '7',
      connection: 'close',
      'accept-encoding': 'identity',
    },
  })
  expect(answer).toMatchObject({ status: 201, isCut: false, url: local(port, '/a%20b?c=d#e') })
  expect(answer.body.toString()).toBe('höre')
  expect(answer.headers.get('x-one')).toBe('a')
  expect(answer.headers.get('set-cookie')).toBe('b, c')
})

test('an answer is read as far as was asked, and no further', async () => {
  let written = 0
  const port = await http((_, response) => {
    const more = (): void => {
      while (!response.destroyed && written < 500_000_000 && response.write('x'.repeat(10_000))) {
        written += 10_000
      }
    }
    response.on('drain', more)
    more()
  })
  const answer = await send({ url: local(port), mostBytes: 5_000 })
  expect(answer).toMatchObject({ status: 200, isCut: true })
  expect(answer.body).toHaveLength(5_000)
  expect(written).toBeLessThan(20_000_000)
})

test('exactly so much is whole', async () => {
  const port = await http((_, response) => response.end('x'.repeat(1_000)))
  const answer = await send({ url: local(port) })
  expect([answer.body.length, answer.isCut]).toEqual([1_000, false])
})

test.each<[string, (socket: Socket) => void]>([
  ['says nothing', () => {}],
  ['stops in its headers', (socket) => socket.write('HTTP/1.1 200 OK\r\nx-a: b')],
  [
    'stops in its body',
    (socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nabc'),
  ],
  [
    'drips its body',
    (socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\n')
      const timer = setInterval(() => socket.write('.'), 50)
      socket.on('close', () => clearInterval(timer))
    },
  ],
  [
    'only ever says that it goes on',
    (socket) => {
      const timer = setInterval(() => socket.write('HTTP/1.1 102 Processing\r\n\r\n'), 20)
      socket.on('close', () => clearInterval(timer))
    },
  ],
])('whoever %s is left when the time is over', async (_, speak) => {
  let isClosed = false
  const port = await tcp((socket) => {
    socket.on('close', () => (isClosed = true))
    speak(socket)
  })
  const startedAt = performance.now()
  await expect(send({ url: local(port), timeoutMs: 400 })).rejects.toMatchObject({
    reason: 'timeout',
  })
  const took = performance.now() - startedAt
  expect(took).toBeGreaterThan(390)
  expect(took).toBeLessThan(10_000)
  await expect.poll(() => isClosed).toBe(true)
})

test('a name server that is silent takes no longer than the request may', async () => {
  const names = await startNameServer(() => 'silence')
  const findAddresses = createAddressFinder({ servers: [names.address] })
  const sent = send({ url: 'http://silent.example/', timeoutMs: 300 }, { findAddresses })
  await expect(sent).rejects.toMatchObject({ reason: 'timeout' })
  // By itself the finder asks again after two seconds.
  expect(names.questions.toSorted()).toEqual(['A silent.example', 'AAAA silent.example'])
  names.close()
})

test('a caller can abort a request and gets its own reason', async () => {
  let isClosed = false
  const port = await tcp((socket) => socket.on('close', () => (isClosed = true)))
  const control = new AbortController()
  const sent = send({ url: local(port), signal: control.signal })
  setTimeout(() => control.abort(new Error('enough')), 100)
  await expect(sent).rejects.toThrow('enough')
  await expect.poll(() => isClosed).toBe(true)
  await expect(send({ url: local(port), signal: control.signal })).rejects.toThrow('enough')
})

test.each<[string, (socket: Socket) => void, string]>([
  ['closes at once', (socket) => socket.destroy(), 'connection_lost'],
  ['resets', (socket) => socket.resetAndDestroy(), 'connection_lost'],
  ['closes in its headers', (socket) => socket.end('HTTP/1.1 200 OK\r\nx-a: b'), 'connection_lost'],
  [
    'closes in its body',
    (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nabc'),
    'connection_lost',
  ],
  ['speaks another language', (socket) => socket.end('220 mail.example ESMTP\r\n'), 'bad_answer'],
  [
    'has no end of headers',
    (socket) => socket.end(`HTTP/1.1 200 OK\r\n${'x-a: 1234567890\r\n'.repeat(3_000)}\r\n`),
    'bad_answer',
  ],
])('whoever %s has not answered', async (_, speak, reason) => {
  let connections = 0
  const port = await tcp((socket) => {
    connections++
    socket.once('data', () => speak(socket))
  })
  await expect(send({ url: local(port), method: 'POST', body: '{}' })).rejects.toMatchObject({
    reason,
  })
  expect(connections).toBe(1)
})

test('nobody there', async () => {
  const port = await http(() => {})
  await close()
  await expect(send({ url: local(port) })).rejects.toMatchObject({ reason: 'connect_failed' })
})

test('a name with no address, and one about which nobody can say', async () => {
  const names = await startNameServer((name) =>
    name.startsWith('no') ? 'no such name' : 'refused',
  )
  const findAddresses = createAddressFinder({ servers: [names.address] })
  for (const [host, reason] of [
    ['no.example', 'dns_failed'],
    ['refused.example', 'dns_unanswered'],
  ]) {
    const sent = send({ url: `http://${host}/` }, { findAddresses })
    await expect(sent).rejects.toMatchObject({ reason })
  }
  names.close()
})

test('half of an answer of the name server is enough: the other address is tried next', async () => {
  const port = await http((request, response) => response.end(request.headers.host))
  const names = await startNameServer((_, type) => (type === 'A' ? ['127.0.0.1'] : 'refused'))
  const findAddresses = createAddressFinder({ servers: [names.address] })
  const url = `http://half.example:${port}/`
  const half = await send({ url }, { findAddresses })
  expect(half.body.toString()).toBe(`half.example:${port}`)
  // Nobody listens on the first one.
  const second = await send(
    { url },
    { allowed: ['127.0.0.0/8'], findAddresses: async () => ['127.0.0.2', '127.0.0.1'] },
  )
  expect(second.status).toBe(200)
  names.close()
})

test('TLS: the name is what the server is asked for and has to be', async () => {
  let asked: unknown
  const server = createHttps(testCertificate, (request, response) =>
    response.end(request.headers.host),
  )
  server.on('secureConnection', (socket: { servername: unknown }) => (asked = socket.servername))
  const port = await listen(server)
  const options = { ca: testAuthority, findAddresses: async () => ['127.0.0.1'] }
  const answer = await send({ url: `https://receiver.example:${port}/` }, options)
  expect([asked, answer.body.toString()]).toEqual(['receiver.example', `receiver.example:${port}`])
  const byAddress = await send({ url: `https://127.0.0.1:${port}/` }, options)
  expect([byAddress.status, asked]).toEqual([200, false])
  const dotted = await send({ url: `https://receiver.example.:${port}/` }, options)
  expect([dotted.status, asked]).toEqual([200, 'receiver.example'])

  const failed = { reason: 'tls_failed' }
  await expect(send({ url: `https://other.example:${port}/` }, options)).rejects.toMatchObject(
    failed,
  )
  const untrusting = { findAddresses: options.findAddresses }
  const untrusted = send({ url: `https://receiver.example:${port}/` }, untrusting)
  await expect(untrusted).rejects.toMatchObject(failed)
  const plain = await http((_, response) => response.end())
  await expect(send({ url: `https://127.0.0.1:${plain}/` }, options)).rejects.toMatchObject(failed)
})

test('a redirect keeps or changes the method as browsers do, and secrets stay with their origin', async () => {
  const seen: { method: string; body: string; authorization?: string | undefined }[] = []
  let port = 0
  const handle = async (request: IncomingMessage): Promise<[number, string]> => {
    const { authorization } = request.headers
    seen.push({ method: request.method ?? '', body: await bodyOf(request), authorization })
    const [, status, to] = /^\/(\d+)\/(.*)$/.exec(request.url ?? '') ?? []
    return status === undefined ? [200, ''] : [Number(status), to ?? '']
  }
  const elsewhere = await http(async (request, response) => {
    await handle(request)
    response.end('other')
  })
  port = await http(async (request, response) => {
    const [status, to] = await handle(request)
    const location = to === 'other' ? local(elsewhere) : '/end'
    response.writeHead(status, status === 200 ? {} : { location }).end()
  })
  const go = async (method: Outgoing['method'], path: string) => {
    seen.length = 0
    const body = method === 'GET' ? undefined : '{}'
    const headers = { Authorization: 'Bearer x', 'Content-Type': 'application/json' }
    await send({ url: local(port, path), method, body, headers, redirects: 3 })
    return seen.at(-1)
  }
  const kept = { method: 'POST', body: '{}', authorization: 'Bearer x' }
  const got = { method: 'GET', body: '', authorization: 'Bearer x' }
  expect(await go('POST', '/307/end')).toEqual(kept)
  expect(await go('POST', '/308/end')).toEqual(kept)
  expect(await go('POST', '/301/end')).toEqual(got)
  expect(await go('POST', '/302/end')).toEqual(got)
  expect(await go('POST', '/303/end')).toEqual(got)
  expect(await go('PUT', '/302/end')).toEqual({ ...kept, method: 'PUT' })
  expect(await go('PUT', '/303/end')).toEqual(got)
  expect(await go('POST', '/307/other')).toEqual({ ...kept, authorization: undefined })
})

test('from https nobody is led to http', async () => {
  const plain = await http((_, response) => response.end())
  const server = createHttps(testCertificate, (_, response) =>
    response.writeHead(302, { location: local(plain) }).end(),
  )
  const url = `https://127.0.0.1:${await listen(server)}/`
  const sent = send({ url, redirects: 3 }, { ca: testAuthority })
  await expect(sent).rejects.toMatchObject({ reason: 'redirect_refused' })
})

test.each([
  ['Host', 'a'],
  ['content-length', '0'],
  ['Transfer-Encoding', 'chunked'],
  ['connection', 'upgrade'],
  ['Proxy-Authorization', 'a'],
  ['accept-encoding', 'gzip'],
  ['x y', 'a'],
  ['x-a', 'a\r\nx-b: c'],
  ['x-a', 'a\0'],
  ['x-a', '☃'],
])('the header %j: %j is not sent', async (name, value) => {
  let connections = 0
  const port = await tcp(() => connections++)
  const sent = send({ url: local(port), headers: { [name]: value } })
  await expect(sent).rejects.toMatchObject({ reason: 'request_refused' })
  expect(connections).toBe(0)
})

test('ports of other services are refused: those that browsers refuse', async () => {
  const theirs: number[] = []
  for (let port = 1; port <= 11_000; port++) {
    const refusal = await undici(`http://127.0.0.1:${port}/`, { dispatcher: new Nowhere() }).then(
      () => undefined,
      (error: Error) => error.cause,
    )
    if (refusal instanceof Error && refusal.message === 'bad port') theirs.push(port)
  }
  expect(theirs.length).toBeGreaterThan(80)
  expect([...REFUSED_PORTS].filter((port) => port !== 0)).toEqual(theirs)
  await expect(send({ url: 'http://127.0.0.1:25/' })).rejects.toMatchObject({
    reason: 'request_refused',
  })
})

test.each([
  'metadata',
  'metadata.google.internal',
  'METADATA.google.internal.',
  'instance-data.ec2.internal',
  'instance-data',
  'metadata.azure.internal',
  'metadata.tencentyun.com',
  'metadata.goog',
])('the metadata host %s is refused before its address is looked up', async (host) => {
  const asked: string[] = []
  const findAddresses = async (name: string): Promise<string[]> => {
    asked.push(name)
    return []
  }
  const sent = send({ url: `http://${host}/` }, { findAddresses })
  await expect(sent).rejects.toMatchObject({ reason: 'address_refused' })
  expect(asked).toEqual([])
})

test('failures tell nothing about our network', async () => {
  const findAddresses = async (): Promise<string[]> => ['10.1.2.3']
  const error = await send({ url: 'http://inner.example/' }, { findAddresses }).catch(
    (each: unknown) => each,
  )
  expect(String(error)).toBe('Error: The host is not on the public internet')
  expect(JSON.stringify(error)).toBe('{"reason":"address_refused"}')
})
