export interface RequestLimit {
  most: number
  remaining: number
}

/** Below these shares of the limit, pages ask half as often, and half as often again. */
const NEARLY_USED = 0.4
const ALMOST_NOTHING = 0.2
/** The longest wait between two tries while the API fails. */
const MOST_MS = 60_000

/** How many times slower than usual pages ask: 1, 2 or 4. */
export function slownessOf(limit: RequestLimit | undefined): number {
  if (!limit || limit.most === 0) return 1
  const left = limit.remaining / limit.most
  if (left < ALMOST_NOTHING) return 4
  return left < NEARLY_USED ? 2 : 1
}

interface Asking {
  /** Between two requests, milliseconds; false: no more are needed. */
  everyMs: number | false
  /** The switch "Live". */
  isLive: boolean
  slowness: number
  /** Failures in a row. */
  failures: number
}

/** Milliseconds until a page asks again; false: it does not. */
export function nextAskMs({ everyMs, isLive, slowness, failures }: Asking): number | false {
  if (everyMs === false || !isLive) return false
  const usual = everyMs * slowness
  return failures === 0 ? usual : Math.min(Math.max(MOST_MS, usual), usual * 2 ** failures)
}

/** Waits of a batch's page: it is watched closely while it runs, and for an hour afterwards. */
export const BATCH_PACE = { runningMs: 2_000, settlingMs: 30_000, settlingForMs: 3_600_000 }

interface WatchedBatch {
  status: string
  completedAt: string | null
}

/** Milliseconds until a batch is asked for again; false: nothing about it changes any more. */
export function batchPace({ status, completedAt }: WatchedBatch, now: number): number | false {
  if (status === 'processing' || status === 'queued') return BATCH_PACE.runningMs
  if (status === 'scheduled') return BATCH_PACE.settlingMs
  if (completedAt === null) return false
  const age = now - Date.parse(completedAt)
  return age < BATCH_PACE.settlingForMs ? BATCH_PACE.settlingMs : false
}
