import { getDomain } from 'tldts'

/**
 * The organizational domain of a name: the public suffix and one label more (RFC 7489, 3.2), by the
 * public suffix list that comes with the package. Undefined: the name is a public suffix itself.
 */
export const organizationalDomain = (name: string): string | undefined =>
  getDomain(name, { allowPrivateDomains: true }) ?? undefined
