import { timeOf } from './ids.ts'
import {
  type Keyring,
  readLink,
  signLink,
  signUnsubscribe,
  type UnsubscribeLink,
} from './tokens.ts'

const YEAR_MS = 365 * 86_400_000

/** Whose preferences a link shows: the contact, and the address that was mailed. */
export interface PreferencesLink {
  organizationId: string
  contactId: string
  addressHash: Buffer
}

/**
 * The link to a person's preferences, good for a year from `since` (milliseconds since 1970): all
 * mails of one batch, whenever they are rendered, say the same. `publicUrl` has no trailing slash.
 */
export function preferencesUrl(
  keyring: Keyring,
  publicUrl: string,
  { organizationId, contactId, addressHash }: PreferencesLink,
  since: number,
): string {
  const link = { organizationId, contactId, addressHash, expiresAt: since + YEAR_MS }
  return `${publicUrl}/preferences/${signLink(keyring, 'preferences', link)}`
}

/**
 * Since when the preferences link counts that goes with an unsubscribe token; undefined: none does.
 *
 * The mail of a batch, for as long as its own link is good, and under the key that signs today: of
 * what a retired key made nothing but leaving may follow, since whoever stole that key must not be
 * given links that subscribe.
 */
export function preferencesSince(
  keyring: Keyring,
  token: string,
  link: UnsubscribeLink,
  now: number,
): number | undefined {
  if (link.batchId === undefined || signUnsubscribe(keyring, link) !== token) return undefined
  const since = timeOf(link.batchId)
  return since + YEAR_MS > now ? since : undefined
}

/** What a preferences token says when it is ours, not expired and under the present key. */
export const readPreferences = (
  keyring: Keyring,
  token: string,
  now: number,
): PreferencesLink | undefined => readLink(keyring, 'preferences', token, now)
