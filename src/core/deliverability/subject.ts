import { isIP } from 'node:net'
import { domainToASCII } from 'node:url'
import { canonical, isPublicDomain } from '../../domain/deliverability/domain-name.ts'
import { createAddressCheck, unmapped } from '../../net/addresses.ts'

const LONGEST = 2_048

/**
 * Returns the domain in a text: plain, in capitals, in another script, with a trailing dot, or
 * within an email address or a web address. Undefined: it is not a domain of the internet.
 */
export function readDomain(input: string): string | undefined {
  if (input.length > LONGEST) return undefined
  const text = input.trim().replace(/^https?:\/\//i, '')
  const [host = ''] = text.slice(text.lastIndexOf('@') + 1).split(/[/?#:]/)
  const name = canonical(domainToASCII(canonical(host)))
  return isPublicDomain(name) ? name : undefined
}

const isPublicAddress = createAddressCheck({ allowed: [], own: () => [] })

/** Returns a public IP address, in its IPv4 form if it has one. Undefined: it is not one. */
export function readIp(input: string): string | undefined {
  const text = unmapped(input.trim().toLowerCase())
  return isIP(text) !== 0 && isPublicAddress(text) ? text : undefined
}
