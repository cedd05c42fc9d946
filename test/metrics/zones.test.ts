import { DateTime, IANAZone } from 'luxon'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { emailMetrics } from '../../src/core/metrics/email-metrics.ts'
import { GRANULARITIES, type Granularity } from '../../src/domain/metrics/metrics-query.ts'
import { firstAt, QUARTER_MS, shiftsOf } from '../../src/domain/metrics/zone-shifts.ts'
import type { Uuid } from '../../src/ids.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { insertSent } from '../support/figures.ts'
import { seedOrganization } from '../support/seed.ts'
import { isFull } from '../support/size.ts'

/** Two years with changes of clocks in every zone that has them. */
const FROM = Date.UTC(2025, 0, 1)
const TO = Date.UTC(2027, 0, 1)
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** The names that `Intl` lists are those that it prefers; old ones are taken as well. */
const ZONES = [
  ...new Set([
    ...Intl.supportedValuesOf('timeZone'),
    'UTC',
    'Asia/Calcutta',
    'US/Eastern',
    'Etc/GMT+12',
  ]),
]
/** Whose clocks are odd: halves of an hour, changes at midnight, four changes a year. */
const ODD = [
  'Australia/Lord_Howe',
  'Pacific/Chatham',
  'Asia/Kathmandu',
  'Africa/Casablanca',
  'Africa/Cairo',
  'America/Havana',
  'Asia/Beirut',
  'America/St_Johns',
  'Antarctica/Troll',
  'America/Nuuk',
  'Atlantic/Azores',
  'Pacific/Kiritimati',
  'Pacific/Pago_Pago',
  'Asia/Gaza',
  'Europe/Berlin',
  'UTC',
]
const asked = isFull ? ZONES : [...ODD, ...ZONES.filter((_, at) => at % 25 === 0)]

/** Moments of clocks that change, found by the other library. */
const changes = [
  ...new Set(
    ZONES.flatMap((name) => {
      const zone = IANAZone.create(name)
      const found: number[] = []
      for (let at = FROM; at < TO; at += DAY_MS) {
        if (zone.offset(at) === zone.offset(at + DAY_MS)) continue
        let quarter = at
        while (zone.offset(quarter) === zone.offset(at)) quarter += QUARTER_MS
        found.push(quarter)
      }
      return found
    }),
  ),
]
/** Around them, at each day's end somewhere, and anywhere. */
const times = [
  ...changes.flatMap((at) => [-25, -24, -4, -1, 0, 1, 4, 24, 25].map((n) => at + n * QUARTER_MS)),
  ...Array.from({ length: 500 }, () => FROM + Math.floor(Math.random() * (TO - FROM))),
].filter((at) => at >= FROM && at < TO)

let database: TestDatabase
let organizationId: Uuid
beforeAll(async () => {
  database = await createDatabase()
  const seeded = await seedOrganization(database.sql)
  ;({ organizationId } = seeded)
  const mails = times.map((at, n) => ({
    sentAt: new Date(at).toISOString(),
    ...(n % 3 === 0 ? { deliveredAt: new Date(TO).toISOString() } : {}),
  }))
  await insertSent(database.sql, seeded, mails)
})
afterAll(() => database.drop())

const FORMATS = {
  hourly: "yyyy-MM-dd'T'HH:00:00",
  daily: 'yyyy-MM-dd',
  weekly: 'yyyy-MM-dd',
  monthly: 'yyyy-MM',
} as const

function oracle(timezone: string, granularity: Granularity): Record<string, [number, number]> {
  const sums: Record<string, [number, number]> = {}
  for (const [n, at] of times.entries()) {
    const local = DateTime.fromMillis(at, { zone: timezone })
    const period = granularity === 'weekly' ? local.startOf('week') : local
    const [sent, delivered] = sums[period.toFormat(FORMATS[granularity])] ?? [0, 0]
    const more = n % 3 === 0 ? 1 : 0
    sums[period.toFormat(FORMATS[granularity])] = [sent + 1, delivered + more]
  }
  return sums
}

test('there are hundreds of zones, and their changes', () => {
  expect(ZONES.length).toBeGreaterThan(400)
  expect(changes.length).toBeGreaterThan(50)
})

test('offsets are those of another library, in every zone, around each change', () => {
  for (const timezone of ZONES) {
    const zone = IANAZone.create(timezone)
    const shifts = shiftsOf(timezone, FROM, TO)
    expect([shifts[0]?.since, shifts.at(-1)?.until]).toEqual([FROM, TO])
    const wrong = changes.flatMap((at) =>
      [at - QUARTER_MS, at, at + 40 * DAY_MS].filter((moment) => {
        const shift = shifts.find(({ since, until }) => since <= moment && moment < until)
        return moment < TO && moment >= FROM && shift?.minutes !== zone.offset(moment)
      }),
    )
    expect([timezone, wrong]).toEqual([timezone, []])
  }
})

test('a day begins when another library says, in every zone', () => {
  for (const timezone of ZONES) {
    for (const at of changes.filter((_, n) => n % 7 === 0)) {
      const day = Math.floor(at / DAY_MS) * DAY_MS
      const begin = DateTime.fromMillis(day, { zone: 'UTC' }).setZone(timezone, {
        keepLocalTime: true,
      })
      const first = Math.min(...begin.getPossibleOffsets().map((each) => each.toMillis()))
      // Where midnight is left out luxon goes on from before it: the day begins after the gap.
      const expected = begin.hour === 0 ? first : begin.startOf('hour').toMillis()
      expect([timezone, new Date(firstAt(timezone, day)).toISOString()]).toEqual([
        timezone,
        new Date(expected).toISOString(),
      ])
    }
  }
})

test('sums by timezone are those of an oracle and add up to the totals in UTC', async () => {
  const range = { start: '2025-01-01T00:00:00Z', end: '2027-01-01T00:00:00Z' }
  const { totals } = await emailMetrics(
    database.sql,
    organizationId,
    { ...range, timezone: 'UTC', granularity: 'daily' },
    TO,
  )
  expect(totals.sent).toBe(times.length)
  for (const [n, timezone] of asked.entries()) {
    // By default one granularity a zone, in turn.
    const wanted = isFull || n < ODD.length ? GRANULARITIES : [GRANULARITIES[n % 4] ?? 'daily']
    for (const granularity of wanted) {
      const request = { ...range, timezone, granularity, dimensions: 'period' }
      const answer = await emailMetrics(database.sql, organizationId, request, TO)
      const sums = answer.data.map(({ period, sent, delivered }) => [period, [sent, delivered]])
      const name = `${timezone} ${granularity}`
      expect([name, Object.fromEntries(sums)]).toEqual([name, oracle(timezone, granularity)])
      expect([name, answer.totals]).toEqual([name, totals])
    }
  }
})
