import {
  type Check,
  conclude,
  failed,
  type Finding,
  passed,
  type RawRecord,
  told,
  unclear,
  warned,
} from '../../domain/deliverability/report.ts'
import { hasVersion, parseTags } from '../../domain/deliverability/tags.ts'
import type { DnsFailed } from '../../net/dns.ts'
import { FetchError, isInconclusive } from '../../net/fetch-error.ts'
import type { Lookup } from '../../net/lookups.ts'
import { organizationalDomain } from '../../text/public-suffixes.ts'
import { recording, shownText, shownValues, type ToolContext } from './context.ts'
import { parseDmarc } from './dmarc-record.ts'
import { findDmarc } from './dmarc.ts'
import { unanswered } from './answers.ts'

export interface BimiInput {
  domain: string
  selector?: string | undefined
  readsLogo?: boolean
}

export interface BimiDetails {
  record: string | null
  foundAt: string | null
  logoUrl: string | null
  certificateUrl: string | null
}

/** The BIMI group recommends at most 32 KB. Larger logos are reported as large, not as missing. */
const MOST_LOGO_BYTES = 131_072
const GOOD_LOGO_BYTES = 32_768
const LONGEST_TAG = 2_000
const LONGEST_URL = 2_048

export async function checkBimi(
  context: ToolContext,
  { domain, selector = 'default', readsLogo = true }: BimiInput,
): Promise<Check<BimiDetails>> {
  const { ask, records } = recording(context.lookups)
  const organization = organizationalDomain(domain)
  const foundRecord = await findBimi(ask, selector, [domain, organization ?? domain])
  const finish = (
    findings: Finding[],
    more: Partial<BimiDetails> = {},
    raw: RawRecord[] = [],
  ): Check<BimiDetails> =>
    conclude(findings, {
      fine: `${domain} has a logo that mailbox providers can show.`,
      records: [...records(), ...raw],
      details: { record: null, foundAt: null, logoUrl: null, certificateUrl: null, ...more },
    })
  if (foundRecord.status === 'failed') {
    return finish([unanswered('dns_failed', 'The BIMI record', foundRecord)])
  }
  if (foundRecord.status === 'many') {
    const message = `${foundRecord.name} has more than one BIMI record, so all of them are ignored.`
    return finish([failed('bimi_many', message, 'Keep one of them and delete the others.')])
  }
  if (foundRecord.status === 'none') {
    const message = 'There is no BIMI record, so no logo is shown. Delivery is not affected.'
    const fix = `Publish a TXT record at ${selector}._bimi.${domain}: “v=BIMI1; l=https://…/logo.svg”.`
    return finish([told('bimi_missing', message, fix)])
  }
  const { tags } = parseTags(foundRecord.text)
  const logoUrl = tags.get('l') ?? ''
  const certificateUrl = tags.get('a') ?? ''
  const details = {
    record: shownText(foundRecord.text),
    foundAt: foundRecord.name,
    logoUrl: logoUrl === '' ? null : logoUrl.slice(0, LONGEST_URL),
    certificateUrl: certificateUrl === '' ? null : certificateUrl.slice(0, LONGEST_URL),
  }
  if (logoUrl === '' && certificateUrl === '') {
    return finish([told('bimi_declined', 'The record asks for no logo to be shown.')], details)
  }
  const findings = [
    ...recordFindings(logoUrl, certificateUrl),
    ...(await policyFindings(ask, domain)),
  ]
  if (!readsLogo || !isHttps(logoUrl)) return finish(findings, details)
  const logo = await readLogo(context, logoUrl)
  return finish([...findings, ...logo.findings], details, logo.raw)
}

type FoundRecord =
  | { status: 'found'; name: string; text: string }
  | { status: 'none' }
  | { status: 'many'; name: string }
  | DnsFailed

async function findBimi(ask: Lookup, selector: string, domains: string[]): Promise<FoundRecord> {
  for (const domain of new Set(domains)) {
    const name = `${selector}._bimi.${domain}`
    const answer = await ask(name, 'TXT')
    if (answer.status === 'failed') return answer
    const values = answer.status === 'found' ? answer.values : []
    const [text, ...otherRecords] = values.filter((each) => hasVersion(each, 'BIMI1'))
    if (otherRecords.length > 0) return { status: 'many', name }
    if (text !== undefined) return { status: 'found', name, text }
  }
  return { status: 'none' }
}

function recordFindings(logoUrl: string, certificateUrl: string): Finding[] {
  const findings: Finding[] = []
  if (!isHttps(logoUrl)) {
    const message = 'The logo’s address (l) is missing or does not use https.'
    findings.push(
      failed('bimi_logo_address', message, 'Set l to the https address of an SVG file.'),
    )
  } else findings.push(passed('bimi_found', 'The record names a logo.'))
  if (certificateUrl === '') {
    findings.push(
      told(
        'bimi_no_certificate',
        'There is no mark certificate (a): Gmail and Apple Mail show no logo without one.',
        'Get a verified mark certificate (VMC) or a common mark certificate (CMC).',
      ),
    )
  } else if (!isHttps(certificateUrl)) {
    const message = 'The mark certificate’s address (a) does not use https.'
    findings.push(failed('bimi_certificate_address', message, 'Set a to an https address.'))
  } else {
    const message = 'The record names a mark certificate (a), which this check does not read.'
    findings.push(told('bimi_certificate_unread', message))
  }
  return findings
}

