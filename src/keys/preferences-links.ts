import { timeOf } from '../runtime/ids.ts'
import {
  type Keyring,
  readLink,
  signLink,
  signUnsubscribe,
  type UnsubscribeLink,
} from './tokens.ts'

const YEAR_MS = 365 * 86_400_000

export interface PreferencesLink {
  organizationId: string
  contactId: string
  addressHash: Buffer
  batchId?: string
  mailId?: string
}

/**
 * Returns the link to a person's preferences, valid for a year from `since` (milliseconds since
 * 1970), so that all mails of one batch have the same link whenever they are rendered. `publicUrl`
 * has no trailing slash.
 */
export function preferencesUrl(
  keyring: Keyring,
  publicUrl: string,
  { organizationId, contactId, addressHash, batchId, mailId }: PreferencesLink,
  since: number,
): string {
  const mail = {
    ...(batchId === undefined ? {} : { batchId }),
    ...(mailId === undefined ? {} : { mailId }),
  }
  const link = { organizationId, contactId, addressHash, expiresAt: since + YEAR_MS, ...mail }
  return `${publicUrl}/preferences/${signLink(keyring, 'preferences', link)}`
}

/**
 * Returns the start of the preferences link that belongs to an unsubscribe token. Undefined: there
 * is none.
 *
 * Only the mail of a batch has one, while its own link is valid, and only a token of the present
 * signing key: a stolen retired key must not produce links that subscribe.
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

/**
 * Reads a preferences token. Returns undefined unless the present signing key made it and it has
 * not expired.
 */
export const readPreferences = (
  keyring: Keyring,
  token: string,
  now: number,
): PreferencesLink | undefined => readLink(keyring, 'preferences', token, now)
