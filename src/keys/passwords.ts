import { randomBytes } from 'node:crypto'
import { hash, verify } from '@node-rs/argon2'
import { unavailable } from '../domain/errors.ts'

/** argon2id, the library's default (OWASP Password Storage: 19 MiB, two passes, one lane). */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }
/** Each hash takes a core and 19 MiB, and the process must stay responsive. */
const MOST_AT_ONCE = 2
const MOST_WAITING = 64
const RETRY_AFTER_SECONDS = 10

export interface Passwords {
  hash(password: string): Promise<string>
  /**
   * Resolves to whether the password matches. Without a hash the answer is no, after the same time.
   */
  verify(storedHash: string | null, password: string): Promise<boolean>
}

/**
 * Hashes passwords, two at a time. 64 more wait, and further callers are refused with a 503 and a
 * time to retry. Characters that look the same count as the same (Unicode NFC).
 */
export function createPasswords(): Passwords {
  const run = bounded(MOST_AT_ONCE, MOST_WAITING)
  const nobodys = hash(randomBytes(16), COST)
  return {
    hash: (password) => run(() => hash(password.normalize('NFC'), COST)),
    verify: (storedHash, password) =>
      run(async () => {
        const isRight = await verify(storedHash ?? (await nobodys), password.normalize('NFC'))
        return isRight && storedHash !== null
      }),
  }
}

function bounded(mostAtOnce: number, mostWaiting: number) {
  const waiting: (() => void)[] = []
  let running = 0
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running >= mostAtOnce) {
      if (waiting.length >= mostWaiting) throw tooManyLogins()
      await new Promise<void>((resolve) => waiting.push(resolve))
    } else running++
    try {
      return await work()
    } finally {
      // The one that waited longest goes next.
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
}

export const tooManyLogins = () =>
  unavailable('Too many people are logging in at the moment. Try again', {
    reason: 'busy',
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  })
