import { isInternal } from '../../net/addresses.ts'
import type { DnsAnswer, DnsType } from '../../net/dns.ts'
import type { Incoming } from '../../net/fetch.ts'
import type { BudgetedLookup, Lookup } from '../../net/lookups.ts'
import type { RawRecord } from '../../domain/tools/report.ts'

/** What one run of a tool reaches the world through, within its limits. */
export interface ToolContext {
  lookups: BudgetedLookup
  /** Reads from an address that a stranger has chosen; throws a FetchError. */
  fetch: (url: string, mostBytes: number) => Promise<Incoming>
  /** Milliseconds since 1970. */
  now: () => number
}

/** Characters of a raw record, and of all of one name, that a report shows. */
const LONGEST_SHOWN = 4_096
const MOST_SHOWN = 2 * LONGEST_SHOWN
const MOST_VALUES_SHOWN = 20
/** Records of a report. */
const MOST_RECORDS = 60

/**
 * Look-ups that remember what they were told, once for each name and type. Addresses of somebody's
 * own network are left out: a stranger's zone may lead into ours, and a report is shown to anybody.
 */
export function recording({ ask }: { ask: Lookup }): { ask: Lookup; records: () => RawRecord[] } {
  const seen = new Map<string, RawRecord>()
  return {
    ask: async (name, type) => {
      const answer = isInternalName(name) ? NO_NAME : withoutInternal(await ask(name, type), type)
      const values = answer.status === 'found' ? answer.values : []
      const key = `${type} ${name}`
      if (seen.size < MOST_RECORDS || seen.has(key)) {
        seen.set(key, { name, type, status: answer.status, values: shownValues(values) })
      }
      return answer
    },
    records: () => [...seen.values()],
  }
}

const NO_NAME: DnsAnswer = { status: 'no_name' }

/** Whether it is the name of an internal address (RFC 1035, 3.5; RFC 3596, 2.5). */
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

/** Values of one name, as a report shows them. */
export function shownValues(values: readonly string[]): string[] {
  let left = MOST_SHOWN
  return values.slice(0, MOST_VALUES_SHOWN).map((value) => {
    const shown = cut(value, Math.min(left, LONGEST_SHOWN))
    left = Math.max(0, left - shown.length)
    return shown
  })
}

/** A record as a report shows it. */
export function shownText(text: string): string
export function shownText(text: string | null): string | null
export function shownText(text: string | null): string | null {
  return text === null ? null : cut(text, LONGEST_SHOWN)
}

const cut = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most)}…` : text
