/** Identifies an address under one HMAC key, so that the list does not contain the address. */
export interface AddressKey {
  keyId: string
  key: string
}

/** The form in which the suppression list knows an email address or a phone number. */
export interface Addressed {
  /** Null: only the hash is known, from a link whose contact is gone. */
  text: string | null
  /** Number of its lock, from `ADDRESS_STRIPES`. */
  stripe: number
  /** Keys under every HMAC key in use. New entries are written under the first. */
  keys: readonly [AddressKey, ...AddressKey[]]
}

/** Number of locks for the addresses of an organization. Each guards a stripe of them. */
export const ADDRESS_STRIPES = 64
