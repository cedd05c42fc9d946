import { canonical } from '../../domain/deliverability/domain-name.ts'
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
import { FetchError, isInconclusive } from '../../net/fetch-error.ts'
import type { Incoming } from '../../net/fetch.ts'
import type { Lookup } from '../../net/lookups.ts'
import { recording, shownText, shownValues, type ToolContext } from './context.ts'
import { hostOf } from './mx.ts'
import { unanswered } from './answers.ts'

export interface MtaStsDetails {
  record: string | null
  id: string | null
  policyUrl: string
  mode: 'enforce' | 'testing' | 'none' | null
  maxAgeSeconds: number | null
  mx: string[]
}

const MOST_POLICY_BYTES = 65_536
const MOST_PATTERNS = 50
const LONGEST_SHOWN = 253
const DAY_SECONDS = 86_400
/** About a year (RFC 8461, 3.2). */
const LONGEST_SECONDS = 31_557_600

export async function checkMtaSts(
  context: ToolContext,
  { domain }: { domain: string },
): Promise<Check<MtaStsDetails>> {
  const { ask, records } = recording(context.lookups)
  const name = `_mta-sts.${domain}`
  const answer = await ask(name, 'TXT')
  const recordTexts =
    answer.status === 'found' ? answer.values.filter((text) => hasVersion(text, 'STSv1')) : []
  const [record = null] = recordTexts
  const policyUrl = `https://mta-sts.${domain}/.well-known/mta-sts.txt`
  const id = record === null ? null : (parseTags(record).tags.get('id') ?? null)
  const blank = {
    record: shownText(record),
    id: id === null ? null : id.slice(0, LONGEST_SHOWN),
    policyUrl,
    mode: null,
    maxAgeSeconds: null,
    mx: [],
  }
  const finish = (
    findings: Finding[],
    raw: RawRecord[] = [],
    details: MtaStsDetails = blank,
  ): Check<MtaStsDetails> =>
    conclude(findings, {
      fine: `Mail to ${domain} must be encrypted.`,
      records: [...records(), ...raw],
      details,
    })

  if (answer.status === 'failed') return finish([unanswered('dns_failed', name, answer)])
  if (record === null) {
    const fix = `Publish a policy at ${policyUrl} and a TXT record “v=STSv1; id=1” at ${name}.`
    const message = 'There is no MTA-STS record, so mail to the domain may travel unencrypted.'
    return finish([warned('mta_sts_missing', message, fix)])
  }
  if (recordTexts.length > 1) {
    const message = `${name} has more than one record, so the policy is ignored.`
    return finish([failed('mta_sts_many', message, 'Keep one of them and delete the others.')])
  }
  const findings: Finding[] = []
  if (id === null || !/^[a-z0-9]{1,32}$/i.test(id)) {
    const message = 'The record’s id must be 1 to 32 letters and digits.'
    findings.push(
      failed(
        'mta_sts_id',
        message,
        'Set id to the time of the last change, such as 20261123T120000.',
      ),
    )
  }
  const read = await readPolicy(context, policyUrl)
  if ('finding' in read) return finish([...findings, read.finding], read.raw)
  const policy = parsePolicy(read.text)
  findings.push(...policyFindings(policy), ...(await hostFindings(ask, domain, policy)))
  const { version: _, ...shownPolicy } = policy
  return finish(findings, read.raw, { ...blank, ...shownPolicy })
}

type Read = { text: string; raw: RawRecord[] } | { finding: Finding; raw: RawRecord[] }

async function readPolicy({ fetch }: ToolContext, url: string): Promise<Read> {
  const raw = (status: RawRecord['status'], values: string[]): RawRecord[] => [
    { name: url, type: 'HTTPS', status, values: shownValues(values) },
  ]
  let answer: Incoming
  try {
    answer = await fetch(url, MOST_POLICY_BYTES)
  } catch (error) {
    if (!(error instanceof FetchError)) throw error
    const fix = `Serve the policy at ${url} with a certificate for that name.`
    const message = `The policy cannot be read: ${error.message}.`
    const finding = (isInconclusive(error) ? unclear : failed)('mta_sts_unreachable', message, fix)
    return { finding, raw: raw('failed', [error.reason]) }
  }
  const { status, headers, body, isCut } = answer
  const text = body.toString('utf8')
  const rawRecord = raw('found', [`HTTP ${status}`, text])
  if (status !== 200) {
    const message = `The address of the policy answers ${status}; redirects are not followed.`
    const fix = `Serve the policy at ${url} itself, with status 200.`
    return { finding: failed('mta_sts_status', message, fix), raw: rawRecord }
  }
  if (isCut) {
    const message = 'The policy is larger than 64 KB, so it is not read.'
    return { finding: failed('mta_sts_large', message, 'Serve only the policy.'), raw: rawRecord }
  }
  if (!/^text\/plain\b/i.test(headers.get('content-type') ?? '')) {
    const message = 'The policy is not served as text/plain.'
    const fix = 'Serve it with the header “Content-Type: text/plain”.'
    return { finding: failed('mta_sts_type', message, fix), raw: rawRecord }
  }
  return { text, raw: rawRecord }
}

