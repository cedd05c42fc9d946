import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { callAll } from '../../activities/calls.ts'
import { applyProviderFeedback } from '../../activities/provider-feedback.ts'
import { SHORT_TIMINGS } from '../../src/domain/delivery/timings.ts'
import * as sendLimits from '../../src/store/accounts/send-limits.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { fakeMailer, sent } from '../support/mailer.ts'
import { newAccountId, REGION } from '../support/seed.ts'

const RATE = 200
const CLAIM = 20
const CHUNKS = 4

let database: TestDatabase
beforeAll(async () => {
  database = await createDatabase()
})
afterAll(() => database.drop())

const mail = {
  from: 'news@example.com',
  replyTo: null,
  to: 'reader@example.com',
  subject: 'News',
  html: null,
  text: 'News',
  headers: [],
  tags: [],
}

/**
 * Accepted mails a second of an account whose provider throttles a share of all calls, used by
 * several chunks at once as `sendChunk` uses it.
 */
async function acceptedPerSecond(share: number, seconds: number): Promise<number> {
  const { sql } = database
  const account = { accountId: newAccountId(), region: REGION }
  await sendLimits.learn(sql, account, { maxSendRate: RATE, max24Hour: 1e6, sentLast24Hours: 0 })
  const mailer = fakeMailer(() =>
    Math.random() < share ? { kind: 'throttled', scope: 'rate' } : sent(),
  )
  const iamRole = { ...account, organizationId: 'o', connectionId: 'c', externalId: 'x' }
  const end = performance.now() + seconds * 1_000
  const chunk = async (): Promise<void> => {
    while (performance.now() < end) {
      const { granted, isWatched, waitMs } = await sendLimits.grantPermits(sql, account, CLAIM)
      if (granted === 0) await sleep(waitMs)
      const pending = Array.from({ length: granted }, (_, n) => ({
        id: String(n),
        job: { id: String(n), mail },
      }))
      const call = { iamRole, signedAt: new Date(), beginBy: performance.now() + 1_000 }
      const { verdict } = await callAll(mailer, pending, call)
      await applyProviderFeedback(sql, account, { verdict, isWatched, timings: SHORT_TIMINGS })
    }
  }
  await Promise.all(Array.from({ length: CHUNKS }, chunk))
  return mailer.accepted.length / seconds
}

it('throttled calls cost their share of the rate and little more', async () => {
  // At once, so that a busy machine is as busy for each of them.
  const [all = 0, few = 0, many = 0] = await Promise.all(
    [0, 0.05, 0.2].map((share) => acceptedPerSecond(share, 15)),
  )
  // Their share is chance, and a busy machine is late: 15 % for both.
  expect(few / all).toBeGreaterThan(0.85 * 0.95)
  expect(many / all).toBeGreaterThan(0.85 * 0.8)
})
