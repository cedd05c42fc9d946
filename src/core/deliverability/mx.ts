import { isIP } from 'node:net'
import { canonical } from '../../domain/deliverability/domain-name.ts'
import {
  type Check,
  conclude,
  failed,
  type Finding,
  passed,
  type Severity,
  told,
  warned,
} from '../../domain/deliverability/report.ts'
import type { Lookup } from '../../net/lookups.ts'
import { askAddresses, unanswered } from './answers.ts'
import { recording, type ToolContext } from './context.ts'

export interface MailHost {
  host: string
  priority: number
  addresses: string[] | null
}

export interface MxDetails {
  hosts: MailHost[]
  /** The domain declares that it accepts no mail (RFC 7505). */
  isNull: boolean
}

const MOST_HOSTS = 5

/** Checks whether mail to a domain can arrive. `isBrief`: one reachable host is enough. */
export async function checkMx(
  context: ToolContext,
  { domain, isBrief = false }: { domain: string; isBrief?: boolean },
): Promise<Check<MxDetails>> {
  const { ask, records } = recording(context.lookups)
  const answer = await ask(domain, 'MX')
  const hosts = answer.status === 'found' ? answer.values.map(hostOf) : []
  const isNull = hosts.some(({ host }) => host === '')
  const findings: Finding[] = []
  if (answer.status === 'failed') {
    findings.push(unanswered('dns_failed', `The MX records of ${domain}`, answer))
  } else if (answer.status === 'no_name') {
    const message = `There is not a domain ${domain}.`
    findings.push(failed('no_domain', message, 'Check the spelling, or register the domain.'))
  } else if (answer.status === 'empty') findings.push(await withoutMx(ask, domain))
  else if (isNull) findings.push(nullFinding(domain, hosts.length))
  else findings.push(...(await hostFindings(ask, hosts, isBrief)))
  if (hosts.length === 1 && !isNull) {
    findings.push(
      told('mx_single', 'There is only one mail host. While it is down, mail has to wait.'),
    )
  }
  return conclude(findings, {
    fine: `Mail to ${domain} arrives at ${hosts.length} ${hosts.length === 1 ? 'host' : 'hosts'}.`,
    records: records(),
    details: { hosts, isNull },
  })
}

export function hostOf(value: string): MailHost {
  const [priority = '', host = ''] = value.split(' ')
  return { host: canonical(host), priority: Number(priority), addresses: null }
}

async function withoutMx(ask: Lookup, domain: string): Promise<Finding> {
  const answer = await askAddresses(ask, domain)
  const fix = `Publish an MX record at ${domain} that names the host of your mailbox provider.`
  if (answer.status === 'found') {
    const message = 'There is no MX record, so senders try the domain’s own address.'
    return warned('mx_implicit', message, fix)
  }
  if (answer.status === 'failed') {
    const what = `There is no MX record, and the addresses of ${domain}, which senders try instead,`
    return unanswered('dns_failed', what, answer)
  }
  return failed('mx_missing', 'There is no MX record, so mail to the domain bounces.', fix)
}

function nullFinding(domain: string, count: number): Finding {
  if (count > 1) {
    const message = 'The record that says “no mail” appears with other MX records (RFC 7505, 3).'
    return failed('mx_null_and_others', message, 'Remove either “0 .” or the other MX records.')
  }
  return warned(
    'mx_null',
    `${domain} does not accept mail (a null MX).`,
    'Publish a real MX record so that people can reply. Large providers distrust senders that do not accept mail.',
  )
}

async function hostFindings(ask: Lookup, hosts: MailHost[], isBrief: boolean): Promise<Finding[]> {
  const findings = isBrief
    ? await untilReached(ask, hosts.slice(0, MOST_HOSTS))
    : await Promise.all(hosts.slice(0, MOST_HOSTS).map((host) => hostFinding(ask, host)))
  const isReached = findings.some(({ severity }) => severity === 'pass')
  // Mail arrives at the others.
  if (isReached) return findings.map((each) => ({ ...each, severity: atMostWarning(each) }))
  const isKnown = findings.every(({ severity }) => severity === 'fail')
  if (!isKnown || findings.length < hosts.length) return findings
  const message = 'No mail host can be reached.'
  return [...findings, failed('mx_unreachable', message, 'Correct the MX records.')]
}

/** Tries one host after the other, as a sender does. */
async function untilReached(ask: Lookup, hosts: MailHost[]): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const host of hosts) {
    const finding = await hostFinding(ask, host)
    findings.push(finding)
    if (finding.severity === 'pass') break
  }
  return findings
}

const atMostWarning = ({ severity }: Finding): Severity =>
  severity === 'fail' ? 'warning' : severity

async function hostFinding(ask: Lookup, host: MailHost): Promise<Finding> {
  const { host: name } = host
  const fix = `Replace the MX record for ${name} with one that names a host that has an address.`
  if (isIP(name) !== 0 || /^[\d.]+$/.test(name)) {
    const message = `The MX record names the address ${name}; it must name a host (RFC 5321, 5.1).`
    return failed('mx_is_address', message, fix)
  }
  const answer = await askAddresses(ask, name)
  switch (answer.status) {
    case 'found':
      host.addresses = [...answer.values]
      return passed('mx_host', `${name} has an address.`)
    case 'failed':
      return unanswered('mx_host_failed', name, answer)
    default:
      host.addresses = []
      return failed('mx_host_missing', `The mail host ${name} has no public address.`, fix)
  }
}
