import { refuse } from '../../src/domain/errors.ts'
import { readDomain, readIp } from '../../src/core/deliverability/subject.ts'

/** Returns the domain in the input. Throws a 400 if it is not one of the public internet. */
export const domainOr400 = (input: string): string =>
  readDomain(input) ?? refuse('domain', 'must be a domain of the public internet', 'not_a_domain')

export function subjectOr400(input: string): { subject: string; domain?: string; ip?: string } {
  const ip = readIp(input)
  if (ip !== undefined) return { subject: ip, ip }
  const domain = readDomain(input)
  if (domain !== undefined) return { subject: domain, domain }
  return refuse(
    'domain',
    'must be a domain or an IP address of the public internet',
    'not_a_domain',
  )
}

export const ipOr400 = (input: string): string =>
  readIp(input) ?? refuse('ip', 'must be an IP address of the public internet', 'not_an_address')
