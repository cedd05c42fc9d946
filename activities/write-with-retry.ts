import { setTimeout as sleep } from 'node:timers/promises'

const TRIES = 8
const FIRST_WAIT_MS = 100

/**
 * Writes results that must survive a short outage of Postgres. Tries for about 25 seconds. After
 * that the rows stay claimed, and their lease and the provider's events decide them.
 */
export async function writeWithRetry<T>(write: () => PromiseLike<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await write()
    } catch (error) {
      if (attempt === TRIES) throw error
      await sleep(FIRST_WAIT_MS * 2 ** (attempt - 1))
    }
  }
}
