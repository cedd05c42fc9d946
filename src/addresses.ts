import { createHmac } from 'node:crypto'
import { ADDRESS_STRIPES, type Addressed, type AddressKey } from './domain/address.ts'
import { addressHash, type Keyring } from './tokens.ts'

/**
 * An address as the suppression list of an organization knows it: HMAC-SHA-256 of its hash under
 * each pepper. A stolen list tells nobody's address, and an entry outlives the address itself.
 */
export const addressed = (keyring: Keyring, organizationId: string, email: string): Addressed => {
  const normalised = email.trim().toLowerCase()
  return { ...addressedByHash(keyring, addressHash(organizationId, normalised)), email: normalised }
}

/** The same of an address of which only the hash is known, as a public link carries it. */
export function addressedByHash({ signing, byKid }: Keyring, hash: Buffer): Addressed {
  const keyOf = ({ kid, derive }: Keyring['signing']): AddressKey => ({
    pepper: kid,
    key: createHmac('sha256', derive('suppression')).update(hash).digest('hex'),
  })
  const retired = [...byKid.values()].filter((key) => key !== signing)
  return {
    email: null,
    stripe: hash.readUInt8(0) % ADDRESS_STRIPES,
    keys: [keyOf(signing), ...retired.map(keyOf)],
  }
}