type Policy = Pick<MtaStsDetails, 'mode' | 'maxAgeSeconds' | 'mx'> & { version: string | null }

function parsePolicy(text: string): Policy {
  const policy: Policy = { version: null, mode: null, maxAgeSeconds: null, mx: [] }
  for (const line of text.split(/\r?\n/)) {
    const at = line.indexOf(':')
    if (at < 0) continue
    const value = line.slice(at + 1).trim()
    switch (line.slice(0, at).trim()) {
      case 'version':
        policy.version ??= value
        break
      case 'mode':
        policy.mode ??=
          (['enforce', 'testing', 'none'] as const).find((each) => each === value) ?? null
        break
      case 'max_age':
        if (/^\d{1,10}$/.test(value)) policy.maxAgeSeconds ??= Number(value)
        break
      case 'mx':
        if (policy.mx.length < MOST_PATTERNS)
          policy.mx.push(canonical(value.slice(0, LONGEST_SHOWN)))
        break
    }
  }
  return policy
}

function policyFindings({ version, mode, maxAgeSeconds, mx }: Policy): Finding[] {
  const findings: Finding[] = []
  if (version !== 'STSv1') {
    findings.push(failed('mta_sts_version', 'The policy has no “version: STSv1”.', 'Add the line.'))
  }
  if (mode === null) {
    const message = 'The policy has no valid mode.'
    findings.push(
      failed('mta_sts_mode', message, 'Add “mode: testing”, and later “mode: enforce”.'),
    )
  } else if (mode === 'enforce') {
    findings.push(passed('mta_sts_enforced', 'The policy is enforced.'))
  } else {
    const message = `The mode is ${mode}: mail is delivered even if it cannot be encrypted.`
    const fix = 'Set mode to enforce when the TLS reports show no failures.'
    findings.push(warned('mta_sts_mode', message, fix))
  }
  if (maxAgeSeconds === null || maxAgeSeconds > LONGEST_SECONDS) {
    const message = 'max_age is missing or longer than a year.'
    findings.push(failed('mta_sts_max_age', message, 'Add “max_age: 604800”.'))
  } else if (maxAgeSeconds < DAY_SECONDS) {
    const message = 'Senders cache the policy for less than a day (max_age).'
    findings.push(warned('mta_sts_max_age', message, 'Set max_age to 604800, a week, or more.'))
  }
  if (mx.length === 0 && mode !== 'none') {
    findings.push(
      failed('mta_sts_no_mx', 'The policy does not name a mail host (mx).', 'Name each of them.'),
    )
  }
  return findings
}

async function hostFindings(ask: Lookup, domain: string, { mx, mode }: Policy): Promise<Finding[]> {
  if (mx.length === 0 || mode === 'none') return []
  const answer = await ask(domain, 'MX')
  if (answer.status === 'failed') {
    return [unanswered('mta_sts_mx_unknown', `The mail hosts of ${domain}`, answer)]
  }
  if (answer.status !== 'found') return [told('mta_sts_no_host', 'The domain has no MX record.')]
  const missing = answer.values
    .map((value) => hostOf(value).host)
    .filter((host) => host !== '' && !mx.some((pattern) => isCovered(host, pattern)))
  const [first] = missing
  if (first === undefined) return [passed('mta_sts_mx', 'The policy names every mail host.')]
  const message = `The policy does not name the mail host ${first}.`
  const fix = `Add “mx: ${first}” to the policy, and change the id of the record.`
  return [(mode === 'enforce' ? failed : warned)('mta_sts_mx', message, fix)]
}

/** `*.` matches one label (RFC 8461, 4.1). */
const isCovered = (host: string, pattern: string): boolean =>
  pattern.startsWith('*.')
    ? host.slice(host.indexOf('.') + 1) === pattern.slice(2)
    : host === pattern
