const MOST_TRIES = 4
/** If the API asks to wait longer than this, the failure is returned instead. */
const MOST_WAIT_MS = 60_000
/** Wait before the first retry without a `Retry-After`. It doubles with each try. */
const FIRST_WAIT_MS = 500
const ANSWER_MS = 60_000

export type Fetch = (request: Request) => Promise<Response>

/**
 * Makes `fetch` repeat calls that may succeed later and are safe to repeat. `Retry-After` is
 * honoured. A 429 was refused before anything was done and is always repeated. After a 503 or a
 * broken connection only idempotent calls are repeated. To make them so, every POST under `/v1`
 * carries one `Idempotency-Key` through all its tries; a 409 with `Retry-After` means that an
 * earlier try is still running.
 */
export function retrying(fetch: Fetch): Fetch {
  return async (request) => {
    const keyed = withKey(request)
    for (let tries = 1; ; tries++) {
      const outcome = await attempt(fetch, keyed)
      const waitMs = waitAfter(outcome, keyed, tries)
      const isLast = tries >= MOST_TRIES || waitMs === undefined || waitMs > MOST_WAIT_MS
      if (isLast || request.signal.aborted) {
        if (outcome instanceof Response) return outcome
        throw outcome.error
      }
      if (outcome instanceof Response) await outcome.body?.cancel()
      await wait(waitMs, request.signal)
    }
  }
}

type Outcome = Response | { error: unknown }

async function attempt(fetch: Fetch, request: Request): Promise<Outcome> {
  const signal = AbortSignal.any([request.signal, AbortSignal.timeout(ANSWER_MS)])
  try {
    return await fetch(new Request(request.clone(), { signal }))
  } catch (error) {
    return { error }
  }
}

/** Milliseconds until the next try. Undefined: there must be none. */
function waitAfter(outcome: Outcome, request: Request, tries: number): number | undefined {
  const backoff = FIRST_WAIT_MS * 2 ** (tries - 1)
  if (!(outcome instanceof Response)) return isRepeatable(request) ? backoff : undefined
  const retryAfter = secondsOf(outcome.headers.get('retry-after'))
  switch (outcome.status) {
    case 429:
      return retryAfter ?? backoff
    case 503:
      return isRepeatable(request) ? (retryAfter ?? backoff) : undefined
    case 409:
      return retryAfter
    default:
      return undefined
  }
}

const wait = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })

const REPEATABLE = new Set(['GET', 'HEAD', 'PUT', 'DELETE'])
const KEY = 'idempotency-key'

const isRepeatable = ({ method, headers }: Request): boolean =>
  REPEATABLE.has(method) || headers.has(KEY)

function withKey(request: Request): Request {
  const takesKey = request.method === 'POST' && new URL(request.url).pathname.includes('/v1/')
  if (!takesKey || request.headers.has(KEY)) return request
  const headers = new Headers(request.headers)
  headers.set(KEY, crypto.randomUUID())
  return new Request(request, { headers })
}

const secondsOf = (text: string | null): number | undefined =>
  text !== null && /^\d{1,9}$/.test(text) ? Number(text) * 1_000 : undefined
