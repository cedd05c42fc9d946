import type { ErrorDetail } from '../../errors.ts'
import { isTimezone } from '../../timezone.ts'
import { checkDuration, type Duration, span } from '../duration.ts'
import { problem, type StepRules } from './rules.ts'

/** The next `time` of day in `timezone`, after a number of whole `days`. */
export interface LocalTime {
  /** `HH:MM`. */
  time: string
  /** `contact`: the timezone in the contact's properties, otherwise UTC. */
  timezone: string
  days?: number
}

export const delay: StepRules<Duration | { until: LocalTime }> = {
  check: (config, path) =>
    'until' in config
      ? checkZone(config.until.timezone, `${path}.until.timezone`)
      : checkDuration(config, `${path}.amount`),
  pauses: () => true,
  shape: 'wait',
  gist: (config) => {
    if (!('until' in config)) return span(config)
    const { time, timezone, days = 0 } = config.until
    const after = days > 0 ? ` after ${days} days` : ''
    return `until ${time} ${timezone === 'contact' ? 'local time' : timezone}${after}`
  },
}

const checkZone = (timezone: string, path: string): ErrorDetail[] =>
  timezone === 'contact' || isTimezone(timezone)
    ? []
    : [problem(path, 'must be contact, or an IANA timezone such as Europe/Berlin')]
