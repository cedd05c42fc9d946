import { failed, type Finding, told, warned } from '../../domain/deliverability/report.ts'
import { parseTags } from '../../domain/deliverability/tags.ts'

export const DMARC_POLICIES = ['none', 'quarantine', 'reject'] as const
export type DmarcPolicy = (typeof DMARC_POLICIES)[number]

export interface DmarcRecord {
  policy: DmarcPolicy | null
  subdomainPolicy: DmarcPolicy | null
  percent: number
  /** `t=y`: receivers apply a policy one step weaker (RFC 9989). */
  isTesting: boolean
  adkim: 'r' | 's'
  aspf: 'r' | 's'
  rua: string[]
  ruf: string[]
}

/** Tags of RFC 7489 and of its successor, RFC 9989. */
const KNOWN_TAGS = [
  'v',
  'p',
  'sp',
  'np',
  'pct',
  'adkim',
  'aspf',
  'rua',
  'ruf',
  'fo',
  'ri',
  'rf',
].concat(['psd', 't'])
const PERCENT = /^(?:0?\d{1,2}|100)$/
const POLICY = { values: /^(?:none|quarantine|reject)$/i, words: 'none, quarantine or reject' }
const ALIGNMENT = { values: /^[rs]$/i, words: 'r or s' }
const FAILURES = {
  values: /^[01ds](?:\s*:\s*[01ds])*$/i,
  words: '0, 1, d or s, or several of them with :',
}
const TAG_VALUES: Record<string, { values: RegExp; words: string }> = {
  sp: POLICY,
  np: POLICY,
  pct: { values: PERCENT, words: 'a whole number from 0 to 100' },
  adkim: ALIGNMENT,
  aspf: ALIGNMENT,
  fo: FAILURES,
  ri: { values: /^\d{1,10}$/, words: 'a number of seconds' },
  t: { values: /^[yn]$/i, words: 'y or n' },
  psd: { values: /^[ynu]$/i, words: 'y, n or u' },
}
const MOST_URIS = 10
const LONGEST_URI = 1_000

const policyOf = (text: string | undefined): DmarcPolicy | null =>
  DMARC_POLICIES.find((each) => each === text?.toLowerCase()) ?? null

export function parseDmarc(text: string): { record: DmarcRecord; findings: Finding[] } {
  const { tags, problems } = parseTags(text)
  const findings: Finding[] = problems.map((problem) =>
    warned('dmarc_syntax', `${problem}.`, 'Write the record as “tag=value; tag=value”.'),
  )
  for (const name of tags.keys()) {
    if (KNOWN_TAGS.includes(name)) continue
    findings.push(told('dmarc_unknown_tag', `The tag ${name.slice(0, 40)} is not a DMARC tag.`))
  }
  const record: DmarcRecord = {
    policy: policyOf(tags.get('p')),
    subdomainPolicy: policyOf(tags.get('sp')),
    percent: percentOf(tags.get('pct')),
    isTesting: tags.get('t')?.toLowerCase() === 'y',
    adkim: tags.get('adkim')?.toLowerCase() === 's' ? 's' : 'r',
    aspf: tags.get('aspf')?.toLowerCase() === 's' ? 's' : 'r',
    rua: urisOf(tags.get('rua')),
    ruf: urisOf(tags.get('ruf')),
  }
  for (const [name, { values, words }] of Object.entries(TAG_VALUES)) {
    const value = tags.get(name)
    if (value === undefined || values.test(value)) continue
    const message = `${name} has to be ${words}, so receivers ignore it.`
    findings.push(warned('dmarc_syntax', message, `Correct ${name}, or remove it.`))
  }
  if (record.policy === null) {
    const message = tags.has('p')
      ? 'The value of p is not a policy.'
      : 'The record has no policy (p=).'
    findings.push(failed('dmarc_no_policy', message, 'Set p to none, quarantine or reject.'))
  }
  const wrong = [...record.rua, ...record.ruf].find((uri) => !isReportUri(uri))
  if (wrong !== undefined) {
    findings.push(
      warned(
        'dmarc_report_address',
        `“${wrong.slice(0, 100)}” is not an address for reports.`,
        'Write it as mailto:dmarc@example.com.',
      ),
    )
  }
  return { record, findings }
}

const percentOf = (text = ''): number => (PERCENT.test(text) ? Number(text) : 100)

const urisOf = (text: string | undefined): string[] =>
  (text ?? '')
    .split(',')
    .map((uri) => uri.trim())
    .filter((uri) => uri !== '')
    .slice(0, MOST_URIS)
    .map((uri) => uri.slice(0, LONGEST_URI))

/** `mailto:a@example.com!10m` or `https://…`. */
const isReportUri = (uri: string): boolean =>
  /^mailto:[^\s@,;<>"]{1,64}@[^\s@,;!<>"]{1,253}(?:![\dkmgt]{1,20})?$/i.test(uri) ||
  /^https:\/\/\S{1,500}$/i.test(uri)

export const reportDomains = ({ rua, ruf }: DmarcRecord): string[] => [
  ...new Set(
    [...rua, ...ruf].flatMap((uri) => {
      const domain = /^mailto:[^@]+@([^!]+)/i.exec(uri)?.[1]
      return domain === undefined ? [] : [domain.toLowerCase()]
    }),
  ),
]
