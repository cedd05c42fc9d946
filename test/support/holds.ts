import { parseMs, watched } from './event-loop.ts'

/**
 * For how long one request may hold the event loop: so often as long as `JSON.parse` reads its
 * bytes, and never less than `FLOOR_MS`. Both are processor time of this thread.
 *
 * Measured 2026-11-22 at the limits of all operations: 5 MiB of escaped quotes need 4.6 times their
 * parsing, a mebibyte of empty objects 3.8, of keys 3.3; whatever needs more is below the floor.
 */
const MOST_PARSES = 8
const FLOOR_MS = 25
/** Parsing `REFERENCE` took so long where `FLOOR_MS` was chosen: a slower machine gets more. */
const REFERENCE_MS = 7
const REFERENCE = JSON.stringify(
  Array.from({ length: 20_000 }, (_, n) => ({ id: n, name: `n${n}`, tags: ['a', 'b'] })),
)
/** The garbage collector adds to single tries: the least of several counts. */
const TRIES = 4

export interface Hold {
  name: string
  holdMs: number
  boundMs: number
}

export function floorMs(): number {
  return FLOOR_MS * Math.max(1, parseMs(REFERENCE) / REFERENCE_MS)
}

/** How long `request` holds the event loop; tried again while it is longer than `bytes` excuse. */
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
