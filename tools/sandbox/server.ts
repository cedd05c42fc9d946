import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { handleCloudWatch } from './aws/cloudwatch.ts'
import { handleQuery } from './aws/query.ts'
import { handleSqs, SQS_TARGET } from './aws/sqs.ts'
import type { SignedRequest } from './aws/signature.ts'
import { CONTROL_PREFIX, handleControl } from './control-routes.ts'
import type { Deps } from './deps.ts'
import { readBody, sendJson } from './http.ts'
import { handleInbox } from './inbox/routes.ts'
import { handleSes, SES_PREFIX } from './ses/routes.ts'
import { handleSms, SMS_TARGET } from './sms/routes.ts'

/** Longer than any client keeps an idle connection, so the server never closes one in use. */
const KEEP_ALIVE_MS = 75_000

/** Serves everything on one port: Amazon's services, the control routes and the inbox. */
export function createSandboxServer(deps: Deps): Server {
  const server = createServer((request, response) => {
    handle(deps, request, response).catch((error: unknown) => {
      // A caller that hung up is no news.
      if (response.destroyed || request.destroyed) return
      deps.log.error({ err: error }, 'the sandbox failed')
      sendJson(response, 500, { message: 'the sandbox failed' })
    })
  })
  server.keepAliveTimeout = KEEP_ALIVE_MS
  server.on('clientError', (_error, socket) => socket.destroy())
  return server
}

async function handle(
  deps: Deps,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await readBody(request)
  if (body === undefined) {
    sendJson(response, 413, { message: 'the request is too large' }, { connection: 'close' })
    return
  }
  const url = request.url ?? '/'
  const mark = url.indexOf('?')
  const path = mark < 0 ? url : url.slice(0, mark)
  const query = mark < 0 ? '' : url.slice(mark + 1)
  const { method = 'GET', headers } = request
  const signed: SignedRequest = { method, path, query, headers, body }
  const exchange = { request, response }

  if (path.startsWith(SES_PREFIX)) return handleSes(deps, signed, exchange)
  if (path === '/' && method === 'POST') {
    const target = headers['x-amz-target']
    if (typeof target === 'string' && target.startsWith(SQS_TARGET)) {
      return handleSqs(deps, signed, response)
    }
    if (typeof target === 'string' && target.startsWith(SMS_TARGET)) {
      return handleSms(deps, signed, exchange)
    }
    if (target !== undefined) return handleCloudWatch(deps, signed, response)
    return handleQuery(deps, signed, response)
  }

  // A name that an attacker makes point here must not open what has no password.
  if (!isLoopback(headers.host)) {
    sendJson(response, 403, { message: 'open the sandbox by its loopback address' })
    return
  }
  const page = { path, query: new URLSearchParams(query), body }
  if (path.startsWith(CONTROL_PREFIX)) return handleControl(deps, page, exchange)
  return handleInbox(deps, page, exchange)
}

const isLoopback = (host = ''): boolean => /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/i.test(host)
