import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * First port. It is below the ports that Linux and macOS give to outgoing connections, which come
 * and go at any time.
 */
const FIRST = 20_000
const BEYOND = 32_000
const ATTEMPTS = 50

const givenPorts = new Set<number>()

/**
 * Returns a free port of 127.0.0.1: `wanted` if it is free, otherwise one that was never returned
 * before.
 */
export async function freePort(wanted = 0): Promise<number> {
  if (wanted !== 0 && (await isFree(wanted))) return wanted
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const port = randomInt(FIRST, BEYOND)
    if (givenPorts.has(port) || !(await isFree(port))) continue
    givenPorts.add(port)
    return port
  }
  throw new Error(`No free port found between ${FIRST} and ${BEYOND}`)
}

/**
 * Throws if another program listens on `port`, since its answers would be mistaken for our
 * server's.
 */
export async function requireFree(port: number): Promise<void> {
  if (!(await isFree(port))) throw new Error(`Port ${port} of 127.0.0.1 is taken`)
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  try {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    return true
  } catch {
    return false // taken, or not for us
  } finally {
    server.close()
  }
}
