import { randomUUID } from 'node:crypto'
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'

/** SES accepts messages of 40 MB, which grow in base64 and JSON. */
const MAX_BODY_BYTES = 60 * 1024 * 1024

/**
 * Resolves to the whole body, or undefined if it is too large. Uses listeners: reading a request as
 * an async iterable costs more than everything else.
 */
export const readBody = (request: IncomingMessage): Promise<Buffer | undefined> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let bytes = 0
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes <= MAX_BODY_BYTES) chunks.push(chunk)
    })
    request.once('end', () => {
      const [first = Buffer.alloc(0)] = chunks
      if (bytes > MAX_BODY_BYTES) resolve(undefined)
      else resolve(chunks.length < 2 ? first : Buffer.concat(chunks, bytes))
    })
    request.once('error', reject)
  })

export const requestId = (): string => randomUUID()

export function sendJson(
  response: ServerResponse,
  status: number,
  value: unknown,
  headers: OutgoingHttpHeaders = {},
): void {
  if (response.destroyed || response.headersSent) return
  const text = JSON.stringify(value)
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    'x-amzn-requestid': requestId(),
    ...headers,
  })
  response.end(text)
}

export function sendText(
  response: ServerResponse,
  {
    status,
    type,
    text,
    headers = {},
  }: {
    status: number
    type: string
    text: string
    headers?: OutgoingHttpHeaders
  },
): void {
  if (response.destroyed || response.headersSent) return
  response.writeHead(status, {
    'content-type': type,
    'content-length': Buffer.byteLength(text),
    ...headers,
  })
  response.end(text)
}
