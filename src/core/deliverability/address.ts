import { domainToASCII } from 'node:url'
import { isPublicDomain } from '../../domain/deliverability/domain-name.ts'
import {
  type Check,
  conclude,
  failed,
  type Finding,
  passed,
  told,
  warned,
} from '../../domain/deliverability/report.ts'
import { isAddress, LONGEST_ADDRESS } from '../../domain/text.ts'
import type { ToolContext } from './context.ts'
import { checkMx } from './mx.ts'

export interface AddressDetails {
  /** Normalized form: the domain in lower case and ASCII. Null: it is not an address. */
  address: string | null
  isRole: boolean
  suggestion: string | null
}

const LONGEST_LOCAL = 64
/** Role names of RFC 2142, and others that several people read. */
const ROLES = ['abuse', 'admin', 'billing', 'contact', 'help', 'hostmaster', 'info'].concat([
  'mail',
  'marketing',
  'no-reply',
  'noreply',
  'office',
  'postmaster',
  'sales',
  'security',
  'support',
  'webmaster',
])
const LARGE = ['gmail.com', 'googlemail.com', 'yahoo.com', 'hotmail.com', 'outlook.com'].concat([
  'icloud.com',
  'live.com',
  'aol.com',
  'gmx.de',
  'web.de',
])

/** Domains that resemble a large provider's and have mailboxes of their own. */
const OTHERS = ['mail.com', 'email.com', 'ymail.com', 'love.com', 'gmx.ch', 'gmx.fr', 'gmx.us']

export async function checkAddress(
  context: ToolContext,
  { address: given }: { address: string },
): Promise<Check<AddressDetails>> {
  const text = given.trim()
  const at = text.lastIndexOf('@')
  const local = text.slice(0, Math.max(0, at))
  const domain = domainToASCII(text.slice(at + 1)).toLowerCase()
  const address = `${local}@${domain}`
  const isRight =
    text.length <= LONGEST_ADDRESS && local.length <= LONGEST_LOCAL && isAddress(address)
  const details = { address: null, isRole: false, suggestion: null }
  const fix = 'Ask the person for the address again.'
  if (!isRight) {
    const message = 'This is not an email address.'
    return conclude([failed('syntax', message, fix)], { fine: '', records: [], details })
  }
  if (!isPublicDomain(domain)) {
    const message = 'The domain is not on the public internet.'
    return conclude([failed('domain', message, fix)], { fine: '', records: [], details })
  }
  const { findings: ofDomain, records } = await checkMx(context, { domain, isBrief: true })
  const isRole = ROLES.includes(local.toLowerCase())
  const isMailbox = LARGE.includes(domain) || OTHERS.includes(domain)
  const near = isMailbox ? undefined : LARGE.find((each) => isNear(each, domain))
  const findings: Finding[] = [
    passed('syntax', 'The address has the right syntax.'),
    ...ofDomain.map(asAddress),
  ]
  if (isRole) {
    const message = 'The address belongs to a role, so several people may read it.'
    findings.push(told('role', message))
  }
  if (near !== undefined) {
    const message = `The domain is nearly ${near}.`
    findings.push(warned('typo', message, `Ask whether ${local}@${near} is meant.`))
  }
  return conclude(findings, {
    fine: 'The address has the right syntax, and its domain accepts mail.',
    records,
    details: {
      address,
      isRole,
      suggestion: near === undefined ? null : `${local}@${near}`,
    },
  })
}

/** Makes an address without mail service fail. */
const asAddress = (finding: Finding): Finding =>
  finding.code === 'mx_null'
    ? failed('mx_null', 'The domain does not accept mail.', 'Ask the person for another address.')
    : finding

/** Returns whether the names differ by one letter, or by two letters in swapped places. */
function isNear(one: string, other: string): boolean {
  if (Math.abs(one.length - other.length) > 1) return false
  let start = 0
  while (start < one.length && one[start] === other[start]) start++
  const [a, b] = [one.slice(start), other.slice(start)]
  if (a.slice(1) === b.slice(1) || a.slice(1) === b || a === b.slice(1)) return true
  return a[0] === b[1] && a[1] === b[0] && a.slice(2) === b.slice(2)
}
