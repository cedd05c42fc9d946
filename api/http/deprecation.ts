import type { FastifyInstance } from 'fastify'
import { configOf } from './route-config.ts'

/** The end of an operation, declared where it is defined. */
interface Deprecated {
  /** First day on which users are told, `2026-11-21`. */
  since: string
  /** Last day, at least six months later. */
  sunset: string
  link?: string
}

declare module 'fastify' {
  interface FastifyContextConfig {
    deprecated?: Deprecated
  }
}

const NOTICE_MONTHS = 6

/**
 * Announces the end of every route that is declared `deprecated`: on each of its answers, errors
 * too, with `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and a link, and in the document. A notice
 * that is too short stops the boot. Add it before the routes and before what may refuse a request.
 */
export function announceDeprecations(app: FastifyInstance): void {
  const headers = new WeakMap<object, Record<string, string>>()

  app.addHook('onRoute', (route) => {
    const deprecated = route.config?.deprecated
    if (!deprecated) return
    headers.set(deprecated, headersOf(deprecated, `${String(route.method)} ${route.url}`))
    const { description = '' } = route.schema ?? {}
    route.schema = {
      ...route.schema,
      deprecated: true,
      description: `${description}\n\n${sentence(deprecated)}`.trim(),
    }
  })

  app.addHook('onRequest', (request, reply, done) => {
    const { deprecated } = configOf(request)
    if (deprecated) reply.headers(headers.get(deprecated) ?? {})
    done()
  })
}

function headersOf({ since, sunset, link }: Deprecated, route: string): Record<string, string> {
  const from = dayOf(since, `${route}: deprecated.since`)
  const end = dayOf(sunset, `${route}: deprecated.sunset`)
  if (end < monthsLater(from, NOTICE_MONTHS)) {
    throw new Error(
      `${route}: sunset ${sunset} is less than ${NOTICE_MONTHS} months after ${since}`,
    )
  }
  if (link !== undefined && !URL.canParse(link)) {
    throw new Error(`${route}: deprecated.link: "${link}" is not an address`)
  }
  return {
    deprecation: `@${from.getTime() / 1000}`,
    sunset: end.toUTCString(),
    ...(link === undefined
      ? {}
      : { link: `<${new URL(link).href}>; rel="deprecation"; type="text/html"` }),
  }
}

const sentence = ({ since, sunset, link }: Deprecated): string =>
  `Deprecated since ${since}; ends on ${sunset}.${
    link === undefined ? '' : ` [What to use instead](${link}).`
  }`

/** Returns midnight UTC of a day. Throws if the day does not exist. */
function dayOf(text: string, what: string): Date {
  const day = new Date(`${text}T00:00:00.000Z`)
  const exists = !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text)
  if (/^\d{4}-\d{2}-\d{2}$/.test(text) && exists) return day
  throw new Error(`${what}: "${text}" is not a day such as 2026-11-21`)
}

/** Returns the same day some months later, or the last day of that month if it is shorter. */
function monthsLater(day: Date, months: number): Date {
  const later = new Date(day)
  later.setUTCMonth(day.getUTCMonth() + months)
  if (later.getUTCDate() !== day.getUTCDate()) later.setUTCDate(0)
  return later
}
