import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createLimiter, type Limiter } from '../../api/limits/limiter.ts'
import { uuidv7 } from '../../src/runtime/ids.ts'
import * as rateLimits from '../../src/store/platform/rate-limits.ts'
import { tally } from '../support/api.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { connectAs } from '../support/logins.ts'

const SMALL = [
  { limit: 5, seconds: 60 },
  { limit: 20, seconds: 86_400 },
]
const LARGE = [
  { limit: 10_000, seconds: 60 },
  { limit: 2_000_000, seconds: 86_400 },
]
const PATIENT_MS = 20_000

let database: TestDatabase
let subject: string
let limiters: Limiter[] = []
const alarms: string[] = []
let unlimited = 0

beforeAll(async () => {
  database = await createDatabase()
})
beforeEach(() => {
  subject = uuidv7()
  limiters = []
  alarms.length = 0
  unlimited = 0
})
afterEach(async () => {
  for (const limiter of limiters) await limiter.close()
})
afterAll(() => database.drop())

const pool = (url = database.url) =>
  connectAs(url, { name: 'limiter', role: 'letterloom_api', max: 2 })

function start(options: Partial<Parameters<typeof createLimiter>[0]> = {}): Limiter {
  const limiter = createLimiter({
    open: () => pool(),
    log: { error: (_about, message) => alarms.push(message) },
    onUnlimited: () => unlimited++,
    deadlineMs: PATIENT_MS,
    ...options,
  })
  limiters.push(limiter)
  return limiter
}
const many = async (limiter: Limiter, count: number, windows = SMALL) => {
  const decisions = await Promise.all(
    Array.from({ length: count }, async () => limiter.take(subject, windows)),
  )
  return tally(decisions.map(({ allowed }) => String(allowed)))
}
const row = async () => {
  const [row] = await database.admin<{ used: number[]; markSeconds: number[] }[]>`
    select used, mark_seconds from rate_limits where subject = ${subject}`
  return row
}

