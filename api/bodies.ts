import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AppError, type ErrorDetail } from '../src/domain/errors.ts'
import { sha256 } from '../src/tokens.ts'
import { findDuplicateKey } from './edges/duplicate-keys.ts'
import { malformedBody, unsupportedMediaType } from './errors.ts'

const MEBIBYTE = 1024 * 1024
export const BODY_LIMIT = MEBIBYTE
export const LARGE_BODY_LIMIT = 5 * MEBIBYTE

/** Deeper nesting serves nobody, and both Postgres and recursion end somewhere. */
const MOST_DEPTH = 64
/** Of a path in an answer. */
const MOST_PATH = 255
/**
 * Only an escape can bring in a NUL or half a character: the bytes themselves were decoded as
 * UTF-8.
 */
const SUSPICIOUS_ESCAPE = /\\u(?:0000|d[89a-f])/i
/** What Postgres cannot store as text. */
export const UNSTORABLE = /\p{Surrogate}|\0/u

declare module 'fastify' {
  interface FastifyRequest {
    /** The JSON text has escapes that may make a string which cannot be stored. */
    hasSuspiciousText: boolean
  }
  interface FastifyContextConfig {
    /** Takes a body with `Content-Encoding: gzip`; the route inflates and limits it. */
    takesGzip?: boolean
    /**
     * What cannot be stored is replaced (U+FFFD) instead of refused, and of a key that is there
     * twice the last one counts: its sender cannot mend it.
     */
    replacesUnstorable?: boolean
  }
}

/**
 * How bodies are read: JSON, refusing keys that would reach a prototype or are there twice; nothing
 * else. An empty body is no body whatever its media type says.
 */
export function readBodies(app: FastifyInstance): void {
  const parseJson = app.getDefaultJsonParser('error', 'error')
  app.decorateRequest('hasSuspiciousText', false)

  app.addHook('onRequest', (request, _reply, done) => {
    const { headers } = request.raw
    const encoding = headers['content-encoding'] ?? 'identity'
    const isTaken = encoding === 'gzip' && request.routeOptions.config.takesGzip === true
    if (encoding !== 'identity' && !isTaken) {
      done(
        new AppError('REQUEST_FAILED', 'A Content-Encoding is not supported here', { status: 415 }),
      )
      return
    }
    const length = headers['content-length']
    const isEmpty = length === '0' || (length === undefined && !headers['transfer-encoding'])
    if (isEmpty) delete headers['content-type']
    done()
  })

  app.removeAllContentTypeParsers()
  app.addContentTypeParser<string>(
    'application/json',
    { parseAs: 'string' },
    (request, text, done) => {
      if (text.trim() === '') {
        done(null, undefined)
        return
      }
      request.hasSuspiciousText = SUSPICIOUS_ESCAPE.test(text)
      if (request.headers['idempotency-key'] !== undefined) request.bodyHash = sha256(text)
      const replaces = request.routeOptions.config.replacesUnstorable === true
      void parseJson(request, text, (error, body) => {
        if (error !== null) done(unreadable(text))
        else if (replaces) {
          done(null, request.hasSuspiciousText ? JSON.parse(text, replaceUnstorable) : body)
        } else {
          const duplicate = findDuplicateKey(text, body)
          if (duplicate === undefined) done(null, body)
          else done(duplicateKey(duplicate))
        }
      })
    },
  )
  app.addContentTypeParser<Buffer>('*', { parseAs: 'buffer' }, (request, bytes, done) => {
    if (bytes.length === 0) done(null, undefined)
    else done(unsupportedMediaType(request.headers['content-type']))
  })
}

/** What the parser refuses and JSON allows are keys that would reach a prototype. */
function unreadable(text: string): AppError {
  try {
    JSON.parse(text)
  } catch {
    return malformedBody('is not valid JSON')
  }
  return malformedBody('must not have the keys __proto__ and constructor.prototype')
}

function duplicateKey(path: string): AppError {
  const shown = path.slice(0, MOST_PATH).replace(/\p{Surrogate}|\0/gu, '?')
  return new AppError('MALFORMED_REQUEST', `The body has the key ${shown} twice`, {
    reason: 'duplicate_key',
    details: [{ path: shown, message: 'is there twice' }],
  })
}

const replaceUnstorable = (_key: string, value: unknown): unknown =>
  typeof value === 'string' ? value.replace(/\p{Surrogate}|\0/gu, '\ufffd') : value

/** Refuses what no schema can: nesting without end, and text that cannot be stored. */
export const checkText = ({ body, hasSuspiciousText }: FastifyRequest): void =>
  refuseUnstorable(body, hasSuspiciousText)

/** The same of any value; `isSuspicious`: its texts are to be looked at too. */
export function refuseUnstorable(given: unknown, isSuspicious: boolean): void {
  if (typeof given !== 'object' || given === null) return
  const details: ErrorDetail[] = []
  const waiting: { value: unknown; path: string; depth: number }[] = [
    { value: given, path: '', depth: 0 },
  ]
  for (let item = waiting.pop(); item !== undefined; item = waiting.pop()) {
    const { value, path, depth } = item
    if (typeof value === 'string') {
      if (isSuspicious && UNSTORABLE.test(value)) details.push(unstorable(path))
      continue
    }
    if (typeof value !== 'object' || value === null) continue
    if (depth > MOST_DEPTH) {
      throw new AppError('VALIDATION_FAILED', 'The body is nested too deeply', {
        details: [
          { path: path.slice(0, MOST_PATH), message: `is nested more than ${MOST_DEPTH} deep` },
        ],
      })
    }
    for (const [key, child] of Object.entries(value)) {
      if (isSuspicious && UNSTORABLE.test(key)) details.push(unstorable(path))
      if (typeof child !== 'string' && (typeof child !== 'object' || child === null)) continue
      if (typeof child === 'string' && !isSuspicious) continue
      waiting.push({ value: child, path: path === '' ? key : `${path}.${key}`, depth: depth + 1 })
    }
  }
  if (details.length === 0) return
  throw new AppError('VALIDATION_FAILED', 'The body has text that cannot be stored', { details })
}

const unstorable = (path: string): ErrorDetail => ({
  path: path.replace(/\p{Surrogate}|\0/gu, '?'),
  message: 'must not contain NUL characters or halves of characters',
})
