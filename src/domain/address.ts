/** Stands for an address under one HMAC key, so that the list holds without the address. */
export interface AddressKey {
  /** Id of the HMAC key. */
  keyId: string
  /** 64 hexadecimal digits. */
  key: string
}

/** An address as the suppression list knows it. */
export interface Addressed {
  /** Null when only its hash is known: from a link whose contact is gone. */
  email: string | null
  /** One of `ADDRESS_STRIPES`: which lock guards it. */
  stripe: number
  /** Under every HMAC key in use; new entries are written under the first. */
  keys: readonly [AddressKey, ...AddressKey[]]
}

/** Locks for the addresses of an organization: each guards a stripe of them. */
export const ADDRESS_STRIPES = 64
