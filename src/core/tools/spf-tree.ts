import { isPublicDomain } from '../../domain/tools/domain-name.ts'
import { type Directive, isSpf, parseSpf, type SpfRecord } from '../../domain/tools/spf-record.ts'
import type { Lookup } from '../../net/lookups.ts'
import { MOST_TERMS } from './spf-evaluate.ts'

/** A record and what it leads to. */
export interface SpfNode {
  domain: string
  /** Null: there is none, or more than one. */
  record: string | null
  /** `record`: good or bad. `skipped`: beyond the limit, or it depends on the mail. */
  status: 'record' | 'none' | 'many' | 'failed' | 'skipped' | 'loop'
  /** What is wrong with its syntax. */
  problem: string | null
  terms: SpfTerm[]
}

export interface SpfTerm {
  /** As it is written. */
  text: string
  /** Look-ups that it costs, with everything that it leads to. */
  lookups: number
  /** Its look-up finds nothing. */
  isVoid: boolean
  /** Its look-up got no answer. */
  isUnanswered: boolean
  /** Of `include` and `redirect`. */
  leadsTo: SpfNode | null
}

export interface SpfTree {
  root: SpfNode
  /** Of the whole tree; counting stops soon after the limit. */
  lookups: number
  voids: number
  /** The parsed root. */
  parsed: SpfRecord | undefined
}

/** Terms of a record that are shown; those that cost a look-up always are. */
const MOST_SHOWN = 100
const LONGEST_SHOWN = 300

/** Whether a domain-spec depends on the mail that is checked. */
const hasMacro = (text: string): boolean => text.includes('%')

/**
 * Follows every term of a domain's SPF record as a receiver would whose mail matches nothing, and
 * counts. One term after the other: what is beyond the limit is not asked for.
 */
export async function readSpfTree(ask: Lookup, domain: string): Promise<SpfTree> {
  let lookups = 0
  let voids = 0

  async function read(name: string, path: readonly string[]): Promise<SpfNode> {
    const node: SpfNode = { domain: name, record: null, status: 'none', problem: null, terms: [] }
    const answer = await ask(name, 'TXT')
    if (answer.status === 'failed') return { ...node, status: 'failed' }
    const records = answer.status === 'found' ? answer.values.filter(isSpf) : []
    const [record] = records
    if (record === undefined) return node
    if (records.length > 1) return { ...node, status: 'many' }
    const parsed = parseSpf(record)
    if ('problem' in parsed) return { ...node, record, status: 'record', problem: parsed.problem }
    const terms: SpfTerm[] = []
    const inner = [...path, name]
    // What stands behind `all` is ignored (RFC 7208, 5.1).
    const end = parsed.directives.findIndex(({ kind }) => kind === 'all')
    const followed = end < 0 ? parsed.directives : parsed.directives.slice(0, end + 1)
    for (const directive of followed) {
      // Receivers stop here, too.
      if (lookups > MOST_TERMS) break
      const term = await follow(directive, name, inner)
      if (terms.length < MOST_SHOWN || term.lookups > 0) terms.push(term)
    }
    if (parsed.redirect !== undefined && end < 0) {
      terms.push(await lead(`redirect=${parsed.redirect}`, parsed.redirect, inner))
    }
    return { ...node, record, status: 'record', terms }
  }

  async function follow(directive: Directive, domainOf: string, path: readonly string[]) {
    const { kind, text, target = domainOf } = directive
    const term: SpfTerm = {
      text: text.slice(0, LONGEST_SHOWN),
      lookups: 0,
      isVoid: false,
      isUnanswered: false,
      leadsTo: null,
    }
    if (kind === 'all' || kind === 'ip4' || kind === 'ip6') return term
    if (kind === 'include') return lead(text, target, path)
    lookups++
    const counted = { ...term, lookups: 1 }
    if (kind === 'ptr' || hasMacro(target) || lookups > MOST_TERMS) return counted
    return { ...counted, ...(await existence(kind, target)) }
  }

  async function lead(text: string, target: string, path: readonly string[]): Promise<SpfTerm> {
    const before = lookups++
    const name = target.toLowerCase().replace(/\.$/, '')
    const blank = { domain: name, record: null, problem: null, terms: [] }
    const leadsTo: SpfNode = path.includes(name)
      ? { ...blank, status: 'loop' }
      : hasMacro(target) || lookups > MOST_TERMS || !isPublicDomain(name)
        ? { ...blank, status: 'skipped' }
        : await read(name, path)
    // Two records are found, too: they are of no use, but not void.
    const isVoid = leadsTo.status === 'none' && (await isNothing(name))
    if (isVoid) voids++
    const isUnanswered = leadsTo.status === 'failed'
    return {
      text: text.slice(0, LONGEST_SHOWN),
      lookups: lookups - before,
      isVoid,
      isUnanswered,
      leadsTo,
    }
  }

  /** From the cache: it was asked for just now. */
  async function isNothing(name: string): Promise<boolean> {
    const { status } = await ask(name, 'TXT')
    return status === 'empty' || status === 'no_name'
  }

  async function existence(kind: 'a' | 'mx' | 'exists', name: string) {
    const first = await ask(name, kind === 'mx' ? 'MX' : 'A')
    // A host may have one kind of address only.
    const answer = kind === 'a' && first.status === 'empty' ? await ask(name, 'AAAA') : first
    // What `exists` asks for is often there for some mail only.
    const isVoid = kind !== 'exists' && (answer.status === 'empty' || answer.status === 'no_name')
    if (isVoid) voids++
    return { isVoid, isUnanswered: answer.status === 'failed' }
  }

  const root = await read(domain, [])
  const parsed = root.record === null ? undefined : parseSpf(root.record)
  return { root, lookups, voids, parsed: parsed && !('problem' in parsed) ? parsed : undefined }
}
