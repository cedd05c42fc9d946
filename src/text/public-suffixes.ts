import { getDomain } from 'tldts'

/**
 * Returns the organizational domain of a name: the public suffix and one more label (RFC 7489,
 * 3.2), by the package's public suffix list. Undefined: the name is itself a public suffix.
 */
export const organizationalDomain = (name: string): string | undefined =>
  getDomain(name, { allowPrivateDomains: true }) ?? undefined
