import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { type Clock, startClockKeeper } from '../../src/loops/clock-keeper.ts'
import { createReadiness } from '../../src/main/programs/readiness.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { until } from '../support/engine.ts'

const MINUTE_MS = 60_000

let database: TestDatabase
beforeAll(async () => {
  database = await createDatabase()
})
afterAll(() => database.drop())

/** A process whose clock is so far ahead, once it has compared it. */
async function withClock(
  wrongMs: () => number,
  act: (clock: Clock, warnings: string[]) => Promise<unknown>,
) {
  const warnings: string[] = []
  let compared = 0
  const log = {
    info: () => {},
    warn: (fields: object, message: string) =>
      void warnings.push(`${message} ${JSON.stringify(fields)}`),
    error: () => {},
  }
  const own = () => {
    compared++
    return Date.now() + wrongMs()
  }
  const clock = startClockKeeper({ sql: database.sql, log, clock: own, everyMs: 20 })
  try {
    await until(async () => compared > 1)
    await act(clock, warnings)
  } finally {
    await clock.stop()
  }
}

const readyOf = async (clock: Clock) => {
  const readiness = createReadiness({
    databaseUrl: database.url,
    role: 'letterloom_worker',
    temporalAddress: inject('temporalAddress'),
    needsTemporal: true,
    notices: 'off',
    clock,
    isServing: () => true,
    isDraining: () => false,
  })
  try {
    return await readiness.ask()
  } finally {
    await readiness.close()
  }
}

test.each([10, -10])(
  'a clock that is %i minutes off is named, and Postgres’ is gone by',
  async (minutes) => {
    await withClock(
      () => minutes * MINUTE_MS,
      async (clock, warnings) => {
        expect(Math.abs(clock.now() - Date.now())).toBeLessThan(MINUTE_MS / 2)
        expect(warnings[0]).toMatch(
          /^the clock of this machine is wrong \{"aheadSeconds":-?\d{3}\}$/,
        )
        const { clockAheadSeconds = 0, postgres } = await readyOf(clock)
        expect(postgres).toBe('ok')
        expect(Math.abs(clockAheadSeconds - minutes * 60)).toBeLessThan(30)
      },
    )
  },
)

test('a clock that is right, or is set right, is its own, and nothing is said', async () => {
  let wrongMs = 10 * MINUTE_MS
  await withClock(
    () => wrongMs,
    async (clock, warnings) => {
      await until(async () => clock.aheadMs() !== 0)
      wrongMs = 0
      await until(async () => clock.aheadMs() === 0)
      warnings.length = 0
      expect(await readyOf(clock)).not.toHaveProperty('clockAheadSeconds')
      expect(warnings).toEqual([])
    },
  )
})
