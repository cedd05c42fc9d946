import { DateTime, IANAZone } from 'luxon'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { emailMetrics } from '../../src/core/metrics/email-metrics.ts'
import { GRANULARITIES, type Granularity } from '../../src/domain/metrics/metrics-query.ts'
import { firstAt, QUARTER_MS, type Shift, shiftsOf } from '../../src/domain/metrics/zone-shifts.ts'
import type { Uuid } from '../../src/runtime/ids.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { insertSent } from '../support/figures.ts'
import { seedOrganization } from '../support/seed.ts'
import { isFull } from '../support/size.ts'

/** Two years with changes of clocks in every zone that has them. */
const FROM = Date.UTC(2025, 0, 1)
const TO = Date.UTC(2027, 0, 1)
const DAY_MS = 86_400_000
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
/** By default the odd ones and each so many-th. */
const partOf = (zones: readonly string[], every: number): string[] =>
  isFull ? [...zones] : [...new Set([...ODD, ...zones.filter((_, at) => at % every === 0)])]

/** No clocks were changed twice within a week. */
const STEP_MS = 7 * DAY_MS
/** How many minutes the clocks of a zone are ahead, as the other library says. */
const offsetOf = (name: string): ((at: number) => number) => {
  const zone = IANAZone.create(name)
  return (at) => zone.offset(at)
}

/** Moments of clocks that change, found by the other library. */
const changes = [
  ...new Set(
    ZONES.flatMap((name) => {
      const offset = offsetOf(name)
      const found: number[] = []
      let before = offset(FROM)
      for (let at = FROM; at < TO; at += STEP_MS) {
        const after = offset(at + STEP_MS)
        if (after !== before) found.push(changeWithin(offset, at, at + STEP_MS))
        before = after
      }
      return found
    }),
  ),
]

/** The first quarter of an hour with another offset than before. */
function changeWithin(offset: (at: number) => number, from: number, to: number): number {
  const before = offset(from)
  let [low, high] = [from / QUARTER_MS, to / QUARTER_MS]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (offset(middle * QUARTER_MS) === before) low = middle
    else high = middle
  }
  return high * QUARTER_MS
}

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

/** What the clocks of a zone showed when each mail was sent, as if it were UTC. */
const localsOf = (timezone: string): number[] => {
  const offset = offsetOf(timezone)
  return times.map((at) => at + offset(at) * 60_000)
}

const PERIODS: Record<Granularity, (local: number) => string> = {
  hourly: (local) => `${new Date(local).toISOString().slice(0, 13)}:00:00`,
  daily: (local) => new Date(local).toISOString().slice(0, 10),
  weekly: (local) => {
    const fromMonday = (new Date(local).getUTCDay() + 6) % 7
    return new Date(local - fromMonday * DAY_MS).toISOString().slice(0, 10)
  },
  monthly: (local) => new Date(local).toISOString().slice(0, 7),
}

function oracle(locals: readonly number[], granularity: Granularity) {
  const sums: Record<string, [sent: number, delivered: number]> = {}
  for (const [n, local] of locals.entries()) {
    const sum = (sums[PERIODS[granularity](local)] ??= [0, 0])
    sum[0]++
    if (n % 3 === 0) sum[1]++
  }
  return sums
}

test('there are hundreds of zones, and their changes', () => {
  expect(ZONES.length).toBeGreaterThan(400)
  expect(changes.length).toBeGreaterThan(50)
})

test('offsets are those of another library, in every zone, around each change', () => {
  for (const timezone of ZONES) {
    const offset = offsetOf(timezone)
    const shifts = shiftsOf(timezone, FROM, TO)
    expect([shifts[0]?.since, shifts.at(-1)?.until]).toEqual([FROM, TO])
    // Around its own changes, and by default around some of the others'.
    const own = shifts.map(({ since }) => since)
    const moments = [...own, ...(isFull ? changes : changes.filter((_, n) => n % 7 === 0))]
      .flatMap((at) => [at - QUARTER_MS, at, at + 40 * DAY_MS])
      .filter((at) => FROM <= at && at < TO)
    const wrong = moments.filter((at) => minutesAt(shifts, at) !== offset(at))
    expect([timezone, wrong]).toEqual([timezone, []])
  }
})

const minutesAt = (shifts: readonly Shift[], at: number): number | undefined =>
  shifts.find(({ since, until }) => since <= at && at < until)?.minutes

