// The syntax of an SPF record (RFC 7208, 4.5, 5, 6, 12).

export type Qualifier = '+' | '-' | '~' | '?'

export interface Directive {
  kind: 'all' | 'include' | 'a' | 'mx' | 'ptr' | 'ip4' | 'ip6' | 'exists'
  qualifier: Qualifier
  text: string
  /**
   * A domain with its macros, or the address of ip4 and ip6. Undefined: the domain of the record.
   */
  target: string | undefined
  bits4: number | undefined
  bits6: number | undefined
}

export interface SpfRecord {
  directives: Directive[]
  redirect: string | undefined
  exp: string | undefined
}

/** The problem as a sentence. It makes the whole record a `permerror`. */
export interface SpfSyntaxError {
  problem: string
}

const LONGEST_QUOTED = 300
const KINDS = ['all', 'include', 'a', 'mx', 'ptr', 'ip4', 'ip6', 'exists'] as const
const DIRECTIVE = /^([+\-~?]?)([a-z][a-z0-9]*)(?:([:/])(.*))?$/i
const MODIFIER = /^([a-z][a-z0-9_.-]*)=(.*)$/i
/** A label count is 1 or more (RFC 7208, 7.3). */
const MACRO = /%\{[slodiphvcrt](?:0*[1-9]\d*)?r?[.\-+,/_=]*\}/gi
const LITERAL = /^(?:[!-$&-~]|%%|%_|%-)*$/
const MACRO_END = new RegExp(`${MACRO.source}$`, 'i')
const EXPLANATION_ONLY = /%\{[crt]/i
/** `/24`, `//64`, `/24//64` without leading zeros. */
const CIDR = /^(.*?)(?:\/(0|[1-9]\d{0,2}))?(?:\/\/(0|[1-9]\d{0,2}))?$/

/** Returns whether a TXT record is an SPF record, valid or not. */
export const isSpf = (text: string): boolean => /^v=spf1(?: |$)/i.test(text)

export function parseSpf(text: string): SpfRecord | SpfSyntaxError {
  if (/[^\x20-\x7e]/.test(text)) return { problem: 'The record has characters beyond ASCII' }
  const record: SpfRecord = { directives: [], redirect: undefined, exp: undefined }
  for (const term of text.split(' ').slice(1)) {
    if (term === '') continue
    const problem = MODIFIER.test(term) ? addModifier(record, term) : addDirective(record, term)
    if (problem !== undefined) return { problem }
  }
  return record
}

const quoted = (term: string): string => `“${term.slice(0, LONGEST_QUOTED)}”`

function addModifier(record: SpfRecord, term: string): string | undefined {
  const [, name = '', value = ''] = MODIFIER.exec(term) ?? []
  const key = name.toLowerCase()
  if (key !== 'redirect' && key !== 'exp') {
    return isMacroString(value) ? undefined : `${quoted(term)} has a macro that is none`
  }
  if (record[key] !== undefined) return `${key}= is given twice`
  if (!isDomainSpec(value)) return `${quoted(term)} names no domain`
  record[key] = value
  return undefined
}

function addDirective(record: SpfRecord, term: string): string | undefined {
  const [, sign = '', name = '', separator, rest = ''] = DIRECTIVE.exec(term) ?? []
  const kind = KINDS.find((each) => each === name.toLowerCase())
  if (kind === undefined) return `${quoted(term)} is no mechanism of SPF`
  const value = separator === '/' ? `/${rest}` : rest
  const read = readTarget(kind, separator === ':', value)
  if (read === undefined) return `${quoted(term)} is not written as ${kind} has to be`
  const qualifier = sign === '' ? '+' : (sign as Qualifier)
  record.directives.push({ kind, qualifier, text: term, ...read })
  return undefined
}

type Target = Pick<Directive, 'target' | 'bits4' | 'bits6'>

function readTarget(kind: Directive['kind'], isGiven: boolean, value: string): Target | undefined {
  const none = { target: undefined, bits4: undefined, bits6: undefined }
  switch (kind) {
    case 'all':
      return !isGiven && value === '' ? none : undefined
    case 'include':
    case 'exists':
      return isGiven && isDomainSpec(value) ? { ...none, target: value } : undefined
    case 'ptr':
      if (!isGiven && value === '') return none
      return isGiven && isDomainSpec(value) ? { ...none, target: value } : undefined
    case 'a':
    case 'mx':
      return readHost(isGiven, value)
    case 'ip4':
    case 'ip6':
      return isGiven ? readNetwork(kind, value) : undefined
  }
}

function readHost(isGiven: boolean, value: string): Target | undefined {
  const [, target = '', four, six] = CIDR.exec(value) ?? []
  const bits = { bits4: toBits(four, 32), bits6: toBits(six, 128) }
  if (Number.isNaN(bits.bits4) || Number.isNaN(bits.bits6)) return undefined
  if (isGiven) return isDomainSpec(target) ? { target, ...bits } : undefined
  return target === '' ? { target: undefined, ...bits } : undefined
}

function readNetwork(kind: 'ip4' | 'ip6', value: string): Target | undefined {
  const [target = '', bits, ...more] = value.split('/')
  const isSix = kind === 'ip6'
  const read = bits === undefined || /^(?:0|[1-9]\d{0,2})$/.test(bits)
  if (more.length > 0 || !read || (isSix ? !isIpv6(target) : !isIpv4(target))) return undefined
  const length = toBits(bits, isSix ? 128 : 32)
  if (Number.isNaN(length)) return undefined
  return { target, bits4: isSix ? undefined : length, bits6: isSix ? length : undefined }
}

/** Returns NaN if an address has fewer bits. */
function toBits(text: string | undefined, most: number): number | undefined {
  if (text === undefined) return undefined
  return Number(text) <= most ? Number(text) : Number.NaN
}

const isMacroString = (text: string): boolean => LITERAL.test(text.replace(MACRO, ''))

function isDomainSpec(text: string): boolean {
  if (!isMacroString(text) || EXPLANATION_ONLY.test(text)) return false
  return hasTopLabel(text) || MACRO_END.test(text)
}

/**
 * Checks the end of a domain-spec (RFC 7208, 7.1): a dot and a label with a letter or an inner
 * hyphen, then perhaps a last dot.
 */
function hasTopLabel(text: string): boolean {
  const labels = (text.endsWith('.') ? text.slice(0, -1) : text).split('.')
  const top = labels.length > 1 ? (labels.at(-1) ?? '') : ''
  return /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/i.test(top) && /[a-z-]/i.test(top)
}

const isIpv4 = (text: string): boolean =>
  /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/.test(text) && !/(?:^|\.)0\d/.test(text)

function isIpv6(text: string): boolean {
  const at = text.lastIndexOf(':')
  const tail = text.slice(at + 1)
  const hasIpv4 = tail.includes('.')
  if (hasIpv4 && !isIpv4(tail)) return false
  const groups = hasIpv4 ? `${text.slice(0, at + 1)}0:0` : text
  if (!/^[0-9a-f:]{2,39}$/i.test(groups) || /:::/.test(groups)) return false
  const halves = groups.split('::')
  if (halves.length > 2) return false
  const parts = halves.flatMap((half) => (half === '' ? [] : half.split(':')))
  if (!parts.every((part) => /^[0-9a-f]{1,4}$/i.test(part))) return false
  return halves.length === 2 ? parts.length <= 7 : parts.length === 8
}
