import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { finished } from 'node:stream/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { storageFull } from '../../src/core/access/plan.ts'
import { AppError, badRequest, type ErrorCode, unavailable } from '../../src/domain/errors.ts'
import { uuidv7 } from '../../src/runtime/ids.ts'
import type { ApiError } from '../../src/schemas/error.ts'
import { escapeHtml } from '../../src/domain/escape-html.ts'
import { STORAGE_FULL } from '../../src/store/db/sql.ts'
import { sendPage, wantsHtml } from './html-pages.ts'
import { HttpError } from './http-error.ts'
import { answerable, answerableMessage } from './input-paths.ts'
import { REQUEST_ID_HEADER } from './request-id.ts'
import { REQUEST_LIMITS } from './request-limits.ts'

const STATUS: Record<ErrorCode, number> = {
  BAD_REQUEST: 400,
  MALFORMED_REQUEST: 400,
  UNAUTHORIZED: 401,
  PAYMENT_REQUIRED: 402,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  REQUEST_FAILED: 400,
  CONFLICT: 409,
  PAYLOAD_TOO_LARGE: 413,
  VALIDATION_FAILED: 422,
  RATE_LIMITED: 429,
  INTERNAL_ERROR: 500,
}

/** Errors of the driver and of Postgres for a missing or overloaded database. */
const UNAVAILABLE = new Set([
  'CONNECT_TIMEOUT',
  'CONNECTION_CLOSED',
  'CONNECTION_DESTROYED',
  'CONNECTION_ENDED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENOENT',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
  '53300', // too many connections
  '57014', // the statement took too long
  '57P01', // shut down by an administrator
  '57P02', // crashed
  '57P03', // starting or stopping
])
const RETRY_AFTER_SECONDS = 2
const READ_REFUSAL_MS = 1_000
const TOO_LARGE = 'FST_ERR_CTP_BODY_TOO_LARGE'

declare module 'fastify' {
  interface FastifyContextConfig {
    fieldsOf503?: (refusal: Pick<AppError, 'message'>) => object
    /** A page for people. Browsers get its errors as pages, too. */
    isPage?: true
  }
}

export type ErrorFields = (
  refusal: AppError,
  { status, request }: { status: number; request: FastifyRequest },
) => object

export function answerErrors(app: FastifyInstance, fieldsOf?: ErrorFields): void {
  app.setErrorHandler(async (error, request, reply) => {
    if (wordOf(error, 'code') === TOO_LARGE) await bodyEnd(request.raw)
    return answerError(error, request, reply, fieldsOf)
  })
}

/**
 * Discards the rest of a body for as long as a client needs to send a few megabytes. A client that
 * still sends when the connection closes would see a reset instead of the refusal.
 */
async function bodyEnd(body: IncomingMessage): Promise<void> {
  const signal = AbortSignal.timeout(READ_REFUSAL_MS)
  // However it ends, the refusal is answered.
  await finished(body.resume(), { signal }).catch(() => {})
}

/**
 * Responds with `error` as an ApiError. Unexpected errors are logged whole and answered without
 * details.
 */
export function answerError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  fieldsOf?: ErrorFields,
) {
  const refusal = asRefusal(error, request)
  const status = statusOf(refusal)
  const { fieldsOf503, isPage } = request.routeOptions.config
  if (status >= 500) {
    request.log.error({ reqId: request.id, err: error, route: request.routeOptions.url }, 'failed')
  }
  reply.code(status).headers({ [REQUEST_ID_HEADER]: request.id, ...headersOf(refusal) })
  if (isPage && wantsHtml(request.headers.accept)) return sendPage(reply, pageOf(refusal, status))
  return reply.type('application/json; charset=utf-8').send({
    ...bodyOf(refusal, request.id),
    ...(refusal instanceof HttpError ? refusal.fields : {}),
    ...(status === 503 && fieldsOf503 ? fieldsOf503(refusal) : {}),
    ...fieldsOf?.(refusal, { status, request }),
  })
}

function statusOf(refusal: AppError): number {
  if (refusal instanceof HttpError && refusal.status !== undefined) return refusal.status
  const { code, retryAfterSeconds } = refusal
  return code === 'INTERNAL_ERROR' && retryAfterSeconds !== undefined ? 503 : STATUS[code]
}

const headersOf = (refusal: AppError): Record<string, string> => ({
  ...(refusal.retryAfterSeconds === undefined
    ? {}
    : { 'retry-after': String(refusal.retryAfterSeconds) }),
  ...(refusal instanceof HttpError ? refusal.headers : {}),
})

