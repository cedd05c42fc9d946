/** For this long a verification stands: the same question gets the same answer. */
export const VERIFY_EVERY_MS = 3_000

/** What is wrong with a connection that mail can do without; of an open set. */
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

/** One thing that a connection needs, tried out. */
export interface Check {
  /** `role`, `external_id`, or an action as IAM names it. */
  name: string
  ok: boolean
  error?: CheckError
}

/** Why a check is not in order. The first four are clear; the others leave it open. */
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
  /** The provider did not say: a network that is down says nothing about a role. */
  | { kind: 'undecided'; error: string }

/** Without these nothing can be sent; the others are for reading only. */
const ESSENTIAL = ['role', 'external_id', 'ses:GetAccount', 'ses:SendEmail']
const CLEAR: readonly CheckError[] = [
  'role_refused',
  'external_id_not_required',
  'denied',
  'no_sending_rate',
]

/**
 * What the checks decide. A clear no wins over a silence; a denied permission is named, such as
 * `ses_send_email_denied`.
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
  const open = essential.find(({ ok }) => !ok)
  return open ? { kind: 'undecided', error: open.error ?? 'no_answer' } : { kind: 'verified' }
}

/** `ses:SendEmail` → `ses_send_email`. */
const snake = (action: string): string =>
  action
    .replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter}`)
    .replace(':', '_')
    .toLowerCase()
