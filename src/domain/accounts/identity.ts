/** A domain or an email address that an account sends as, as a list shows it. */
export interface ListedIdentity {
  identity: string
  identityType: string | null
  sendingEnabled: boolean | null
  verificationStatus: string | null
}

/** One of them as the provider describes it (SES v2, GetEmailIdentity). */
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
  /** Where the tokens' CNAME records point; null: the provider does not say. */
  signingHostedZone: string | null
}

/** Characters of a domain name (RFC 1035, 2.3.4); of an identity, too. */
export const LONGEST_IDENTITY = 253

const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/
const NUMBER = /^\d+$/
const LOCAL_PART = /^[!#-'*+\-/-9=?A-Z^-~]+(?:\.[!#-'*+\-/-9=?A-Z^-~]+)*$/

/** Whether it is a name of two labels or more, in lower case and ASCII. */
export function isDomain(text: string): boolean {
  if (text.length > LONGEST_IDENTITY) return false
  const labels = text.split('.')
  // The last one is never a number: that would be an address of the internet.
  const isAddress = NUMBER.test(labels.at(-1) ?? '')
  return labels.length > 1 && !isAddress && labels.every((label) => LABEL.test(label))
}

/** Its domain; the text itself when it is not an address. */
export const domainOf = (identity: string): string => identity.slice(identity.lastIndexOf('@') + 1)

/**
 * The identities of which any lets mail be sent from an address: itself, itself without a label
 * (`ann+news@…` is sent by who owns `ann@…`), its domain and those above. In lower case.
 */
export function sendersOf(address: string): string[] {
  const whole = address.toLowerCase()
  const domain = domainOf(whole)
  const [label, at] = [whole.indexOf('+'), whole.lastIndexOf('@')]
  const hasLabel = label >= 0 && label < at
  const names = new Set([whole, hasLabel ? whole.slice(0, label) + whole.slice(at) : whole])
  for (let rest = domain; rest.includes('.'); rest = rest.slice(rest.indexOf('.') + 1)) {
    names.add(rest)
  }
  return [...names]
}

/**
 * Whether a provider could know an identity of this name: it is not asked about any other.
 * Its domain is in lower case and ASCII.
 */
export function isIdentity(text: string): boolean {
  if (text.length > LONGEST_IDENTITY || !isDomain(domainOf(text))) return false
  const at = text.lastIndexOf('@')
  return at < 0 || LOCAL_PART.test(text.slice(0, at))
}
