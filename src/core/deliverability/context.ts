import { isInternal } from '../../net/addresses.ts'
import type { DnsAnswer, DnsType } from '../../net/dns.ts'
import type { Incoming } from '../../net/fetch.ts'
import type { BudgetedLookup, Lookup } from '../../net/lookups.ts'
import type { RawRecord } from '../../domain/deliverability/report.ts'

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

interface Recording {
  /** Addresses of somebody's own network are left out. */
  ask: Lookup
  /** What receivers are answered: to decide by, and not to be told. */
  askWhole: Lookup
  /** As they are shown to anybody: without such addresses, and saying that they are there. */
  records: () => RawRecord[]
}

/**
 * Look-ups that remember what they were told, once for each name and type. A stranger's zone may
 * lead into somebody's own network, and a report is shown to anybody.
 */
export function recording({ ask }: { ask: Lookup }): Recording {
  const seen = new Map<string, RawRecord>()

  function remember(name: string, type: DnsType, answer: DnsAnswer): void {
    const values = answer.status === 'found' ? answer.values : []
    const key = `${type} ${name}`
    if (seen.size >= MOST_RECORDS && !seen.has(key)) return
    seen.set(key, { name, type, status: answer.status, values: shownValues(values.map(hidden)) })
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
    records: () => [...seen.values()],
  }
}

/** Stands for an address of somebody's own network. */
const HIDDEN_ADDRESS = '(a private address)'
const hidden = (value: string): string => (isInternal(value) ? HIDDEN_ADDRESS : value)

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
