import { bodyOf, type createServers } from './servers.ts'

/** Path that permanently refuses calls. */
export const REFUSED = '/refused'

/**
 * A webhook receiver that fails a percentage of all calls, half of them before the call is
 * recorded, half after it.
 */
export async function startReceiver(
  { http }: Pick<ReturnType<typeof createServers>, 'http'>,
  breakPercent: number,
) {
  const notedCalls = new Map<string, Set<string>>()
  const breaks = (): boolean => Math.random() * 200 < breakPercent
  const port = await http(async (request, response) => {
    const body = await bodyOf(request)
    if (breaks()) return response.writeHead(503).end()
    const id = String(request.headers['webhook-id'])
    notedCalls.set(id, (notedCalls.get(id) ?? new Set()).add(body))
    if (breaks()) return response.destroy()
    return response.writeHead(request.url === REFUSED ? 410 : 200).end()
  })
  return {
    url: `http://127.0.0.1:${port}`,
    /** Bodies by `webhook-id`, in the order of the first call. */
    noted: notedCalls,
  }
}
