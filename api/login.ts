import type { FastifyRequest } from 'fastify'
import { AppError } from '../src/domain/errors.ts'
import {
  ACCOUNT_TRIES,
  ADDRESS_TRIES,
  FAILURES_LAST_MS,
  loginDelayMs,
} from '../src/domain/login.ts'
import { createPasswords, type Passwords } from '../src/passwords.ts'
import * as auditEvents from '../src/store/audit-events.ts'
import * as sessions from '../src/store/sessions.ts'
import { transact } from '../src/store/sql.ts'
import { addressSubject, sha256 } from '../src/tokens.ts'
import { networkOf } from './address.ts'
import type { Deps } from './deps.ts'

/** Tries that wait for their delay: each is a connection and little more. */
const MOST_DELAYED = 1_000
const RETRY_AFTER_SECONDS = 10

interface Verified {
  userId: string
  name: string
  email: string
  passwordHash: string
}

export interface LoginGuard {
  passwords: Passwords
  /**
   * The person, when address and password are right; undefined for any other reason, after the same
   * time. Throws a 429 when the account or the address had too many tries.
   */
  verify(
    request: FastifyRequest,
    given: { email: string; password: string },
  ): Promise<Verified | undefined>
}

/** Checks passwords, slowly where somebody guesses, and notes every failure. */
export function createLoginGuard({ sql, now, keyring, limiter, pause }: Deps): LoginGuard {
  const passwords = createPasswords()
  let delayed = 0

  async function take(subject: string, tries: { limit: number; seconds: number }) {
    const { allowed, retryAfterSeconds } = await limiter.take(subject, [tries])
    if (!allowed) throw tooManyTries(retryAfterSeconds)
  }

  async function delay(ms: number): Promise<void> {
    if (ms === 0) return
    if (delayed >= MOST_DELAYED) throw tooManyDelayed()
    delayed++
    try {
      await pause(ms)
    } finally {
      delayed--
    }
  }

  return {
    passwords,
    verify: async (request, given) => {
      const email = given.email.trim().toLowerCase()
      const address = addressSubject(keyring, networkOf(request.ip))
      await take(`login-address/${address}`, ADDRESS_TRIES)
      await take(`login-account/${addressSubject(keyring, `${email}\n${address}`)}`, ACCOUNT_TRIES)

      const account = sha256(email)
      const since = new Date(now() - FAILURES_LAST_MS).toISOString()
      const found = await sessions.lookUp(sql, { email, account, since })
      const { userId, name, passwordHash, failures } = found
      await delay(loginDelayMs(failures))
      const isRight = await passwords.verify(passwordHash, given.password)
      if (isRight && userId !== null && name !== null && passwordHash !== null) {
        return { userId, name, email, passwordHash }
      }
      await transact(sql, async (tx) => {
        const at = new Date(now()).toISOString()
        await sessions.noteFailure(tx, { account, at, since })
        await auditEvents.recordForPerson(tx, {
          userId,
          actor: { kind: 'unknown' },
          action: 'login.failed',
          requestId: request.id,
          at,
        })
      })
      return undefined
    },
  }
}

const tooManyTries = (seconds: number) =>
  new AppError('RATE_LIMITED', 'Too many tries to log in; wait before the next', {
    reason: 'too_many_logins',
    headers: { 'retry-after': String(seconds) },
  })

const tooManyDelayed = () =>
  new AppError('INTERNAL_ERROR', 'Too many people are logging in at this moment', {
    status: 503,
    reason: 'busy',
    headers: { 'retry-after': String(RETRY_AFTER_SECONDS) },
  })
