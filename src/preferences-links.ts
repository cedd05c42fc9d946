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
 * The preferences link that goes with an unsubscribe link of a batch, good for a year from the
 * batch's creation, so that all mails of one batch say the same; undefined once that is over.
 * `publicUrl` has no trailing slash, `now` is in milliseconds since 1970.
 */
export function preferencesUrl(
  keyring: Keyring,
  publicUrl: string,
  { organizationId, contactId, addressHash, batchId }: UnsubscribeLink,
  now: number,
): string | undefined {
  if (batchId === undefined) return undefined
  const expiresAt = timeOf(batchId) + YEAR_MS
  if (expiresAt <= now) return undefined
  const link = { organizationId, contactId, addressHash, expiresAt }
  return `${publicUrl}/preferences/${signLink(keyring, 'preferences', link)}`
}

/** What a preferences token says when it is ours, not expired and under the present key. */
export const readPreferences = (
  keyring: Keyring,
  token: string,
  now: number,
): PreferencesLink | undefined => readLink(keyring, 'preferences', token, now)

/**
 * Whether the key that signs today made this token. Of one that a retired key made nothing but
 * leaving may follow: whoever stole that key must not be given links that subscribe.
 */
export const isOfPresentKey = (keyring: Keyring, token: string, link: UnsubscribeLink): boolean =>
  signUnsubscribe(keyring, link) === token
