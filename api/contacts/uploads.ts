import { createHash } from 'node:crypto'
import { pipeline, Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { Busboy } from '@fastify/busboy'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AppError } from '../../src/domain/errors.ts'
import { HttpError } from '../http/http-error.ts'
import { breather } from '../../src/runtime/breather.ts'
import { malformedBody, unsupportedMediaType } from '../http/errors.ts'
import { REQUEST_LIMITS } from '../http/request-limits.ts'

/** Bytes of an upload that its Idempotency-Key covers. */
const FINGERPRINT_BYTES = 1024 * 1024

/** Time spent waiting for bytes, without the time spent working on them. */
const WINDOW_MS = 30_000
/** Minimum of a window, 10 KB a second. A slower caller holds a connection, not a file. */
const LEAST_BYTES = 300_000

const LAST_BYTES_MS = 5_000

/**
 * Chunks of up to 64 KiB that are read while earlier ones are worked on: 8 MiB. The end of a
 * connection comes behind all that was sent, some megabytes of which wait in the kernel.
 */
const MOST_AHEAD = 128
/** Uploads of a process that are read ahead at once. */
const MOST_READ_AHEAD = 8

const PIECE_BYTES = 16 * 1024

export const MEDIA_TYPES = ['text/csv', 'application/x-ndjson', 'multipart/form-data'] as const
const ACCEPTED = MEDIA_TYPES.join(', ')

declare module 'fastify' {
  interface FastifyRequest {
    upload: AsyncIterable<Uint8Array> | undefined
  }
}

/**
 * Makes the routes of `app` take files instead of JSON, read while they arrive. With an
 * Idempotency-Key, the first MiB is read before as a fingerprint.
 */
export function takeUploads(app: FastifyInstance): void {
  app.decorateRequest('upload', undefined)
  app.addHook('onResponse', async (request) => drainRefused(request))
  app.removeAllContentTypeParsers()
  app.addContentTypeParser([...MEDIA_TYPES], async (request: FastifyRequest, payload: Readable) => {
    if (Number(request.headers['content-length'] ?? 0) > REQUEST_LIMITS.uploadBytes)
      throw tooLarge()
    const bytes = limited(readAhead(patient(payload)))
    request.upload = bytes
    if (request.headers['idempotency-key'] === undefined) return
    const head: Uint8Array[] = []
    let size = 0
    while (size < FINGERPRINT_BYTES) {
      const { done, value } = await bytes.next()
      if (done === true) break
      head.push(value)
      size += value.length
    }
    const first = Buffer.concat(head).subarray(0, FINGERPRINT_BYTES)
    request.bodyHash = createHash('sha256').update(first).digest()
    request.upload = chained(head, bytes)
  })
  app.addContentTypeParser('*', async (request: FastifyRequest) => {
    const { message } = unsupportedMediaType(request.headers['content-type'])
    throw new HttpError('REQUEST_FAILED', message.replace('application/json', ACCEPTED), {
      status: 415,
      reason: 'unsupported_media_type',
    })
  })
}

export interface UploadedFile {
  fields: Record<string, string>
  mediaType: string
  /** Empty if the file came without a form. */
  name: string
  /** Throws an AppError when the upload is interrupted, too large or in another format. */
  bytes: AsyncIterable<Uint8Array>
}

export async function uploadedFile({ upload, headers }: FastifyRequest): Promise<UploadedFile> {
  if (upload === undefined) throw malformedBody('is empty: send a file')
  const contentType = headers['content-type'] ?? ''
  const mediaType = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  const bytes = headers['content-encoding'] === 'gzip' ? limited(inflated(upload)) : upload
  if (mediaType !== 'multipart/form-data') return { fields: {}, mediaType, name: '', bytes }
  return fileOfForm(contentType, bytes)
}

async function* patient(payload: Readable): AsyncGenerator<Uint8Array> {
  // A refused upload is read on until the refusal is on its way: see `drainRefused`.
  const iterator: AsyncIterator<Uint8Array> = payload.iterator({ destroyOnReturn: false })
  let waitedMs = 0
  let received = 0
  try {
    for (;;) {
      const begunAt = performance.now()
      const next = iterator.next()
      while (!(await settlesWithin(next, WINDOW_MS - waitedMs))) {
        if (received < LEAST_BYTES) throw tooSlow()
        waitedMs = 0
        received = 0
      }
      const { done, value } = await next
      if (done === true) return
      waitedMs += performance.now() - begunAt
      received += value.length
      yield value
    }
  } catch (error) {
    if (error instanceof AppError) throw error
    throw new AppError('MALFORMED_REQUEST', 'The upload was interrupted', {
      details: [{ path: '', message: 'was interrupted' }],
    })
  } finally {
    void iterator.return?.().catch(() => {})
  }
}

let uploadsReadAhead = 0

