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
import { hasVersion } from '../../domain/deliverability/tags.ts'
import type { DnsFailed } from '../../net/dns.ts'
import type { Lookup } from '../../net/lookups.ts'
import { organizationalDomain } from '../../text/public-suffixes.ts'
import { recording, shownText, type ToolContext } from './context.ts'
import { type DmarcPolicy, type DmarcRecord, parseDmarc, reportDomains } from './dmarc-record.ts'
import { unanswered } from './answers.ts'

export interface DmarcDetails extends Partial<DmarcRecord> {
  record: string | null
  foundAt: string | null
  /**
   * Organizational domain by the public suffix list. Null: the domain is itself a public suffix.
   */
  organizationalDomain: string | null
  effectivePolicy: DmarcPolicy | null
}

type FoundRecord =
  | { status: 'found'; name: string; text: string }
  | { status: 'none' }
  | { status: 'many'; name: string }
  | { status: 'failed'; name: string; failure: DnsFailed }

const MOST_ASKED = 2

export async function checkDmarc(
  context: ToolContext,
  { domain }: { domain: string },
): Promise<Check<DmarcDetails>> {
  const { ask, records } = recording(context.lookups)
  const organization = organizationalDomain(domain)
  const foundRecord = await findDmarc(ask, domain, organization)
  const details: DmarcDetails = {
    record: null,
    foundAt: null,
    organizationalDomain: organization ?? null,
    effectivePolicy: null,
  }
  const finish = (findings: Finding[], more: Partial<DmarcDetails> = {}): Check<DmarcDetails> =>
    conclude(findings, {
      fine: `${domain} has a DMARC record that protects its mail.`,
      records: records(),
      details: { ...details, ...more },
    })
  if (foundRecord.status !== 'found') return finish([missing(foundRecord, organization ?? domain)])
  const { record, findings } = parseDmarc(foundRecord.text)
  const isInherited = foundRecord.name !== `_dmarc.${domain}`
  const effectivePolicy =
    (isInherited ? (record.subdomainPolicy ?? record.policy) : record.policy) ?? null
  return finish(
    [
      ...findings,
      ...policyFindings(record, effectivePolicy),
      ...(isInherited ? [inherited(domain, foundRecord.name)] : []),
      ...(await reportFindings(ask, record, { domain: foundRecord.name.slice('_dmarc.'.length) })),
    ],
    { ...record, record: shownText(foundRecord.text), foundAt: foundRecord.name, effectivePolicy },
  )
}

/** Returns the record of the domain, or that of its organizational domain (RFC 7489, 6.6.3). */
export async function findDmarc(
  ask: Lookup,
  domain: string,
  organization: string | undefined,
): Promise<FoundRecord> {
  for (const each of new Set([domain, organization ?? domain])) {
    const name = `_dmarc.${each}`
    const answer = await ask(name, 'TXT')
    if (answer.status === 'failed') return { status: 'failed', name, failure: answer }
    const texts = answer.status === 'found' ? answer.values.filter(isDmarc) : []
    if (texts.length > 1) return { status: 'many', name }
    const [text] = texts
    if (text !== undefined) return { status: 'found', name, text }
  }
  return { status: 'none' }
}

const isDmarc = (text: string): boolean => hasVersion(text, 'DMARC1')

const inherited = (domain: string, name: string): Finding =>
  told('dmarc_inherited', `${domain} has no record, so that of ${name} applies.`)

function missing(
  foundRecord: Exclude<FoundRecord, { status: 'found' }>,
  organization: string,
): Finding {
  switch (foundRecord.status) {
    case 'failed':
      return unanswered(
        'dns_failed',
        `The DMARC record at ${foundRecord.name}`,
        foundRecord.failure,
      )
    case 'many': {
      const message = `${foundRecord.name} has more than one DMARC record, so receivers ignore all of them.`
      return failed('dmarc_many', message, 'Keep one of them and delete the others.')
    }
    case 'none': {
      const message = 'There is no DMARC record, so anyone can send mail in the domain’s name.'
      const fix = `Publish a TXT record at _dmarc.${organization}: “v=DMARC1; p=none; rua=mailto:dmarc@${organization}”, and tighten it later.`
      return failed('dmarc_missing', message, fix)
    }
  }
}

function policyFindings(record: DmarcRecord, effective: DmarcPolicy | null): Finding[] {
  const findings: Finding[] = []
  if (effective === 'none') {
    findings.push(
      warned(
        'dmarc_p_none',
        'The policy is none, so forged mail is reported but still delivered.',
        'When the reports show that all of your own mail passes, change p to quarantine, then to reject.',
      ),
    )
  } else if (effective !== null) {
    const what = effective === 'reject' ? 'rejected' : 'put in the spam folder'
    findings.push(passed('dmarc_enforced', `Mail that fails is ${what} (p=${effective}).`))
  }
  if (record.percent < 100) {
    findings.push(
      warned(
        'dmarc_percent',
        `The policy applies to ${record.percent} % of the mail.`,
        'Remove pct to apply it to all mail.',
      ),
    )
  }
  if (record.isTesting && effective !== 'none') {
    findings.push(
      warned(
        'dmarc_testing',
        'The record is marked as a test (t=y), so receivers apply the next weaker policy.',
        'Remove t when the reports show that all of your own mail passes.',
      ),
    )
  }
  if (record.subdomainPolicy === 'none' && record.policy !== 'none') {
    const message = 'Subdomains are not protected (sp=none).'
    findings.push(
      warned('dmarc_subdomains', message, 'Remove sp, so that p applies to subdomains.'),
    )
  }
  if (record.rua.length === 0) {
    findings.push(
      warned(
        'dmarc_no_reports',
        'The record has no address for reports (rua), so you cannot see who sends in your name.',
        'Add rua=mailto: and an address where you read them.',
      ),
    )
  }
  return findings
}

/** Receivers send reports to another domain only with its consent (RFC 7489, 7.1). */
async function reportFindings(
  ask: Lookup,
  record: DmarcRecord,
  { domain }: { domain: string },
): Promise<Finding[]> {
  const ours = organizationalDomain(domain)
  const otherDomains = reportDomains(record).filter(
    (each) => isPublicDomain(each) && organizationalDomain(each) !== ours,
  )
  const findings: Finding[] = []
  for (const other of otherDomains.slice(0, MOST_ASKED)) {
    const name = `${domain}._report._dmarc.${other}`
    const answer = await ask(name, 'TXT')
    const agrees = answer.status === 'found' && answer.values.some(isDmarc)
    if (agrees) findings.push(passed('dmarc_report_accepted', `${other} accepts the reports.`))
    else if (answer.status === 'failed') {
      const what = `Whether ${other} accepts the reports`
      findings.push(unanswered('dmarc_report_unknown', what, answer))
    } else {
      findings.push(
        warned(
          'dmarc_report_refused',
          `${other} does not say that it accepts reports about ${domain}, so none are sent there.`,
          `Have ${other} publish “v=DMARC1” as a TXT record at ${name}.`,
        ),
      )
    }
  }
  return findings
}