const isHttps = (url: string): boolean => /^https:\/\/\S+$/i.test(url) && URL.canParse(url)

/** Providers show a logo only if the domain's DMARC policy is enforced. */
async function policyFindings(ask: Lookup, domain: string): Promise<Finding[]> {
  const dmarcRecord = await findDmarc(ask, domain, organizationalDomain(domain))
  if (dmarcRecord.status === 'failed') {
    return [unanswered('bimi_dmarc', 'The DMARC policy', dmarcRecord.failure)]
  }
  const record = dmarcRecord.status === 'found' ? parseDmarc(dmarcRecord.text).record : undefined
  const isEnforced =
    record !== undefined &&
    record.policy !== null &&
    record.policy !== 'none' &&
    record.subdomainPolicy !== 'none' &&
    record.percent === 100 &&
    !record.isTesting
  if (isEnforced) return [passed('bimi_dmarc', 'The DMARC policy is enforced, as BIMI requires.')]
  const message = 'No logo is shown until DMARC is enforced for all mail.'
  return [
    failed(
      'bimi_dmarc',
      message,
      'Set the DMARC policy (p, and sp if it is set) to quarantine or reject, without pct and t.',
    ),
  ]
}

async function readLogo({ fetch }: ToolContext, url: string) {
  const raw = (status: RawRecord['status'], values: string[]): RawRecord[] => [
    { name: url.slice(0, LONGEST_URL), type: 'HTTPS', status, values: shownValues(values) },
  ]
  try {
    const { status, headers, body, isCut } = await fetch(url, MOST_LOGO_BYTES)
    const text = body.toString('utf8')
    const type = headers.get('content-type') ?? ''
    const rawRecord = raw('found', [`HTTP ${status}`, `content-type: ${type}`, text.slice(0, 500)])
    if (status !== 200) {
      const message = `The address of the logo answers ${status}.`
      const fix = 'Serve the file at the address itself, with status 200.'
      return { findings: [failed('bimi_logo_status', message, fix)], raw: rawRecord }
    }
    return {
      findings: svgFindings(text, { type, isLarge: isCut || body.length > GOOD_LOGO_BYTES }),
      raw: rawRecord,
    }
  } catch (error) {
    if (!(error instanceof FetchError)) throw error
    return { findings: [unreadLogo(error)], raw: raw('failed', [error.reason]) }
  }
}

function unreadLogo(error: FetchError): Finding {
  const message = `The logo cannot be read: ${error.message}.`
  const fix = 'Serve the file publicly over https on port 443.'
  if (isInconclusive(error)) return unclear('bimi_logo_unreachable', message, fix)
  // Other clients may send headers that ours does not.
  const finding = error.reason === 'request_refused' ? warned : failed
  return finding('bimi_logo_unreachable', message, fix)
}

function startTag(text: string): string | undefined {
  const start = text.search(/<svg\b/i)
  const end = text.indexOf('>', start)
  return start < 0 || end < 0 || end - start > LONGEST_TAG ? undefined : text.slice(start, end + 1)
}

/** Checks the rules of the SVG Tiny PS profile that can be seen without drawing it. */
function svgFindings(
  text: string,
  { type, isLarge }: { type: string; isLarge: boolean },
): Finding[] {
  const tag = startTag(text)
  const fix = 'Convert the file to the profile SVG Tiny Portable/Secure.'
  if (tag === undefined) return [failed('bimi_logo_type', 'The logo is not an SVG file.', fix)]
  const findings: Finding[] = []
  if (!/\bbaseProfile\s*=\s*["']tiny-ps["']/i.test(tag)) {
    findings.push(failed('bimi_logo_profile', 'The logo does not say baseProfile="tiny-ps".', fix))
  }
  if (/<script\b|<image\b|<foreignObject\b|\bon\w{1,20}\s*=/i.test(text)) {
    findings.push(failed('bimi_logo_active', 'The logo contains scripts or images.', fix))
  }
  if (!/<title\b/i.test(text)) {
    findings.push(
      warned('bimi_logo_title', 'The logo has no <title>.', 'Add the name of the brand.'),
    )
  }
  if (!/^image\/svg\+xml\b/i.test(type)) {
    const message = 'The logo is not served as image/svg+xml.'
    findings.push(warned('bimi_logo_type', message, 'Serve it with that content type.'))
  }
  if (isLarge) {
    findings.push(warned('bimi_logo_large', 'The logo is larger than 32 KB.', 'Make it smaller.'))
  }
  return findings.length > 0 ? findings : [passed('bimi_logo', 'The logo can be read.')]
}
