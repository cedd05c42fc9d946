import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Window } from '../../api/limits/decision.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { endWithUs } from '../support/end-with-us.ts'
import type { Order, Report } from '../support/limiter-process.ts'
import { sized } from '../support/size.ts'

const PROCESSES = 4
const SEEDS = Array.from({ length: sized(1, 3) }, (_, n) => n + 1)
/** Of a window's limit; one request if that is more. */
const MOST_ERROR = 0.05

let database: TestDatabase
let processes: ChildProcess[]
const waiting = new Map<number, (report: Report) => void>()
let orders = 0
/** The test's clock, of all processes; it never goes back. */
let at = 1_000_000_000_000
const failures: string[] = []

beforeAll(async () => {
  database = await createDatabase()
  processes = await Promise.all(
    Array.from({ length: PROCESSES }, async () => {
      const child = endWithUs(
        fork(
          fileURLToPath(new URL('../support/limiter-process.ts', import.meta.url)),
          [database.url],
          { execArgv: ['--import', 'tsx'] },
        ),
      )
      await once(child, 'message')
      child.on('message', (report: Report | string) => {
        if (typeof report === 'string') failures.push(report)
        else waiting.get(report.id)?.(report)
      })
      return child
    }),
  )
})
afterAll(async () => {
  await Promise.all(
    processes.map((child) => {
      const gone = once(child, 'exit')
      child.send('close')
      return gone
    }),
  )
  await database.drop()
})

function take(child: ChildProcess, order: Omit<Order, 'id'>): Promise<Report> {
  const id = orders++
  return new Promise((resolve) => {
    waiting.set(id, resolve)
    child.send({ id, ...order })
  })
}

/** A seeded generator (mulberry32): the same traffic each time. */
function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** Remembers every request that was let through: what a limiter of endless memory would count. */
function createOracle(windows: readonly Window[]) {
  const passed: number[] = []
  return {
    passed,
    note: (at: number) => void passed.push(at),
    /** Of the tightest window: requests still free, as a part of its permitted error. */
    room: (at: number): number =>
      Math.min(
        ...windows.map(({ limit, seconds }) => {
          let used = 0
          for (let i = passed.length - 1; i >= 0 && passed[i]! > at - seconds * 1_000; i--) used++
          return (limit - used) / Math.max(1, limit * MOST_ERROR)
        }),
      ),
  }
}

interface Outcome {
  /** By how much a limit was passed at the worst moment, as a part of the permitted error. */
  over: number
  /** How much would have fitted when requests were refused, at the worst moment. */
  under: number
  passed: number
  refused: number
}

/**
 * Random traffic: quiet, steady and in bursts, on one process or on all, each step at its moment of
 * the test's clock. After every step, what came through is compared with what the oracle allows.
 */
async function play(
  subject: string,
  windows: Window[],
  { seed, steps, most, gapMs }: { seed: number; steps: number; most: number; gapMs: number },
): Promise<Outcome> {
  const roll = random(seed)
  const oracle = createOracle(windows)
  const outcome = { over: 0, under: 0, passed: 0, refused: 0 }
  for (let step = 0; step < steps; step++) {
    const isBurst = roll() < 0.2
    at += Math.floor(roll() * gapMs * (roll() < 0.05 ? 40 : 1)) * (isBurst ? 0 : 1)
    const members = isBurst ? processes : [processes[Math.floor(roll() * PROCESSES)]!]
    const reports = await Promise.all(
      members.map((child) =>
        take(child, { subject, windows, at, count: 1 + Math.floor(roll() * most) }),
      ),
    )
    const decisions = reports.flatMap(({ allowed }) => allowed)
    const passed = decisions.filter(Boolean).length
    const refused = decisions.length - passed
    for (let i = 0; i < passed; i++) oracle.note(at)
    const room = oracle.room(at)
    outcome.over = Math.max(outcome.over, -room)
    if (refused > 0) outcome.under = Math.max(outcome.under, room)
    outcome.passed += passed
    outcome.refused += refused
  }
  return outcome
}

describe.each(SEEDS)('four processes, traffic %i', (seed) => {
  test.each<[string, Window[], { steps: number; most: number; gapMs: number }]>([
    [
      'free',
      [
        { limit: 50, seconds: 60 },
        { limit: 1_000, seconds: 86_400 },
      ],
      { steps: sized(200, 400), most: 8, gapMs: 8_000 },
    ],
    [
      'public',
      [
        { limit: 10, seconds: 60 },
        { limit: 100, seconds: 3_600 },
      ],
      { steps: sized(200, 400), most: 4, gapMs: 20_000 },
    ],
    [
      'starter',
      [
        { limit: 500, seconds: 60 },
        { limit: 50_000, seconds: 86_400 },
      ],
      { steps: sized(200, 400), most: 40, gapMs: 3_000 },
    ],
    [
      'growth',
      [
        { limit: 2_000, seconds: 60 },
        { limit: 20_000, seconds: 3_600 },
      ],
      { steps: sized(300, 600), most: 60, gapMs: 600 },
    ],
    [
      'enterprise',
      [
        { limit: 10_000, seconds: 60 },
        { limit: 100_000, seconds: 3_600 },
      ],
      { steps: sized(300, 600), most: 300, gapMs: 500 },
    ],
  ])(
    'the windows of %s are passed or fall short by 5 % or one request at most',
    async (name, windows, traffic) => {
      const outcome = await play(`${name}-${seed}`, windows, { seed, ...traffic })
      expect(failures.length).toBe(0)
      expect(outcome.refused).toBeGreaterThan(0)
      expect(outcome.over).toBeLessThanOrEqual(1)
      expect(outcome.under).toBeLessThanOrEqual(1)
    },
  )
})