test('a day begins when another library says, in every zone', () => {
  for (const [n, timezone] of partOf(ZONES, 6).entries()) {
    for (const at of changes.filter((_, place) => place % 7 === n % 7)) {
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

const RANGE = { start: '2025-01-01T00:00:00Z', end: '2027-01-01T00:00:00Z' }
const ask = (timezone: string, granularity: Granularity) =>
  emailMetrics(
    database.sql,
    organizationId,
    { ...RANGE, timezone, granularity, dimensions: 'period' },
    TO,
  )

test('sums by timezone are those of an oracle and add up to the totals in UTC', async () => {
  const { totals } = await ask('UTC', 'daily')
  expect(totals.sent).toBe(times.length)
  for (const [n, timezone] of partOf(ZONES, 25).entries()) {
    const locals = localsOf(timezone)
    // By default two granularities of an odd zone and one of others, in turn.
    const wanted = GRANULARITIES.filter(
      (_, place) => isFull || place === n % 4 || (n < ODD.length && place === (n + 1) % 4),
    )
    for (const granularity of wanted) {
      const answer = await ask(timezone, granularity)
      const sums = answer.data.map(({ period, sent, delivered }) => [period, [sent, delivered]])
      const name = `${timezone} ${granularity}`
      expect([name, Object.fromEntries(sums)]).toEqual([name, oracle(locals, granularity)])
      expect([name, answer.totals]).toEqual([name, totals])
    }
  }
}, 600_000)

/**
 * Zones of which Postgres has data of another year than `Intl`, which luxon asks as well: luxon
 * says something else of them at some moment, too.
 */
const MOST_OTHER = 12

test('offsets and sums are those of Postgres, whose data on zones are its own', async () => {
  const named = await database.sql<{ name: string }[]>`
    select name from pg_timezone_names where name ~ '^[A-Z]' order by name`
  const known = named.map(({ name }) => name).filter((name) => IANAZone.isValidZone(name))
  expect(known.length).toBeGreaterThan(400)
  const wanted = partOf(known, 24)
  const offsets = await offsetsOfPostgres(wanted)
  const same = wanted.filter((timezone) => {
    const offset = offsetOf(timezone)
    return offsets.get(timezone)?.every(({ at, minutes }) => offset(at) === minutes) ?? false
  })
  const others = wanted.filter((timezone) => !same.includes(timezone))
  expect(others.length, others.join(' ')).toBeLessThanOrEqual(MOST_OTHER)
  const sums = { day: await sumsOfPostgres(same, 'day'), week: await sumsOfPostgres(same, 'week') }
  for (const [n, timezone] of same.entries()) {
    const shifts = shiftsOf(timezone, FROM, TO)
    const wrong = offsets.get(timezone)?.filter(({ at, minutes }) => {
      return minutesAt(shifts, at) !== minutes
    })
    expect([timezone, wrong]).toEqual([timezone, []])
    const unit = n % 2 === 0 ? 'day' : 'week'
    const { data } = await ask(timezone, unit === 'day' ? 'daily' : 'weekly')
    const told = Object.fromEntries(data.map(({ period, sent }) => [period, sent]))
    expect([timezone, told]).toEqual([timezone, sums[unit].get(timezone)])
  }
})

/** How many minutes the clocks of zones were ahead around each change, as Postgres says. */
async function offsetsOfPostgres(zones: readonly string[]) {
  const moments = changes
    .flatMap((at) => [at - QUARTER_MS, at, at + 20 * DAY_MS])
    .filter((at) => FROM <= at && at < TO)
  const rows = await database.sql<{ zone: string; minutes: number[] }[]>`
    select zone, array_agg((extract(epoch from
        (at at time zone zone) - (at at time zone 'UTC')) / 60)::int order by n) as minutes
    from unnest(${[...zones]}::text[]) as zone
    cross join unnest(${moments.map((at) => new Date(at).toISOString())}::timestamptz[])
      with ordinality as moment (at, n)
    group by zone`
  return new Map(
    rows.map(({ zone, minutes }) => [
      zone,
      minutes.map((each, n) => ({ at: moments[n] ?? 0, minutes: each })),
    ]),
  )
}

/** Mails by day or week of zones as Postgres cuts them from the logs. */
async function sumsOfPostgres(zones: readonly string[], unit: 'day' | 'week') {
  const rows = await database.sql<{ zone: string; sums: Record<string, number> }[]>`
    select zone, jsonb_object_agg(period, sent) as sums
    from (
      select zone, to_char(date_trunc(${unit}, sent_at at time zone zone), 'YYYY-MM-DD') as period,
        count(*) as sent
      from unnest(${[...zones]}::text[]) as zone
      cross join messages
      where organization_id = ${organizationId}
      group by 1, 2
    ) counted
    group by zone`
  return new Map(rows.map(({ zone, sums }) => [zone, sums]))
}
