import { connect, createServer, type Socket } from 'node:net'

/** A proxy to a server that can be cut, as if the server were down. */
export interface Cuttable {
  /** host:port */
  address: string
  /** Ends present connections and refuses new ones. */
  cut: () => void
  mend: () => void
  close: () => Promise<void>
}

/** Forwards connections to a server on this machine, `host:port`. */
export async function openCuttable(target: string): Promise<Cuttable> {
  const [host = '', port = ''] = target.split(':')
  const sockets = new Set<Socket>()
  let isCut = false
  const server = createServer((client) => {
    if (isCut) {
      client.destroy()
      return
    }
    const upstream = connect(Number(port), host)
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
      socket.pipe(other)
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const end = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    address: `127.0.0.1:${(server.address() as { port: number }).port}`,
    cut: () => {
      isCut = true
      end()
    },
    mend: () => {
      isCut = false
    },
    close: async () => {
      end()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
