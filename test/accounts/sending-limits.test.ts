import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { recordAnswers } from '../../src/core/accounts/pace.ts'
import type { Lane } from '../../src/domain/mails/mail-priority.ts'
import * as sendLimits from '../../src/store/accounts/send-limits.ts'
import * as sendUsage from '../../src/store/accounts/send-usage.ts'
import type { Sql } from '../../src/store/db/sql.ts'
import { createDatabase } from '../support/database.ts'
import { newAccountId, REGION } from '../support/seed.ts'

let database: Awaited<ReturnType<typeof createDatabase>>
let sql: Sql

beforeAll(async () => {
  database = await createDatabase()
  sql = database.sql
})
afterAll(() => database.drop())

const account = async (rate: number, max24Hour = -1) => {
  const made = { accountId: newAccountId(), region: REGION }
  await sendLimits.learn(sql, made, { maxSendRate: rate, max24Hour, sentLast24Hours: 0 })
  return made
}

describe('the 24-hour quota', () => {
  const full = (shared: sendLimits.Account) =>
    sql`update sending_limits set tokens = 1e6 where account_id = ${shared.accountId}`
  /** What was counted so far is so much older. */
  const age = (shared: sendLimits.Account, time: string) => sql`
    update sending_usage set period = period - ${time}::interval
    where account_id = ${shared.accountId}`
  const takeAll = async (shared: sendLimits.Account, lane: Lane) => {
    let taken = 0
    for (;;) {
      await full(shared)
      const grant = await sendLimits.grantPermits(sql, shared, 70, lane)
      // Where the test stood still for a moment, the rate grants nothing at once.
      if (grant.granted === 0 && grant.pausedReason !== null) return { taken, ...grant }
      taken += grant.granted
    }
  }

  it('is ours to the last mail, and batches leave a twentieth of it to single mail', async () => {
    // Usage is kept by the quarter of an hour: the whole test is in one.
    const QUARTER_MS = 900_000
    const leftMs = QUARTER_MS - (Date.now() % QUARTER_MS)
    if (leftMs < 20_000) await sleep(leftMs)
    const shared = await account(1e6, 1_000)
    const batch = await takeAll(shared, 'batch')
    expect(batch).toMatchObject({ taken: 950, pausedReason: 'daily_quota' })
    expect(batch.waitMs).toBeGreaterThan(0)
    expect(batch.waitMs).toBeLessThanOrEqual(600_000)
    expect(await takeAll(shared, 'transactional')).toMatchObject({
      taken: 50,
      pausedReason: 'daily_quota',
    })
    // A mail is in the figure for 24 hours and at most a quarter more.
    await age(shared, '24 hours')
    expect(await takeAll(shared, 'batch')).toMatchObject({ taken: 0 })
    await age(shared, '15 minutes')
    expect(await takeAll(shared, 'batch')).toMatchObject({ taken: 950 })
  })

  it('is shared with mail that the provider knows and we do not', async () => {
    const shared = await account(1e6, 1_000)
    await full(shared)
    expect((await sendLimits.grantPermits(sql, shared, 100)).granted).toBe(100)
    const told = { maxSendRate: 1e6, max24Hour: 1_000, sentLast24Hours: 400 }
    await sendLimits.learn(sql, shared, told)
    expect(await takeAll(shared, 'transactional')).toMatchObject({ taken: 600 })
    // The provider counts later than we do: it is the larger figure that holds.
    await sendLimits.learn(sql, shared, { ...told, sentLast24Hours: 650 })
    expect(await takeAll(shared, 'transactional')).toMatchObject({ taken: 300 })
  })

  it('counts neither what was given back nor what the provider refused', async () => {
    const shared = await account(1e6, 100)
    expect(await takeAll(shared, 'transactional')).toMatchObject({ taken: 100 })
    await sendLimits.giveBack(sql, shared, 30)
    await sendUsage.countRefused(sql, shared, 20)
    expect(await takeAll(shared, 'transactional')).toMatchObject({ taken: 50 })
  })

  it('is not passed by more than what takers at the same moment were given', async () => {
    const shared = await account(1e6, 1_000)
    await full(shared)
    const takers = 8
    const taken = await Promise.all(
      Array.from({ length: takers }, async () => {
        let sum = 0
        for (;;) {
          const { granted } = await sendLimits.grantPermits(sql, shared, 10)
          if (granted === 0) return sum
          sum += granted
        }
      }),
    )
    const sum = taken.reduce((total, each) => total + each, 0)
    expect(sum).toBeGreaterThanOrEqual(1_000)
    expect(sum).toBeLessThanOrEqual(1_000 + (takers - 1) * 10)
    const [counted] = await sql`
      select sum(mails)::int as mails from sending_usage where account_id = ${shared.accountId}`
    expect(counted).toEqual({ mails: sum })
  })

  it('is no limit where the provider has none, and old periods are deleted', async () => {
    const shared = await account(1e6)
    await full(shared)
    expect((await sendLimits.grantPermits(sql, shared, 5_000, 'batch')).granted).toBe(5_000)
    await age(shared, '3 days')
    expect(await sendUsage.deleteOld(sql)).toBeGreaterThanOrEqual(1)
    const left = await sql`select from sending_usage where account_id = ${shared.accountId}`
    expect(left).toHaveLength(0)
  })
})

