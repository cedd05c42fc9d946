import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../../src/domain/errors.ts'
import { normalAddress } from '../../src/domain/text.ts'
import {
  ACCOUNT_TRIES,
  ADDRESS_TRIES,
  FAILURES_LAST_MS,
  loginDelayMs,
} from '../../src/domain/access/login.ts'
import { createPasswords, type Passwords, tooManyLogins } from '../../src/keys/passwords.ts'
import * as sessions from '../../src/store/access/sessions.ts'
import { addressSubject, sha256 } from '../../src/keys/tokens.ts'
import { networkOf } from '../http/network.ts'
import type { Deps } from '../deps.ts'
import { answer } from '../limits/rate-limit.ts'

/** Delayed logins. A tenth of all requests that may be in flight. */
const MOST_DELAYED = 100

interface Verified {
  userId: string
  name: string
  email: string
  passwordHash: string
  account: Buffer
}

export interface LoginGuard {
  passwords: Passwords
  /**
   * Counts an attempt for its IP address before the request is read. Throws a 429 if there were too
   * many. Every route that calls `verify` runs it as an `onRequest` hook.
   */
  countTry: (request: FastifyRequest, reply: FastifyReply) => Promise<void>
  /**
   * Returns the person if address and password are right, and undefined for any other reason after
   * the same time. Throws a 429 if the account had too many attempts from this IP address.
   */
  verify(
    request: FastifyRequest,
    reply: FastifyReply,
    input: { email: string; password: string },
  ): Promise<Verified | undefined>
}

export function createLoginGuard({ sql, now, keyring, limiter, pause }: Deps): LoginGuard {
  const passwords = createPasswords()
  let delayed = 0

  const addressOf = ({ ip }: FastifyRequest) => addressSubject(keyring, networkOf(ip))

  /** Takes from all limits of a request. The answer shows the one that is nearest to exhaustion. */
  async function take(
    reply: FastifyReply,
    subject: string,
    tries: { limit: number; seconds: number },
  ): Promise<void> {
    const decision = await limiter.take(subject, [tries])
    const toldRemaining = Number(reply.getHeader('ratelimit-remaining') ?? Infinity)
    if (decision.allowed && decision.nearest.remaining >= toldRemaining) return
    answer(decision, reply, tooManyTries)
  }

  async function delay(ms: number): Promise<void> {
    if (ms === 0) return
    if (delayed >= MOST_DELAYED) throw tooManyLogins()
    delayed++
    try {
      await pause(ms)
    } finally {
      delayed--
    }
  }

  return {
    passwords,
    countTry: (request, reply) => take(reply, `login-address/${addressOf(request)}`, ADDRESS_TRIES),
    verify: async (request, reply, input) => {
      const email = normalAddress(input.email)
      const pair = addressSubject(keyring, `${email}\n${addressOf(request)}`)
      await take(reply, `login-account/${pair}`, ACCOUNT_TRIES)

      const account = sha256(addressSubject(keyring, email))
      const since = new Date(now() - FAILURES_LAST_MS).toISOString()
      const loginLookup = await sessions.lookUp(sql, { email, account, since })
      const { userId, name, passwordHash, failures } = loginLookup
      await delay(loginDelayMs(failures))
      const isRight = await passwords.verify(passwordHash, input.password)
      if (isRight && userId !== null && name !== null && passwordHash !== null) {
        return { userId, name, email, passwordHash, account }
      }
      // Counted, but not audited, since it belongs to no organization's audit trail.
      await sessions.noteFailure(sql, { account, at: new Date(now()).toISOString(), since })
      return undefined
    },
  }
}

const tooManyTries = (seconds: number) =>
  new AppError('RATE_LIMITED', 'Too many login attempts. Try again later.', {
    reason: 'too_many_logins',
    retryAfterSeconds: seconds,
  })
