/** Characters of a name and of a label (RFC 1035, 2.3.4). */
const LONGEST_DOMAIN = 253

/** Letters, digits, `-` and `_`; two labels or more; the last one is no number. */
const DOMAIN =
  /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)+(?!\d+$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/
/** Names that are not of the public internet (RFC 6761, 6762, 7686, 8375, 9476). */
const PRIVATE =
  /(?:^|\.)(?:alt|arpa|corp|home|internal|intranet|invalid|lan|local|localhost|onion)$/

/** Whether it is a domain of the public internet: ASCII, lower case, no dot at its end. */
export const isPublicDomain = (name: string): boolean =>
  name.length <= LONGEST_DOMAIN && DOMAIN.test(name) && !PRIVATE.test(name)

/** Whether it is a name of one label, or of a network of somebody's own, as `db.internal` is. */
export const isPrivateName = (name: string): boolean => !name.includes('.') || PRIVATE.test(name)

/** As names are compared: lower case, without the dot at the end. */
export const canonical = (name: string): string => name.toLowerCase().replace(/\.$/, '')

/** Whether `name` is `parent` or below it. */
export const isWithin = (name: string, parent: string): boolean =>
  name === parent || name.endsWith(`.${parent}`)
