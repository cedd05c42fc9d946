import { spellingsOf } from '../../keys/addresses.ts'
import {
  addressesIn,
  ANY_PHONE,
  type PersonNames,
  phonePattern,
  phonesIn,
} from '../../domain/privacy/names.ts'
import type { Uuid } from '../../runtime/ids.ts'
import type { FormerAddress } from '../../store/privacy/former-addresses.ts'
import { addressHash } from '../../keys/tokens.ts'

export interface KnownPerson {
  contactIds: readonly Uuid[]
  email: string | null
  phone: string | null
  addresses: readonly FormerAddress[]
}

export interface FoundPerson extends PersonNames {
  /** The person's addresses, as 16 bytes of SHA-256 in hexadecimal. */
  emailHashes: string[]
  /** The person's numbers, in the same form. */
  phoneHashes: string[]
}

const ANY_EMAIL = '@'

/**
 * Returns the search terms of a person. Of former addresses and numbers only the hash is known:
 * then every text with an address or number is read, and its addresses and numbers are hashed.
 */
export function personNames(
  organizationId: Uuid,
  { contactIds, email, phone, addresses }: KnownPerson,
): FoundPerson {
  const hashOf = (text: string) => addressHash(organizationId, text).toString('hex')
  const hashesOf = (kind: FormerAddress['kind'], knownText: string | null) =>
    new Set([
      ...addresses.filter((each) => each.kind === kind).map(({ hash }) => hash),
      ...(knownText === null ? [] : [hashOf(knownText)]),
    ])
  const emails = hashesOf('email', email)
  const phones = hashesOf('phone', phone)
  const patterns = [
    ...patternsOf(emails, email, { of: emailPatterns, any: ANY_EMAIL }),
    ...patternsOf(phones, phone, { of: (text) => [phonePattern(text)], any: ANY_PHONE }),
  ]
  return {
    contactIds,
    emailHashes: [...emails],
    phoneHashes: [...phones],
    pattern: patterns.length === 0 ? null : patterns.join('|'),
    namesIn: (text) => [
      ...(emails.size === 0 ? [] : addressesIn(text).filter((each) => emails.has(hashOf(each)))),
      ...(phones.size === 0 ? [] : phonesIn(text).filter((each) => phones.has(hashOf(each)))),
    ],
  }
}

function patternsOf(
  hashes: ReadonlySet<string>,
  knownText: string | null,
  patterns: { of: (text: string) => string[]; any: string },
): string[] {
  if (hashes.size === 0) return []
  return knownText !== null && hashes.size === 1 ? patterns.of(knownText) : [patterns.any]
}

const emailPatterns = (email: string): string[] =>
  spellingsOf(email).map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
