import { once } from 'node:events'
import { type AddressInfo, createServer, isIP, Socket } from 'node:net'
import { createAddressCheck } from '../../src/net/addresses.ts'

export interface Trap {
  port: number
  /** Connections that somebody made to this machine. */
  connections: () => number
  close: () => Promise<void>
}

/** Listens on every address of this machine, of both kinds, and counts who comes. */
export async function openTrap(): Promise<Trap> {
  let count = 0
  const sockets = new Set<Socket>()
  const openServer = async (host: string, port: number) => {
    const server = createServer((socket) => {
      count++
      sockets.add(socket)
      socket.on('error', () => {}).end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')
    })
    server.listen({ host, port, ipv6Only: host === '::' })
    await once(server, 'listening')
    return server
  }
  const first = await openServer('0.0.0.0', 0)
  const { port } = first.address() as AddressInfo
  const second = await openServer('::', port)
  return {
    port,
    connections: () => count,
    close: async () => {
      const closed = [first, second].map((server) => once(server, 'close'))
      first.close()
      second.close()
      for (const socket of sockets) socket.destroy()
      await Promise.all(closed)
    },
  }
}

export interface SocketWatch {
  /** Hosts that sockets were told to connect to, as they were told. */
  attempts: string[]
  stop: () => void
}

const isPublic = createAddressCheck({ allowed: [] })

/**
 * Sees every TCP connection that this process tries to make to `port`, at the last function of Node
 * before the system. Those to public addresses fail there, so that no test talks to the internet.
 */
export function watchSockets(port: number): SocketWatch {
  const attempts: string[] = []
  // oxlint-disable-next-line typescript/unbound-method -- called on its own socket below
  const original = Socket.prototype.connect
  Socket.prototype.connect = function (this: Socket, ...given: unknown[]) {
    const [first] = (Array.isArray(given[0]) ? given[0] : given) as [
      { host?: string; port?: number },
    ]
    if (Number(first.port) !== port) return original.apply(this, given as never)
    attempts.push(first.host ?? '')
    if (isIP(first.host ?? '') === 0 || !isPublic(first.host ?? '')) {
      return original.apply(this, given as never)
    }
    process.nextTick(() => this.destroy(new Error('connect ECONNREFUSED')))
    return this
  }
  return {
    attempts,
    stop: () => {
      Socket.prototype.connect = original
    },
  }
}
