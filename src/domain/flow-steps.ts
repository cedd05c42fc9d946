import type { ErrorDetail } from './errors.ts'
import { checkCondition, IN_FLOWS, OF_EVENTS } from './condition-check.ts'
import { DELAY_UNITS, type Duration, type Step, type StepOf } from './flow.ts'
import { refuseProperties } from './properties.ts'
import { shown } from './text.ts'
import { isTimezone } from './timezone.ts'

/** Of a delay and of what a wait waits at most. */
const LONGEST_DAYS = 366
/** Headers of one webhook step. */
export const MOST_HEADERS = 50
/** What stands for the value of a header where a flow is read. */
export const HIDDEN = '***'

const UNIT_MINUTES: Record<(typeof DELAY_UNITS)[number], number> = {
  minutes: 1,
  hours: 60,
  days: 1_440,
  weeks: 10_080,
}

/**
 * What is wrong with the config of a step, as far as the step alone can say: paths begin with
 * `path`, messages do not name the step.
 */
export function checkStep(step: Step, path: string): ErrorDetail[] {
  switch (step.type) {
    case 'send_email':
      return checkMail(step.config, path)
    case 'delay':
      return 'until' in step.config
        ? checkZone(step.config.until.timezone, `${path}.until.timezone`)
        : checkDuration(step.config, `${path}.amount`)
    case 'condition':
      return checkCondition(step.config.condition, `${path}.condition`, IN_FLOWS)
    case 'split':
      return checkNames(
        step.config.branches.map(({ name }) => name),
        (index) => `${path}.branches.${index}.name`,
      )
    case 'wait_for_event':
      return [
        ...(step.config.filter === undefined
          ? []
          : checkCondition(step.config.filter, `${path}.filter`, OF_EVENTS)),
        ...checkDuration(step.config.timeout, `${path}.timeout`),
      ]
    case 'wait_for_email_engagement':
      return [
        ...checkNames(step.config.events, (index) => `${path}.events.${index}`),
        ...checkDuration(step.config.timeout, `${path}.timeout`),
      ]
    case 'update_contact':
      return checkUpdate(step.config, path)
    case 'webhook':
      return checkWebhook(step.config, path)
    case 'send_sms':
    case 'subscribe_topic':
    case 'unsubscribe_topic':
    case 'exit':
      return []
  }
}

const problem = (path: string, message: string): ErrorDetail => ({ path, message })

function checkMail(config: StepOf<'send_email'>['config'], path: string): ErrorDetail[] {
  const { templateId, subject, html, from } = config
  const anonymous = from === undefined ? [problem(`${path}.from`, 'is needed')] : []
  if (templateId !== undefined) {
    const both = html === undefined ? [] : [problem(`${path}.html`, 'cannot go with templateId')]
    return [...anonymous, ...both]
  }
  return [
    ...anonymous,
    ...(html === undefined ? [problem(`${path}.html`, 'or templateId is needed')] : []),
    ...(subject === undefined ? [problem(`${path}.subject`, 'is needed without templateId')] : []),
  ]
}

const checkDuration = ({ amount, unit }: Duration, path: string): ErrorDetail[] =>
  amount * UNIT_MINUTES[unit] > LONGEST_DAYS * UNIT_MINUTES.days
    ? [problem(path, `must not be longer than ${LONGEST_DAYS} days`)]
    : []

const checkZone = (timezone: string, path: string): ErrorDetail[] =>
  timezone === 'contact' || isTimezone(timezone)
    ? []
    : [problem(path, 'must be contact, or a timezone of IANA such as Europe/Berlin')]

const checkNames = (names: readonly string[], at: (index: number) => string): ErrorDetail[] =>
  repeated(names).map((index) => problem(at(index), 'is there twice'))

/** Where something stands that stands further up already. */
function repeated(texts: readonly string[]): number[] {
  const seen = new Set<string>()
  return texts.flatMap((text, index) => (seen.has(text) ? [index] : (seen.add(text), [])))
}

const LIMITS: Record<string, number> = {
  firstName: 100,
  lastName: 100,
  company: 200,
  jobTitle: 200,
}
const CHANNELS: readonly unknown[] = ['email', 'sms']
const PROPERTY = 'properties.'
const LONGEST_KEY = 255

const isProperty = (field: string): boolean =>
  field.startsWith(PROPERTY) &&
  field.length > PROPERTY.length &&
  field.length <= PROPERTY.length + LONGEST_KEY

