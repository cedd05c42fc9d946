import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../../src/domain/errors.ts'
import type { Uuid } from '../../src/runtime/ids.ts'
import { addressSubject, type Keyring, sha256 } from '../../src/keys/tokens.ts'
import { networkOf } from '../http/network.ts'
import type { Caller } from '../caller.ts'
import type { Decision, Window } from './decision.ts'
import type { Limiter } from './limiter.ts'
import { planOf } from '../../src/core/access/plan.ts'
import { configOf } from '../http/route-config.ts'

interface PublicRequest {
  param: (name: string) => string
  headers: IncomingHttpHeaders
}

declare module 'fastify' {
  interface FastifyContextConfig {
    unlimited?: true
    /**
     * Returns whether a public call carries a proof that we issued, without asking storage. Such a
     * call is not counted for its IP address: a token has a limit of its own, an `unlimited` proof
     * has none.
     */
    vouch?: (claim: PublicRequest) => { token: string } | 'unlimited' | undefined
  }
}

const MINUTE = 60
const HOUR = 3_600
const DAY = 86_400
const ADDRESS_WINDOWS: readonly Window[] = [
  { limit: 10, seconds: MINUTE },
  { limit: 100, seconds: HOUR },
]
const TOKEN_WINDOWS: readonly Window[] = [{ limit: 60, seconds: MINUTE }]
const FAILURE_WINDOWS: readonly Window[] = [{ limit: 30, seconds: MINUTE }]
/** Limits of a signed-in person in all organizations: see `takeCaller`. */
const PERSON_WINDOWS: readonly Window[] = [
  { limit: 600, seconds: MINUTE },
  { limit: 20_000, seconds: DAY },
]

/** Time after which every process applies another plan. */
const PLAN_REMEMBERED_MS = 5_000
const MOST_PLANS = 10_000

interface Limits {
  limiter: Limiter
  keyring: Keyring
}

/**
 * Counts a call for its IP address, or for the network of an IPv6 address. Storage has a keyed hash
 * only. Throws a 429.
 */
export async function limitAddress(
  { limiter, keyring }: Limits,
  { ip }: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const subject = `address:${addressSubject(keyring, networkOf(ip))}`
  answer(await limiter.take(subject, ADDRESS_WINDOWS), reply)
}

/** Limits of each kind of request. `authenticate` applies them in its order. */
export function rateLimits({ limiter, keyring }: Limits) {
  const windowsOf = rememberedWindows()

  /**
   * Counts wrong credentials for their address. Valid ones are never counted or refused, since a
   * stranger could otherwise stop all who share an address with them.
   */
  const decideGuess = (ip: string): Promise<Decision> =>
    limiter.take(`guesses:${addressSubject(keyring, networkOf(ip))}`, FAILURE_WINDOWS)

  /**
   * Keys share the limit of their organization. A person has one of their own: a page that is left
   * open must not use up what the organization's programs need.
   */
  const decideCaller = async (caller: Caller): Promise<Decision> => {
    const { actor, organizationId } = caller
    return actor.kind === 'session'
      ? limiter.take(`person:${actor.userId}`, PERSON_WINDOWS)
      : limiter.take(organizationId, await windowsOf(caller))
  }

  return {
    // For callers who do not use HTTP.
    decideGuess,
    decideCaller,

    async takePublic(request: FastifyRequest, reply: FastifyReply): Promise<void> {
      const { unlimited, vouch } = configOf(request)
      if (unlimited) return
      const vouched = vouch?.({ param: (name) => param(request, name), headers: request.headers })
      if (vouched === 'unlimited') return
      if (vouched === undefined) return limitAddress({ limiter, keyring }, request, reply)
      const subject = `token:${sha256(vouched.token).toString('base64url')}`
      answer(await limiter.take(subject, TOKEN_WINDOWS), reply)
    },

    async takeCaller(caller: Caller, reply: FastifyReply): Promise<void> {
      answer(await decideCaller(caller), reply)
    },

    /** Throws 429 when an address had too many wrong credentials. */
    async countGuess({ ip }: FastifyRequest, reply: FastifyReply): Promise<void> {
      answer(await decideGuess(ip), reply)
    },
  }
}

export function answer(
  { allowed, windows, nearest, retryAfterSeconds }: Decision,
  reply: FastifyReply,
  refusal = tooMany,
): void {
  reply.headers({
    'ratelimit-limit': String(nearest.limit),
    'ratelimit-remaining': String(nearest.remaining),
    'ratelimit-reset': String(nearest.resetSeconds),
    // `100;w=60, 1000;w=3600`
    'ratelimit-policy': windows.map(({ limit, seconds }) => `${limit};w=${seconds}`).join(', '),
    'x-ratelimit-limit': String(nearest.limit),
    'x-ratelimit-remaining': String(nearest.remaining),
  })
  if (!allowed) throw refusal(retryAfterSeconds)
}

export const tooMany = (seconds: number): AppError =>
  new AppError('RATE_LIMITED', `Too many requests. Try again in ${seconds} seconds.`, {
    retryAfterSeconds: seconds,
  })

function rememberedWindows() {
  const cachedWindows = new Map<Uuid, { at: number; windows: readonly Window[] }>()

  return async ({ sql, organizationId }: Caller): Promise<readonly Window[]> => {
    const entry = cachedWindows.get(organizationId)
    if (entry && performance.now() - entry.at < PLAN_REMEMBERED_MS) return entry.windows
    const { requestsPerMinute, requestsPerDay } = await planOf(sql, organizationId)
    const windows = [
      { limit: requestsPerMinute, seconds: MINUTE },
      { limit: requestsPerDay, seconds: DAY },
    ]
    if (cachedWindows.size >= MOST_PLANS) cachedWindows.clear()
    cachedWindows.set(organizationId, { at: performance.now(), windows })
    return windows
  }
}

function param({ params }: FastifyRequest, name: string): string {
  const value: unknown =
    typeof params === 'object' && params !== null ? Reflect.get(params, name) : undefined
  return typeof value === 'string' ? value : ''
}
