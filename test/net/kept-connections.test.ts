import type { Socket } from 'node:net'
import { afterEach, expect, test, vi } from 'vitest'
import { createFetcher, type Outgoing } from '../../src/net/fetch.ts'
import { createServers } from '../support/servers.ts'

const servers = createServers()
afterEach(async () => {
  vi.restoreAllMocks()
  await servers.close()
})

const request = (url: string, more: Partial<Outgoing> = {}): Outgoing => ({
  url,
  method: 'POST',
  body: 'x',
  timeoutMs: 5_000,
  mostBytes: 1_000,
  keptBy: 'shop',
  ...more,
})

/** A server that counts its connections. */
async function countingServer(text = 'ok') {
  const sockets = new Set<Socket>()
  const port = await servers.http((incoming, response) => {
    sockets.add(incoming.socket)
    incoming.resume().on('end', () => response.end(text))
  })
  return { port, sockets }
}

test('requests of one name use one connection after the other, those of another name do not', async () => {
  const { port, sockets } = await countingServer()
  const { send } = createFetcher({ allowed: ['127.0.0.1'] })
  const url = `http://127.0.0.1:${port}/`
  for (let n = 0; n < 3; n++) expect((await send(request(url))).status).toBe(200)
  expect(sockets.size).toBe(1)
  await send(request(url, { keptBy: 'crm' }))
  expect(sockets.size).toBe(2)
  const { keptBy: _, ...once } = request(url)
  await send(once)
  expect(sockets.size).toBe(3)
})

test('requests at the same time have connections of their own', async () => {
  const { port, sockets } = await countingServer()
  const { send } = createFetcher({ allowed: ['127.0.0.1'] })
  const url = `http://127.0.0.1:${port}/`
  await Promise.all([send(request(url)), send(request(url))])
  await Promise.all([send(request(url)), send(request(url))])
  expect(sockets.size).toBe(2)
})

test('after a minute the name is resolved and its addresses are checked again', async () => {
  const { port, sockets } = await countingServer()
  const addresses = [['127.0.0.1'], ['10.0.0.1']]
  const { send } = createFetcher({
    allowed: ['127.0.0.1'],
    findAddresses: async () => addresses.shift() ?? [],
  })
  const url = `http://shop.example:${port}/`
  const clock = performance.now.bind(performance)
  let later = 0
  vi.spyOn(performance, 'now').mockImplementation(() => clock() + later)
  await send(request(url))
  await send(request(url))
  expect(sockets.size).toBe(1)
  later = 61_000
  await expect(send(request(url))).rejects.toMatchObject({ reason: 'address_refused' })
})

test('a connection that the receiver has closed costs no failure', async () => {
  const sockets: Socket[] = []
  const port = await servers.http((incoming, response) => {
    sockets.push(incoming.socket)
    incoming.resume().on('end', () => response.end('ok'))
  })
  const { send } = createFetcher({ allowed: ['127.0.0.1'] })
  const url = `http://127.0.0.1:${port}/`
  await send(request(url))
  sockets[0]?.destroy()
  expect((await send(request(url))).status).toBe(200)
  expect(new Set(sockets).size).toBe(2)
})

test('a connection whose answer was cut is not used again', async () => {
  const { port, sockets } = await countingServer('y'.repeat(5_000))
  const { send } = createFetcher({ allowed: ['127.0.0.1'] })
  const url = `http://127.0.0.1:${port}/`
  expect(await send(request(url))).toMatchObject({ isCut: true })
  await send(request(url))
  expect(sockets.size).toBe(2)
})

test('an answer that never ends ends with the time limit', async () => {
  const port = await servers.http((incoming, response) => {
    incoming.resume()
    response.writeHead(200)
    const timer = setInterval(() => response.write('.'), 20)
    response.on('close', () => clearInterval(timer))
  })
  const { send } = createFetcher({ allowed: ['127.0.0.1'] })
  const slow = request(`http://127.0.0.1:${port}/`, { timeoutMs: 200 })
  await expect(send(slow)).rejects.toMatchObject({ reason: 'timeout' })
})
