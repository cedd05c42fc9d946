import { parseMs, watched } from './event-loop.ts'

/**
 * Limit for one request's block of the event loop: this many times as long as `JSON.parse` reads
 * its bytes, and at least `FLOOR_MS`. Both are processor time of this thread.
 *
 * Measured 2026-11-22 at the limits of all operations: 5 MiB of escaped quotes need 4.6 times their
 * parsing, a mebibyte of empty objects 3.8, of keys 3.3. Everything that needs more is below the
 * floor.
 */
const MOST_PARSES = 8
const FLOOR_MS = 25
/**
 * Time of parsing `REFERENCE` on the machine where `FLOOR_MS` was chosen. Slower machines get more.
 */
const REFERENCE_MS = 7
const REFERENCE = JSON.stringify(
  Array.from({ length: 20_000 }, (_, n) => ({ id: n, name: `n${n}`, tags: ['a', 'b'] })),
)
/** The garbage collector slows single tries, so the best of several counts. */
const TRIES = 4

export interface Hold {
  name: string
  holdMs: number
  boundMs: number
}

export function floorMs(): number {
  return FLOOR_MS * Math.max(1, parseMs(REFERENCE) / REFERENCE_MS)
}

/**
 * Measures how long `request` blocks the event loop. Repeated while it is longer than `bytes`
 * allow.
 */
export async function holdOf(
  name: string,
  bytes: string,
  floor: number,
  request: () => Promise<unknown>,
): Promise<Hold> {
  let { holdMs } = await watched(request)
  if (holdMs <= floor) return { name, holdMs, boundMs: floor }
  const boundMs = Math.max(floor, MOST_PARSES * parseMs(bytes))
  for (let tries = 1; holdMs > boundMs && tries < TRIES; tries++) {
    holdMs = Math.min(holdMs, (await watched(request)).holdMs)
  }
  return { name, holdMs, boundMs }
}
