import { isPublicDomain } from '../../domain/deliverability/domain-name.ts'
import {
  type Directive,
  isSpf,
  parseSpf,
  type Qualifier,
  type SpfRecord,
} from '../../domain/deliverability/spf-record.ts'
import type { DnsFailed } from '../../net/dns.ts'
import type { Lookup } from '../../net/lookups.ts'
import { askAddresses } from './answers.ts'
import { MOST_MX, MOST_TERMS } from './spf-evaluate.ts'

export interface SpfNode {
  domain: string
  /** Null: there is none, or more than one. */
  record: string | null
  /** `record`: valid or not. `skipped`: beyond the limit, or it depends on the mail. */
  status: 'record' | 'none' | 'many' | 'failed' | 'skipped' | 'loop'
  failure: DnsFailed | null
  problem: string | null
  parsed: SpfRecord | undefined
  /** The first term that passes everybody, or null. */
  everybody: string | null
  /** The first term that passes a very large part of the internet. */
  wide: string | null
  terms: SpfTerm[]
}

export interface SpfTerm {
  text: string
  qualifier: Qualifier
  lookups: number
  isVoid: boolean
  /** Null: the look-up was answered. */
  failure: DnsFailed | null
  /** Reason for which receivers stop here with an error. */
  problem: string | null
  leadsTo: SpfNode | null
}

export interface SpfTree {
  root: SpfNode
  /** Look-ups of the whole tree. Counting stops soon after the limit. */
  lookups: number
  voids: number
}

/** Position of a record: `path` leads to it. `isOwn`: by redirects only. */
interface Place {
  path: readonly string[]
  isOwn: boolean
}

const MOST_SHOWN = 100
const LONGEST_SHOWN = 300
/** Networks larger than these are very large. Those of mail services may be larger. */
const OWN_NETWORK = { bits4: 16, bits6: 32 }
const SERVICE_NETWORK = { bits4: 8, bits6: 16 }

const hasMacro = (text: string): boolean => text.includes('%')
const shorten = (text: string): string => text.slice(0, LONGEST_SHOWN)

const nodeOf = (domain: string, status: SpfNode['status']): SpfNode => ({
  domain,
  record: null,
  status,
  failure: null,
  problem: null,
  parsed: undefined,
  everybody: null,
  wide: null,
  terms: [],
})

const termOf = (text: string, qualifier: Qualifier): SpfTerm => ({
  text: shorten(text),
  qualifier,
  lookups: 0,
  isVoid: false,
  failure: null,
  problem: null,
  leadsTo: null,
})

/**
 * Follows every term of a domain's SPF record, as a receiver does for mail that matches nothing,
 * and counts look-ups. Terms are read one after the other, and none beyond the limit.
 */
export async function readSpfTree(ask: Lookup, domain: string): Promise<SpfTree> {
  let lookups = 0
  let voids = 0

  async function read(name: string, place: Place): Promise<SpfNode> {
    const answer = await ask(name, 'TXT')
    if (answer.status === 'failed') return { ...nodeOf(name, 'failed'), failure: answer }
    const records = answer.status === 'found' ? answer.values.filter(isSpf) : []
    const [record] = records
    if (record === undefined) return nodeOf(name, 'none')
    if (records.length > 1) return nodeOf(name, 'many')
    const node = { ...nodeOf(name, 'record'), record }
    const parsed = parseSpf(record)
    if ('problem' in parsed) return { ...node, problem: parsed.problem }
    return readTerms({ ...node, parsed }, parsed, { ...place, path: [...place.path, name] })
  }

  async function readTerms(
    node: SpfNode,
    { directives, redirect }: SpfRecord,
    place: Place,
  ): Promise<SpfNode> {
    // Terms after `all` are ignored (RFC 7208, 5.1).
    const end = directives.findIndex(({ kind }) => kind === 'all')
    for (const directive of end < 0 ? directives : directives.slice(0, end + 1)) {
      // Receivers stop here, too.
      if (lookups > MOST_TERMS) break
      const { term, isMatch } = await follow(directive, node.domain, place)
      if (node.terms.length < MOST_SHOWN || term.lookups > 0) node.terms.push(term)
      if (directive.qualifier !== '+' || term.isVoid || term.failure !== null) continue
      if (isMatch || isAll(directive)) node.everybody ??= term.text
      else if (isWide(directive, place)) node.wide ??= term.text
    }
    if (redirect !== undefined && end < 0) {
      const term = termOf(`redirect=${redirect}`, '+')
      node.terms.push(await lead(term, redirect, place))
    }
    return node
  }

  async function follow(directive: Directive, domainOf: string, place: Place) {
    const { kind, text, qualifier, target = domainOf } = directive
    const term = termOf(text, qualifier)
    if (kind === 'all' || kind === 'ip4' || kind === 'ip6') return { term, isMatch: false }
    if (kind === 'include') {
      return { term: await lead(term, target, { ...place, isOwn: false }), isMatch: false }
    }
    lookups++
    term.lookups = 1
    if (kind === 'ptr' || hasMacro(target) || lookups > MOST_TERMS) return { term, isMatch: false }
    const isMatch = await look(term, kind, target)
    return { term, isMatch: isMatch && kind === 'exists' }
  }

  async function lead(term: SpfTerm, target: string, place: Place): Promise<SpfTerm> {
    const before = lookups++
    const name = target.toLowerCase().replace(/\.$/, '')
    const leadsTo = await arrive(name, place)
    // Two records count as found: they are useless, but not void.
    const isVoid = leadsTo.status === 'none' && (await isNothing(name))
    if (isVoid) voids++
    return { ...term, lookups: lookups - before, isVoid, failure: leadsTo.failure, leadsTo }
  }

  function arrive(name: string, place: Place): SpfNode | Promise<SpfNode> {
    if (place.path.includes(name)) return nodeOf(name, 'loop')
    if (hasMacro(name) || lookups > MOST_TERMS) return nodeOf(name, 'skipped')
    // Outside of our network nothing is found at such a name.
    return isPublicDomain(name) ? read(name, place) : nodeOf(name, 'none')
  }

  async function isNothing(name: string): Promise<boolean> {
    const { status } = await ask(name, 'TXT')
    return status === 'empty' || status === 'no_name'
  }

  async function look(term: SpfTerm, kind: 'a' | 'mx' | 'exists', name: string): Promise<boolean> {
    const answer =
      kind === 'a' ? await askAddresses(ask, name) : await ask(name, kind === 'mx' ? 'MX' : 'A')
    if (answer.status === 'failed') term.failure = answer
    // Names of `exists` often have records for some mail only.
    term.isVoid = kind !== 'exists' && (answer.status === 'empty' || answer.status === 'no_name')
    if (term.isVoid) voids++
    if (kind === 'mx' && answer.status === 'found' && answer.values.length > MOST_MX) {
      term.problem = `${name} has more than ${MOST_MX} MX records`
    }
    return answer.status === 'found'
  }

  const root = await read(domain, { path: [], isOwn: true })
  return { root, lookups, voids }
}

const isAll = ({ kind, bits4, bits6 }: Directive): boolean =>
  kind === 'all' || bits4 === 0 || bits6 === 0

function isWide({ bits4 = 32, bits6 = 128 }: Directive, { isOwn }: Place): boolean {
  const network = isOwn ? OWN_NETWORK : SERVICE_NETWORK
  return bits4 < network.bits4 || bits6 < network.bits6
}
