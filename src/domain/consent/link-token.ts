/**
 * The format of tokens in public links, as far as it is readable without the signing key.
 * `src/keys/tokens.ts` signs and verifies them.
 */
export const TOKEN_VERSION = 1
export const TOKEN_KINDS = { unsubscribe: 1, preferences: 2, confirm: 3, invite: 4 } as const
/** Bits for the optional fields of a token. */
export const TOKEN_FLAGS = { topic: 1, batch: 2, generation: 4, mail: 8 } as const
/** Version, kind, flags, key id, expiry, organization, contact, address hash. */
export const FIXED_TOKEN_BYTES = 3 + 8 + 6 + 16 + 16 + 16
export const TOKEN_MAC_BYTES = 16

/** The first four characters encode version, kind and flags, a byte each. */
const HEAD = /^AQ[EIMQ][A-P]/
const FIRST_FLAGS = 'A'.charCodeAt(0)

/**
 * Punctuation that closes a sentence or brackets a link. A mail program may take it for a part of
 * the link.
 */
const PUNCTUATION = /^[^\p{L}\p{N}]{1,8}$/u

export function withoutPunctuation(text: string): string {
  const length = tokenLength(text)
  return length !== undefined && PUNCTUATION.test(text.slice(length)) ? text.slice(0, length) : text
}

function tokenLength(text: string): number | undefined {
  if (!HEAD.test(text)) return undefined
  const flags = text.charCodeAt(3) - FIRST_FLAGS
  const bytesOf = (flag: number, bytes: number) => ((flags & flag) === 0 ? 0 : bytes)
  const bytes =
    FIXED_TOKEN_BYTES +
    bytesOf(TOKEN_FLAGS.topic, 16) +
    bytesOf(TOKEN_FLAGS.batch, 16) +
    bytesOf(TOKEN_FLAGS.mail, 16) +
    bytesOf(TOKEN_FLAGS.generation, 4) +
    TOKEN_MAC_BYTES
  return Math.ceil((bytes * 4) / 3)
}

/** The slash may be URL-encoded, up to three more times, as a parameter of a redirect's address. */
const SLASH = '(?:/|%(?:25){0,3}2F)'
const PATH = new RegExp(
  `${SLASH}(?:unsubscribe|preferences|confirm|invitations)${SLASH}([\\w-]+)`,
  'gi',
)

/**
 * Returns whether a text links to one of our pages on any host: one of our paths with a token.
 * Authors' pages with the same path have no such token.
 */
export function hasOwnLink(text: string): boolean {
  for (const [, token = ''] of text.matchAll(PATH)) {
    const length = tokenLength(token)
    if (length !== undefined && token.length >= length) return true
  }
  return false
}