describe('permits', () => {
  it('never exceed the rate, with eight takers at once', async () => {
    const rate = 200
    const shared = await account(rate)
    const grants: { begunAt: number; doneAt: number; granted: number }[] = []
    const startedAt = performance.now()
    const seconds = 3
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        while (performance.now() - startedAt < seconds * 1_000) {
          const begunAt = performance.now()
          const { granted, waitMs } = await sendLimits.grantPermits(sql, shared, 50)
          if (granted > 0) grants.push({ begunAt, doneAt: performance.now(), granted })
          else await sleep(Math.min(waitMs, 50))
        }
      }),
    )
    const sum = (of: typeof grants) => of.reduce((total, { granted }) => total + granted, 0)
    const elapsedMs = Math.max(...grants.map(({ doneAt }) => doneAt)) - startedAt
    expect(sum(grants)).toBeLessThanOrEqual((rate * elapsedMs) / 1_000 + rate / 2)
    // A busy machine takes less than it may; hardly anything would mean that takers block others.
    expect(sum(grants)).toBeGreaterThanOrEqual(rate * seconds * 0.5)
    // A grant is at most half a second of rate, so no second sees more than one and a half. Only
    // those that surely fell into it count: an answer may be late.
    for (const { begunAt } of grants) {
      const within = grants.filter(
        (other) => other.begunAt >= begunAt && other.doneAt < begunAt + 1_000,
      )
      expect(sum(within)).toBeLessThanOrEqual(rate * 1.5 + 1)
    }
  })

  it('are at least one at a time, however slow the account, and say how long to wait', async () => {
    const slow = await account(0.05)
    await sql`update sending_limits set tokens = 1 where account_id = ${slow.accountId}`
    expect(await sendLimits.grantPermits(sql, slow, 10)).toMatchObject({ granted: 1, waitMs: 0 })
    const { granted, waitMs } = await sendLimits.grantPermits(sql, slow, 10)
    expect(granted).toBe(0)
    expect(waitMs).toBeGreaterThan(0)
    expect(waitMs).toBeLessThanOrEqual(20_000)
  })

  it.each([
    [0.5, 1],
    [4, 4],
    [8, 5],
    [100, 50],
  ])(
    'gather for half a second, those of a slow account for a second: of %d/s %i',
    async (rate, most) => {
      const shared = await account(rate)
      await sql`
      update sending_limits set refilled_at = refilled_at - interval '1 minute'
      where account_id = ${shared.accountId}`
      expect((await sendLimits.grantPermits(sql, shared, 1_000)).granted).toBe(most)
      await sendLimits.giveBack(sql, shared, 1_000)
      expect((await sendLimits.grantPermits(sql, shared, 1_000)).granted).toBe(most)
    },
  )

  it('come back when no mail was found for them, but never more than the bucket holds', async () => {
    const shared = await account(100)
    await sql`update sending_limits set tokens = 50 where account_id = ${shared.accountId}`
    const { granted } = await sendLimits.grantPermits(sql, shared, 50)
    expect(granted).toBe(50)
    await sendLimits.giveBack(sql, shared, 1_000)
    expect((await sendLimits.grantPermits(sql, shared, 1_000)).granted).toBe(50)
  })

  it('stop while the account is paused, with the reason, and only for that account', async () => {
    const [paused, other] = [await account(100), await account(100)]
    await sql`update sending_limits set tokens = 50`
    await sendLimits.pause(sql, paused, 60_000, 'daily_quota')
    const refusal = await sendLimits.grantPermits(sql, paused, 1)
    expect(refusal).toMatchObject({ granted: 0, pausedReason: 'daily_quota' })
    expect(refusal.waitMs).toBeGreaterThan(30_000)
    expect((await sendLimits.grantPermits(sql, other, 1)).granted).toBe(1)
  })

  it('fall by the share that is throttled, once for all who saw it, and recover', async () => {
    const shared = await account(100)
    const row = async () =>
      (await sql`select * from sending_limits where account_id = ${shared.accountId}`)[0]
    const age = (seconds: number) => sql`
      update sending_limits
      set judged_from = judged_from - ${seconds} * interval '1 second',
        refilled_at = refilled_at - ${seconds} * interval '1 second'
      where account_id = ${shared.accountId}`
    expect((await sendLimits.grantPermits(sql, shared, 0)).isWatched).toBe(false)
    await recordAnswers(sql, shared, { calls: 10, throttled: 2 })
    expect((await sendLimits.grantPermits(sql, shared, 0)).isWatched).toBe(true)
    expect(await row()).toMatchObject({ factor: 1, answered: 10, throttled: 2 })

    await age(2)
    await Promise.all(
      Array.from({ length: 10 }, () => recordAnswers(sql, shared, { calls: 9, throttled: 2 })),
    )
    const slowed = await row()
    expect(slowed?.['factor']).toBeGreaterThan(0.7)
    expect(slowed?.['factor']).toBeLessThan(0.9)
    expect(slowed).toMatchObject({ trialFactor: 1 })
    // Answers to what was begun at the old pace are not of the trial.
    expect(slowed).toMatchObject({ answered: 0, throttled: 0 })

    await age(2)
    await recordAnswers(sql, shared, { calls: 30, throttled: 0 })
    expect(await row()).toMatchObject({
      factor: slowed?.['factor'],
      tolerated: 0,
      trialFactor: null,
    })
    await age(60)
    await sendLimits.grantPermits(sql, shared, 1)
    expect((await row())?.['factor']).toBe(1)
    await recordAnswers(sql, shared, { calls: 30, throttled: 0 })
    expect(await row()).toMatchObject({ judgedFrom: null })
  })

  it('come back at the old rate when slowing down changed nothing', async () => {
    const shared = await account(100)
    for (const _ of [1, 2]) {
      await recordAnswers(sql, shared, { calls: 50, throttled: 10 })
      await sql`
        update sending_limits set judged_from = judged_from - interval '2 seconds'
        where account_id = ${shared.accountId}`
      await recordAnswers(sql, shared, { calls: 50, throttled: 10 })
      await sql`
        update sending_limits set judged_from = judged_from - interval '2 seconds'
        where account_id = ${shared.accountId}`
    }
    const [row] = await sql`
      select factor, tolerated from sending_limits where account_id = ${shared.accountId}`
    expect(row).toEqual({ factor: 1, tolerated: 0.2 })
  })

  it('are none for an account nobody has verified', async () => {
    const stranger = { accountId: newAccountId(), region: REGION }
    expect(await sendLimits.grantPermits(sql, stranger, 1)).toMatchObject({
      granted: 0,
      pausedReason: 'no_account',
    })
  })
})

