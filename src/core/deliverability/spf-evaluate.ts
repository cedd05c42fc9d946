import { BlockList, isIPv4, isIPv6 } from 'node:net'
import { canonical, isWithin } from '../../domain/deliverability/domain-name.ts'
import { expand, nibbles, type SpfSubject } from '../../domain/deliverability/spf-macros.ts'
import {
  type Directive,
  isSpf,
  parseSpf,
  type Qualifier,
  type SpfRecord,
} from '../../domain/deliverability/spf-record.ts'
import { unmapped } from '../../net/addresses.ts'
import type { DnsAnswer } from '../../net/dns.ts'
import type { Lookup } from '../../net/lookups.ts'

type SpfResult = 'none' | 'neutral' | 'pass' | 'fail' | 'softfail' | 'temperror' | 'permerror'

export interface SpfEvaluation {
  result: SpfResult
  term: string | null
  reason: string | null
}

/** Limit of terms that make look-ups, and of look-ups that find nothing (RFC 7208, 4.6.4). */
export const MOST_TERMS = 10
export const MOST_VOIDS = 2
export const MOST_MX = 10
const MOST_PTR = 10

const RESULTS: Record<Qualifier, SpfResult> = {
  '+': 'pass',
  '-': 'fail',
  '~': 'softfail',
  '?': 'neutral',
}

class SpfError extends Error {
  readonly result: 'permerror' | 'temperror'

  constructor(result: 'permerror' | 'temperror', reason: string) {
    super(reason)
    this.result = result
  }
}

export interface SpfQuestion {
  domain: string
  ip: string
  sender: string
  helo: string
}

/** Implements `check_host()` (RFC 7208, 4) within its limits. Explanations are not looked up. */
export async function evaluateSpf(ask: Lookup, question: SpfQuestion): Promise<SpfEvaluation> {
  const evaluation = createEvaluation(ask, { ...question, ip: unmapped(question.ip) })
  try {
    return await evaluation.check(question.domain)
  } catch (error) {
    if (!(error instanceof SpfError)) throw error
    return { result: error.result, term: null, reason: error.message }
  }
}

