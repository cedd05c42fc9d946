import { createHash } from 'node:crypto'
import type { EventEnvelope } from '../../schemas/delivery/webhook.ts'

/** The beginning of a body that could not be read; enough to see what it was. */
const KEPT_UNREAD_BYTES = 4 * 1024
/** Levels of lists and objects. */
const DEEPEST = 64

/** A delivery event is no longer than this, whichever way it comes. */
const MOST_EVENT_BYTES = 1024 * 1024

/** A body that came with a right proof and is not an event: why, and what is kept of it. */
export interface UnreadBody {
  reason: UnreadReason
  /** Null: it could not be searched for a person's address, so nothing of it is kept. */
  text: string | null
  /** The same body again is the same event. */
  digest: string
}

export type UnreadReason =
  | 'too_large'
  | 'unsupported_encoding'
  | 'invalid_json'
  | 'unstorable_text'
  | 'no_envelope'
  /** Postgres does not take it. */
  | 'refused_value'

/** Only an escape can bring in a NUL or half of a surrogate pair: bytes are decoded as UTF-8. */
const SUSPICIOUS_ESCAPE = /\\u(?:0000|d[89a-f])/i

/**
 * Reads JSON that can be stored. Texts that Postgres cannot store are replaced (U+FFFD), and of a
 * key that is there twice the last one counts: the sender cannot mend it.
 */
export function parseEvent(text: string): { value: unknown } | { reason: UnreadReason } {
  try {
    const isSuspicious = SUSPICIOUS_ESCAPE.test(text)
    const parsed: unknown = JSON.parse(text)
    const value = isSuspicious ? replaceTexts(parsed, 0) : parsed
    return isStorable(value, isSuspicious, 0) ? { value } : { reason: 'unstorable_text' }
  } catch {
    return { reason: 'invalid_json' }
  }
}

const UNSTORABLE = /\p{Surrogate}|\0/gu
const storable = (text: string): string => text.replace(UNSTORABLE, '\ufffd')

function replaceTexts(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return storable(value)
  if (typeof value !== 'object' || value === null || depth > DEEPEST) return value
  if (Array.isArray(value)) {
    for (const [at, child] of value.entries()) value[at] = replaceTexts(child, depth + 1)
    return value
  }
  for (const [key, child] of Object.entries(value)) {
    Reflect.set(value, key, replaceTexts(child, depth + 1))
  }
  return value
}

/** Returns whether its nesting and its keys can be stored. */
function isStorable(value: unknown, isSuspicious: boolean, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  if (depth > DEEPEST) return false
  if (Array.isArray(value)) {
    return value.every((child) => isStorable(child, isSuspicious, depth + 1))
  }
  for (const [key, child] of Object.entries(value)) {
    if (isSuspicious && storable(key) !== key) return false
    if (!isStorable(child, isSuspicious, depth + 1)) return false
  }
  return true
}

/** Description of a body that is not an event. */
export const describeUnread = (reason: UnreadReason, bytes: Buffer): UnreadBody => ({
  reason,
  text:
    reason === 'unsupported_encoding' || reason === 'refused_value'
      ? null
      : storable(bytes.toString('utf8', 0, KEPT_UNREAD_BYTES)),
  digest: createHash('sha256').update(bytes).digest('hex'),
})

/** The envelope of an event that came by a queue: what the webhook's schema asks for, too. */
export function readEnvelope(text: string): { envelope: EventEnvelope } | UnreadBody {
  const bytes = Buffer.from(text)
  if (bytes.length > MOST_EVENT_BYTES) return describeUnread('too_large', bytes)
  const parsed = parseEvent(text)
  if ('reason' in parsed) return describeUnread(parsed.reason, bytes)
  return isEnvelope(parsed.value)
    ? { envelope: parsed.value }
    : describeUnread('no_envelope', bytes)
}

function isEnvelope(value: unknown): value is EventEnvelope {
  if (!isObject(value)) return false
  const { id, account, region, detail } = value
  return (
    isText(id, 255) && id !== '' && isText(account, 64) && isText(region, 64) && isObject(detail)
  )
}

const isText = (value: unknown, most: number): value is string =>
  typeof value === 'string' && value.length <= most

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
