/**
 * Verdict of a finding and of a whole check. `unknown`: a look-up failed or was refused. It is
 * never a guess in either direction.
 */
export const VERDICTS = ['pass', 'warning', 'fail', 'unknown'] as const
export type Verdict = (typeof VERDICTS)[number]

export const SEVERITIES = [...VERDICTS, 'info'] as const
export type Severity = (typeof SEVERITIES)[number]

export interface Finding {
  code: string
  severity: Severity
  message: string
  /** The next step, in one sentence. Null: nothing to do. */
  fix: string | null
}

export const RECORD_TYPES = ['A', 'AAAA', 'CNAME', 'MX', 'PTR', 'TXT', 'HTTPS'] as const

export interface RawRecord {
  name: string
  /** `HTTPS` is not a record type but the content of a fetched address. */
  type: (typeof RECORD_TYPES)[number]
  /**
   * `empty`: the name exists, but has no record of the type. `no_name`: the name does not exist.
   */
  status: 'found' | 'empty' | 'no_name' | 'failed'
  values: string[]
}

export interface Check<Details> {
  verdict: Verdict
  summary: string
  findings: Finding[]
  records: RawRecord[]
  details: Details
}

/** A report has the most urgent findings only, since strangers control the records. */
const MOST_FINDINGS = 100
const ORDER: readonly Verdict[] = ['fail', 'warning', 'unknown']

/** Returns the worst verdict of the findings. Without findings a check passes. */
export const verdictOf = (findings: readonly Finding[]): Verdict =>
  ORDER.find((verdict) => findings.some(({ severity }) => severity === verdict)) ?? 'pass'

const ORDER_SHOWN: readonly Severity[] = ['fail', 'warning', 'unknown', 'pass', 'info']

const sorted = (findings: readonly Finding[]): Finding[] =>
  findings.toSorted((a, b) => ORDER_SHOWN.indexOf(a.severity) - ORDER_SHOWN.indexOf(b.severity))

export function conclude<Details>(
  unsorted: readonly Finding[],
  { records, details, fine }: { records: RawRecord[]; details: Details; fine: string },
): Check<Details> {
  const all = sorted(unsorted)
  const verdict = verdictOf(all)
  const findings = all.slice(0, MOST_FINDINGS)
  const isFine = verdict === 'pass' && findings.some(({ severity }) => severity === 'pass')
  const summary = isFine ? fine : (findings[0]?.message ?? fine)
  return { verdict, summary, findings, records, details }
}

const finding =
  (severity: Severity) =>
  (code: string, message: string, fix: string | null = null): Finding => ({
    code,
    severity,
    message,
    fix,
  })

export const passed = finding('pass')
export const told = finding('info')
export const warned = finding('warning')
export const failed = finding('fail')
export const unclear = finding('unknown')
