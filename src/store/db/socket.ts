import { connect, type Socket } from 'node:net'

/** How long one host may take to accept a connection. */
const CONNECT_MS = 5_000

/** Where the driver has read from the URL that Postgres listens. */
interface Address {
  host: string[]
  port: number[]
  /** A Unix socket instead. */
  path: string | false
}

/**
 * Opens the sockets of one client of the driver, which itself only ever closes its own half and
 * waits for the server to close the other: a server that is frozen, or gone without a word, would
 * keep the socket, and so the process, for as long as TCP has patience.
 */
export function createDialer() {
  const open = new Set<Socket>()
  let isDestroyed = false
  let turn = 0

  /** Connects to one host after the other, beginning with the next one at each call. */
  async function dial({ host, port, path }: Address): Promise<Socket> {
    let refusal: unknown
    for (let tries = 0; tries < host.length; tries++) {
      const i = turn++ % host.length
      try {
        return await reach(path ? { path } : { host: host[i] ?? '', port: port[i] ?? 0 })
      } catch (error) {
        refusal = error
      }
    }
    throw refusal
  }

  async function reach(target: { path: string } | { host: string; port: number }) {
    if (isDestroyed) throw lost('CONNECTION_DESTROYED')
    const socket = connect(target)
    open.add(socket)
    socket.once('close', () => open.delete(socket))
    await new Promise<void>((resolve, reject) => {
      socket
        .setTimeout(CONNECT_MS, () => {
          reject(lost('CONNECT_TIMEOUT'))
          socket.destroy()
        })
        .once('error', reject)
        .once('close', () => reject(lost('CONNECTION_CLOSED')))
        .once('connect', resolve)
    })
    socket.setTimeout(0)
    // The driver reads the name that a certificate must have from here.
    return Object.assign(socket, 'host' in target ? { host: target.host } : {})
  }

  return {
    dial,
    /** Ends all of them at once, and those to come before they begin. */
    destroy: (): void => {
      isDestroyed = true
      for (const socket of open) socket.destroy()
    },
  }
}

const lost = (code: string): Error =>
  Object.assign(new Error('the connection to Postgres was lost'), { code })
