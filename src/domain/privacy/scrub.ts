/**
 * Removes secrets and personal data from logs. It works in two ways, since each misses cases of the
 * other: by field names, whatever they contain, and by patterns of texts, wherever they are, also
 * in error messages.
 */

const REDACTED = '[redacted]'
const MOST_DEPTH = 8
const MOST_ITEMS = 50
const MOST_CHARACTERS = 8_192

const SECRET_NAMES = new Set([
  'args',
  'body',
  'cookie',
  'detail',
  'firstname',
  'headers',
  'hint',
  'html',
  'htmlcontent',
  'internalquery',
  'key',
  'keyring',
  'keys',
  'lastname',
  'parameters',
  'payload',
  'properties',
  'query',
  'querystring',
  'setcookie',
  'subject',
  'text',
  'textcontent',
  'variables',
  'where',
])
const SECRET_ENDING =
  /(?:apikey|accesskeyid|accesskey|authorization|credentials?|email|emailaddress|hash|passw(?:or)?d|phone|phonenumber|recipients?|secret|signature|token)$/

/**
 * `xxx@yyy.zz`. The length of the local part is bounded: otherwise a long text without `@` would be
 * read again from each of its characters.
 */
const EMAIL =
  /[\p{L}\p{N}!#$%&'*+/=?^_`{|}~.-]{1,64}@(?:[\p{L}\p{N}-]{1,63}\.)+[\p{L}\p{N}-]{2,63}/gu
const PATTERNS: readonly (readonly [RegExp, string])[] = [
  // Our own keys, sessions and webhook secrets, also cut off.
  [/\b(loom|loomses|whsec)_[\w-]+/g, `$1_${REDACTED}`],
  [/\b(bearer|basic|digest)\s+[\w.~+/=-]{8,}/gi, `$1 ${REDACTED}`],
  // Access keys of AWS, long-lived and temporary.
  [/\b(?:AKIA|ASIA)[A-Z0-9]{12,}/g, REDACTED],
  // A keyring: `kid:base64 of 32 bytes`.
  [/\b([a-z0-9]{1,8}):[A-Za-z0-9+/]{43}=/g, `$1:${REDACTED}`],
  // Credentials in a URL: `postgres://user:password@host`.
  [/:\/\/[^\s/@:]*:[^\s/@]+@/g, `://${REDACTED}@`],
  // Links in mails.
  [/(\/(?:unsubscribe|preferences|confirm)\/)(?!:)[^\s/?#"']+/g, `$1${REDACTED}`],
  // The query of a URL or a path. It is found by its question mark: searching from each slash would
  // read a text of slashes and brackets as often as it has slashes.
  [/\?(?<=(?:https?:\/|\s|^|["'(])\/[^\s?"']*\?)[^\s"')]+/g, `?${REDACTED}`],
  [
    /\b((?:\w*(?:password|passwd|secret|token|api_?key|access_?key))["']?\s*[=:]\s*["']?)[^\s"',;&)]+/gi,
    `$1${REDACTED}`,
  ],
  // Telephone numbers with a country code. Ids have no `+`, and offsets of times have four digits.
  [/(?<![\w+/=])\+[1-9](?:[ ().-]{0,2}\d){7,14}(?!\d)/g, REDACTED],
  // 32 random bytes or more in base64url: webhook secrets, links. Ids and hashes have no capitals,
  // names in code no digit and few capitals.
  [
    /(?<![\w-])(?=[\w-]*[a-z])(?=[\w-]*[A-Z])(?=[\w-]*\d|(?:[a-z_-]*[A-Z]){10})[\w-]{43,}(?![\w-])/g,
    REDACTED,
  ],
]

/**
 * Pre-check that most texts do not match, so the patterns need not run. Patterns of long runs are
 * anchored to the beginning of a run and apply to long texts only, since trying them at each
 * character took half of the time of logging a request.
 */
const SUSPICIOUS =
  /[@?_]|:\/\/|bearer|basic|digest|AKIA|ASIA|\/(?:unsubscribe|preferences|confirm)\/|passw|secret|token|apikey|accesskey|\+[1-9]/i
const LONG_RUN = /(?<![\w-])[\w-]{43}|:[A-Za-z0-9+/]{43}=/
const LEAST_RUN = 43

const isSuspicious = (text: string): boolean =>
  SUSPICIOUS.test(text) || (text.length >= LEAST_RUN && LONG_RUN.test(text))

/** Removes keys, tokens, secrets and email addresses from a text. The rest stays readable. */
export function scrubText(text: string): string {
  const short = text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text
  if (!isSuspicious(short)) return short
  let scrubbed = short
  for (const [pattern, replacement] of PATTERNS) scrubbed = scrubbed.replace(pattern, replacement)
  return scrubbed.includes('@') ? scrubbed.replace(EMAIL, REDACTED) : scrubbed
}

/**
 * Returns a copy of `value` for logs: plain objects, arrays and scalars, errors with their causes
 * as objects. Fields with secret names are redacted whole, and texts are scrubbed.
 */
export const scrub = (value: unknown): unknown => scrubAt(value, 0)

function scrubAt(value: unknown, depth: number): unknown {
  switch (typeof value) {
    case 'string':
      return scrubText(value)
    case 'bigint':
      return value.toString()
    case 'function':
    case 'symbol':
      return undefined
    case 'object':
      break
    default:
      return value
  }
  if (value === null) return null
  if (depth >= MOST_DEPTH) return '[deep]'
  if (value instanceof Error) return scrubError(value, depth)
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString()
  if (ArrayBuffer.isView(value)) return '[bytes]'
  if (value instanceof Map || value instanceof Set) return `[${value.size} items]`
  if (Array.isArray(value)) {
    return value.slice(0, MOST_ITEMS).map((each) => scrubAt(each, depth + 1))
  }
  return scrubFields(value, depth)
}

function scrubFields(value: object, depth: number): Record<string, unknown> {
  const copy: Record<string, unknown> = {}
  let count = 0
  for (const [name, child] of Object.entries(value)) {
    if (++count > MOST_ITEMS) break
    const { shownName, isSecret } = verdictOn(name)
    copy[shownName] = scrubField(child, isSecret, depth)
  }
  return copy
}

function scrubField(value: unknown, isSecret: boolean, depth: number): unknown {
  if (value === undefined || value === null || typeof value === 'boolean') return value
  return isSecret ? REDACTED : scrubAt(value, depth + 1)
}

interface Verdict {
  shownName: string
  isSecret: boolean
}

/** Limit of the cache of field names, which outsiders must not be able to fill. */
const MOST_VERDICTS = 1_000
const verdicts = new Map<string, Verdict>()

function verdictOn(name: string): Verdict {
  const cachedVerdict = verdicts.get(name)
  if (cachedVerdict) return cachedVerdict
  const verdict = { shownName: scrubText(name), isSecret: isSecretName(name) }
  if (verdicts.size < MOST_VERDICTS) verdicts.set(name, verdict)
  return verdict
}

function isSecretName(name: string): boolean {
  const plain = name.replace(/[-_]/g, '').toLowerCase()
  return SECRET_NAMES.has(plain) || SECRET_ENDING.test(plain)
}

const REFUSED_VALUE = /^22/
const QUOTED = /"[^"]*"/g

function scrubError(error: Error, depth: number): Record<string, unknown> {
  const code: unknown = Reflect.get(error, 'code')
  const hidesQuoted = typeof code === 'string' && REFUSED_VALUE.test(code) && code.length === 5
  const words = (text: string): string =>
    scrubText(hidesQuoted ? text.replace(QUOTED, `"${REDACTED}"`) : text)
  const { cause } = error
  return {
    ...scrubFields(error, depth),
    type: error.name,
    message: words(error.message),
    ...(error.stack === undefined ? {} : { stack: words(error.stack) }),
    ...(cause === undefined ? {} : { cause: scrubAt(cause, depth + 1) }),
    ...(error instanceof AggregateError
      ? { errors: error.errors.slice(0, MOST_ITEMS).map((each) => scrubAt(each, depth + 1)) }
      : {}),
  }
}
