/**
 * How a finding, and a whole check, is judged. `unknown`: nobody could say, because a look-up
 * failed or was refused; it is never a guess in either direction.
 */
export const VERDICTS = ['pass', 'warning', 'fail', 'unknown'] as const
export type Verdict = (typeof VERDICTS)[number]

/** `info` is worth knowing and changes no verdict. */
export const SEVERITIES = [...VERDICTS, 'info'] as const
export type Severity = (typeof SEVERITIES)[number]

export interface Finding {
  /** A stable snake_case word. */
  code: string
  severity: Severity
  /** What was found. */
  message: string
  /** What to do next, in one sentence; null: nothing. */
  fix: string | null
}

export const RECORD_TYPES = ['A', 'AAAA', 'CNAME', 'MX', 'PTR', 'TXT', 'HTTPS'] as const

/** What was asked and what came back, as it came. */
export interface RawRecord {
  name: string
  /** `HTTPS`: not a record, but what was read from that address. */
  type: (typeof RECORD_TYPES)[number]
  /** `empty`: the name is there, a record of the type is not. `no_name`: the name is not there. */
  status: 'found' | 'empty' | 'no_name' | 'failed'
  values: string[]
}

/** The outcome of one check. */
export interface Check<Details> {
  verdict: Verdict
  /** One sentence. */
  summary: string
  findings: Finding[]
  records: RawRecord[]
  details: Details
}

/** Of a report, the most urgent: records are strangers'. */
const MOST_FINDINGS = 100
const ORDER: readonly Verdict[] = ['fail', 'warning', 'unknown']

/** Returns the worst of the findings; none at all pass. */
export const verdictOf = (findings: readonly Finding[]): Verdict =>
  ORDER.find((verdict) => findings.some(({ severity }) => severity === verdict)) ?? 'pass'

const ORDER_SHOWN: readonly Severity[] = ['fail', 'warning', 'unknown', 'pass', 'info']

/** The most urgent first; equals keep their order. */
const sorted = (findings: readonly Finding[]): Finding[] =>
  findings.toSorted((a, b) => ORDER_SHOWN.indexOf(a.severity) - ORDER_SHOWN.indexOf(b.severity))

/** A check of these findings; `fine` is its summary while nothing is wrong. */
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
