import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Registry } from 'prom-client'
import type { Config } from '../../config.ts'
import type { Log } from '../../loops/loop.ts'
import { ownMetrics } from '../../runtime/metrics.ts'
import type { Readiness } from './readiness.ts'

interface Internal {
  address: Config['internal']
  /** Metrics of the program, beside those that every process counts where they happen. */
  registry: Registry
  readiness: () => Promise<Readiness>
  log: Log
}

/**
 * Serves the port for operators and their machines: `/livez` (this process answers), `/readyz` (200
 * or 503, with the reason) and `/metrics`. Resolves to a function that closes it. Does nothing
 * without a port.
 */
export async function serveInternal(options: Internal): Promise<() => Promise<void>> {
  const { address, registry, readiness, log } = options
  if (address.port === undefined) return async () => {}
  const server = createServer((request, response) => {
    answer(request.url ?? '/', response).catch((error: unknown) => {
      log.error({ err: error }, 'the internal port failed')
      response.destroy()
    })
  })
  const bound = once(server.listen(address.port, address.host), 'listening')
  await listening('INTERNAL_PORT', address, bound)
  const { port } = server.address() as AddressInfo
  log.info({ host: address.host, port }, 'liveness, readiness and metrics')
  return async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }

  async function answer(url: string, response: ServerResponse): Promise<void> {
    switch (url) {
      case '/livez':
        return send(response, 200, { status: 'ok' })
      case '/readyz': {
        const readinessReport = await readiness()
        return send(response, readinessReport.isReady ? 200 : 503, readinessReport)
      }
      case '/metrics':
        response.setHeader('content-type', registry.contentType)
        response.end(await Registry.merge([registry, ownMetrics]).metrics())
        return
      default:
        return send(response, 404, { paths: ['/livez', '/readyz', '/metrics'] })
    }
  }
}

/** Waits until a server listens. Throws an error that an operator can read. */
export async function listening(
  setting: 'PORT' | 'INTERNAL_PORT' | 'SMTP_PORT' | 'SMTPS_PORT',
  { host, port }: { host: string; port: number | undefined },
  bound: Promise<unknown>,
): Promise<void> {
  try {
    await bound
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    const why = code === 'EADDRINUSE' ? 'the port is in use' : code
    throw new Error(`${setting}: cannot listen on ${host}:${port}: ${why}`, { cause: error })
  }
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(`${JSON.stringify(body)}\n`)
}
