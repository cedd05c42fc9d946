import type { FastifyInstance, FastifyRequest } from 'fastify'
import { safeParse } from 'secure-json-parse'
import { AppError, type ErrorDetail } from '../../src/domain/errors.ts'
import { HttpError } from './http-error.ts'
import { findInexactNumbers, INEXACT_NUMBER } from '../../src/domain/json-numbers.ts'
import { shown } from '../../src/domain/text.ts'
import { sha256 } from '../../src/keys/tokens.ts'
import { findDuplicateKeys } from './edges/duplicate-keys.ts'
import { malformedBody, unsupportedMediaType } from './errors.ts'
import { rowListOf } from './row-schemas.ts'
import { MOST_DETAILS, pathOf, type Place } from './input-paths.ts'
import { REQUEST_LIMITS } from './request-limits.ts'

/**
 * Escapes that can bring in a NUL or an unpaired surrogate. The bytes themselves were decoded as
 * UTF-8.
 */
const SUSPICIOUS_ESCAPE = /\\u(?:0000|d[89a-f])/i
/** Inexact numbers of a body that are searched for. A body with so many is refused as a whole. */
const MOST_INEXACT = 1_000
/** Characters that Postgres cannot store in a text. */
export const UNSTORABLE = /\p{Surrogate}|\0/u
export const UNSTORABLE_WORDS = 'must not contain NUL characters or unpaired surrogates'

type Keys = readonly (string | number)[]

declare module 'fastify' {
  interface FastifyRequest {
    /** The JSON text has escapes that may produce an unstorable string. */
    hasSuspiciousText: boolean
    /** Rows of the body with a repeated key, with the path of the key in the row. */
    duplicateKeys: ReadonlyMap<number, string> | null
    inexactNumbers: readonly Keys[] | undefined
  }
  interface FastifyContextConfig {
    /** Takes a body with `Content-Encoding: gzip`, which the route inflates and limits. */
    takesGzip?: boolean
    readsAnyBody?: boolean
  }
}

/**
 * Reads bodies: JSON only. Refuses repeated keys and keys that would reach a prototype. A row with
 * a repeated key is refused alone where rows are checked separately. An empty body counts as none,
 * whatever its media type.
 */
