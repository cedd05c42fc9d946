import { isIP } from 'node:net'
import { domainToASCII } from 'node:url'
import { canonical, isPublicDomain } from '../../domain/deliverability/domain-name.ts'
import { createAddressCheck, unmapped } from '../../net/addresses.ts'

/** Characters that are looked at: an address of a page that somebody has copied is longer. */
const LONGEST = 2_048

/**
 * The domain that somebody means: as it is, in capitals, in another script, with a dot at its end,
 * or within an email address or the address of a page. Undefined: it is none of the internet's.
 */
export function readDomain(given: string): string | undefined {
  if (given.length > LONGEST) return undefined
  const text = given.trim().replace(/^https?:\/\//i, '')
  const [host = ''] = text.slice(text.lastIndexOf('@') + 1).split(/[/?#:]/)
  const name = canonical(domainToASCII(canonical(host)))
  return isPublicDomain(name) ? name : undefined
}

const isPublicAddress = createAddressCheck({ allowed: [], own: () => [] })

/** An address of the public internet, as IPv4 where it stands for one; undefined: it is none. */
export function readIp(given: string): string | undefined {
  const text = unmapped(given.trim().toLowerCase())
  return isIP(text) !== 0 && isPublicAddress(text) ? text : undefined
}
