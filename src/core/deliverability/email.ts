import {
  type Check,
  type Finding,
  type RawRecord,
  type Verdict,
  verdictOf,
} from '../../domain/deliverability/report.ts'
import { type CheckName, type Grade, scoreOf, WEIGHTS } from '../../domain/deliverability/score.ts'
import { checkBimi } from './bimi.ts'
import { checkBlocklists } from './blocklists.ts'
import { MOST_QUESTIONS, type ToolContext } from './context.ts'
import { checkDkim, COMMON_SELECTORS } from './dkim.ts'
import { checkDmarc } from './dmarc.ts'
import { checkMtaSts } from './mta-sts.ts'
import { checkMx } from './mx.ts'
import { checkReverseDns } from './reverse-dns.ts'
import { checkSpf } from './spf.ts'
import { checkTlsRpt } from './tls-rpt.ts'

export interface EmailInput {
  domain: string
  /** Absent: common selectors are tried with the remaining look-ups. */
  selectors?: readonly string[] | undefined
}

export interface EmailDetails {
  score: number | null
  grade: Grade | null
  checks: Record<CheckName, { verdict: Verdict; summary: string }>
}

type EmailFinding = Finding & { check: CheckName }

/**
 * Runs all checks of a domain. They share the look-ups of one request, so the most important ones
 * go first. DKIM is among them if its selectors are given. Guessed selectors use what is left.
 */
export async function checkEmail(
  context: ToolContext,
  { domain, selectors }: EmailInput,
): Promise<Check<EmailDetails> & { findings: EmailFinding[] }> {
  const isGiven = selectors !== undefined && selectors.length > 0
  const [givenDkim, spf, dmarc, mx, mtaSts, tlsRpt, bimi] = await Promise.all([
    isGiven ? checkDkim(context, { domain, selectors }) : undefined,
    checkSpf(context, { domain }),
    checkDmarc(context, { domain }),
    checkMx(context, { domain, isBrief: true }),
    checkMtaSts(context, { domain }),
    checkTlsRpt(context, { domain }),
    checkBimi(context, { domain, readsLogo: false }),
  ])
  const [reverseDns, blocklists] = await Promise.all([
    checkReverseDns(context, { domain, mostAddresses: 1 }),
    checkBlocklists(context, { domain, isBrief: true }),
  ])
  const remainingQuestions = MOST_QUESTIONS - context.lookups.askedCount()
  const mostTried = Math.max(1, Math.min(COMMON_SELECTORS.length, remainingQuestions))
  const dkim = givenDkim ?? (await checkDkim(context, { domain, mostTried }))
  return summed({ spf, dkim, dmarc, mx, blocklists, reverseDns, mtaSts, tlsRpt, bimi }, domain)
}

function summed(
  all: Record<CheckName, Check<unknown>>,
  domain: string,
): Check<EmailDetails> & { findings: EmailFinding[] } {
  const names = Object.keys(WEIGHTS) as CheckName[]
  const of = <T>(read: (check: Check<unknown>) => T) =>
    Object.fromEntries(names.map((name) => [name, read(all[name])])) as Record<CheckName, T>
  const { score, grade } = scoreOf(of(({ verdict }) => verdict))
  const findings = names
    .flatMap((check) => all[check].findings.map((finding) => ({ ...finding, check })))
    .toSorted((a, b) => ORDER.indexOf(a.severity) - ORDER.indexOf(b.severity))
  const checks = of(({ verdict, summary }) => ({ verdict, summary }))
  const wrong = findings.filter(({ severity }) => severity === 'fail' || severity === 'warning')
  return {
    verdict: grade === null ? 'unknown' : verdictOf(findings.filter(counts)),
    summary:
      grade === null
        ? `Too many look-ups failed to grade ${domain}.`
        : `${domain} has grade ${grade}, ${score} of 100, with ${wrong.length === 1 ? 'one thing' : `${wrong.length} things`} to improve.`,
    findings,
    records: distinct(names.flatMap((name) => all[name].records)),
    details: { score, grade, checks },
  }
}

const ORDER = ['fail', 'warning', 'unknown', 'pass', 'info']

/** Returns whether a finding counts. One unknown check does not make the whole domain unknown. */
const counts = ({ severity }: Finding): boolean => severity !== 'unknown'

const distinct = (records: readonly RawRecord[]): RawRecord[] => [
  ...new Map(records.map((record) => [`${record.type} ${record.name}`, record])).values(),
]
