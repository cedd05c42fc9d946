import { createHmac } from 'node:crypto'
import { domainToUnicode } from 'node:url'
import { ADDRESS_STRIPES, type Addressed, type AddressKey } from '../domain/address.ts'
import { normalAddress } from '../domain/text.ts'
import { addressHash, type Keyring } from './tokens.ts'

/**
 * Identifies an email address or a phone number (E.164) on an organization's suppression list by
 * the HMAC-SHA-256 of its hash under each key. A stolen list tells nobody's address, and an entry
 * outlives the address itself. A number has no `@`: no address has its hash.
 */
export const addressed = (keyring: Keyring, organizationId: string, text: string): Addressed => {
  const normalised = normalAddress(text)
  return { ...addressedByHash(keyring, addressHash(organizationId, normalised)), text: normalised }
}

export function addressedByHash({ signing, byId }: Keyring, hash: Buffer): Addressed {
  const keyOf = ({ id, derive }: Keyring['signing']): AddressKey => ({
    keyId: id,
    key: createHmac('sha256', derive('suppression')).update(hash).digest('hex'),
  })
  const retired = [...byId.values()].filter((key) => key !== signing)
  return {
    text: null,
    stripe: hash.readUInt8(0) % ADDRESS_STRIPES,
    keys: [keyOf(signing), ...retired.map(keyOf)],
  }
}

/**
 * Returns the spellings of an address that texts may hold: as stored, and with its domain in
 * U-labels (RFC 5890).
 */
export function spellingsOf(email: string): string[] {
  const at = email.lastIndexOf('@') + 1
  return [...new Set([email, email.slice(0, at) + domainToUnicode(email.slice(at))])]
}
