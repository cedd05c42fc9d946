import {
  type Check,
  conclude,
  failed,
  type Finding,
  passed,
  told,
  unclear,
  warned,
} from '../../domain/deliverability/report.ts'
import type { SpfRecord } from '../../domain/deliverability/spf-record.ts'
import { recording, shownText, type ToolContext } from './context.ts'
import { evaluateSpf, MOST_TERMS, MOST_VOIDS, type SpfEvaluation } from './spf-evaluate.ts'
import { readSpfTree, type SpfNode, type SpfTerm, type SpfTree } from './spf-tree.ts'
import { unanswered } from './answers.ts'

export interface SpfInput {
  domain: string
  ip?: string | undefined
  sender?: string | undefined
  helo?: string | undefined
}

export interface SpfDetails {
  record: string | null
  /** Look-ups of a receiver in the worst case, and their limit (RFC 7208, 4.6.4). */
  lookups: number
  mostLookups: number
  voidLookups: number
  mostVoidLookups: number
  /** Result for mail that no term matches: `-`, `~`, `?`, `+`. Null: the record does not say. */
  all: string | null
  nodes: FlatNode[]
  evaluation: (SpfEvaluation & { ip: string; sender: string }) | null
}

interface FlatNode extends Pick<SpfNode, 'domain' | 'record' | 'status' | 'problem'> {
  depth: number
  terms: FlatTerm[]
}

interface FlatTerm extends Pick<SpfTerm, 'text' | 'lookups' | 'isVoid' | 'problem'> {
  isUnanswered: boolean
  leadsTo: string | null
}

const flattened = ({ domain, record, status, problem, terms }: SpfNode, depth = 0): FlatNode[] => [
  {
    domain,
    depth,
    record: shownText(record),
    status,
    problem,
    terms: terms.map(({ text, lookups, isVoid, failure, problem: error, leadsTo }) => ({
      text,
      lookups,
      isVoid,
      isUnanswered: failure !== null,
      problem: error,
      leadsTo: leadsTo?.domain ?? null,
    })),
  },
  ...terms.flatMap(({ leadsTo }) => (leadsTo === null ? [] : flattened(leadsTo, depth + 1))),
]

export async function checkSpf(
  context: ToolContext,
  { domain, ip, sender, helo }: SpfInput,
): Promise<Check<SpfDetails>> {
  // Receivers count a relay's private address as found. Only the report leaves it out.
  const { askWhole: ask, records } = recording(context.lookups)
  const tree = await readSpfTree(ask, domain)
  const from = sender ?? `postmaster@${domain}`
  const evaluation =
    ip === undefined
      ? null
      : {
          ...(await evaluateSpf(ask, { domain, ip, sender: from, helo: helo ?? domain })),
          ip,
          sender: from,
        }
  const { root, lookups, voids } = tree
  const findings = [
    ...rootFindings(root),
    ...(root.parsed ? [...limitFindings(tree), ...policyFindings(root)] : []),
    ...reachFindings(root),
    ...nodeFindings(root),
    ...(evaluation ? [evaluationFinding(evaluation)] : []),
  ]
  return conclude(distinct(findings), {
    fine: `${domain} has a valid SPF record that needs ${lookups} of ${MOST_TERMS} look-ups.`,
    records: records(),
    details: {
      record: shownText(root.record),
      lookups,
      mostLookups: MOST_TERMS,
      voidLookups: voids,
      mostVoidLookups: MOST_VOIDS,
      all: allOf(chainOf(root).at(-1)?.parsed),
      nodes: flattened(root),
      evaluation,
    },
  })
}

/** A record that is included twice reports its faults once. */
const distinct = (findings: readonly Finding[]): Finding[] => [
  ...new Map(findings.map((finding) => [finding.message, finding])).values(),
]

