import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type AppError, conflict, forbidden, notFound } from '../../src/domain/errors.ts'
import { clearSession, type SessionCookie, sessionCookieIn } from './session-cookie.ts'

/**
 * The console's page cannot hold a session token where no script reads it, so its server part does:
 * a cookie that only addresses under `/console/session` and `/console/api/` are read with. Such a
 * request becomes one with the token in `Authorization` and goes on as any other. Everything else
 * about it (scopes, limits, idempotency, errors) is as if a program had sent it.
 */
interface ConsoleCall {
  /** The organization that the page shows. Absent: the call concerns the session itself. */
  organizationId?: string
  cookie?: SessionCookie
  refusal?: AppError
}

const CALLS = new WeakMap<IncomingMessage, ConsoleCall>()

/** Header that no other site can send: it needs a preflight, which is refused. */
const OWN_HEADER = 'x-letterloom-console'

const SESSION = '/console/session'
const API = /^\/console\/api\/([0-9a-f-]{36})(\/.*)$/i
/**
 * Addresses that the page may call. Routes that answer a token (`/auth/login`, `/auth/switch`),
 * which a script must not get, and pages for people without an account are not among them.
 */
const OPEN_TO_PAGE = /^\/(?:v1\/|auth\/(?:sessions?|password)(?:$|[?/]))/
const READS = new Set(['GET', 'HEAD'])

export function consoleRewriter(publicUrl: string) {
  const { origin } = new URL(publicUrl)
  return (raw: IncomingMessage): string => {
    const url = raw.url ?? '/'
    const target = targetOf(raw.method ?? 'GET', url)
    if (target === undefined) return url
    const cookie = sessionCookieIn(raw.headers.cookie, publicUrl)
    const refusal = target.path === undefined ? notFound('Route') : refusalOf(raw, origin)
    const { organizationId } = target
    CALLS.set(raw, {
      ...(organizationId === undefined ? {} : { organizationId }),
      ...(cookie ? { cookie } : {}),
      ...(refusal ? { refusal } : {}),
    })
    if (refusal || target.path === undefined) return url
    if (cookie) raw.headers.authorization = `Bearer ${cookie.token}`
    // Whether somebody is signed in is no mistake to ask.
    if (target.path === SESSION_READ && !cookie) return NOBODY
    return target.path
  }
}

const SESSION_READ = '/auth/session'
/** Address whose answer tells the page that nobody is signed in. */
export const NOBODY = '/console/nobody'

interface Target {
  /** Rewritten path. Absent: the page may not call it. */
  path?: string
  organizationId?: string
}

function targetOf(method: string, url: string): Target | undefined {
  const [path = ''] = url.split('?', 1)
  if (path === SESSION) return { path: READS.has(method) ? SESSION_READ : url }
  if (path.startsWith(`${SESSION}/`)) return { path: url }
  if (!path.startsWith('/console/api/')) return undefined
  const [, organizationId, rest = ''] = API.exec(url) ?? []
  if (organizationId === undefined || !OPEN_TO_PAGE.test(rest)) return {}
  return { path: rest, organizationId: organizationId.toLowerCase() }
}

/**
 * `SameSite=Strict` keeps the cookie from other sites, not from a sibling (another port, another
 * subdomain): browsers say in `Sec-Fetch-Site` who asks. One that does not say it is believed by
 * its `Origin`. Links to files carry no header of ours, so reading needs none.
 */
function refusalOf({ method = 'GET', headers }: IncomingMessage, origin: string) {
  const site = headers['sec-fetch-site']
  const isOurs = site === undefined ? headers.origin === origin : site === 'same-origin'
  const isMarked = headers[OWN_HEADER] === '1' || (READS.has(method) && site === 'same-origin')
  const isAlone = headers.authorization === undefined
  return isOurs && isMarked && isAlone ? undefined : notFromConsole()
}

export function guardConsoleCalls(app: FastifyInstance, publicUrl: string): void {
  app.addHook('onRequest', (request, reply, done) => {
    const call = CALLS.get(request.raw)
    // Whatever becomes of the session: the browser is to forget it.
    const isEnd = request.method === 'DELETE' && request.url === SESSION
    if (call && !call.refusal && isEnd) reply.header('set-cookie', clearSession(publicUrl))
    done(call?.refusal)
  })
}

/** Returns the request's call of the console's page. Throws a 403 if it is none. */
export function requireConsoleCall(request: FastifyRequest): ConsoleCall {
  const call = CALLS.get(request.raw)
  if (!call) throw notFromConsole()
  return call
}

/**
 * Refuses a call of a page of another organization than the session's. All tabs share the cookie:
 * after a switch in one tab, another tab must not send its batch as the wrong organization.
 */
export function requireOrganizationOfPage(request: FastifyRequest, organizationId: string): void {
  const pageOrganizationId = CALLS.get(request.raw)?.organizationId
  if (pageOrganizationId === undefined || pageOrganizationId === organizationId) return
  throw conflict('Your session works in another organization now. Reload the page', {
    reason: 'organization_changed',
  })
}

const notFromConsole = () =>
  forbidden('Only the page of the console can send this request', { reason: 'not_from_console' })
