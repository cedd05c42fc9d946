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
} from '../../domain/tools/report.ts'
import { hasVersion, parseTags } from '../../domain/tools/tags.ts'
import { FetchError } from '../../net/fetch-error.ts'
import type { Lookup } from '../../net/lookups.ts'
import { organizationalDomain } from '../../public-suffixes.ts'
import { recording, shownValues, type ToolContext } from './context.ts'
import { parseDmarc } from './dmarc-record.ts'
import { findDmarc } from './dmarc.ts'

export interface BimiInput {
  domain: string
  selector?: string | undefined
  /** Whether the logo itself is read. */
  readsLogo?: boolean
}

export interface BimiDetails {
  record: string | null
  foundAt: string | null
  logoUrl: string | null
  certificateUrl: string | null
}

/** The BIMI group recommends 32 KB at most; what is larger is still told from what is none. */
const MOST_LOGO_BYTES = 131_072
const GOOD_LOGO_BYTES = 32_768
const LONGEST_TAG = 2_000

/** Whether a mailbox provider could show the logo of a domain beside its mail. */
export async function checkBimi(
  context: ToolContext,
  { domain, selector = 'default', readsLogo = true }: BimiInput,
): Promise<Check<BimiDetails>> {
  const { ask, records } = recording(context.lookups)
  const organization = organizationalDomain(domain)
  const found = await findBimi(ask, selector, [domain, organization ?? domain])
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
  if (found === 'failed') {
    const message = 'The BIMI record could not be looked up.'
    return finish([unclear('dns_failed', message, 'Try again in a minute.')])
  }
  if (found === undefined) {
    const message = 'There is no BIMI record, so no logo is shown; mail is delivered all the same.'
    const fix = `Publish a TXT record at ${selector}._bimi.${domain}: “v=BIMI1; l=https://…/logo.svg”.`
    return finish([told('bimi_missing', message, fix)])
  }
  const { tags } = parseTags(found.text)
  const logoUrl = tags.get('l') ?? ''
  const certificateUrl = tags.get('a') ?? ''
  const details = {
    record: found.text,
    foundAt: found.name,
    logoUrl: logoUrl === '' ? null : logoUrl,
    certificateUrl: certificateUrl === '' ? null : certificateUrl,
  }
  if (logoUrl === '' && certificateUrl === '') {
    return finish([told('bimi_declined', 'The domain says that it wants no logo.')], details)
  }
  const findings = [
    ...recordFindings(logoUrl, certificateUrl),
    ...(await policyFindings(ask, domain)),
  ]
  if (!readsLogo || !/^https:\/\//i.test(logoUrl)) return finish(findings, details)
  const logo = await readLogo(context, logoUrl)
  return finish([...findings, ...logo.findings], details, logo.raw)
}

async function findBimi(ask: Lookup, selector: string, domains: string[]) {
  for (const domain of new Set(domains)) {
    const name = `${selector}._bimi.${domain}`
    const answer = await ask(name, 'TXT')
    if (answer.status === 'failed') return 'failed' as const
    const values = answer.status === 'found' ? answer.values : []
    const text = values.find((each) => hasVersion(each, 'BIMI1'))
    if (text !== undefined) return { name, text }
  }
  return undefined
}

function recordFindings(logoUrl: string, certificateUrl: string): Finding[] {
  const findings: Finding[] = []
  if (!/^https:\/\/\S+$/i.test(logoUrl)) {
    const message = 'The address of the logo (l) is missing, or is not https.'
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
  } else if (!/^https:\/\/\S+$/i.test(certificateUrl)) {
    const message = 'The address of the mark certificate (a) is not https.'
    findings.push(failed('bimi_certificate_address', message, 'Set a to an https address.'))
  }
  return findings
}

/** A logo is shown only for a domain whose DMARC policy is enforced. */
async function policyFindings(ask: Lookup, domain: string): Promise<Finding[]> {
  const found = await findDmarc(ask, domain, organizationalDomain(domain))
  if (found.status === 'failed') return [unclear('bimi_dmarc', 'The DMARC policy is not known.')]
  const record = found.status === 'found' ? parseDmarc(found.text).record : undefined
  const isEnforced =
    record !== undefined &&
    record.policy !== null &&
    record.policy !== 'none' &&
    record.subdomainPolicy !== 'none' &&
    record.percent === 100 &&
    !record.isTesting
  if (isEnforced) return [passed('bimi_dmarc', 'The DMARC policy is enforced, as BIMI wants.')]
  const message = 'No logo is shown before DMARC is enforced for all mail.'
  return [
    failed(
      'bimi_dmarc',
      message,
      'Set the DMARC policy (p, and sp if it is there) to quarantine or reject, without pct and t.',
    ),
  ]
}

async function readLogo({ fetch }: ToolContext, url: string) {
  const raw = (status: RawRecord['status'], values: string[]): RawRecord[] => [
    { name: url.slice(0, 2_048), type: 'HTTPS', status, values: shownValues(values) },
  ]
  try {
    const { status, headers, body, isCut } = await fetch(url, MOST_LOGO_BYTES)
    const text = body.toString('utf8')
    const type = headers.get('content-type') ?? ''
    const shown = raw('found', [`HTTP ${status}`, `content-type: ${type}`, text.slice(0, 500)])
    if (status !== 200) {
      const message = `The address of the logo answers ${status}.`
      const fix = 'Serve the file at the address itself, with status 200.'
      return { findings: [failed('bimi_logo_status', message, fix)], raw: shown }
    }
    return {
      findings: svgFindings(text, { type, isLarge: isCut || body.length > GOOD_LOGO_BYTES }),
      raw: shown,
    }
  } catch (error) {
    if (!(error instanceof FetchError)) throw error
    const message = `The logo cannot be read: ${error.message}.`
    const finding = error.reason === 'timeout' ? unclear : failed
    return {
      findings: [
        finding('bimi_logo_unreachable', message, 'Serve the file over https to everybody.'),
      ],
      raw: raw('failed', [error.reason]),
    }
  }
}

/** The start tag of the root element, if it is no longer than any should be. */
function startTag(text: string): string | undefined {
  const start = text.search(/<svg\b/i)
  const end = text.indexOf('>', start)
  return start < 0 || end < 0 || end - start > LONGEST_TAG ? undefined : text.slice(start, end + 1)
}

/** Of the profile SVG Tiny PS, what can be seen without drawing it. */
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
    findings.push(failed('bimi_logo_active', 'The logo has scripts or images inside.', fix))
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