function rootFindings({ domain, status, failure, problem }: SpfNode): Finding[] {
  if (failure !== null) {
    return [unanswered('dns_failed', `The SPF record of ${domain}`, failure)]
  }
  if (status === 'none') {
    const message = `${domain} has no SPF record.`
    const fix = `Publish a TXT record at ${domain} such as “v=spf1 include:amazonses.com ~all”, that names every service that sends your mail.`
    return [failed('spf_missing', message, fix)]
  }
  if (status === 'many') {
    const message = `${domain} has more than one SPF record, which is an error for every receiver.`
    return [failed('spf_many', message, 'Merge them into one TXT record and delete the others.')]
  }
  if (problem !== null) {
    return [
      failed(
        'spf_syntax',
        `The record cannot be read: ${problem}.`,
        'Correct the term; receivers ignore the whole record until then.',
      ),
    ]
  }
  return [passed('spf_found', `${domain} has one SPF record, and it can be read.`)]
}

function limitFindings({ lookups, voids }: SpfTree): Finding[] {
  const findings: Finding[] = []
  if (lookups > MOST_TERMS) {
    findings.push(
      failed(
        'spf_lookups',
        `The record needs more than ${MOST_TERMS} look-ups, so receivers answer permerror.`,
        'Remove includes that you no longer need, or replace some with their ip4 and ip6 ranges.',
      ),
    )
  } else if (lookups >= MOST_TERMS - 1) {
    const message = `The record needs ${lookups} of ${MOST_TERMS} look-ups: there is little room for another sender.`
    findings.push(told('spf_lookups_near', message, 'Remove includes that you no longer need.'))
  } else {
    findings.push(passed('spf_lookups', `It needs ${lookups} of ${MOST_TERMS} look-ups.`))
  }
  if (voids > MOST_VOIDS) {
    findings.push(
      failed(
        'spf_voids',
        `${voids} look-ups find nothing; receivers stop at more than ${MOST_VOIDS} with permerror.`,
        'Remove the terms whose names no longer exist.',
      ),
    )
  } else if (voids > 0) {
    const message = `${voids} of at most ${MOST_VOIDS} look-ups ${voids === 1 ? 'finds' : 'find'} nothing.`
    findings.push(warned('spf_void', message, 'Remove the terms whose names no longer exist.'))
  }
  return findings
}

const allOf = (record: SpfRecord | undefined): string | null =>
  record?.directives.find(({ kind }) => kind === 'all')?.qualifier ?? null

const isRedirect = ({ text }: SpfTerm): boolean => text.startsWith('redirect=')

/** Returns the domain's record and those that redirects lead to. The last one decides. */
function chainOf(node: SpfNode): SpfNode[] {
  const next = node.terms.find(isRedirect)?.leadsTo
  return next ? [node, ...chainOf(next)] : [node]
}

function policyFindings(root: SpfNode): Finding[] {
  const chain = chainOf(root)
  return [...chain.flatMap(recordFindings), ...endFindings(chain.at(-1) ?? root)]
}

function recordFindings({ parsed }: SpfNode): Finding[] {
  const { directives, redirect } = parsed ?? { directives: [], redirect: undefined }
  const findings: Finding[] = []
  const at = directives.findIndex(({ kind }) => kind === 'all')
  if (at >= 0 && at < directives.length - 1) {
    const message = `Nothing after “${directives[at]?.text ?? 'all'}” is ever evaluated.`
    findings.push(warned('spf_after_all', message, 'Move “all” to the end of the record.'))
  }
  if (at >= 0 && redirect !== undefined) {
    const message = 'The redirect is ignored, because the record has “all”.'
    findings.push(warned('spf_redirect_ignored', message, 'Remove either “all” or the redirect.'))
  }
  if (directives.some(({ kind }) => kind === 'ptr')) {
    const message =
      'The mechanism ptr is slow and unreliable, and should not be used (RFC 7208, 5.5).'
    findings.push(warned('spf_ptr', message, 'Replace ptr with a, mx, or ip4 and ip6 ranges.'))
  }
  return findings
}

