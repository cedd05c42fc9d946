import { type RequestLimit, slownessOf } from './pace.ts'

// The newest answer says how much of the limit of requests is left, whichever page asked.

let limit: RequestLimit | undefined
let waitsUntil = 0
const listeners = new Set<() => void>()

const tell = (): void => {
  for (const listener of listeners) listener()
}

const figureOf = (answer: Response, name: string): number | undefined => {
  const text = answer.headers.get(name)
  return text === null || !/^\d+$/.test(text) ? undefined : Number(text)
}

/** Reads what an answer says of the limit. */
export function noteAnswer(answer: Response): void {
  const most = figureOf(answer, 'ratelimit-limit')
  const remaining = figureOf(answer, 'ratelimit-remaining')
  const before = slowness()
  if (most !== undefined && remaining !== undefined) limit = { most, remaining }
  if (answer.status === 429) {
    waitsUntil = Date.now() + (figureOf(answer, 'retry-after') ?? 1) * 1_000
    tell()
  } else if (before !== slowness()) tell()
}

/** How many times slower than usual pages ask: 1, 2 or 4. */
export const slowness = (): number => slownessOf(limit)

/** Until when the API lets nobody of this browser in, milliseconds since 1970; 0: it does. */
export const refusedUntil = (): number => (waitsUntil > Date.now() ? waitsUntil : 0)

export function onLimit(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
