import { AppError } from '../../domain/errors.ts'
import type { Uuid } from '../../runtime/ids.ts'

/** Requests of an organization that may wait for slow answers at once, in this process. */
const MOST_WAITING = 60
const RETRY_AFTER_SECONDS = 2

/**
 * Lets a limited number of an organization's requests wait at once, and refuses others with a 429.
 * A request that waits for seconds uses a place of this process, and an organization with a slow
 * account must not use all of them.
 */
export function createWaitingRoom(most = MOST_WAITING) {
  const waiting = new Map<Uuid, number>()
  return async <T>(organizationId: Uuid, work: () => Promise<T>): Promise<T> => {
    const before = waiting.get(organizationId) ?? 0
    if (before >= most) throw tooMany()
    waiting.set(organizationId, before + 1)
    try {
      return await work()
    } finally {
      const after = (waiting.get(organizationId) ?? 1) - 1
      if (after === 0) waiting.delete(organizationId)
      else waiting.set(organizationId, after)
    }
  }
}

export const tooMany = (): AppError =>
  new AppError('RATE_LIMITED', 'Too many requests to your accounts are running. Try again later', {
    reason: 'too_many_questions',
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  })