/** Findings about mail that no term matches, from the last record of the redirects. */
function endFindings({ domain, status, parsed }: SpfNode): Finding[] {
  const end = `End the record of ${domain} with “~all”, or “-all” when all senders are listed.`
  if (status === 'skipped' && domain.includes('%')) {
    const message =
      'The target of the redirect depends on the mail, so the rest of the record cannot be checked.'
    return [unclear('spf_redirect_unknown', message, 'Check the domain that it leads to.')]
  }
  if (parsed === undefined) return []
  switch (allOf(parsed)) {
    case '+':
      // Reported with the other terms that pass everybody.
      return []
    case '?': {
      const message = `The record of ${domain} says nothing about other senders (“?all”).`
      return [warned('spf_all_neutral', message, end)]
    }
    case '~':
      return [passed('spf_all', 'Mail from others is marked as suspicious (“~all”).')]
    case '-':
      return [passed('spf_all', 'Mail from others fails (“-all”).')]
    default: {
      const message = `The record of ${domain} does not say what happens to other senders.`
      return [warned('spf_no_all', message, end)]
    }
  }
}

/**
 * Findings about terms that pass everybody, or very many. `through` is the include that leads to
 * the record.
 */
function reachFindings(node: SpfNode, through: string | null = null): Finding[] {
  const { domain, everybody, wide, terms } = node
  const where = through === null ? `The record of ${domain}` : `“${through}”`
  const behind = through === null ? '' : `, in the record of ${domain}`
  const findings: Finding[] = []
  if (everybody !== null) {
    const message = `${where} lets anyone send your mail (“${everybody}”${behind}).`
    const fix =
      through === null
        ? `Remove “${everybody}”, and end the record with “~all” or “-all”.`
        : `Remove “${through}”, or have ${domain} correct its record.`
    findings.push(failed('spf_all_pass', message, fix))
  }
  if (wide !== null) {
    const message = `${where} lets a very large part of the internet send your mail (“${wide}”${behind}).`
    findings.push(warned('spf_wide_range', message, 'Name only the ranges that send your mail.'))
  }
  for (const term of terms) {
    // Of an include only a pass counts, and it gets the include's qualifier.
    if (term.leadsTo === null || term.qualifier !== '+') continue
    findings.push(...reachFindings(term.leadsTo, through ?? (isRedirect(term) ? null : term.text)))
  }
  return findings
}

function nodeFindings(node: SpfNode): Finding[] {
  return node.terms.flatMap((term): Finding[] => {
    const { text, leadsTo, failure, problem } = term
    const fix = `Correct or remove “${text}” in the record of ${node.domain}.`
    if (failure !== null) return [unanswered('spf_term_failed', `What “${text}” leads to`, failure)]
    if (problem !== null) {
      return [failed('spf_term_error', `“${text}” is a permerror: ${problem}.`, fix)]
    }
    if (leadsTo === null) return []
    switch (leadsTo.status) {
      case 'none':
      case 'many':
        return [
          failed(
            'spf_include_broken',
            `“${text}” leads to ${leadsTo.status === 'none' ? 'no SPF record' : 'several SPF records'}, which is a permerror.`,
            fix,
          ),
        ]
      case 'loop':
        return [
          failed('spf_loop', `“${text}” leads back to a record that was already evaluated.`, fix),
        ]
      default:
        if (leadsTo.problem === null) return nodeFindings(leadsTo)
        return [failed('spf_include_syntax', `“${text}” cannot be read: ${leadsTo.problem}.`, fix)]
    }
  })
}

function evaluationFinding({ result, term, reason, ip }: SpfEvaluation & { ip: string }): Finding {
  const why = term === null ? (reason ?? 'nothing matches') : `by “${term}”`
  const message = `Mail from ${ip}: ${result} (${why}).`
  const fix = `Add ${ip}, or the service that it belongs to, to the record.`
  switch (result) {
    case 'pass':
      return passed('spf_ip', message)
    case 'temperror':
      return unclear('spf_ip', message, 'Try again in a minute.')
    case 'neutral':
    case 'softfail':
      return warned('spf_ip', message, fix)
    default:
      return failed('spf_ip', message, fix)
  }
}
