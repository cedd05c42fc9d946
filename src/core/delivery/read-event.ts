import { createHash } from 'node:crypto'
import type { EventEnvelope } from '../../schemas/delivery/webhook.ts'

/** Bytes that are stored of an unreadable body: enough to recognize it. */
const KEPT_UNREAD_BYTES = 4 * 1024
/** Levels of nested lists and objects. */
const DEEPEST = 64

/** Limit of a delivery event, whichever way it comes. */
const MOST_EVENT_BYTES = 1024 * 1024

/** A body that came with a valid proof and is not an event. */
export interface UnreadBody {
  reason: UnreadReason
  /** Null: the body could not be searched for addresses, so none of it is stored. */
  text: string | null
  /** Digest of the body. The same body again is the same event. */
  digest: string
}

export type UnreadReason =
  | 'too_large'
  | 'unsupported_encoding'
  | 'invalid_json'
  | 'unstorable_text'
  | 'no_envelope'
  /** Postgres refuses the value. */
  | 'refused_value'

/** Only an escape can contain a NUL or half of a surrogate pair: bytes are decoded as UTF-8. */
const SUSPICIOUS_ESCAPE = /\\u(?:0000|d[89a-f])/i

/**
 * Reads JSON that can be stored. Texts that Postgres cannot store are replaced (U+FFFD), and the
 * last of duplicate keys counts: the sender cannot correct them.
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

/** Returns whether the nesting and the keys can be stored. */
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

export const describeUnread = (reason: UnreadReason, bytes: Buffer): UnreadBody => ({
  reason,
  text:
    reason === 'unsupported_encoding' || reason === 'refused_value'
      ? null
      : storable(bytes.toString('utf8', 0, KEPT_UNREAD_BYTES)),
  digest: createHash('sha256').update(bytes).digest('hex'),
})

/** Reads the envelope of an event from a queue, with the rules of the webhook's schema. */
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