function checkUpdate(config: StepOf<'update_contact'>['config'], path: string): ErrorDetail[] {
  const { set = {}, unset = [], increment = {}, append = {}, remove = {} } = config
  const named = [
    ...Object.entries(set).map(([field, value]) => ({ at: `set.${shown(field)}`, field, value })),
    ...unset.map((field, index) => ({ at: `unset.${index}`, field, value: null })),
  ]
  const counted = Object.entries({ increment, append, remove }).flatMap(([way, values]) =>
    Object.keys(values).map((field) => ({ at: `${way}.${shown(field)}`, field })),
  )
  const fields = [...named, ...counted].map(({ field }) => field)
  const places = [...named, ...counted].map(({ at }) => at)
  if (fields.length === 0) return [problem(path, 'must change something')]
  const properties = Object.fromEntries(named.map(({ field, value }) => [field, value]))
  const tooMuch = refuseProperties(properties)
  return [
    ...named.flatMap(({ at, field, value }) => {
      const wrong = refuseField(field) ?? (value === null ? undefined : refuseValue(field, value))
      return wrong === undefined ? [] : [problem(`${path}.${at}`, wrong)]
    }),
    ...counted.flatMap(({ at, field }) =>
      isProperty(field) ? [] : [problem(`${path}.${at}`, 'must be properties.<key>')],
    ),
    ...repeated(fields).map((index) =>
      problem(`${path}.${places[index] ?? ''}`, 'is changed already by this step'),
    ),
    ...(tooMuch === undefined ? [] : [problem(`${path}.set`, tooMuch)]),
  ]
}

const refuseField = (field: string): string | undefined =>
  Object.hasOwn(LIMITS, field) || field === 'preferredChannel' || isProperty(field)
    ? undefined
    : `cannot be changed by a workflow; these can: ${Object.keys(LIMITS).join(', ')}, preferredChannel, properties.<key>`

function refuseValue(field: string, value: unknown): string | undefined {
  if (isProperty(field)) return undefined
  if (field === 'preferredChannel') {
    return CHANNELS.includes(value) ? undefined : 'must be one of: email, sms'
  }
  const most = LIMITS[field] ?? 0
  return typeof value === 'string' && value.length <= most
    ? undefined
    : `must be a text of at most ${most} characters`
}

const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/
/** What is ours to say, or belongs to the connection and not to the message. */
const REFUSED_HEADERS = new Set([
  'host',
  'content-length',
  'transfer-encoding',
  'connection',
  'keep-alive',
  'te',
  'trailer',
  'upgrade',
  'expect',
  'http2-settings',
  'accept-encoding',
])
const REFUSED_PREFIXES = ['proxy-', 'webhook-']

function isRefusedHeader(name: string): boolean {
  const lower = name.toLowerCase()
  return REFUSED_HEADERS.has(lower) || REFUSED_PREFIXES.some((prefix) => lower.startsWith(prefix))
}

/** Visible ASCII and blanks between: what every receiver reads alike. */
const HEADER_VALUE = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/

function checkWebhook(config: StepOf<'webhook'>['config'], path: string): ErrorDetail[] {
  const { url, method, headers = {}, body } = config
  const names = Object.keys(headers)
  const twice = new Set(repeated(names.map((name) => name.toLowerCase())))
  return [
    ...(/^https?:\/\/[^\s/?#\\@]+(?:[/?#][^\s\\]*)?$/i.test(url)
      ? []
      : [problem(`${path}.url`, 'must be an address that begins with https:// or http://')]),
    ...(method === 'GET' && body !== undefined
      ? [problem(`${path}.body`, 'does not go with the method GET')]
      : []),
    ...(names.length > MOST_HEADERS
      ? [problem(`${path}.headers`, `must not be more than ${MOST_HEADERS}`)]
      : []),
    ...Object.entries(headers).flatMap(([name, value], index) => {
      const at = `${path}.headers.${shown(name)}`
      if (!HEADER_NAME.test(name)) return [problem(at, 'is no name of a header')]
      if (isRefusedHeader(name)) return [problem(at, 'is not yours to set')]
      if (twice.has(index)) return [problem(at, 'is there twice')]
      return HEADER_VALUE.test(value)
        ? []
        : [problem(at, 'must be visible US-ASCII characters, with blanks only between')]
    }),
  ]
}
