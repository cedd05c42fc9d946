export type Granularity = 'hourly' | 'daily' | 'weekly' | 'monthly'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Steps are shorter than a period, so that none is jumped over where clocks change. */
const STEP_MS: Record<Granularity, number> = {
  hourly: HOUR_MS / 2,
  daily: 6 * HOUR_MS,
  weekly: DAY_MS,
  monthly: DAY_MS,
}
const MOST_STEPS = 20_000

interface Range {
  start: string
  end: string
  timezone: string
  granularity: Granularity
}

/** Every period of a range as the API writes it, also those without mail, oldest first. */
export function periodsOf({ start, end, timezone, granularity }: Range): string[] {
  const nameAt = periodNames(timezone, granularity)
  const last = Date.parse(end) - 1
  const periods = new Set<string>()
  const step = STEP_MS[granularity]
  for (let at = Date.parse(start), n = 0; at <= last && n < MOST_STEPS; at += step, n++) {
    periods.add(nameAt(at))
  }
  if (last >= Date.parse(start)) periods.add(nameAt(last))
  return [...periods]
}

function periodNames(timezone: string, granularity: Granularity): (at: number) => string {
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone: timezone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    hourCycle: 'h23',
  })
  return (at) => {
    const parts = new Map<string, string>(
      format.formatToParts(at).map(({ type, value }) => [type, value]),
    )
    const [year, month, day] = ['year', 'month', 'day'].map((part) => parts.get(part) ?? '')
    if (granularity === 'monthly') return `${year}-${month}`
    const date = `${year}-${month}-${day}`
    if (granularity === 'hourly') return `${date}T${parts.get('hour') ?? '00'}:00:00`
    return granularity === 'weekly' ? mondayOf(date) : date
  }
}

/** Weeks begin on Monday. */
function mondayOf(date: string): string {
  const noon = new Date(`${date}T12:00:00Z`)
  const sinceMonday = (noon.getUTCDay() + 6) % 7
  return new Date(noon.getTime() - sinceMonday * DAY_MS).toISOString().slice(0, 10)
}

const DAY = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric', timeZone: 'UTC' })
const MONTH = new Intl.DateTimeFormat('en', { month: 'short', year: 'numeric', timeZone: 'UTC' })

/** `Nov 21`, `Nov 21, 10:00`, `Week of Nov 16`, `Nov 2026`. */
export function periodWords(period: string, granularity: Granularity): string {
  const date = new Date(`${period.slice(0, 7)}-${period.slice(8, 10) || '01'}T12:00:00Z`)
  switch (granularity) {
    case 'hourly':
      return `${DAY.format(date)}, ${period.slice(11, 16)}`
    case 'daily':
      return DAY.format(date)
    case 'weekly':
      return `Week of ${DAY.format(date)}`
    case 'monthly':
      return MONTH.format(date)
  }
}
