export const VERIFY_EVERY_MS = 3_000

export const CONNECTION_WARNINGS = [
  'no_configuration_set',
  'no_events',
  'events_missing',
  'event_queue_denied',
  'event_queue_missing',
  'event_queue_throttled',
  'event_queue_failed',
  'events_not_kept',
] as const

export interface Check {
  name: string
  ok: boolean
  error?: CheckError
}

/** Errors of a check. The first four are certain; the others leave it undecided. */
export const CHECK_ERRORS = [
  'role_refused',
  'external_id_not_required',
  'denied',
  'no_sending_rate',
  'throttled',
  'no_answer',
  'not_tried',
] as const
export type CheckError = (typeof CHECK_ERRORS)[number]

export type Verdict =
  | { kind: 'verified' }
  | { kind: 'refused'; error: string }
  /** The provider gave no answer. A network failure says nothing about a role. */
  | { kind: 'undecided'; error: string }

/** Requirements of sending. The others are for reading only. */
const ESSENTIAL = ['role', 'external_id', 'ses:GetAccount', 'ses:SendEmail']
const CLEAR: readonly CheckError[] = [
  'role_refused',
  'external_id_not_required',
  'denied',
  'no_sending_rate',
]

/**
 * Returns the verdict of the checks. A certain refusal outweighs a missing answer. A denied
 * permission is named, such as `ses_send_email_denied`.
 */
export function verdictOf(checks: readonly Check[]): Verdict {
  const essential = ESSENTIAL.map(
    (name): Check =>
      checks.find((check) => check.name === name) ?? { name, ok: false, error: 'not_tried' },
  )
  const clear = essential.find(({ ok, error }) => !ok && error && CLEAR.includes(error))
  if (clear) {
    const error = clear.error === 'denied' ? `${snake(clear.name)}_denied` : clear.error
    return { kind: 'refused', error: error ?? 'denied' }
  }
  const openCheck = essential.find(({ ok }) => !ok)
  return openCheck
    ? { kind: 'undecided', error: openCheck.error ?? 'no_answer' }
    : { kind: 'verified' }
}

const snake = (action: string): string =>
  action
    .replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter}`)
    .replace(':', '_')
    .toLowerCase()