export function readBodies(app: FastifyInstance): void {
  app.decorateRequest('hasSuspiciousText', false)
  app.decorateRequest('duplicateKeys', null)
  app.decorateRequest('inexactNumbers')

  app.addHook('onRequest', (request, _reply, done) => {
    const { headers } = request.raw
    const encoding = headers['content-encoding'] ?? 'identity'
    const { takesGzip, readsAnyBody } = request.routeOptions.config
    const isTaken = readsAnyBody === true || (encoding === 'gzip' && takesGzip === true)
    if (encoding !== 'identity' && !isTaken) {
      done(
        new HttpError('REQUEST_FAILED', 'Content-Encoding is not supported here', {
          status: 415,
        }),
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
      const body: unknown = safeParse(text)
      const refusal = refusalOf(text, body)
      if (refusal) {
        done(refusal)
        return
      }
      const { path, rows } = findDuplicateKeys(text, rowListOf(request.routeOptions.schema?.body))
      if (path !== undefined) done(duplicateKey('body', path))
      else {
        request.duplicateKeys = rows
        request.hasSuspiciousText = SUSPICIOUS_ESCAPE.test(text)
        request.inexactNumbers = findInexactNumbers(text, MOST_INEXACT).map(({ keys }) => keys)
        if (request.headers['idempotency-key'] !== undefined) request.bodyHash = sha256(text)
        done(null, body)
      }
    },
  )
  app.addContentTypeParser<Buffer>('*', { parseAs: 'buffer' }, (request, bytes, done) => {
    if (bytes.length === 0) done(null, undefined)
    else done(unsupportedMediaType(request.headers['content-type']))
  })
}

function refusalOf(text: string, body: unknown): AppError | undefined {
  if (body === undefined) return malformedBody('is not valid JSON')
  // What it says to keys that would reach a prototype.
  if (body === null && text.trim() !== 'null') {
    return malformedBody('must not have the keys __proto__ and constructor.prototype')
  }
  return undefined
}

export function duplicateKey(of: 'body' | 'row', path: string): AppError {
  const place = shown(path)
  return new AppError('MALFORMED_REQUEST', `The ${of} repeats the key ${place}`, {
    reason: 'duplicate_key',
    details: [{ path: place, message: 'is repeated' }],
  })
}

/**
 * Refuses what no schema can: unlimited nesting, unstorable text, and numbers that JavaScript would
 * change. `rows` is the list of the body whose rows are checked separately.
 */
export function checkText(request: FastifyRequest, rows?: string): void {
  const { body, hasSuspiciousText, inexactNumbers = [] } = request
  const list: unknown = rows === undefined ? undefined : Reflect.get(Object(body), rows)
  refuseUnstorable(body, hasSuspiciousText, Array.isArray(list) ? list : undefined)
  const isOfRow = ([name, index]: Keys) => name === rows && typeof index === 'number'
  const isRefusedWhole = inexactNumbers.length >= MOST_INEXACT
  const details = inexactDetails(inexactNumbers.filter((keys) => isRefusedWhole || !isOfRow(keys)))
  const [first] = details
  if (first === undefined) return
  throw new AppError('VALIDATION_FAILED', `${first.path || 'The body'} ${first.message}`, {
    details,
  })
}

export const inexactNumbersOf = (
  { inexactNumbers = [] }: Pick<FastifyRequest, 'inexactNumbers'>,
  index: number,
): ErrorDetail[] =>
  inexactDetails(inexactNumbers.filter((keys) => keys[1] === index).map((keys) => keys.slice(2)))

const inexactDetails = (places: readonly Keys[]): ErrorDetail[] =>
  places.slice(0, MOST_DETAILS).map((keys) => {
    const place = keys.reduce<Place | undefined>((within, key) => ({ within, key }), undefined)
    return { path: pathOf(place), message: INEXACT_NUMBER }
  })

/**
 * Refuses any other unstorable value, except its part `besides`. `isSuspicious`: its texts are
 * checked as well.
 */
export function refuseUnstorable(value: unknown, isSuspicious: boolean, besides?: object): void {
  const details: ErrorDetail[] = []
  visit(value, undefined, 0)
  if (details.length === 0) return
  throw new AppError('VALIDATION_FAILED', 'The body has text that cannot be stored', { details })

  function visit(value: unknown, place: Place | undefined, depth: number): void {
    if (typeof value === 'string') {
      if (isSuspicious) lookAt(value, place)
      return
    }
    if (typeof value !== 'object' || value === null || value === besides) return
    if (depth > REQUEST_LIMITS.nesting) throw tooDeep(place)
    if (Array.isArray(value)) {
      for (let key = 0; key < value.length && details.length < MOST_DETAILS; key++) {
        const child: unknown = value[key]
        if (isWorth(child)) visit(child, { within: place, key }, depth + 1)
      }
      return
    }
    const object: Readonly<Record<string, unknown>> = Object(value)
    for (const key in object) {
      if (details.length >= MOST_DETAILS) return
      if (isSuspicious) lookAt(key, place)
      const child = object[key]
      if (isWorth(child)) visit(child, { within: place, key }, depth + 1)
    }
  }

  /**
   * Most members are neither objects nor suspicious. A place for each would cost as much as parsing
   * them.
   */
  function isWorth(value: unknown): boolean {
    return typeof value === 'string' ? isSuspicious : typeof value === 'object' && value !== null
  }

  function lookAt(text: string, place: Place | undefined): void {
    if (details.length >= MOST_DETAILS || !UNSTORABLE.test(text)) return
    details.push({ path: pathOf(place), message: UNSTORABLE_WORDS })
  }
}

const tooDeep = (place: Place | undefined): AppError =>
  new AppError('VALIDATION_FAILED', 'The body is nested too deeply', {
    details: [
      { path: pathOf(place), message: `is nested more than ${REQUEST_LIMITS.nesting} deep` },
    ],
  })
