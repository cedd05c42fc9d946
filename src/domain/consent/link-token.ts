/**
 * The shape of the tokens in public links: what can be told of one without the key that signed it.
 * `src/keys/tokens.ts` writes and verifies them.
 */
export const TOKEN_VERSION = 1
export const TOKEN_KINDS = { unsubscribe: 1, preferences: 2, confirm: 3, invite: 4 } as const
/** Says which optional fields a token has. */
export const TOKEN_FLAGS = { topic: 1, batch: 2, generation: 4, mail: 8 } as const
/** Version, kind, flags, key id, expiry, organization, contact, address hash. */
export const FIXED_TOKEN_BYTES = 3 + 8 + 6 + 16 + 16 + 16
export const TOKEN_MAC_BYTES = 16

/** Version, kind and flags are three bytes, and so the first four characters. */
const HEAD = /^AQ[EIMQ][A-P]/
const FIRST_FLAGS = 'A'.charCodeAt(0)

/** Closes a sentence or brackets a link; a mail program may take it for a part of the link. */
const PUNCTUATION = /^[^\p{L}\p{N}]{1,8}$/u

/**
 * Returns the token that a text begins with, where nothing but punctuation follows; else the text
 * itself.
 */
export function withoutPunctuation(text: string): string {
  const length = tokenLength(text)
  return length !== undefined && PUNCTUATION.test(text.slice(length)) ? text.slice(0, length) : text
}

/** Returns how many characters the token has that a text begins with; undefined: it is none. */
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

/** The link may be encoded, as a parameter of a redirect's address, and that once more. */
const SLASH = '(?:/|%(?:25){0,3}2F)'
const PATH = new RegExp(
  `${SLASH}(?:unsubscribe|preferences|confirm|invitations)${SLASH}([\\w-]+)`,
  'gi',
)

/**
 * Returns whether a text has a link to a page of ours, on whatever host: a path of ours with a
 * token. A page of the author's that has such a path has no such token.
 */
export function hasOwnLink(text: string): boolean {
  for (const [, token = ''] of text.matchAll(PATH)) {
    const length = tokenLength(token)
    if (length !== undefined && token.length >= length) return true
  }
  return false
}
