import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../src/domain/errors.ts'
import type { Uuid } from '../src/ids.ts'
import type { Sql } from '../src/store/sql.ts'
import { addressSubject, sha256 } from '../src/tokens.ts'
import { networkOf } from './address.ts'
import type { Caller } from './auth.ts'
import type { Deps } from './deps.ts'
import type { Decision, Window } from './limiter-decision.ts'
import { planOf } from './plan.ts'
import { configOf } from './route-config.ts'

/** What a public route sees of a request before it is counted. */
interface Claim {
  param: (name: string) => string
  headers: IncomingHttpHeaders
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Of a public route: nobody is counted. */
    unlimited?: true
    /**
     * Of a public route: whether the call carries a proof that we issued, found out without asking
     * storage. Then it is not counted for its address: a token has a limit of its own, an
     * `unlimited` proof has none.
     */
    vouch?: (claim: Claim) => { token: string } | 'unlimited' | undefined
  }
}

const MINUTE = 60
const HOUR = 3_600
const DAY = 86_400
/** The specification, Limits: public endpoints. */
const ADDRESS_WINDOWS: readonly Window[] = [
  { limit: 10, seconds: MINUTE },
  { limit: 100, seconds: HOUR },
]
const TOKEN_WINDOWS: readonly Window[] = [{ limit: 60, seconds: MINUTE }]
const FAILURE_WINDOWS: readonly Window[] = [{ limit: 30, seconds: MINUTE }]

/** Another plan counts within this time, on every process. */
const PLAN_REMEMBERED_MS = 5_000
const MOST_PLANS = 10_000

type Limits = Pick<Deps, 'limiter' | 'keyring'>

/**
 * Counts a call for its address, the network of an IPv6 one; storage knows a keyed hash of it only.
 * Refuses with 429.
 */
export async function limitAddress(
  { limiter, keyring }: Limits,
  { ip }: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const subject = `address:${addressSubject(keyring, networkOf(ip))}`
  answer(await limiter.take(subject, ADDRESS_WINDOWS), reply)
}

/** Who is limited by what, for `authenticate` to ask in its order. */
export function rateLimits({ limiter, keyring }: Limits) {
  const windowsOf = rememberedWindows()

  return {
    async takePublic(request: FastifyRequest, reply: FastifyReply): Promise<void> {
      const { unlimited, vouch } = configOf(request)
      if (unlimited) return
      const vouched = vouch?.({ param: (name) => param(request, name), headers: request.headers })
      if (vouched === 'unlimited') return
      if (vouched === undefined) {
        await limitAddress({ limiter, keyring }, request, reply)
        return
      }
      const subject = `token:${sha256(vouched.token).toString('base64url')}`
      answer(await limiter.take(subject, TOKEN_WINDOWS), reply)
    },

    /** Nothing to wait for unless it answers a promise. */
    takeOrganization(
      { organizationId, sql }: Caller,
      reply: FastifyReply,
    ): Promise<void> | undefined {
      const windows = windowsOf(sql, organizationId)
      const decision =
        windows instanceof Promise
          ? windows.then((known) => limiter.take(organizationId, known))
          : limiter.take(organizationId, windows)
      if (decision instanceof Promise) return decision.then((made) => answer(made, reply))
      answer(decision, reply)
      return undefined
    },

    /**
     * Counts credentials that were refused with `refusal`, and throws that or, too often, 429. Good
     * ones are never counted or refused: a stranger could stop all who share an address with them.
     */
    async refuseCredentials(
      { ip }: FastifyRequest,
      reply: FastifyReply,
      refusal: AppError,
    ): Promise<never> {
      const subject = `guesses:${addressSubject(keyring, networkOf(ip))}`
      answer(await limiter.take(subject, FAILURE_WINDOWS), reply)
      throw refusal
    },
  }
}

/** Tells the caller what is left; throws `refusal`, given the seconds to wait, when nothing was. */
export function answer(
  { allowed, windows, nearest, retryAfterSeconds }: Decision,
  reply: FastifyReply,
  refusal = tooMany,
): void {
  const limit = String(nearest.limit)
  const remaining = String(nearest.remaining)
  reply.headers({
    'ratelimit-limit': limit,
    'ratelimit-remaining': remaining,
    'ratelimit-reset': String(nearest.resetSeconds),
    'ratelimit-policy': policyOf(windows),
    'x-ratelimit-limit': limit,
    'x-ratelimit-remaining': remaining,
  })
  if (!allowed) throw refusal(retryAfterSeconds)
}

/** Windows are the same ones for seconds or for ever. */
const policies = new WeakMap<readonly Window[], string>()

/** `100;w=60, 1000;w=3600` */
function policyOf(windows: readonly Window[]): string {
  const known = policies.get(windows)
  if (known !== undefined) return known
  const policy = windows.map(({ limit, seconds }) => `${limit};w=${seconds}`).join(', ')
  policies.set(windows, policy)
  return policy
}

const tooMany = (seconds: number): AppError =>
  new AppError('RATE_LIMITED', `Too many requests; wait ${seconds} s`, {
    headers: { 'retry-after': String(seconds) },
  })

/** The windows of an organization's plan, asked again every few seconds. */
function rememberedWindows() {
  const known = new Map<Uuid, { at: number; windows: readonly Window[] }>()
  return (sql: Sql, organizationId: Uuid): readonly Window[] | Promise<readonly Window[]> => {
    const entry = known.get(organizationId)
    if (entry && performance.now() - entry.at < PLAN_REMEMBERED_MS) return entry.windows
    return load(sql, organizationId)
  }

  async function load(sql: Sql, organizationId: Uuid): Promise<readonly Window[]> {
    const { requestsPerMinute, requestsPerDay } = await planOf(sql, organizationId)
    const windows = [
      { limit: requestsPerMinute, seconds: MINUTE },
      { limit: requestsPerDay, seconds: DAY },
    ]
    if (known.size >= MOST_PLANS) known.clear()
    known.set(organizationId, { at: performance.now(), windows })
    return windows
  }
}

function param({ params }: FastifyRequest, name: string): string {
  const value: unknown =
    typeof params === 'object' && params !== null ? Reflect.get(params, name) : undefined
  return typeof value === 'string' ? value : ''
}
