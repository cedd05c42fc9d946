import { isPublicDomain } from '../../domain/deliverability/domain-name.ts'
import {
  type Check,
  conclude,
  type Finding,
  passed,
  told,
  warned,
} from '../../domain/deliverability/report.ts'
import { organizationalDomain } from '../../text/public-suffixes.ts'
import { type DmarcPolicy, parseDmarc, reportDomains } from './dmarc-record.ts'

export interface DmarcWish {
  domain: string
  policy: DmarcPolicy
  subdomainPolicy?: DmarcPolicy | undefined
  aggregateReports?: readonly string[] | undefined
  failureReports?: readonly string[] | undefined
  strictDkim?: boolean | undefined
  strictSpf?: boolean | undefined
}

export interface DmarcWritten {
  name: string
  type: 'TXT'
  value: string
}

export function writeDmarc(wish: DmarcWish): Check<DmarcWritten> {
  const { domain, policy, subdomainPolicy, aggregateReports = [], failureReports = [] } = wish
  const mailto = (addresses: readonly string[]): string =>
    addresses.map((address) => `mailto:${address.trim()}`).join(',')
  const value = [
    'v=DMARC1',
    `p=${policy}`,
    ...(subdomainPolicy === undefined ? [] : [`sp=${subdomainPolicy}`]),
    ...(aggregateReports.length === 0 ? [] : [`rua=${mailto(aggregateReports)}`]),
    ...(failureReports.length === 0 ? [] : [`ruf=${mailto(failureReports)}`, 'fo=1']),
    ...(wish.strictDkim === true ? ['adkim=s'] : []),
    ...(wish.strictSpf === true ? ['aspf=s'] : []),
  ].join('; ')
  const name = `_dmarc.${domain}`
  const findings: Finding[] = [passed('dmarc_written', `Publish it as a TXT record at ${name}.`)]
  if (aggregateReports.length === 0) {
    const message = 'Without an address for reports you cannot see who sends in your name.'
    findings.push(warned('dmarc_no_reports', message, 'Add an address for aggregate reports.'))
  }
  if (policy === 'none') {
    const message = 'The policy none does not stop any mail. Use it for the first weeks only.'
    findings.push(told('dmarc_p_none', message, 'Read the reports, then change it to quarantine.'))
  }
  const ours = organizationalDomain(domain)
  for (const other of reportDomains(parseDmarc(value).record)) {
    if (!isPublicDomain(other) || organizationalDomain(other) === ours) continue
    const message = `Reports go to ${other} only if it agrees.`
    const fix = `Publish “v=DMARC1” as a TXT record at ${domain}._report._dmarc.${other}.`
    findings.push(told('dmarc_report_consent', message, fix))
  }
  return conclude(findings, {
    fine: value,
    records: [],
    details: { name, type: 'TXT', value },
  })
}