/** Returns the page that a person reads when the page of a link is not available. */
function pageOf({ message, retryAfterSeconds: seconds }: AppError, status: number) {
  const again = seconds === undefined ? '' : `Please try again in ${seconds} seconds.`
  if (status === 429)
    return { title: 'Too many requests', body: `<p>${escapeHtml(again)}</p>`, status }
  const text = status >= 500 ? 'This page cannot be shown at the moment.' : `${message}.`
  return {
    title: 'This did not work',
    body: `<p>${escapeHtml(`${text} ${again}`.trim())}</p>`,
    status,
  }
}

const bodyOf = (refusal: AppError, requestId: string): ApiError => ({
  error: answerableMessage(refusal.message),
  code: refusal.code,
  requestId,
  ...(refusal.reason === undefined ? {} : { reason: refusal.reason }),
  ...(refusal.details === undefined ? {} : { details: answerable(refusal.details) }),
})

function asRefusal(error: unknown, request: FastifyRequest): AppError {
  return (
    refusalOf(error) ??
    asFrameworkRefusal(error, wordOf(error, 'code'), request) ??
    new AppError('INTERNAL_ERROR', 'Something went wrong on our side')
  )
}

/** Returns the refusal for a caller. Undefined: a bug, or an error of the framework. */
export function refusalOf(error: unknown): AppError | undefined {
  if (error instanceof AppError) return error
  const code = wordOf(error, 'code')
  if (code !== undefined && UNAVAILABLE.has(code)) {
    return unavailable('The service is not available for a moment', {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    })
  }
  return code === STORAGE_FULL ? storageFull() : undefined
}

function asFrameworkRefusal(
  error: unknown,
  code: string | undefined,
  request: FastifyRequest,
): AppError | undefined {
  switch (code) {
    case TOO_LARGE: {
      const limit = request.routeOptions.bodyLimit
      return new AppError('PAYLOAD_TOO_LARGE', `The body is larger than ${limit} bytes`)
    }
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return unsupportedMediaType(request.headers['content-type'])
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return malformedBody('is not as long as Content-Length says')
    case 'FST_ERR_BAD_URL':
    case 'FST_ERR_INVALID_URL':
      return badPath('is not validly percent-encoded')
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return badPath(
        `has a parameter of more than ${REQUEST_LIMITS.pathParameterCharacters} characters`,
      )
    default: {
      const status = error instanceof Error && 'statusCode' in error ? error.statusCode : undefined
      if (typeof status !== 'number' || status < 400 || status >= 500) return undefined
      const meaning = STATUS_CODES[status] ?? String(status)
      return new HttpError('REQUEST_FAILED', `The request was refused: ${meaning}`, { status })
    }
  }
}

export const malformedBody = (message: string): AppError =>
  new AppError('MALFORMED_REQUEST', `The body ${message}`, { details: [{ path: '', message }] })

/** The parameter cannot be named, since such a path finds no route. */
const badPath = (message: string): AppError =>
  badRequest(`The path ${message}`, [{ path: 'path', message }])

export const unsupportedMediaType = (mediaType: string | undefined): AppError =>
  new HttpError(
    'REQUEST_FAILED',
    mediaType === undefined
      ? 'The body has no Content-Type. Send application/json'
      : 'This media type is not supported here. Send application/json',
    { status: 415, reason: 'unsupported_media_type' },
  )

function wordOf(error: unknown, name: string): string | undefined {
  if (!(error instanceof Error) || !(name in error)) return undefined
  const value: unknown = Reflect.get(error, name)
  return typeof value === 'string' ? value : undefined
}

const NO_REQUEST = {
  400: 'The request is not valid HTTP',
  408: 'The request did not arrive in time',
  431: `The address and headers of the request are larger than ${REQUEST_LIMITS.headerBytes} bytes`,
} as const

/**
 * Responds to bytes that are not HTTP on the socket, as an ApiError too, since they never become a
 * request.
 */
export function answerClientError(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) {
    socket.destroy()
    return
  }
  const status =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? 431
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? 408
        : 400
  const id = uuidv7()
  const code: ErrorCode = status === 400 ? 'MALFORMED_REQUEST' : 'REQUEST_FAILED'
  const body = JSON.stringify({ error: NO_REQUEST[status], code, requestId: id })
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      `Content-Type: application/json; charset=utf-8`,
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Cache-Control: no-store',
      'X-Content-Type-Options: nosniff',
      `${REQUEST_ID_HEADER}: ${id}`,
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  )
  // A client that does not read it must not keep the connection.
  setTimeout(() => socket.destroy(), READ_REFUSAL_MS).unref()
}
