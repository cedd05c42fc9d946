import { Agent } from 'undici'
import type { Settings } from './settings.ts'

const CONNECTIONS = 256

/** Posts envelopes to webhooks as an EventBridge API destination does. */
export function createPoster(settings: Settings) {
  const agent = new Agent({ connections: CONNECTIONS })
  return {
    /** Resolves to the answer's status, 0 for none in time, and its Retry-After. */
    post: async (
      { url, secret }: { url: string; secret: string },
      body: string,
    ): Promise<{ status: number; retryAfterMs: number }> => {
      try {
        const { origin, pathname, search } = new URL(url)
        const response = await agent.request({
          origin,
          path: pathname + search,
          method: 'POST',
          headers: {
            'content-type': 'application/json; charset=utf-8',
            'user-agent': 'Amazon/EventBridge/ApiDestinations',
            'x-webhook-secret': secret,
          },
          body,
          signal: AbortSignal.timeout(settings.eventTimeoutMs),
        })
        await response.body.dump()
        const after = Number(response.headers['retry-after'] ?? 0)
        return {
          status: response.statusCode,
          retryAfterMs: Number.isFinite(after) ? after * 1_000 : 0,
        }
      } catch {
        return { status: 0, retryAfterMs: 0 }
      }
    },

    close: (): Promise<void> => agent.close(),
  }
}
