import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { HttpError } from '../http/http-error.ts'
import { checkQuota, notifyOwners } from '../../src/core/events/quota.ts'
import {
  type EventUsage,
  figuresOf,
  monthOf,
  nextMonth,
} from '../../src/domain/events/event-quota.ts'
import * as eventUsage from '../../src/store/events/usage.ts'
import { NotMixable } from '../../src/core/events/resolve-contacts.ts'
import type { Uuid } from '../../src/runtime/ids.ts'
import { type Transaction, transact } from '../../src/store/db/sql.ts'
import { callerOf } from '../caller.ts'
import type { Deps } from '../deps.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Ingests events: every answer tells the organization's usage of the month. */
    countsEvents?: true
  }
  interface FastifyRequest {
    eventUsage: EventUsage | undefined
  }
}

const SECOND_MS = 1_000
/** Months whose owners this process has notified, so that not every refusal causes a query. */
const MOST_NOTIFIED = 10_000

/** The monthly quota refuses: a 429 whose body tells limit, usage and when it is reset. */
class EventLimitExceeded extends HttpError {}

/**
 * Stores the usage for the answer. Throws the 429 if the counted events exceed 125 % of the limit.
 */
export async function noteUsage(
  request: FastifyRequest,
  countedUsage: eventUsage.CountedUsage,
  now: number,
): Promise<void> {
  const { tx, caller } = request
  const { usage, isExceeded } = await checkQuota(tx, caller.organizationId, countedUsage, now)
  request.eventUsage = usage
  if (isExceeded) throw limitExceeded(usage, countedUsage.count, now)
}

/**
 * Returns the usage after each event of a set, as if they had come one by one. Throws when they
 * would have passed the limit: some of them may not.
 */
export async function usagesOfSet(
  tx: Transaction,
  organizationId: Uuid,
  counted: eventUsage.CountedUsage,
  now: number,
): Promise<EventUsage[]> {
  const { usage, isExceeded } = await checkQuota(tx, organizationId, counted, now)
  if (isExceeded) throw new NotMixable()
  const before = usage.current - counted.count
  return Array.from({ length: counted.count }, (_, n) => ({ ...usage, current: before + n + 1 }))
}

/** Adds `X-Event-*` to every answer of the routes that ingest events, if the caller is known. */
export function reportEventUsage(app: FastifyInstance, { now }: Pick<Deps, 'now'>): void {
  const notified = new Set<string>()
  app.decorateRequest('eventUsage', undefined)
  app.addHook('onRoute', (route) => {
    if (route.config?.countsEvents !== true) return
    route.onError = [route.onError ?? [], noteRefusal].flat()
    route.onSend = [route.onSend ?? [], report].flat()
  })

  async function report(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const caller = callerOf(request)
    if (!caller) return
    try {
      // A refused request may have read its figures in a transaction that was rolled back.
      const isTrue = reply.statusCode < 400 || reply.hasHeader(EXCEEDED)
      const usage =
        (isTrue ? request.eventUsage : undefined) ??
        (await eventUsage.find(caller.sql, caller.organizationId, monthOf(now())))
      if (usage) reply.headers(headersOf(usage, reply.hasHeader(EXCEEDED)))
    } catch (error) {
      request.log.warn({ reqId: request.id, err: error }, 'event usage could not be read')
    }
  }

  /** Records the refusal in its own transaction, since the refused one was rolled back. */
  async function noteRefusal(
    request: FastifyRequest,
    reply: FastifyReply,
    error: Error,
  ): Promise<void> {
    if (!(error instanceof EventLimitExceeded)) return
    reply.header(EXCEEDED, 'true')
    const { organizationId, sql } = request.caller
    const limit = request.eventUsage?.limit ?? null
    const key = `${organizationId} ${monthOf(now())}`
    if (notified.has(key)) return
    try {
      const notice = { threshold: '125', limit, now: now() } as const
      await transact(sql, (tx) => notifyOwners(tx, organizationId, notice))
      if (notified.size >= MOST_NOTIFIED) notified.clear()
      notified.add(key)
    } catch (failure) {
      request.log.error(
        { reqId: request.id, err: failure },
        'owners could not be notified of the event quota',
      )
    }
  }
}

const EXCEEDED = 'x-event-exceeded'

function headersOf(usage: EventUsage, isExceeded: boolean): Record<string, string> {
  const { limit, current, remaining, percent } = figuresOf(usage)
  return {
    'x-event-limit': String(limit),
    'x-event-current': String(current),
    'x-event-remaining': String(remaining),
    'x-event-percent': String(percent),
    [EXCEEDED]: String(isExceeded),
  }
}

function limitExceeded(usage: EventUsage, requested: number, now: number): HttpError {
  const { limit, current, percent } = figuresOf(usage)
  const resetsAt = nextMonth(now)
  const message = `The monthly event limit is used up; it is reset on ${isoOf(resetsAt).slice(0, 10)}`
  return new EventLimitExceeded('RATE_LIMITED', message, {
    retryAfterSeconds: Math.max(1, Math.ceil((resetsAt - now) / SECOND_MS)),
    fields: {
      error: 'event_limit_exceeded',
      message,
      current,
      limit,
      requested,
      percentUsed: percent,
      resetsAt: isoOf(resetsAt),
    },
  })
}

const isoOf = (ms: number): string => new Date(ms).toISOString()
