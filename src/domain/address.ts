/** What stands for an address under one pepper, so that the list holds without the address. */
export interface AddressKey {
  /** Id of the key that the pepper is derived from. */
  pepper: string
  /** 64 hexadecimal digits. */
  key: string
}

/** An address as the suppression list knows it. */
export interface Addressed {
  /** Null when only its hash is known: from a link whose contact is gone. */
  email: string | null
  /** One of `ADDRESS_STRIPES`: which lock guards it. */
  stripe: number
  /** Under every pepper in use; the first is what new entries are written under. */
  keys: readonly [AddressKey, ...AddressKey[]]
}

/** How finely an organization's addresses are locked. */
export const ADDRESS_STRIPES = 64
