import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { freePort } from '../../src/main/dev/ports.ts'

test('a free port is given once', async () => {
  const ports = await Promise.all(Array.from({ length: 50 }, () => freePort()))
  expect(new Set(ports).size).toBe(50)
})

test('the wanted port is given if it is free, else another', async () => {
  const wanted = await freePort()
  expect(await freePort(wanted)).toBe(wanted)
  const server = createServer().listen(wanted, '127.0.0.1')
  await once(server, 'listening')
  expect(await freePort(wanted)).not.toBe(wanted)
  server.close()
})
