import { isInternal } from '../../net/addresses.ts'
import type { DnsAnswer, DnsType } from '../../net/dns.ts'
import type { Incoming } from '../../net/fetch.ts'
import type { BudgetedLookup, Lookup } from '../../net/lookups.ts'
import type { RawRecord } from '../../domain/deliverability/report.ts'

/** Look-ups of one run. */
export const MOST_QUESTIONS = 25
/** Bytes of look-ups. Fetched files (a policy or a logo) add at most 128 KB, so 1 MB in all. */
export const MOST_DNS_BYTES = 700_000
/** Answers are due within 5 s. This leaves time for the rest of the request. */
export const MOST_RUN_MS = 4_500

/** Access of one run of a tool to the network, within limits. */
export interface ToolContext {
  lookups: BudgetedLookup
  /** Reads from an address that a stranger has chosen. Throws a FetchError. */
  fetch: (url: string, mostBytes: number) => Promise<Incoming>
  now: () => number
}

const LONGEST_SHOWN = 4_096
const MOST_SHOWN = 2 * LONGEST_SHOWN
const MOST_VALUES_SHOWN = 20
const MOST_RECORDS = 60

interface Recording {
  ask: Lookup
  /** Returns full answers, for decisions only and not for reports. */
  askWhole: Lookup
  records: () => RawRecord[]
}

/**
 * Makes look-ups that record each name and type once. A stranger's zone may point into a private
 * network, and everybody may read a report.
 */
export function recording({ ask }: { ask: Lookup }): Recording {
  const seenRecords = new Map<string, RawRecord>()

  function remember(name: string, type: DnsType, answer: DnsAnswer): void {
    const values = answer.status === 'found' ? answer.values : []
    const key = `${type} ${name}`
    if (seenRecords.size >= MOST_RECORDS && !seenRecords.has(key)) return
    seenRecords.set(key, {
      name,
      type,
      status: answer.status,
      values: shownValues(values.map(hidden)),
    })
  }

  async function askWhole(name: string, type: DnsType): Promise<DnsAnswer> {
    const answer = isInternalName(name) ? NO_NAME : await ask(name, type)
    remember(name, type, answer)
    return answer
  }

  return {
    ask: async (name, type) => {
      const answer = isInternalName(name) ? NO_NAME : withoutInternal(await ask(name, type), type)
      remember(name, type, answer)
      return answer
    },
    askWhole,
    records: () => [...seenRecords.values()],
  }
}

const HIDDEN_ADDRESS = '(a private address)'
const hidden = (value: string): string => (isInternal(value) ? HIDDEN_ADDRESS : value)

const NO_NAME: DnsAnswer = { status: 'no_name' }

/**
 * Returns whether a name is the reverse name of a private address (RFC 1035, 3.5; RFC 3596, 2.5).
 */
function isInternalName(name: string): boolean {
  const [, four, six] =
    /^((?:\d{1,3}\.){4})in-addr\.arpa\.?$|^((?:[0-9a-f]\.){32})ip6\.arpa\.?$/i.exec(name) ?? []
  if (four !== undefined) return isInternal(four.split('.').toReversed().slice(1).join('.'))
  const digits = six?.split('.').toReversed().join('') ?? ''
  return isInternal((digits.match(/.{4}/g) ?? []).join(':'))
}

function withoutInternal(answer: DnsAnswer, type: DnsType): DnsAnswer {
  if (answer.status !== 'found' || (type !== 'A' && type !== 'AAAA')) return answer
  const values = answer.values.filter((value) => !isInternal(value))
  return values.length > 0 ? { status: 'found', values } : { status: 'empty' }
}

export function shownValues(values: readonly string[]): string[] {
  let remainingCharacters = MOST_SHOWN
  return values.slice(0, MOST_VALUES_SHOWN).map((value) => {
    const shownValue = cut(value, Math.min(remainingCharacters, LONGEST_SHOWN))
    remainingCharacters = Math.max(0, remainingCharacters - shownValue.length)
    return shownValue
  })
}

export function shownText(text: string): string
export function shownText(text: string | null): string | null
export function shownText(text: string | null): string | null {
  return text === null ? null : cut(text, LONGEST_SHOWN)
}

const cut = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most)}…` : text
