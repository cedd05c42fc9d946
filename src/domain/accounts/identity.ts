export interface ListedIdentity {
  identity: string
  identityType: string | null
  sendingEnabled: boolean | null
  verificationStatus: string | null
}

/** An identity as the provider describes it (SES v2, GetEmailIdentity). */
export interface Identity {
  identity: string
  identityType: string | null
  verifiedForSending: boolean
  verificationStatus: string | null
  dkim: Dkim | null
  mailFromDomain: { domain: string; status: string | null } | null
  feedbackForwarding: boolean
  configurationSet: string | null
}

interface Dkim {
  status: string | null
  signingAttributesOrigin: string | null
  tokens: string[]
  /** Zone of the tokens' CNAME records. Null: the provider gives none. */
  signingHostedZone: string | null
}

/** Characters of a domain name (RFC 1035, 2.3.4), and of an identity. */
export const LONGEST_IDENTITY = 253

const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/
const NUMBER = /^\d+$/
const LOCAL_PART = /^[!#-'*+\-/-9=?A-Z^-~]+(?:\.[!#-'*+\-/-9=?A-Z^-~]+)*$/

/** Returns whether a name has two or more labels, in lower case and ASCII. */
export function isDomain(text: string): boolean {
  if (text.length > LONGEST_IDENTITY) return false
  const labels = text.split('.')
  // The last one is never a number: that would be an address of the internet.
  const isAddress = NUMBER.test(labels.at(-1) ?? '')
  return labels.length > 1 && !isAddress && labels.every((label) => LABEL.test(label))
}

/** Returns the domain of an address, or the text itself. */
export const domainOf = (identity: string): string => identity.slice(identity.lastIndexOf('@') + 1)

/**
 * Returns the identities of which any permits an address as sender: the address, the address
 * without a label (the owner of `ann@…` may send as `ann+news@…`), its domain and the parent
 * domains. All in lower case.
 */
export function sendersOf(address: string): string[] {
  const lowerCased = address.toLowerCase()
  const domain = domainOf(lowerCased)
  const [label, at] = [lowerCased.indexOf('+'), lowerCased.lastIndexOf('@')]
  const hasLabel = label >= 0 && label < at
  const names = new Set([
    lowerCased,
    hasLabel ? lowerCased.slice(0, label) + lowerCased.slice(at) : lowerCased,
  ])
  for (let rest = domain; rest.includes('.'); rest = rest.slice(rest.indexOf('.') + 1)) {
    names.add(rest)
  }
  return [...names]
}

/**
 * Returns whether an identity can have this name. The provider is not asked about others. The
 * domain is in lower case and ASCII.
 */
export function isIdentity(text: string): boolean {
  if (text.length > LONGEST_IDENTITY || !isDomain(domainOf(text))) return false
  const at = text.lastIndexOf('@')
  return at < 0 || LOCAL_PART.test(text.slice(0, at))
}
