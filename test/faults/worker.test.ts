import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { sandboxControl } from '../../src/dev/sandbox/control.ts'
import { type Batch, runMainJob } from '../../src/main/main-job.ts'
import type { System } from '../../src/main/system.ts'
import { killAndWait, startTestSystem } from '../support/system.ts'

let system: System

beforeAll(async () => {
  system = await startTestSystem()
})
afterAll(() => system.stop())
beforeEach(async () => {
  await sandboxControl(system.sandboxUrl).resetFaults()
})

/**
 * Runs the main job with `trouble` beside it, from the moment that mail leaves; every figure must
 * add up.
 */
async function mainJob(contacts: number, rate: number, trouble: () => Promise<void>) {
  let begun: () => void = () => {}
  const sending = new Promise<void>((resolve) => {
    begun = resolve
  })
  const job = runMainJob(system, {
    contacts,
    rate,
    onProgress: ({ sent }: Batch) => sent > 0 && begun(),
  })
  const [result] = await Promise.all([job, Promise.race([sending, job]).then(trouble)])
  const odd = await system.sql`
    select state, reason, error, count(*) as rows
    from messages
    where batch_id = ${result.batch.id} and state <> 'sent'
    group by state, reason, error`
  for (const { what, wanted, found } of result.checks) {
    expect(found, `${what}; not sent: ${JSON.stringify(odd)}`).toBe(wanted)
  }
  return result
}

it('killed ten times in the middle of a batch loses nobody and mails nobody twice', async () => {
  let kills = 0
  await mainJob(3_000, 300, async () => {
    for (; kills < 10; kills++) {
      await sleep(200 + Math.random() * 1_200)
      await killAndWait(system.worker)
    }
  })
  expect(kills).toBe(10)
}, 240_000)

it('stopped between claim and call, and continued after others took over, mails nobody twice', async () => {
  const other = system.startWorker()
  try {
    await mainJob(6_000, 220, async () => {
      await sleep(Math.random() * 500)
      const pid = system.worker.pid()
      if (pid === undefined) throw new Error('it does not run')
      process.kill(pid, 'SIGSTOP')
      // Longer than the lease, the age of a signature and the doubt: what it held was decided and
      // mailed by the other when it goes on.
      await sleep(22_000)
      process.kill(pid, 'SIGCONT')
    })
  } finally {
    await other.stop()
  }
}, 240_000)

it('through throttling, errors, resets and stalls sends everything once', async () => {
  const sandbox = sandboxControl(system.sandboxUrl)
  await mainJob(2_000, 500, async () => {
    await sandbox.setFaults({
      throttlePercent: 5,
      serverErrorPercent: 2,
      acceptThenResetPercent: 3,
      acceptThenErrorPercent: 2,
      stallAfterPercent: 1,
      stallMs: 4_000,
      halfOpenPercent: 0.5,
      eventDuplicatePercent: 20,
      eventShuffle: true,
    })
    await sleep(6_000)
    await sandbox.resetFaults()
  })
}, 240_000)

it('without delivery events decides nothing, and goes on when they come', async () => {
  const sandbox = sandboxControl(system.sandboxUrl)
  await mainJob(600, 100, async () => {
    await sandbox.setFaults({ eventsStopped: true, acceptThenResetPercent: 10 })
    await sleep(2_000)
    await killAndWait(system.worker)
    // Past the doubt: without the stream silence is no evidence, so nothing may be sent again.
    await sleep(20_000)
    await sandbox.resetFaults()
  })
}, 240_000)
