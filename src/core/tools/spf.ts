import {
  type Check,
  conclude,
  failed,
  type Finding,
  passed,
  told,
  unclear,
  warned,
} from '../../domain/tools/report.ts'
import type { SpfRecord } from '../../domain/tools/spf-record.ts'
import { recording, type ToolContext } from './context.ts'
import { evaluateSpf, MOST_TERMS, MOST_VOIDS, type SpfEvaluation } from './spf-evaluate.ts'
import { readSpfTree, type SpfNode, type SpfTerm, type SpfTree } from './spf-tree.ts'

export interface SpfInput {
  domain: string
  /** Says whether mail from this address passes. */
  ip?: string | undefined
  sender?: string | undefined
  helo?: string | undefined
}

export interface SpfDetails {
  record: string | null
  /** Look-ups that a receiver makes at most, and how many are allowed (RFC 7208, 4.6.4). */
  lookups: number
  mostLookups: number
  voidLookups: number
  mostVoidLookups: number
  /** What happens to mail that nothing matches: `-`, `~`, `?`, `+`; null: nothing is said. */
  all: string | null
  /** Every record that was read, from the root down. */
  nodes: FlatNode[]
  /** Of the address that was given. */
  evaluation: (SpfEvaluation & { ip: string; sender: string }) | null
}

/** Like a node of the tree, with the depth at which it was found. */
interface FlatNode extends Omit<SpfNode, 'terms'> {
  depth: number
  terms: (Omit<SpfTerm, 'leadsTo'> & { leadsTo: string | null })[]
}

const flattened = ({ terms, ...node }: SpfNode, depth = 0): FlatNode[] => [
  {
    ...node,
    depth,
    terms: terms.map((term) => ({ ...term, leadsTo: term.leadsTo?.domain ?? null })),
  },
  ...terms.flatMap(({ leadsTo }) => (leadsTo === null ? [] : flattened(leadsTo, depth + 1))),
]

/** Whether a domain says who may send its mail, in a way that receivers can follow. */
export async function checkSpf(
  context: ToolContext,
  { domain, ip, sender, helo }: SpfInput,
): Promise<Check<SpfDetails>> {
  const { ask, records } = recording(context.lookups)
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
  const findings = [
    ...rootFindings(tree),
    ...(tree.parsed ? [...limitFindings(tree), ...policyFindings(tree.parsed)] : []),
    ...nodeFindings(tree.root),
    ...(evaluation ? [evaluationFinding(evaluation)] : []),
  ]
  return conclude(findings, {
    fine: `${domain} has a valid SPF record that needs ${tree.lookups} of ${MOST_TERMS} look-ups.`,
    records: records(),
    details: {
      record: tree.root.record,
      lookups: tree.lookups,
      mostLookups: MOST_TERMS,
      voidLookups: tree.voids,
      mostVoidLookups: MOST_VOIDS,
      all: tree.parsed ? allOf(tree.parsed) : null,
      nodes: flattened(tree.root),
      evaluation,
    },
  })
}

function rootFindings({ root, parsed }: SpfTree): Finding[] {
  const { domain, status, problem } = root
  if (status === 'failed') {
    const message = `The TXT records of ${domain} could not be looked up.`
    return [unclear('dns_failed', message, 'Check the name servers of the domain, and try again.')]
  }
  if (status === 'none') {
    const message = `${domain} has no SPF record.`
    const fix = `Publish a TXT record at ${domain} such as “v=spf1 include:amazonses.com ~all”, with everybody who sends your mail.`
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
  return parsed ? [passed('spf_found', `${domain} has one SPF record, and it can be read.`)] : []
}

function limitFindings({ lookups, voids }: SpfTree): Finding[] {
  const findings: Finding[] = []
  if (lookups > MOST_TERMS) {
    findings.push(
      failed(
        'spf_lookups',
        `The record needs more than ${MOST_TERMS} look-ups, so receivers answer permerror.`,
        'Remove includes that you no longer need, or replace some by the ip4 and ip6 ranges behind them.',
      ),
    )
  } else if (lookups >= MOST_TERMS - 1) {
    const message = `The record needs ${lookups} of ${MOST_TERMS} look-ups: there is hardly room for another sender.`
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

const allOf = ({ directives }: SpfRecord): string | null =>
  directives.find(({ kind }) => kind === 'all')?.qualifier ?? null

function policyFindings(record: SpfRecord): Finding[] {
  const { directives, redirect } = record
  const findings: Finding[] = []
  const at = directives.findIndex(({ kind }) => kind === 'all')
  findings.push(...allFindings(allOf(record), redirect))
  if (at >= 0 && at < directives.length - 1) {
    const message = `Nothing after “${directives[at]?.text ?? 'all'}” is ever looked at.`
    findings.push(warned('spf_after_all', message, 'Move “all” to the end of the record.'))
  }
  if (at >= 0 && redirect !== undefined) {
    const message = 'The redirect is ignored, because the record has “all”.'
    findings.push(warned('spf_redirect_ignored', message, 'Remove either “all” or the redirect.'))
  }
  if (directives.some(({ kind }) => kind === 'ptr')) {
    const message =
      'The mechanism ptr is slow and unreliable, and should not be used (RFC 7208, 5.5).'
    findings.push(warned('spf_ptr', message, 'Replace ptr by a, mx or ip4 and ip6 ranges.'))
  }
  const wide = directives.find(
    ({ kind, bits4, bits6 }) =>
      (kind === 'ip4' && bits4 !== undefined && bits4 < 16) ||
      (kind === 'ip6' && bits6 !== undefined && bits6 < 32),
  )
  if (wide) {
    const message = `“${wide.text}” lets a very large part of the internet send your mail.`
    findings.push(warned('spf_wide_range', message, 'Name only the ranges that send your mail.'))
  }
  return findings
}

function allFindings(all: string | null, redirect: string | undefined): Finding[] {
  const end = 'End the record with “~all”, or “-all” when all senders are listed.'
  switch (all) {
    case '+':
      return [failed('spf_all_pass', 'The record lets everybody send your mail (“+all”).', end)]
    case '?':
      return [
        warned('spf_all_neutral', 'The record says nothing about other senders (“?all”).', end),
      ]
    case '~':
      return [passed('spf_all', 'Mail from others is marked as suspicious (“~all”).')]
    case '-':
      return [passed('spf_all', 'Mail from others fails (“-all”).')]
    default:
      return redirect === undefined
        ? [warned('spf_no_all', 'The record does not say what happens to other senders.', end)]
        : []
  }
}

/** What is wrong below the root. */
function nodeFindings(node: SpfNode): Finding[] {
  return node.terms.flatMap((term): Finding[] => {
    const { text, leadsTo, isUnanswered } = term
    if (isUnanswered) {
      const message = `What “${text}” leads to could not be looked up.`
      return [unclear('spf_term_failed', message, 'Try again in a minute.')]
    }
    if (leadsTo === null) return []
    const fix = `Correct or remove “${text}” in the record of ${node.domain}.`
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
        return [failed('spf_loop', `“${text}” leads back to where it came from.`, fix)]
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
