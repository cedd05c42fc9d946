import { bodyOf, type createServers } from './servers.ts'

/** Where whoever calls is refused for good. */
export const REFUSED = '/refused'

/**
 * A receiver of webhooks that stumbles: a percentage of all calls get no good answer, half of
 * them before the call is noted, half when it is.
 */
export async function startReceiver(
  { http }: Pick<ReturnType<typeof createServers>, 'http'>,
  breakPercent: number,
) {
  const noted = new Map<string, Set<string>>()
  const breaks = (): boolean => Math.random() * 200 < breakPercent
  const port = await http(async (request, response) => {
    const body = await bodyOf(request)
    if (breaks()) return response.writeHead(503).end()
    const id = String(request.headers['webhook-id'])
    noted.set(id, (noted.get(id) ?? new Set()).add(body))
    if (breaks()) return response.destroy()
    return response.writeHead(request.url === REFUSED ? 410 : 200).end()
  })
  return {
    url: `http://127.0.0.1:${port}`,
    /** By `webhook-id`, in the order in which they came first: the bodies that came with it. */
    noted,
  }
}
