/** Characters of a name and of a label (RFC 1035, 2.3.4). */
const LONGEST_DOMAIN = 253

/**
 * Matches letters, digits, `-` and `_` in two or more labels, the last of which is not a number.
 */
const DOMAIN =
  /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)+(?!\d+$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/
/** Names that are not of the public internet (RFC 6761, 6762, 7686, 8375, 9476). */
const PRIVATE =
  /(?:^|\.)(?:alt|arpa|corp|home|internal|intranet|invalid|lan|local|localhost|onion)$/

export const isPublicDomain = (name: string): boolean =>
  name.length <= LONGEST_DOMAIN && DOMAIN.test(name) && !PRIVATE.test(name)

/** Returns whether a name has one label, or belongs to a private network, as `db.internal` does. */
export const isPrivateName = (name: string): boolean => !name.includes('.') || PRIVATE.test(name)

export const canonical = (name: string): string => name.toLowerCase().replace(/\.$/, '')

export const isWithin = (name: string, parent: string): boolean =>
  name === parent || name.endsWith(`.${parent}`)
