import { setTimeout as sleep } from 'node:timers/promises'
import { Connection } from '@temporalio/client'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { sandboxControl } from '../../tools/sandbox/control.ts'
import { SHORT_TIMINGS } from '../../src/domain/delivery/timings.ts'
import { type Batch, type JobOptions, runMainJob } from '../../src/main/dev/main-job.ts'
import type { RunningProgram } from '../../src/main/dev/programs.ts'
import { transact } from '../../src/store/db/sql.ts'
import { CONTROL_QUEUE } from '../../workflows/contract.ts'
import { until } from '../support/engine.ts'
import { sized } from '../support/size.ts'
import { killAndWait, startTestSystem, type TestSystem } from '../support/system.ts'
import { guarantee } from '../support/guarantee.ts'

/** Some sixteen seconds are what a kill costs; a machine under load takes longer. */
const HELD_UP_MS = 30_000
/** One of so many kills must cost less than that: something else may have held up the others. */
const HELD_UP_TRIES = 3
/** At any moment, after those that are timed. */
const MORE_KILLS = sized(0, 10)
const FROZEN = sized(60, 300)
/** The next worker has to start first; without it, it would be two minutes. */
const FROZEN_MS = 90_000
/** Until something happened that happens sooner or later. */
const PATIENCE_MS = 120_000
const LONGEST_MS = 600_000

let system: TestSystem
let sandbox: ReturnType<typeof sandboxControl>

beforeAll(async () => {
  system = await startTestSystem()
  sandbox = sandboxControl(system.sandboxUrl)
})
afterAll(() => system.stop())

/**
 * Runs the main job with `trouble` beside it, from the moment that mail leaves; every figure must
 * add up.
 */
async function mainJob(options: JobOptions, trouble: () => Promise<void>) {
  let begun: (batch: Batch) => void = () => {}
  const sending = new Promise<Batch>((resolve) => {
    begun = resolve
  })
  const job = runMainJob(system, {
    ...options,
    onProgress: (batch) => batch.sent > 0 && begun(batch),
  })
  const troubled = Promise.race([sending, job.then(({ batch }) => batch)]).then(async ({ id }) => {
    // A busy machine may need longer for its proofs than a batch waits that is not to send again.
    await system.sql`update batches set unknown_outcome = 'retry' where id = ${id}`
    await trouble()
  })
  const [result] = await Promise.all([job, troubled])
  const odd = await system.sql`
    select state, reason, error, count(*) as rows
    from messages
    where batch_id = ${result.batch.id} and state <> 'sent'
    group by state, reason, error`
  for (const { what, expected: wanted, actual: found } of result.checks) {
    guarantee(() => expect(found, `${what}; not sent: ${JSON.stringify(odd)}`).toBe(wanted))
  }
  return result
}

it(
  'killed in the middle of a batch loses nobody, mails nobody twice and holds up only what it claimed',
  async () => {
    const accountId = '444455556667'
    // So slow that it is not over before all is seen, however busy the machine is.
    const job = await mainJob(
      { contacts: sized(100, 6_000), rate: sized(2, 150), accountId },
      async () => {
        // Its chunks are all in flight: whoever comes now has nothing to do until the kill.
        const other = system.startWorker()
        try {
          await polls(other)
          const passed = [await heldUp()]
          const isSeen = () => passed.length >= sized(1, 2) && Math.min(...passed) < HELD_UP_MS
          while (!isSeen() && passed.length < HELD_UP_TRIES) passed.push(await heldUp())
          expect(Math.min(...passed)).toBeLessThan(HELD_UP_MS)
          for (let kills = 0; kills < MORE_KILLS; kills++) {
            await sleep(200 + Math.random() * 1_200)
            await killAndWait(system.worker)
          }
          await hurry(accountId)
        } finally {
          await other.stop()
        }
      },
    )
    expect(job.batch.status).toBe('completed')
  },
  LONGEST_MS,
)

/** From now on the account may send two hundred mails a second. */
async function hurry(accountId: string): Promise<void> {
  await sandbox.putAccount(accountId, { region: 'eu-west-1', maxSendRate: 200 })
  await system.sql`
    update sending_limits set max_send_rate = 200 where account_id = ${accountId}`
}

it(
  'killed while it freezes an audience, the next one freezes it',
  async () => {
    const killed = await transact(system.sql, async (tx) => {
      const job = runMainJob(system, { contacts: FROZEN, rate: 300 })
      // Contacts and templates are written meanwhile, rows of the ledger are not.
      await tx`lock table messages in share mode`
      await until(async () => {
        // Which also keeps the transaction from being idle.
        await tx`select pg_stat_clear_snapshot()`
        const freezing = await system.admin`
        select
        from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'
          and query like '%insert into messages%'`
        return freezing.length > 0
      }, PATIENCE_MS)
      await killAndWait(system.worker)
      return { job, at: performance.now() }
    })
    await until(async () => {
      const unfrozen = await system.sql`
      select from batches where status = 'queued' and audience_frozen_at is null`
      return unfrozen.length === 0
    }, PATIENCE_MS)
    expect(performance.now() - killed.at).toBeLessThan(FROZEN_MS)
    expect((await killed.job).batch.sent).toBe(FROZEN)
  },
  LONGEST_MS,
)