/**
 * Reads ahead. An interrupted upload ends at once, even if much of it is unprocessed, and gives its
 * place to another.
 */
async function* readAhead(bytes: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  const mayReadAhead = uploadsReadAhead < MOST_READ_AHEAD
  if (mayReadAhead) uploadsReadAhead++
  try {
    yield* Readable.from(bytes, { highWaterMark: mayReadAhead ? MOST_AHEAD : 1 })
  } finally {
    if (mayReadAhead) uploadsReadAhead--
  }
}

async function settlesWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), Math.max(0, ms))
  })
  try {
    return await Promise.race([promise.then(() => true), late])
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Lets a caller who is refused before the file is read see the answer. The rest of the upload is
 * discarded for a while.
 */
function drainRefused({ raw }: FastifyRequest): void {
  if (raw.complete) return
  // A reader that has begun waits for ever, and nothing flows past a reader that waits.
  raw.removeAllListeners('readable')
  raw.resume()
  setTimeout(() => raw.complete || raw.destroy(), LAST_BYTES_MS).unref()
}

/**
 * Cuts chunks into pieces, between which other requests get the event loop. A piece may hold
 * thousands of rows.
 */
async function* limited(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const breathe = breather()
  let size = 0
  for await (const chunk of bytes) {
    size += chunk.length
    if (size > REQUEST_LIMITS.uploadBytes) throw tooLarge()
    for (let from = 0; from < chunk.length; from += PIECE_BYTES) {
      yield chunk.subarray(from, from + PIECE_BYTES)
      await breathe()
    }
  }
}

async function* chained(
  head: Iterable<Uint8Array>,
  rest: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield* head
  yield* rest
}

async function* inflated(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const inflate = createGunzip()
  // What goes wrong reaches the loop below.
  pipeline(Readable.from(bytes), inflate, () => {})
  try {
    for await (const chunk of inflate as AsyncIterable<Uint8Array>) yield chunk
  } catch (error) {
    if (error instanceof AppError) throw error
    throw malformedBody('is not valid gzip')
  }
}

async function fileOfForm(
  contentType: string,
  bytes: AsyncIterable<Uint8Array>,
): Promise<UploadedFile> {
  const fields: Record<string, string> = {}
  let late: string | undefined
  let isOpen = false
  const failing: ((error: Error) => void)[] = []
  const form = formOf(contentType)
  const file = new Promise<UploadedFile>((resolve, reject) => {
    form.on('field', (name: string, value: string, isNameCut: boolean, isCut: boolean) => {
      if (isOpen) late = 'has a field after its file: put it before'
      else if (isNameCut || isCut)
        late = `has a field of more than ${REQUEST_LIMITS.uploadFieldBytes} bytes`
      else fields[name] = value
    })
    form.on('fieldsLimit', () => (late = `has more than ${REQUEST_LIMITS.uploadFields} fields`))
    form.on('file', (_field, stream, name, _encoding, mediaType) => {
      // The form tells it of its own end, maybe before anybody reads: who reads later is told.
      stream.on('error', (error: Error) => stream.destroy(error))
      if (isOpen) {
        late = 'has more than one file'
        stream.resume()
        return
      }
      isOpen = true
      failing.push((error) => stream.destroy(error))
      resolve({ fields, mediaType, name, bytes: whole(stream) })
    })
    failing.push(reject)
  })
  // More than one thing can go wrong with a form; the first is told, and none ends the process.
  form.on('error', () => {})
  const parsing = new Promise<void>((resolve) => {
    pipeline(Readable.from(bytes), form, (error) => {
      const refusal = error == null ? malformedBody('has no file') : asRefusal(error)
      if (error != null || !isOpen) for (const fail of failing) fail(refusal)
      resolve()
    })
  })
  return file

  /** Yields the file, then the rest of the form. A file without an end is refused. */
  async function* whole(stream: Readable): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of stream as AsyncIterable<Uint8Array>) yield chunk
    } catch (error) {
      throw asRefusal(error)
    }
    await parsing
    if (late !== undefined) throw malformedBody(late)
  }
}

function formOf(contentType: string): InstanceType<typeof Busboy> {
  try {
    return new Busboy({
      headers: { 'content-type': contentType },
      limits: { fields: REQUEST_LIMITS.uploadFields, fieldSize: REQUEST_LIMITS.uploadFieldBytes },
    })
  } catch {
    throw malformedBody('is not valid multipart: the boundary is missing')
  }
}

const asRefusal = (error: unknown): AppError =>
  error instanceof AppError ? error : malformedBody('is not a valid form')

const tooLarge = () =>
  new AppError('PAYLOAD_TOO_LARGE', `The body is larger than ${REQUEST_LIMITS.uploadBytes} bytes`)

const tooSlow = () =>
  new HttpError('REQUEST_FAILED', 'The upload was too slow', {
    status: 408,
    reason: 'upload_too_slow',
  })
