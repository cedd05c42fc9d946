import { isIPv4 } from 'node:net'
import { canonical } from '../../domain/deliverability/domain-name.ts'
import {
  type Check,
  conclude,
  failed,
  type Finding,
  passed,
  unclear,
  warned,
} from '../../domain/deliverability/report.ts'
import type { DnsFailed } from '../../net/dns.ts'
import type { Lookup } from '../../net/lookups.ts'
import { askAddresses, unanswered } from './answers.ts'
import { recording, type ToolContext } from './context.ts'
import { hostOf } from './mx.ts'
import { reverseName } from './spf-evaluate.ts'

export interface ReverseDnsDetails {
  addresses: { ip: string; names: string[]; isConfirmed: boolean }[]
}

export interface ReverseDnsInput {
  domain?: string | undefined
  ip?: string | undefined
  mostAddresses?: number
}

const MOST_ADDRESSES = 4
const MOST_NAMES = 3
const CONFIRMED = ['reverse_dns_confirmed', 'reverse_dns_generic']

/**
 * Checks whether addresses have a name that leads back to them, which receivers expect of senders.
 */
export async function checkReverseDns(
  context: ToolContext,
  { domain, ip, mostAddresses = MOST_ADDRESSES }: ReverseDnsInput,
): Promise<Check<ReverseDnsDetails>> {
  const { ask, records } = recording(context.lookups)
  const findings: Finding[] = []
  const { hostAddresses, failure } =
    ip === undefined
      ? await addressesOf(ask, domain ?? '', mostAddresses)
      : { hostAddresses: [ip], failure: undefined }
  const addresses: ReverseDnsDetails['addresses'] = []
  for (const each of hostAddresses) {
    const { finding, names } = await checkAddress(ask, each)
    findings.push(finding)
    addresses.push({ ip: each, names, isConfirmed: CONFIRMED.includes(finding.code) })
  }
  if (failure) findings.push(unanswered('dns_failed', `A mail host of ${domain}`, failure))
  else if (hostAddresses.length === 0) {
    findings.push(
      unclear(
        'reverse_dns_no_address',
        'No mail host has an address to check.',
        'Give the address that your mail is sent from.',
      ),
    )
  }
  return conclude(findings, {
    fine: `${hostAddresses.length === 1 ? 'The address has' : 'All addresses have'} a name that resolves back to it.`,
    records: records(),
    details: { addresses },
  })
}

/**
 * Resolves to the addresses of the first mail hosts. `failure`: there may be more that no server
 * told.
 */
async function addressesOf(
  ask: Lookup,
  domain: string,
  most: number,
): Promise<{ hostAddresses: string[]; failure: DnsFailed | undefined }> {
  const answer = await ask(domain, 'MX')
  let failure = answer.status === 'failed' ? answer : undefined
  const hosts = answer.status === 'found' ? answer.values.map((value) => hostOf(value).host) : []
  const hostAddresses = new Set<string>()
  for (const host of hosts.slice(0, most)) {
    if (host === '' || hostAddresses.size >= most) continue
    const addresses = await askAddresses(ask, host)
    if (addresses.status === 'failed') failure ??= addresses
    for (const each of addresses.status === 'found' ? addresses.values : []) hostAddresses.add(each)
  }
  return { hostAddresses: [...hostAddresses].slice(0, most), failure }
}

async function checkAddress(
  ask: Lookup,
  ip: string,
): Promise<{ finding: Finding; names: string[] }> {
  const answer = await ask(reverseName(ip), 'PTR')
  if (answer.status === 'failed') {
    return { finding: unanswered('dns_failed', `The name of ${ip}`, answer), names: [] }
  }
  const names = answer.status === 'found' ? answer.values.slice(0, MOST_NAMES).map(canonical) : []
  const fix = 'Have the owner of the address set a PTR record that names your mail host.'
  if (names.length === 0) {
    return { finding: failed('reverse_dns_missing', `${ip} has no name (PTR).`, fix), names }
  }
  let failure: DnsFailed | undefined
  for (const name of names) {
    const back = await ask(name, isIPv4(ip) ? 'A' : 'AAAA')
    if (back.status === 'failed') failure ??= back
    if (back.status !== 'found' || !back.values.some((value) => isSame(value, ip))) continue
    return { finding: confirmed(ip, name), names }
  }
  const [name] = names
  if (failure) {
    const what = `Whether ${name} leads back to ${ip}`
    return { finding: unanswered('dns_failed', what, failure), names }
  }
  const message = `${ip} is called ${name}, but ${name} does not resolve back to it.`
  const addresses = `Publish an address record at ${name} that names ${ip}.`
  return { finding: failed('reverse_dns_unconfirmed', message, addresses), names }
}

function confirmed(ip: string, name: string): Finding {
  const parts = ip.split(/[.:]/).filter((part) => part !== '')
  const isGeneric = isIPv4(ip) && parts.every((part) => name.split(/[^0-9]/).includes(part))
  if (!isGeneric) return passed('reverse_dns_confirmed', `${ip} is called ${name}, and back.`)
  const message = `${ip} has a generic name made from the address (${name}), like a home connection.`
  const fix = 'Give the address the name of your mail host.'
  return warned('reverse_dns_generic', message, fix)
}

const isSame = (one: string, other: string): boolean =>
  one === other || (!isIPv4(one) && !isIPv4(other) && reverseName(one) === reverseName(other))
