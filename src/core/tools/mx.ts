import { isIP } from 'node:net'
import { canonical } from '../../domain/tools/domain-name.ts'
import {
  type Check,
  conclude,
  failed,
  type Finding,
  passed,
  told,
  unclear,
  warned,
} from '../../domain/tools/report.ts'
import type { Lookup } from '../../net/lookups.ts'
import { recording, type ToolContext } from './context.ts'

export interface MailHost {
  host: string
  priority: number
  /** Null: it was not looked up. */
  addresses: string[] | null
}

export interface MxDetails {
  hosts: MailHost[]
  /** The domain says that it takes no mail (RFC 7505). */
  isNull: boolean
}

/** Hosts whose addresses are looked up. */
const MOST_HOSTS = 5

/** Whether mail to a domain can arrive. */
export async function checkMx(
  context: ToolContext,
  { domain, mostHosts = MOST_HOSTS }: { domain: string; mostHosts?: number },
): Promise<Check<MxDetails>> {
  const { ask, records } = recording(context.lookups)
  const answer = await ask(domain, 'MX')
  const hosts = answer.status === 'found' ? answer.values.map(hostOf) : []
  const isNull = hosts.some(({ host }) => host === '')
  const findings: Finding[] = []
  if (answer.status === 'failed') {
    const message = `The MX records of ${domain} could not be looked up.`
    findings.push(
      unclear('dns_failed', message, 'Check the name servers of the domain, and try again.'),
    )
  } else if (answer.status === 'no_name') {
    const message = `There is no domain ${domain}.`
    findings.push(failed('no_domain', message, 'Check the spelling, or register the domain.'))
  } else if (answer.status === 'empty') findings.push(await withoutMx(ask, domain))
  else if (isNull) findings.push(nullFinding(domain, hosts.length))
  else findings.push(...(await hostFindings(ask, hosts.slice(0, mostHosts))))
  if (hosts.length === 1 && !isNull) {
    findings.push(told('mx_single', 'There is one mail host: while it is away, mail has to wait.'))
  }
  return conclude(findings, {
    fine: `Mail to ${domain} arrives at ${hosts.length} ${hosts.length === 1 ? 'host' : 'hosts'}.`,
    records: records(),
    details: { hosts, isNull },
  })
}

/** `10 mail.example.com` */
export function hostOf(value: string): MailHost {
  const [priority = '', host = ''] = value.split(' ')
  return { host: canonical(host), priority: Number(priority), addresses: null }
}

async function withoutMx(ask: Lookup, domain: string): Promise<Finding> {
  const address = await ask(domain, 'A')
  const fix = `Publish an MX record at ${domain} that names the host of your mailbox provider.`
  if (address.status === 'found') {
    const message = 'There is no MX record: mail is tried at the address of the website instead.'
    return warned('mx_implicit', message, fix)
  }
  return failed('mx_missing', 'There is no MX record: mail to the domain comes back.', fix)
}

function nullFinding(domain: string, count: number): Finding {
  if (count > 1) {
    const message = 'The record that says “no mail” stands beside others (RFC 7505, 3).'
    return failed('mx_null_and_others', message, 'Remove either “0 .” or the other MX records.')
  }
  return warned(
    'mx_null',
    `${domain} says that it takes no mail (a null MX).`,
    'Publish a real MX record if people should be able to answer: large providers distrust senders that take no mail.',
  )
}

async function hostFindings(ask: Lookup, hosts: MailHost[]): Promise<Finding[]> {
  const each = await Promise.all(hosts.map((host) => hostFinding(ask, host)))
  const findings = each.filter((finding) => finding !== undefined)
  return findings.some(({ severity }) => severity === 'pass')
    ? findings
    : [...findings, ...unreachable(findings)]
}

const unreachable = (findings: readonly Finding[]): Finding[] =>
  findings.some(({ severity }) => severity === 'unknown')
    ? []
    : [failed('mx_unreachable', 'No mail host can be reached.', 'Correct the MX records.')]

/** Puts the addresses into `host`. */
async function hostFinding(ask: Lookup, host: MailHost): Promise<Finding> {
  const { host: name } = host
  const fix = `Replace the MX record for ${name} by one that names a host with an address.`
  if (isIP(name) !== 0 || /^[\d.]+$/.test(name)) {
    const message = `The MX record names the address ${name}; it has to name a host (RFC 5321, 5.1).`
    return failed('mx_is_address', message, fix)
  }
  const first = await ask(name, 'A')
  const answer = first.status === 'empty' ? await ask(name, 'AAAA') : first
  switch (answer.status) {
    case 'found':
      host.addresses = [...answer.values]
      return passed('mx_host', `${name} has an address.`)
    case 'failed':
      return unclear('mx_host_failed', `${name} could not be looked up.`, 'Try again in a minute.')
    default:
      host.addresses = []
      return failed(
        'mx_host_missing',
        `The mail host ${name} has no address of the public internet.`,
        fix,
      )
  }
}
