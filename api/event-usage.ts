import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../src/domain/errors.ts'
import {
  type EventThreshold,
  type EventUsage,
  figuresOf,
  monthOf,
  nextMonth,
  thresholdsPassed,
} from '../src/domain/event-quota.ts'
import type { Uuid } from '../src/ids.ts'
import * as eventUsage from '../src/store/event-usage.ts'
import * as notices from '../src/store/notices.ts'
import { type Transaction, transact } from '../src/store/sql.ts'
import { callerOf } from './auth.ts'
import type { Deps } from './deps.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Takes events: every answer tells the organization's usage of the month. */
    countsEvents?: true
  }
  interface FastifyRequest {
    /** What this request has found out of it. */
    eventUsage: EventUsage | undefined
  }
}

const SECOND_MS = 1_000
/** Refusals of which owners have been told, so that not every one asks storage. */
const MOST_TOLD = 10_000

/** The monthly quota refuses: a 429 with a body of its own (contract, Events). */
class EventLimitExceeded extends AppError {}

/**
 * What the answer tells of the events that were counted. Throws the 429 when they would have passed
 * 125 % of the limit. Owners are told when usage passes 100 % and when it reaches 125 %.
 */
export async function noteUsage(
  request: FastifyRequest,
  { limit, current, count }: eventUsage.Counted,
  now: number,
): Promise<void> {
  const { tx, caller } = request
  const { organizationId } = caller
  if (current === null) {
    const used = await eventUsage.count(tx, organizationId, monthOf(now))
    request.eventUsage = { limit, current: used }
    throw limitExceeded(request.eventUsage, count, now)
  }
  request.eventUsage = { limit, current }
  for (const threshold of thresholdsPassed(request.eventUsage)) {
    await tellOwners(tx, organizationId, threshold, limit, now)
  }
}

/** `X-Event-*` on every answer of the routes that take events, whoever is known to be asking. */
export function tellEventUsage(app: FastifyInstance, { now }: Pick<Deps, 'now'>): void {
  const told = new Set<string>()
  app.decorateRequest('eventUsage', undefined)
  app.addHook('onRoute', (route) => {
    if (route.config?.countsEvents !== true) return
    route.onError = [route.onError ?? [], noteRefusal].flat()
    route.onSend = [route.onSend ?? [], tell].flat()
  })

  async function tell(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const caller = callerOf(request)
    if (!caller) return
    try {
      // What a refused request has read may be of a transaction that was not committed.
      const isTrue = reply.statusCode < 400 || reply.hasHeader(EXCEEDED)
      const usage =
        (isTrue ? request.eventUsage : undefined) ??
        (await eventUsage.find(caller.sql, caller.organizationId, monthOf(now())))
      if (usage) reply.headers(headersOf(usage, reply.hasHeader(EXCEEDED)))
    } catch (error) {
      request.log.warn({ reqId: request.id, err: error }, 'could not read the usage of events')
    }
  }

  /** In a transaction of its own: the one that was refused has left nothing. */
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
    if (told.has(key)) return
    try {
      await transact(sql, (tx) => tellOwners(tx, organizationId, '125', limit, now()))
      if (told.size >= MOST_TOLD) told.clear()
      told.add(key)
    } catch (failure) {
      request.log.error({ reqId: request.id, err: failure }, 'could not tell owners of the quota')
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

async function tellOwners(
  tx: Transaction,
  organizationId: Uuid,
  threshold: EventThreshold,
  limit: number | null,
  now: number,
): Promise<void> {
  if (limit === null) return
  await notices.put(tx, {
    kind: 'event_quota',
    data: { percent: threshold, limit, resetsAt: isoOf(nextMonth(now)) },
    organizationId,
    subject: threshold,
    period: monthOf(now).slice(0, 'YYYY-MM'.length),
    at: isoOf(now),
  })
}

function limitExceeded(usage: EventUsage, requested: number, now: number): AppError {
  const { limit, current, percent } = figuresOf(usage)
  const resetsAt = nextMonth(now)
  const message = `The monthly event limit is used up; it is reset on ${isoOf(resetsAt).slice(0, 10)}`
  return new EventLimitExceeded('RATE_LIMITED', message, {
    headers: { 'retry-after': String(Math.max(1, Math.ceil((resetsAt - now) / SECOND_MS))) },
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
