import { refuse } from '../../src/domain/errors.ts'
import { readDomain, readIp } from '../../src/core/deliverability/subject.ts'

/** The domain that a caller means; refuses with 400 what is none of the public internet. */
export const domainOr400 = (given: string): string =>
  readDomain(given) ?? refuse('domain', 'must be a domain of the public internet', 'not_a_domain')

/** An IP address, or a domain; refuses with 400 what is neither or is not public. */
export function subjectOr400(given: string): { subject: string; domain?: string; ip?: string } {
  const ip = readIp(given)
  if (ip !== undefined) return { subject: ip, ip }
  const domain = readDomain(given)
  if (domain !== undefined) return { subject: domain, domain }
  return refuse('domain', 'must be a domain or an address of the public internet', 'not_a_domain')
}

/** Refuses with 400 what is no public IP address. */
export const ipOr400 = (given: string): string =>
  readIp(given) ?? refuse('ip', 'must be an address of the public internet', 'not_an_address')
