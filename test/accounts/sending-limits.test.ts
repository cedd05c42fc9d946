import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { recordAnswers } from '../../src/core/accounts/pace.ts'
import * as sendLimits from '../../src/store/accounts/send-limits.ts'
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

const account = async (rate: number) => {
  const made = { accountId: newAccountId(), region: REGION }
  await sendLimits.learn(sql, { ...made, maxSendRate: rate, max24Hour: 1_000 })
  return made
}

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
    const slow = await account(0.5)
    await sql`update sending_limits set tokens = 1 where account_id = ${slow.accountId}`
    expect(await sendLimits.grantPermits(sql, slow, 10)).toMatchObject({ granted: 1, waitMs: 0 })
    const { granted, waitMs } = await sendLimits.grantPermits(sql, slow, 10)
    expect(granted).toBe(0)
    expect(waitMs).toBeGreaterThan(1_500)
    expect(waitMs).toBeLessThanOrEqual(2_000)
  })

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
    await sendLimits.pause(sql, paused, 2_000, 'daily_quota')
    const refusal = await sendLimits.grantPermits(sql, paused, 1)
    expect(refusal).toMatchObject({ granted: 0, pausedReason: 'daily_quota' })
    expect(refusal.waitMs).toBeGreaterThan(1_000)
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