/** Kills the worker and waits until a row is claimed that was not then. Returns milliseconds. */
async function heldUp(): Promise<number> {
  const killedAt = performance.now()
  await killAndWait(system.worker)
  // What it had asked of Postgres may still be done.
  await sleep(200 - (performance.now() - killedAt))
  const queued = async (): Promise<number> => {
    const [row] = await system.sql<{ rows: number }[]>`
      select count(*)::integer as rows
      from messages m
      join batches b on b.organization_id = m.organization_id and b.bucket = m.bucket
      where b.status = 'processing' and m.state = 'queued'`
    return row?.rows ?? 0
  }
  const left = await queued()
  expect(left).toBeGreaterThan(0)
  await until(async () => (await queued()) < left, PATIENCE_MS)
  return performance.now() - killedAt
}

/** Until a worker asks for work: for all kinds of it at once. */
async function polls(worker: RunningProgram): Promise<void> {
  const connection = await Connection.connect({ address: system.temporalAddress })
  try {
    await until(async () => {
      const { pollers } = await connection.workflowService.describeTaskQueue({
        namespace: system.namespace,
        taskQueue: { name: CONTROL_QUEUE },
      })
      // Those that were killed are listed for minutes.
      return pollers.some(({ identity }) => identity?.startsWith(`${worker.pid()}@`))
    }, PATIENCE_MS)
  } finally {
    await connection.close()
  }
}

// These wait for claims to be decided, side by side, each for an account of its own.

it.concurrent(
  'stopped between claim and call, and continued after others took over, mails nobody twice',
  async () => {
    const accountId = '444455556668'
    const contacts = sized(80, 6_000)
    const stopped = async () => {
      await sandbox.setFaults({ latencyMs: 300 }, accountId)
      const { pid, held } = await stopHolding(accountId)
      const other = system.startWorker()
      try {
        // Later than the lease, the age of a signature and the doubt: what it held was decided and
        // mailed by the other when it goes on.
        await until(async () => {
          const open = await claimsOf(accountId)
          return !held.some((id) => open.includes(id))
        }, LONGEST_MS / 2)
        process.kill(pid, 'SIGCONT')
        // Whatever it still had to say and to send it does at once.
        await sleep(1_500)
      } finally {
        process.kill(pid, 'SIGCONT')
        await other.stop()
      }
    }
    const { batch } = await mainJob({ contacts, rate: sized(15, 220), accountId }, stopped)
    expect(await sandbox.counts({ batch: batch.id })).toMatchObject({
      accepted: contacts,
      duplicates: 0,
    })
  },
  LONGEST_MS,
)

/**
 * Stops the worker while it holds claims, whose ids it returns. Not in a transaction whose
 * statement waits for its values: Postgres before 17 lets that hold its rows for as long as the
 * worker is stopped.
 */
const stopHolding = (accountId: string): Promise<{ pid: number; held: string[] }> =>
  until(async () => {
    const pid = system.worker.pid()
    if (pid === undefined || (await claimsOf(accountId)).length === 0) return undefined
    process.kill(pid, 'SIGSTOP')
    await until(async () => (await workersStatements()).every(({ isRead }) => isRead), PATIENCE_MS)
    const held = await claimsOf(accountId)
    const statements = await workersStatements()
    if (held.length > 0 && statements.every(({ isFirst }) => isFirst)) return { pid, held }
    process.kill(pid, 'SIGCONT')
    return undefined
  }, PATIENCE_MS)

/**
 * Statements that Postgres is at: whether it waits for their values, and whether they are the first
 * of their transactions, which hold no rows yet.
 */
const workersStatements = () =>
  system.admin<{ isRead: boolean; isFirst: boolean }[]>`
    select coalesce(wait_event = 'ClientRead', false) as is_read,
      coalesce(query_start = xact_start, true) as is_first
    from pg_stat_activity
    where datname = current_database() and application_name = 'letterloom-worker'
      and state = 'active'`

/** Ids of the account's claims that nobody has decided; of any state when that is absent. */
const claimsOf = async (accountId: string, state?: 'live' | 'doubt'): Promise<string[]> => {
  const rows = await system.sql<{ id: string }[]>`
    select k.id
    from claims k
    join connections c on c.organization_id = k.organization_id and c.id = k.connection_id
    where c.account_id = ${accountId} and k.state = coalesce(${state ?? null}, k.state)`
  return rows.map(({ id }) => id)
}

it.concurrent(
  'through throttling, errors, resets and stalls sends everything once',
  async () => {
    const accountId = '444455556669'
    await mainJob({ contacts: sized(120, 2_000), rate: sized(25, 500), accountId }, async () => {
      const faults = {
        throttlePercent: 5,
        serverErrorPercent: 2,
        acceptThenResetPercent: 3,
        acceptThenErrorPercent: 2,
        stallAfterPercent: 1,
        stallMs: 4_000,
        halfOpenPercent: 0.5,
        eventDuplicatePercent: 20,
        eventShuffle: true,
      }
      await sandbox.setFaults(faults, accountId)
      await sleep(6_000)
      await sandbox.resetFaults(accountId)
    })
  },
  LONGEST_MS,
)

it.concurrent(
  'without delivery events decides nothing, and goes on when they come',
  async () => {
    const accountId = '444455556670'
    await mainJob({ contacts: sized(60, 600), rate: sized(15, 100), accountId }, async () => {
      const faults = { eventsStopped: true, acceptThenResetPercent: 50, halfOpenPercent: 5 }
      await sandbox.setFaults(faults, accountId)
      await until(async () => (await claimsOf(accountId, 'doubt')).length > 0, PATIENCE_MS)
      // Past the doubt: without the stream silence is no evidence, so nothing may be sent again.
      await sleep(SHORT_TIMINGS.doubtMs + 2_000)
      await sandbox.resetFaults(accountId)
    })
  },
  LONGEST_MS,
)