describe('the store', () => {
  test('is the memory: a restart gives nothing back', async () => {
    const first = start()
    expect(await many(first, 4)).toEqual({ true: 4 })
    await first.close()
    expect(await many(start(), 4)).toEqual({ true: 1, false: 3 })
  })

  test('a window slides: each request is free again when it is as old as the window', async () => {
    let time = 1_800_000_000_000
    const limiter = start({ now: () => time })
    for (let i = 0; i < 5; i++) {
      expect((await limiter.take(subject, SMALL)).allowed).toBe(true)
      time += 10_000
    }
    const refused = await limiter.take(subject, SMALL)
    expect([refused.allowed, refused.retryAfterSeconds]).toEqual([false, 10])
    expect(refused.nearest).toMatchObject({ limit: 5, seconds: 60, remaining: 0 })
    time += 9_999
    expect((await limiter.take(subject, SMALL)).allowed).toBe(false)
    time += 1
    expect((await limiter.take(subject, SMALL)).allowed).toBe(true)
    expect((await limiter.take(subject, SMALL)).allowed).toBe(false)
    // The day is counted beside the minute, and only what passed.
    expect((await row())?.used).toEqual([5, 6])
  })

  test('a day that is used up refuses although the minute is empty, and says for how long', async () => {
    let time = 1_800_000_000_000
    const limiter = start({ now: () => time })
    for (let i = 0; i < 4; i++) {
      expect(await many(limiter, 6)).toEqual({ true: 5, false: 1 })
      time += 61_000
    }
    const refused = await limiter.take(subject, SMALL)
    expect([refused.allowed, refused.nearest.limit]).toEqual([false, 20])
    expect(refused.retryAfterSeconds).toBe(86_400 - 4 * 61)
  })

  test('a larger limit counts at once, also for one who was refused', async () => {
    const limiter = start()
    expect(await many(limiter, 6)).toEqual({ true: 5, false: 1 })
    const larger = [{ limit: 8, seconds: 60 }, SMALL[1]!]
    expect(await many(limiter, 5, larger)).toEqual({ true: 3, false: 2 })
  })

  test('other windows begin again, and nobody else is concerned', async () => {
    let time = 1_800_000_000_000
    const before = start({ now: () => time })
    expect((await before.take(subject, SMALL)).allowed).toBe(true)
    time += 1_000
    expect(await many(before, 5)).toEqual({ true: 4, false: 1 })
    const after = start({ now: () => time })
    const hour = { limit: 3, seconds: 3_600 }
    const others = Array.from({ length: 4 }, async () => after.take(`${subject}-other`, [hour]))
    expect(await many(after, 5, [hour])).toEqual({ true: 3, false: 2 })
    const decisions = await Promise.all(others)
    expect(tally(decisions.map(({ allowed }) => String(allowed)))).toEqual({ true: 3, false: 1 })
    expect([unlimited, alarms]).toEqual([0, []])
    expect((await row())?.used).toEqual([3])
    expect((await row())?.markSeconds).toEqual([3_600])
    // The processes of the release before are still there: they count in their own windows.
    expect(await many(start({ now: () => time }), 6)).toEqual({ true: 5, false: 1 })
    expect(unlimited).toBe(0)
  })

  test('a clock that goes back changes nothing', async () => {
    let time = 1_800_000_000_000
    const limiter = start({ now: () => time })
    await many(limiter, 5)
    time -= 3_600_000
    expect((await start({ now: () => time }).take(subject, SMALL)).allowed).toBe(false)
    time += 3_600_000 + 60_000
    expect((await limiter.take(subject, SMALL)).allowed).toBe(true)
  })

  test('forgets whom no window holds, and the most short-lived ones above the most', async () => {
    let time = 1_700_000_000_000
    const limiter = start({ now: () => time })
    for (const name of ['a', 'b', 'c']) await limiter.take(`${subject}-${name}`, [SMALL[0]!])
    await limiter.take(subject, SMALL)
    const left = async () =>
      (
        await database.admin<{ subject: string }[]>`
          select subject from rate_limits where subject like ${`${subject}%`}`
      ).length
    await rateLimits.forget(database.sql, 1_000_000, time)
    expect(await left()).toBe(4)
    time += 3 * 3_600_000
    await rateLimits.forget(database.sql, 1_000_000, time)
    expect(await row()).toBeDefined()
    expect(await left()).toBe(1)
    await rateLimits.forget(database.sql, 0, time)
    expect(await left()).toBe(0)
  })

  test('forgets as many as there are too many, at once', async () => {
    const [before] = await database.admin<{ count: number }[]>`
      select count(*) as count from rate_limits`
    await database.admin`
      insert into rate_limits
      select ${subject} || n, '{60}', '{5}', 0, 0, '{0}', '{0}', '{}', '{}', '{}', 0, 0
      from generate_series(1, 12000) n`
    const most = before!.count + 500
    expect(await rateLimits.forget(database.sql, most, 1_000)).toBe(11_500)
    expect(await database.admin`select count(*) as count from rate_limits`).toEqual([
      { count: most },
    ])
  })

  test('forgets nobody who is being counted, and waits for nobody', async () => {
    const time = 1_700_000_000_000
    const limiter = start({ now: () => time })
    for (const name of ['a', 'b']) await limiter.take(`${subject}-${name}`, [SMALL[0]!])
    await limiter.take(subject, [SMALL[0]!])
    await database.admin.begin(async (tx) => {
      await tx`select from rate_limits where subject = ${subject} for update`
      await rateLimits.forget(database.sql, 1_000_000, time + 3 * 3_600_000)
    })
    const left = await database.admin`
      select subject from rate_limits where subject like ${`${subject}%`}`
    expect(left).toEqual([{ subject }])
  })
})

