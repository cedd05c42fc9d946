import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'

/**
 * A proxy to the API in which every connection has an IP address of its own, so that limits per
 * address do not refuse the attack early. Bytes pass unchanged, since a header would be one more
 * input. If the loopback network has a single address, connections share it.
 */
export async function openDoor(apiUrl: string): Promise<{ url: string; close: () => void }> {
  const { hostname, port } = new URL(apiUrl)
  let visitors = 0
  const door = createServer({ allowHalfOpen: true }, (visitor) => {
    const n = ++visitors
    const localAddress = `127.${1 + ((n >> 16) & 127)}.${(n >> 8) & 255}.${n & 255}`
    const own = process.platform === 'linux' ? { localAddress } : {}
    const api = connect({ host: hostname, port: Number(port), allowHalfOpen: true, ...own })
    visitor.on('error', () => api.destroy()).on('close', () => api.destroy())
    api.on('error', () => visitor.destroy()).on('close', () => visitor.destroy())
    visitor.pipe(api).pipe(visitor)
  })
  door.listen(0, '127.0.0.1')
  await once(door, 'listening')
  const { port: doorPort } = door.address() as AddressInfo
  return { url: `http://127.0.0.1:${doorPort}`, close: () => door.close() }
}
