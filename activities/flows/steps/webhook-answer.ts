import { isDeeper } from '../../../src/domain/contacts/properties.ts'
import { withExactNumbers } from '../../../src/domain/json-numbers.ts'
import type { Incoming } from '../../../src/net/fetch.ts'
import type { FetchReason } from '../../../src/net/fetch-error.ts'
import type { Json } from '../../../src/store/db/sql.ts'

/** Bytes of an answer's body that are read. */
export const MOST_BYTES = 16_384
/** Characters that are kept of an answer that is not JSON. */
const MOST_CHARACTERS = 1_000
const DEEPEST = 20
const MOST_RETRY_AFTER_MS = 5 * 60_000

/** Failures that a retry would not change, since we refuse to send the request at all. */
const LASTING: readonly FetchReason[] = ['request_refused', 'address_refused', 'redirect_refused']
/** Client errors that may pass: timeout, too early, too many requests. */
const PASSING = [408, 425, 429]

export const isSuccess = ({ status }: Incoming): boolean => status >= 200 && status < 300

export const isPassingStatus = (status: number): boolean =>
  status >= 500 || PASSING.includes(status)

export const isPassingReason = (reason: FetchReason): boolean => !LASTING.includes(reason)

export function resultOf({ status, body, isCut }: Incoming): { status: number; body?: Json } {
  if (body.length === 0) return { status }
  const text = body.toString('utf8')
  const json = isCut ? undefined : jsonOf(text)
  return { status, body: json === undefined ? shortened(text) : json }
}

/**
 * Parses JSON that Postgres can store: no null characters, no unpaired surrogates, limited depth. A
 * number that JavaScript would change, such as a long id, becomes a text.
 */
function jsonOf(text: string): Json | undefined {
  try {
    const value: Json = JSON.parse(withExactNumbers(text))
    if (isDeeper(value, DEEPEST)) return undefined
    return /\\u(?:0000|d[89a-f])/.test(JSON.stringify(value)) ? undefined : value
  } catch {
    return undefined
  }
}

const shortened = (text: string): string =>
  text
    .slice(0, MOST_CHARACTERS)
    .replaceAll('\0', '\ufffd')
    .replace(/[\ud800-\udbff]$/, '')

/**
 * Returns the milliseconds that a receiver asks us to wait, given as seconds or a date (RFC 9110,
 * 10.2.3).
 */
export function retryAfter({ headers }: Incoming, nowMs: number): number {
  const value = headers.get('retry-after') ?? ''
  const requestedMs = /^\d{1,9}$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - nowMs
  return Number.isNaN(requestedMs) ? 0 : Math.min(Math.max(requestedMs, 0), MOST_RETRY_AFTER_MS)
}
