/** Every `step`th value from `start` to `end`, both included. */
export interface Span {
  start: number
  end: number
  step: number
}

export interface Calendar {
  minute: Span[]
  hour: Span[]
  dayOfMonth: Span[]
  /** 1 is January. */
  month: Span[]
  /** 0 is Sunday. */
  dayOfWeek: Span[]
}

interface Field {
  name: keyof Calendar
  from: number
  to: number
  /** Names of the values, beginning with `from`. */
  names?: readonly string[]
}

const FIELDS: readonly Field[] = [
  { name: 'minute', from: 0, to: 59 },
  { name: 'hour', from: 0, to: 23 },
  { name: 'dayOfMonth', from: 1, to: 31 },
  {
    name: 'month',
    from: 1,
    to: 12,
    names: ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'],
  },
  // 7 is Sunday, too.
  {
    name: 'dayOfWeek',
    from: 0,
    to: 7,
    names: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'],
  },
]
const SUNDAY_TOO = 7
const LONGEST = 200
/** Days of each month, with February in a leap year. */
const DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

const NAMES: Record<keyof Calendar, string> = {
  minute: 'minute',
  hour: 'hour',
  dayOfMonth: 'day of the month',
  month: 'month',
  dayOfWeek: 'day of the week',
}

/**
 * Returns the reason why this is not a cron expression, or one that never comes due. Undefined: it
 * is fine. No expression can come due more often than once a minute.
 */
export function refuseCron(cron: string): string | undefined {
  const words = wordsOf(cron)
  if (cron.length > LONGEST || words.length !== FIELDS.length) {
    return 'must have five fields: minute, hour, day of the month, month, day of the week'
  }
  const wrong = FIELDS.find((field, index) => valuesOf(words[index] ?? '', field) === undefined)
  if (wrong)
    return `has a ${NAMES[wrong.name]} that cannot be read: ${words[FIELDS.indexOf(wrong)] ?? ''}`
  const isPossible = calendarsOf(cron)?.some(({ dayOfMonth, month }) =>
    month.some((months) =>
      DAYS.slice(months.start - 1, months.end).some((days) =>
        dayOfMonth.some(({ start }) => start <= days),
      ),
    ),
  )
  return isPossible ? undefined : 'names a day that none of its months has'
}

const wordsOf = (cron: string): string[] => cron.trim().toLowerCase().split(/\s+/)

/**
 * Returns the calendars of a cron expression of five fields: minute, hour, day of the month, month,
 * day of the week; `*`, lists, ranges, steps, and English names of three letters. Undefined: not
 * valid.
 *
 * If both days are restricted, a moment matches either of them (crontab(5)), which takes two
 * calendars: a Temporal schedule with the expression itself would require both. A day that begins
 * with `*` does not restrict, whatever follows: with `*` followed by `/2` both must match.
 */
export function calendarsOf(cron: string): Calendar[] | undefined {
  const words = wordsOf(cron)
  if (words.length !== FIELDS.length) return undefined
  const calendar: Calendar = { minute: [], hour: [], dayOfMonth: [], month: [], dayOfWeek: [] }
  for (const [index, field] of FIELDS.entries()) {
    const values = valuesOf(words[index] ?? '', field)
    if (values === undefined) return undefined
    calendar[field.name] = spansOf(values)
  }
  const isRestricted = (index: number) => words[index]?.startsWith('*') === false
  if (!(isRestricted(2) && isRestricted(4))) return [calendar]
  return [
    { ...calendar, dayOfWeek: [{ start: 0, end: 6, step: 1 }] },
    { ...calendar, dayOfMonth: [{ start: 1, end: 31, step: 1 }] },
  ]
}

function valuesOf(word: string, field: Field): number[] | undefined {
  const matchingValues = new Set<number>()
  for (const part of word.split(',')) {
    const values = partOf(part, field)
    if (values === undefined) return undefined
    for (const value of values) {
      matchingValues.add(field.name === 'dayOfWeek' && value === SUNDAY_TOO ? 0 : value)
    }
  }
  return [...matchingValues].toSorted((a, b) => a - b)
}

/** Parses `*`, `5` or `1-5`. The first and the last may have a step such as `/2`. */
function partOf(part: string, field: Field): number[] | undefined {
  const [, range = '', stepText] = /^([^/]+)(?:\/(\d{1,2}))?$/.exec(part) ?? []
  const step = stepText === undefined ? 1 : Number(stepText)
  const [first = '', last, ...more] = range.split('-')
  const isAll = range === '*'
  const start = isAll ? field.from : valueOf(first, field)
  const lastOfAll = field.name === 'dayOfWeek' ? SUNDAY_TOO - 1 : field.to
  const lastOfOne = isAll ? lastOfAll : start
  const end = last === undefined ? lastOfOne : valueOf(last, field)
  if (start === undefined || end === undefined || start > end) return undefined
  if (step < 1 || more.length > 0) return undefined
  if (stepText !== undefined && !isAll && last === undefined) return undefined
  const values = []
  for (let value = start; value <= end; value += step) values.push(value)
  return values
}

function valueOf(word: string, { from, to, names = [] }: Field): number | undefined {
  const nameIndex = names.indexOf(word)
  if (nameIndex >= 0) return from + nameIndex
  const value = /^\d{1,2}$/.test(word) ? Number(word) : Number.NaN
  return value >= from && value <= to ? value : undefined
}

function spansOf(values: readonly number[]): Span[] {
  const spans: Span[] = []
  for (const value of values) {
    const last = spans.at(-1)
    if (last !== undefined && last.end + 1 === value) last.end = value
    else spans.push({ start: value, end: value, step: 1 })
  }
  return spans
}