describe('a large window', () => {
  test('is one row of at most 61 marks a window, and one limit for two processes', async () => {
    let time = 1_800_000_000_000
    const [one, two] = [start({ now: () => time }), start({ now: () => time })]
    let passed = 0
    for (let i = 0; i < 120; i++) {
      time += 400
      const limiter = i % 2 ? one : two
      passed += (await many(limiter, 100, LARGE))['true'] ?? 0
    }
    expect(passed).toBe(10_000)
    const marks = (await row())?.markSeconds ?? []
    expect(marks.filter((seconds) => seconds === 60).length).toBeLessThanOrEqual(61)
    expect((await row())?.used).toEqual([10_000, 10_000])
  })

  test('a burst is free again when it is as old as the window, to the millisecond', async () => {
    let time = 1_800_000_000_000
    const limiter = start({ now: () => time })
    expect(await many(limiter, 10_001, LARGE)).toEqual({ true: 10_000, false: 1 })
    time += 59_999
    expect(await many(limiter, 1, LARGE)).toEqual({ false: 1 })
    time += 1
    expect(await many(limiter, 10_001, LARGE)).toEqual({ true: 10_000, false: 1 })
  })

  test('a refused subject asks the store again only when the oldest requests have left', async () => {
    let time = 1_800_000_000_000
    const asked: string[] = []
    const open = () =>
      connectAs(database.url, {
        name: 'limiter',
        role: 'letterloom_api',
        max: 2,
        onQuery: (query) => asked.push(query),
      })
    const limiter = start({ open, now: () => time })
    await many(limiter, 6)
    asked.length = 0
    expect(await many(limiter, 50)).toEqual({ false: 50 })
    expect(asked).toEqual([])
    time += 60_000
    expect(await many(limiter, 1)).toEqual({ true: 1 })
    expect(asked.length).toBe(1)
  })
})

describe('without its store', () => {
  test('everything is allowed, with an alarm and a count', async () => {
    const limiter = start({ open: () => pool('postgres://nobody:x@127.0.0.1:1/none') })
    expect(await many(limiter, 8)).toEqual({ true: 8 })
    expect(await many(limiter, 8)).toEqual({ true: 8 })
    expect(unlimited).toBe(16)
    expect(alarms).toEqual(['rate limits are open: their store fails'])
  })

  test('guesses of passwords and keys are counted by the process', async () => {
    let time = 1_800_000_000_000
    const open = () => pool('postgres://nobody:x@127.0.0.1:1/none')
    const limiter = start({ open, now: () => time })
    for (const kind of ['login-address/', 'login-account/', 'guesses:']) {
      subject = `${kind}${uuidv7()}`
      expect(await many(limiter, 8)).toEqual({ true: 5, false: 3 })
      time += 59_000
      const refused = await limiter.take(subject, SMALL)
      expect([refused.allowed, refused.retryAfterSeconds]).toEqual([false, 1])
      time += 1_000
      expect(await many(limiter, 8)).toEqual({ true: 5, false: 3 })
      expect((await limiter.take(`${subject}-other`, SMALL)).allowed).toBe(true)
    }
    expect(unlimited).toBe(0)
  })

  test('one that hangs keeps nobody, and one that is back counts again', async () => {
    const limiter = start({ deadlineMs: 100 })
    // A patient one makes the row: the first answer of this one may be late on a busy machine.
    await start().take(subject, SMALL)
    await database.admin.begin(async (tx) => {
      await tx`select 1 from rate_limits where subject = ${subject} for update`
      expect(await many(limiter, 8)).toEqual({ true: 8 })
      expect(unlimited).toBe(8)
    })
    expect(alarms.length).toBe(1)
    await expect
      .poll(async () => (await many(limiter, 8))['false'] ?? 0, { timeout: 120_000 })
      .toBeGreaterThan(0)
  })

  test('a connection that never answers is given up for a new one', async () => {
    const sockets: Socket[] = []
    const silent = createServer((socket) => void sockets.push(socket)).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const address = silent.address()
    const port = typeof address === 'object' ? address?.port : 0
    const urls = [`postgres://nobody:x@127.0.0.1:${port}/none`, database.url]
    const limiter = start({ deadlineMs: 100, open: () => pool(urls.shift() ?? database.url) })
    expect((await limiter.take(subject, SMALL)).allowed).toBe(true)
    expect(unlimited).toBe(1)
    await expect
      .poll(async () => (await many(limiter, 8))['false'] ?? 0, { timeout: 120_000 })
      .toBeGreaterThan(0)
    for (const socket of sockets) socket.destroy()
    silent.close()
  })
})
