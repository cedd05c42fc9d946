import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ACCOUNT, failure, type Fixture, startFixture } from './sandbox-fixture.ts'

let sandbox: Fixture
beforeAll(async () => {
  sandbox = await startFixture()
})
afterAll(() => sandbox.stop())

const burst = async (count: number) => {
  const results = await Promise.allSettled(Array.from({ length: count }, () => sandbox.send()))
  const refused = results.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []))
  return { accepted: count - refused.length, refused: refused as Error[] }
}

test('lets two seconds of the rate through at once, then the rate', async () => {
  await sandbox.control.clear()
  await sandbox.control.putAccount(ACCOUNT, { maxSendRate: 10 })
  const startedAt = performance.now()
  /** What two seconds of the rate allow at once, and what has come back since. */
  const allowed = () => 20 + ((performance.now() - startedAt) / 1_000) * 10
  const { accepted, refused } = await burst(100)
  expect(accepted).toBeGreaterThanOrEqual(20)
  expect(accepted).toBeLessThanOrEqual(allowed())
  expect(refused[0]).toMatchObject({
    name: 'TooManyRequestsException',
    message: 'Maximum sending rate exceeded.',
    $metadata: { httpStatusCode: 429 },
  })
  await sleep(500)
  const later = await burst(20)
  expect(later.accepted).toBeGreaterThanOrEqual(4)
  expect(accepted + later.accepted).toBeLessThanOrEqual(allowed())
})

test('ends at the 24-hour quota, counting recipients, also after a restart', async () => {
  await sandbox.control.clear()
  await sandbox.control.putAccount(ACCOUNT, { maxSendRate: 10_000, max24Hour: 3 })
  await sandbox.send({ Destination: { ToAddresses: ['a@example.com', 'b@example.com'] } })
  const two = { Destination: { ToAddresses: ['c@example.com', 'd@example.com'] } }
  expect(await failure(sandbox.send(two))).toMatchObject({
    name: 'TooManyRequestsException',
    message: 'Daily message quota exceeded.',
  })
  await sandbox.send()
  await sandbox.restart()
  expect((await failure(sandbox.send())).message).toBe('Daily message quota exceeded.')
  expect(await sandbox.control.counts()).toMatchObject({ accepted: 3 })
})
