<<<<<<< HEAD
/** Every `step`th value from `start` to `end`, both included. */
export interface Span {
  start: number
  end: number
  step: number
}

/** Moments that match in every field. */
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
  /** Of the values, from `from` on. */
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
  // 7 is Sunday as well.
  {
    name: 'dayOfWeek',
    from: 0,
    to: 7,
    names: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'],
  },
]
const SUNDAY_TOO = 7

/**
 * The calendars of a cron expression of five fields: minute, hour, day of the month, month, day of
 * the week; `*`, lists, ranges, steps, and English names of three letters. Undefined: it is none.
 *
 * Where both days are restricted a moment matches either (crontab(5)), which takes two calendars: a
 * Temporal schedule that is given the expression itself would want both.
 */
export function calendarsOf(cron: string): Calendar[] | undefined {
  const words = cron.trim().toLowerCase().split(/\s+/)
  if (words.length !== FIELDS.length) return undefined
  const calendar: Calendar = { minute: [], hour: [], dayOfMonth: [], month: [], dayOfWeek: [] }
  for (const [place, field] of FIELDS.entries()) {
    const values = valuesOf(words[place] ?? '', field)
    if (values === undefined) return undefined
    calendar[field.name] = spansOf(values)
  }
  const isRestricted = (place: number) => words[place] !== '*'
  if (!(isRestricted(2) && isRestricted(4))) return [calendar]
  return [
    { ...calendar, dayOfWeek: [{ start: 0, end: 6, step: 1 }] },
    { ...calendar, dayOfMonth: [{ start: 1, end: 31, step: 1 }] },
  ]
}

function valuesOf(word: string, field: Field): number[] | undefined {
  const found = new Set<number>()
  for (const part of word.split(',')) {
    const values = partOf(part, field)
    if (values === undefined) return undefined
    for (const value of values) {
      found.add(field.name === 'dayOfWeek' && value === SUNDAY_TOO ? 0 : value)
    }
  }
  return [...found].toSorted((a, b) => a - b)
}

/** `*`, `5`, `1-5`; a step such as `/2` behind the first and the last. */
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
  const named = names.indexOf(word)
  if (named >= 0) return from + named
  const value = /^\d{1,2}$/.test(word) ? Number(word) : Number.NaN
  return value >= from && value <= to ? value : undefined
}

/** Values that follow one another as one span: equal sets are written in one way only. */
function spansOf(values: readonly number[]): Span[] {
  const spans: Span[] = []
  for (const value of values) {
    const last = spans.at(-1)
    if (last !== undefined && last.end + 1 === value) last.end = value
    else spans.push({ start: value, end: value, step: 1 })
  }
  return spans
=======
/**
 * Cron expressions of five fields: minute, hour, day of the month, month, day of the week. Each is
 * `*`, or a list of numbers and ranges; `*` and ranges may have a step (`*` `/15`, `9-17/2`).
 * Months and days of the week may be named by three letters; the week begins with 0, Sunday. So no
 * schedule can come due more often than once a minute.
 */
interface FieldRule {
  name: string
  least: number
  most: number
  words?: readonly string[]
}

const RULES: readonly FieldRule[] = [
  { name: 'minute', least: 0, most: 59 },
  { name: 'hour', least: 0, most: 23 },
  { name: 'day of the month', least: 1, most: 31 },
  {
    name: 'month',
    least: 1,
    most: 12,
    words: 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' '),
  },
  { name: 'day of the week', least: 0, most: 6, words: 'sun mon tue wed thu fri sat'.split(' ') },
]
/** Of each month, February in a leap year. */
const DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
const LONGEST = 200
const PART = /^(?:(\*)|([0-9a-z]+)(?:-([0-9a-z]+))?)(?:\/(\d{1,2}))?$/

/** Why this is no cron expression, or one that never comes due; undefined: it is one. */
export function refuseCron(cron: string): string | undefined {
  const fields = cron.trim().toLowerCase().split(/\s+/)
  if (cron.length > LONGEST || fields.length !== RULES.length) {
    return 'must have five fields: minute, hour, day of the month, month, day of the week'
  }
  const read = RULES.map((rule, index) => valuesOf(rule, fields[index] ?? ''))
  const wrong = read.findIndex((values) => values === undefined)
  if (wrong >= 0) return `has a ${RULES[wrong]?.name ?? 'field'} that cannot be read`
  // Whether both must fit, or either, is told differently by every cron.
  if (fields[2] !== '*' && fields[4] !== '*') {
    return 'must not name days of the month and days of the week at once'
  }
  const [, , days = [], months = []] = read
  const isPossible = months.some((month) => days.some((day) => day <= (DAYS[month - 1] ?? 0)))
  return isPossible ? undefined : 'names a day that none of its months has'
}

/** The values of a field; undefined where it cannot be read. */
function valuesOf(rule: FieldRule, field: string): number[] | undefined {
  const values: number[] = []
  for (const part of field.split(',')) {
    const [whole, star, from = '', to, step] = PART.exec(part) ?? []
    if (whole === undefined) return undefined
    const first = star === undefined ? valueOf(rule, from) : rule.least
    const last = star === undefined ? valueOf(rule, to ?? from) : rule.most
    // A step without a range is read differently by every cron.
    if (step !== undefined && star === undefined && to === undefined) return undefined
    const by = Number(step ?? 1)
    if (first === undefined || last === undefined || first > last || by === 0) return undefined
    for (let value = first; value <= last; value += by) values.push(value)
  }
  return values
}

function valueOf({ least, most, words = [] }: FieldRule, text: string): number | undefined {
  const word = words.indexOf(text)
  if (word >= 0) return word + least
  const number = /^\d{1,2}$/.test(text) ? Number(text) : Number.NaN
  return number >= least && number <= most ? number : undefined
>>>>>>> 2bd4691 (flows: a definition is checked before it is one)
}
