import { randomUUID } from 'node:crypto'
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'

/** SES takes 40 MB of message; in base64 and JSON that is somewhat more. */
const MAX_BODY_BYTES = 60 * 1024 * 1024

/** The whole body; undefined when it is larger than anything the sandbox takes. */
export async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request) {
    if (!Buffer.isBuffer(chunk)) continue
    bytes += chunk.length
    if (bytes > MAX_BODY_BYTES) return undefined
    chunks.push(chunk)
  }
  return chunks.length === 1 ? (chunks[0] ?? Buffer.alloc(0)) : Buffer.concat(chunks)
}

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