function createEvaluation(ask: Lookup, { ip, sender, helo }: SpfQuestion) {
  const address = isIPv4(ip) ? 'A' : 'AAAA'
  let terms = 0
  let voids = 0
  let validatedNames: Promise<string[]> | undefined

  async function check(domain: string): Promise<SpfEvaluation> {
    if (!isAskable(domain)) return outcome('none', null, `“${domain}” is not a domain`)
    const record = recordOf(domain, await ask(domain, 'TXT'))
    if (record === undefined) return outcome('none', null, `${domain} has no SPF record`)
    for (const directive of record.directives) {
      if (await matches(directive, domain)) {
        return outcome(RESULTS[directive.qualifier], shorten(directive.text))
      }
    }
    return record.redirect === undefined
      ? outcome('neutral', null)
      : redirected(record.redirect, domain)
  }

  async function redirected(redirect: string, domain: string): Promise<SpfEvaluation> {
    countTerm()
    const target = await targetOf(redirect, domain)
    const includedResult = await check(target)
    if (includedResult.result !== 'none') return includedResult
    throw new SpfError('permerror', `redirect=${shorten(redirect)} leads to no SPF record`)
  }

  async function matches(directive: Directive, domain: string): Promise<boolean> {
    const { kind } = directive
    if (kind === 'all') return true
    if (kind === 'ip4' || kind === 'ip6') {
      return directive.target !== undefined && contains(directive, directive.target)
    }
    countTerm()
    const target = await targetOf(directive.target, domain)
    switch (kind) {
      case 'include':
        return included(directive, target)
      case 'a':
        return (await counted(target, address)).some((each) => contains(directive, each))
      case 'exists':
        return (await counted(target, 'A')).length > 0
      case 'mx':
        return exchanges(directive, target)
      case 'ptr':
        return (await validated()).some((name) => isWithin(name, target.toLowerCase()))
    }
  }

  async function included({ text }: Directive, target: string): Promise<boolean> {
    const { result } = await check(target)
    if (result === 'none')
      throw new SpfError('permerror', `${shorten(text)} leads to no SPF record`)
    return result === 'pass'
  }

  async function exchanges(directive: Directive, target: string): Promise<boolean> {
    const hosts = await counted(target, 'MX')
    if (hosts.length > MOST_MX) {
      throw new SpfError('permerror', `${target} has more than ${MOST_MX} MX records`)
    }
    for (const each of hosts) {
      const name = canonical(each.slice(each.indexOf(' ') + 1))
      if (name === '') continue
      if (valuesOf(name, await ask(name, address)).some((ip4or6) => contains(directive, ip4or6))) {
        return true
      }
    }
    return false
  }

  /** Names of the address that lead back to it (RFC 7208, 5.5). Empty if no server answers. */
  const validated = (): Promise<string[]> => (validatedNames ??= findValidated())

  async function findValidated(): Promise<string[]> {
    const answer = await ask(reverseName(ip), 'PTR')
    if (answer.status === 'empty' || answer.status === 'no_name') countVoid()
    if (answer.status !== 'found') return []
    const names: string[] = []
    for (const each of answer.values.slice(0, MOST_PTR)) {
      const name = canonical(each)
      const addressAnswer = await ask(name, address)
      if (addressAnswer.status === 'found' && addressAnswer.values.some((value) => isSame(value)))
        names.push(name)
    }
    return names
  }

  async function targetOf(text: string | undefined, domain: string): Promise<string> {
    if (text === undefined) return domain
    const needsName = /%\{p/i.test(text)
    const names = needsName ? await validated() : []
    const knownName =
      names.find((name) => name === domain.toLowerCase()) ??
      names.find((name) => isWithin(name, domain.toLowerCase())) ??
      names[0]
    const subject: SpfSubject = { sender, domain, ip, helo, validated: knownName ?? 'unknown' }
    return expand(text, subject)
  }

  async function counted(name: string, type: 'A' | 'AAAA' | 'MX'): Promise<readonly string[]> {
    // A macro may expand to an invalid name, which has no records.
    if (!isAskable(name, 1)) return []
    const answer = await ask(name, type)
    if (answer.status === 'empty' || answer.status === 'no_name') countVoid()
    return valuesOf(name, answer)
  }

  function countTerm(): void {
    terms++
    if (terms > MOST_TERMS) {
      throw new SpfError('permerror', `It needs more than ${MOST_TERMS} look-ups`)
    }
  }

  function countVoid(): void {
    voids++
    if (voids > MOST_VOIDS) {
      throw new SpfError('permerror', `More than ${MOST_VOIDS} look-ups find nothing`)
    }
  }

  function recordOf(domain: string, answer: DnsAnswer): SpfRecord | undefined {
    if (terms > 0 && (answer.status === 'empty' || answer.status === 'no_name')) countVoid()
    const records = valuesOf(domain, answer).filter(isSpf)
    if (records.length > 1) throw new SpfError('permerror', `${domain} has two SPF records or more`)
    const [text] = records
    if (text === undefined) return undefined
    const record = parseSpf(text)
    if ('problem' in record) throw new SpfError('permerror', `${domain}: ${record.problem}`)
    return record
  }

  const contains = ({ bits4, bits6 }: Directive, network: string): boolean => {
    if (isIPv4(ip) !== isIPv4(network)) return false
    const list = new BlockList()
    const family = isIPv4(ip) ? 'ipv4' : 'ipv6'
    const bits = isIPv4(ip) ? (bits4 ?? 32) : (bits6 ?? 128)
    list.addSubnet(network, bits, family)
    return list.check(ip, family)
  }

  const isSame = (other: string): boolean =>
    contains({ kind: 'a', qualifier: '+', text: '', target: '', bits4: 32, bits6: 128 }, other)

  return { check }
}

function valuesOf(name: string, answer: DnsAnswer): readonly string[] {
  if (answer.status === 'found') return answer.values
  if (answer.status !== 'failed') return []
  throw new SpfError('temperror', `The records of ${name} could not be looked up`)
}

const LONGEST_SHOWN = 300
const shorten = (text: string): string => text.slice(0, LONGEST_SHOWN)

const outcome = (
  result: SpfResult,
  term: string | null,
  reason: string | null = null,
): SpfEvaluation => ({ result, term, reason })

/** Returns whether a name can have records: labels of 1 to 63 octets, at least `leastLabels`. */
function isAskable(name: string, leastLabels = 2): boolean {
  const labels = name.replace(/\.$/, '').split('.')
  const isLong = name.length > 253
  const [top = ''] = labels.slice(-1)
  return !isLong && labels.length >= leastLabels && labels.every(isLabel) && TOP_LABEL.test(top)
}

/** Labels of the public tree: letters and digits, not digits alone (RFC 3696, 2). */
const TOP_LABEL = /^(?!\d+$)[a-z0-9-]+$/i

const isLabel = (label: string): boolean => label.length > 0 && label.length <= 63

export const reverseName = (ip: string): string =>
  isIPv6(ip)
    ? `${nibbles(ip).toReversed().join('.')}.ip6.arpa`
    : `${ip.split('.').toReversed().join('.')}.in-addr.arpa`
