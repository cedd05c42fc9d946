import { setTimeout as sleep } from 'node:timers/promises'

const TRIES = 8
const FIRST_WAIT_MS = 100

/**
 * Writes results that must not be lost to a short outage of Postgres: tries for about 25 seconds.
 * When it gives up, the rows stay claimed, and their lease and the provider's events decide them.
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
