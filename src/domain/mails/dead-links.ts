/** Tokens are longer than any word in their place. They may be in the address of a redirect. */
const TOKEN = /(?<=(?:unsubscribe|preferences|confirm)(?:\/|%2F))[\w-]{80,200}/gi

/**
 * Disables the links that act for the recipient, so that a reader cannot confirm or unsubscribe in
 * their name.
 */
export const withDeadLinks = (words: string): string => words.replaceAll(TOKEN, 'preview')

/** Does the same for every text in a JSON value. No token has characters that JSON escapes. */
export const withDeadLinksIn = <T>(value: T): T => JSON.parse(withDeadLinks(JSON.stringify(value)))
