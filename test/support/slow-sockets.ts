import { connect, type Socket } from 'node:net'
import { platform } from 'node:os'

const DRIP_MS = 500
const OPENED_AT_ONCE = 50
/** They come from several addresses, none of them that of the others' calls. */
const FIRST_HOST = 2
const HOSTS = 8
const isLinux = platform() === 'linux'

export interface SlowSockets {
  /** Closed by the server so far. */
  closed(): number
  /** What the closed ones were told before, by status; 0 for nothing. */
  told(): Record<string, number>
  stop(): void
}

/**
 * `count` clients that never finish what they say: half of them drip a header a character at a
 * time, the others a body.
 */
export async function openSlowSockets(port: number, count: number): Promise<SlowSockets> {
  const sockets: Socket[] = []
  const statusCounts: Record<string, number> = {}
  let closed = 0
  const openSocket = (n: number) =>
    new Promise<void>((resolve) => {
      const localAddress = `127.0.0.${FIRST_HOST + (n % HOSTS)}`
      const socket = connect(
        { port, host: '127.0.0.1', ...(isLinux ? { localAddress } : {}) },
        resolve,
      )
      let answerText = ''
      socket.on('data', (bytes) => {
        answerText += bytes.toString('latin1')
      })
      socket.on('error', () => resolve())
      socket.once('close', () => {
        closed++
        const status = /^HTTP\/1\.1 (\d+)/.exec(answerText)?.[1] ?? '0'
        statusCounts[status] = (statusCounts[status] ?? 0) + 1
      })
      socket.write(n % 2 ? HALF_A_HEADER : HALF_A_BODY)
      sockets.push(socket)
    })
  for (let n = 0; n < count; n += OPENED_AT_ONCE) {
    const most = Math.min(OPENED_AT_ONCE, count - n)
    await Promise.all(Array.from({ length: most }, (_, i) => openSocket(n + i)))
  }
  const timer = setInterval(() => {
    for (const socket of sockets) if (socket.writable) socket.write('x')
  }, DRIP_MS)
  return {
    closed: () => closed,
    told: () => statusCounts,
    stop: () => {
      clearInterval(timer)
      for (const socket of sockets) socket.destroy()
    },
  }
}

const HALF_A_HEADER = 'GET /health HTTP/1.1\r\nHost: localhost\r\nX-Slow: '
const HALF_A_BODY = [
  'POST /unsubscribe/nobody HTTP/1.1',
  'Host: localhost',
  'Content-Type: application/x-www-form-urlencoded',
  'Content-Length: 60000',
  '',
  'List-Unsubscribe=',
].join('\r\n')