describe('lanes', () => {
  const ask = (shared: sendLimits.Account, lane: Lane, want: number) =>
    sendLimits.grantPermits(sql, shared, want, lane)
  const set = (shared: sendLimits.Account, tokens: number, floorSeconds: number) => sql`
    update sending_limits
    set tokens = ${tokens}, refilled_at = clock_timestamp(),
      floor_at = clock_timestamp() - ${floorSeconds} * interval '1 second'
    where account_id = ${shared.accountId}`

  it('give way for half a second to a higher one that got less than it asked for', async () => {
    const shared = await account(20)
    await set(shared, 10, 0)
    expect((await ask(shared, 'batch', 1)).granted).toBe(1)
    expect((await ask(shared, 'confirmation', 20)).granted).toBeLessThan(20)
    await set(shared, 10, 0)
    // Higher ones do not give way, lower ones do, and are told when to come again.
    expect((await ask(shared, 'transactional', 1)).granted).toBe(1)
    // A busy machine may take longer than that half second.
    await sql`
      update sending_limits set confirmation_short_at = clock_timestamp() + interval '1 minute'
      where account_id = ${shared.accountId} and confirmation_short_at is not null`
    const refused = await ask(shared, 'workflow', 1)
    expect(refused).toMatchObject({ granted: 0, waitMs: 500, pausedReason: null })
    expect((await ask(shared, 'batch', 1)).waitMs).toBeLessThanOrEqual(500)
    await sql`
      update sending_limits
      set confirmation_short_at = confirmation_short_at - interval '2 minutes',
        workflow_short_at = workflow_short_at - interval '2 minutes'
      where account_id = ${shared.accountId}`
    expect((await ask(shared, 'workflow', 1)).granted).toBe(1)
    expect((await ask(shared, 'batch', 1)).granted).toBe(1)
  })

  it('leave batches a twentieth of the rate, and the rate is kept', async () => {
    const rate = 200
    const shared = await account(rate)
    const got = { transactional: 0, batch: 0 }
    const startedAt = performance.now()
    const seconds = 2
    const take = async (lane: keyof typeof got): Promise<void> => {
      while (performance.now() - startedAt < seconds * 1_000) {
        const { granted, waitMs } = await ask(shared, lane, 500)
        got[lane] += granted
        if (granted === 0) await sleep(Math.min(waitMs, 50))
      }
    }
    await ask(shared, 'transactional', 500)
    await Promise.all([take('transactional'), take('batch'), take('batch')])
    const elapsed = (performance.now() - startedAt) / 1_000
    expect(got.batch).toBeGreaterThanOrEqual(rate * seconds * 0.02)
    expect(got.batch).toBeLessThanOrEqual(rate * elapsed * 0.05 + rate * 0.025 + 1)
    expect(got.transactional).toBeGreaterThan(got.batch * 5)
    expect(got.transactional + got.batch).toBeLessThanOrEqual(rate * elapsed + rate / 2 + 1)
  })
})
