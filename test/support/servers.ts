import { type EventEmitter, once } from 'node:events'
import { createServer as createHttp, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createTcp, type Server, type Socket } from 'node:net'

/** Servers of one test on loopback, which end with it, whoever is connected. */
export function createServers() {
  const closing: (() => Promise<unknown>)[] = []

  /** Resolves to the port. */
  const listen = async (server: Server & EventEmitter): Promise<number> => {
    const sockets = new Set<Socket>()
    server.on('connection', (socket: Socket) => sockets.add(socket.on('error', () => {})))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    closing.push(async () => {
      const closed = once(server, 'close')
      server.close()
      for (const socket of sockets) socket.destroy()
      await closed
    })
    return (server.address() as AddressInfo).port
  }

  return {
    listen,
    http: (answer: (request: IncomingMessage, response: ServerResponse) => unknown) =>
      listen(
        createHttp((request, response) => {
          Promise.resolve(answer(request, response)).catch(() => response.destroy())
        }),
      ),
    /** A server that runs `speak` for each connection. */
    tcp: (speak: (socket: Socket) => void) => listen(createTcp((socket) => speak(socket.resume()))),
    close: async () => {
      await Promise.all(closing.splice(0).map((close) => close()))
    },
  }
}

export async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}
