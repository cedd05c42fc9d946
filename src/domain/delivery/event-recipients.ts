import type { EventKind } from '../status.ts'

/**
 * Address of the mailbox simulator, for probes and verification. It accepts mail and reports
 * events, delivers to no person and harms no reputation.
 */
export const SIMULATOR = 'success@simulator.amazonses.com'
/** Limit of SES for one mail. */
const MOST_RECIPIENTS = 50
const LONGEST_ADDRESS = 320
const ADDRESS = /^[^\s@<>\p{Cc}\p{Surrogate}]+@[^\s@<>\p{Cc}\p{Surrogate}]+$/u

type Fields = Record<string, unknown>

/** Place of the affected recipients in an event. */
const LISTS: Partial<Record<EventKind, string>> = {
  bounce: 'bouncedRecipients',
  complaint: 'complainedRecipients',
  delivery: 'recipients',
  delivery_delay: 'delayedRecipients',
}
/** Events that concern all recipients of a mail. */
const OF_ALL: readonly EventKind[] = ['send', 'reject', 'rendering_failure']

/**
 * Returns the addresses that an event is about, trimmed and in lower case, without the simulator's.
 * Empty: the event does not name them. SES does not tell which of several recipients opened a mail.
 */
export function recipientsOf(kind: EventKind, part: Fields, mail: Fields): string[] {
  const affectedRecipients = addresses(part[LISTS[kind] ?? ''])
  if (affectedRecipients.length > 0) return affectedRecipients
  const destination = addresses(mail['destination'])
  return destination.length === 1 || OF_ALL.includes(kind) ? destination : []
}

/** Reads a list of addresses, or of objects with an `emailAddress`. */
function addresses(list: unknown): string[] {
  if (!Array.isArray(list)) return []
  const bareAddresses = list
    .slice(0, MOST_RECIPIENTS)
    .flatMap((entry: unknown) => bareAddress(entry) ?? [])
  return [...new Set(bareAddresses)].filter((address) => address !== SIMULATOR)
}

/** Returns `ada@example.com` for `Ada <Ada@example.com>`. */
function bareAddress(entry: unknown): string | undefined {
  const addressField: unknown =
    typeof entry === 'object' && entry !== null ? Reflect.get(entry, 'emailAddress') : entry
  if (typeof addressField !== 'string' || addressField.length > 2 * LONGEST_ADDRESS)
    return undefined
  const text = addressField.trim()
  const inner = text.endsWith('>') ? text.slice(text.lastIndexOf('<') + 1, -1) : text
  const address = inner.trim().toLowerCase()
  return address.length <= LONGEST_ADDRESS && ADDRESS.test(address) ? address : undefined
}
