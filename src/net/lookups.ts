import { isPrivateName } from '../domain/tools/domain-name.ts'
import { askDns, type DnsAnswer, type DnsType } from './dns.ts'

/** Asks the domain name system. Never throws. */
export type Lookup = (name: string, type: DnsType) => Promise<DnsAnswer>

interface Budget {
  /** Questions that may be asked; what is in the cache costs none. */
  mostQuestions: number
  /** Of all answers together. */
  mostBytes: number
  signal: AbortSignal
}

export interface Lookups {
  /** Look-ups of one request: when its budget is used up, every further one fails with `limit`. */
  within(budget: Budget): BudgetedLookup
}

export interface BudgetedLookup {
  ask: Lookup
  /** Questions asked so far. */
  asked: () => number
}

interface Options {
  /** `127.0.0.1:5353`; none: those of the machine. */
  servers?: readonly string[]
  /** Milliseconds, any clock. */
  now?: () => number
  /** Asks one question; tests and benchmarks put their own in its place. */
  ask?: typeof askDns
}

/** Questions under way at once, and those that wait for their turn: beyond it they fail at once. */
const MOST_AT_ONCE = 100
const MOST_WAITING = 1_000
/** Of one question, with all its tries on all name servers. */
const QUESTION_MS = 2_500
/** How long an answer is remembered; a failure only as long as it takes to not ask in a storm. */
const KNOWN_MS = 60_000
const FAILED_MS = 3_000
/** Memory of the cache. */
const MOST_KNOWN = 10_000
const MOST_KNOWN_BYTES = 16_000_000
/** Of one answer: a zone is somebody else's. */
const MOST_VALUES = 100
const MOST_ANSWER_BYTES = 65_536
/** What can be asked for: printable, labels of 1 to 63 octets, 253 in all (RFC 1035, 2.3.4). */
const NAME = /^(?=.{1,253}$)(?:[!-\-/-[\]-~]{1,63}\.)*[!-\-/-[\]-~]{1,63}$/

const REVERSE = /\.(?:in-addr|ip6)\.arpa$/

interface Known {
  answer: DnsAnswer
  bytes: number
  until: number
}

/**
 * The one bounded way to the domain name system for what strangers name: so many questions at once,
 * each question asked once at a time, answers remembered (also that there are none).
 */
export function createLookups({
  servers,
  now = () => performance.now(),
  ask = askDns,
}: Options = {}): Lookups {
  const known = new Map<string, Known>()
  const underWay = new Map<string, Promise<DnsAnswer>>()
  const waiting: (() => void)[] = []
  let knownBytes = 0
  let running = 0

  async function question(name: string, type: DnsType): Promise<DnsAnswer> {
    if (running >= MOST_AT_ONCE) {
      if (waiting.length >= MOST_WAITING) return LIMIT
      await new Promise<void>((resolve) => waiting.push(resolve))
    } else running++
    try {
      return bounded(await ask({ name, type, servers, signal: AbortSignal.timeout(QUESTION_MS) }))
    } finally {
      // The place goes to who waits longest.
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }

  function remember(key: string, answer: DnsAnswer): void {
    forget(key)
    const bytes = sizeOf(answer) + key.length
    const isFailure = answer.status === 'failed'
    known.set(key, { answer, bytes, until: now() + (isFailure ? FAILED_MS : KNOWN_MS) })
    knownBytes += bytes
    for (const oldest of known.keys()) {
      if (known.size <= MOST_KNOWN && knownBytes <= MOST_KNOWN_BYTES) break
      forget(oldest)
    }
  }

  function forget(key: string): void {
    knownBytes -= known.get(key)?.bytes ?? 0
    known.delete(key)
  }

  function recall(key: string): DnsAnswer | undefined {
    const found = known.get(key)
    if (found && now() < found.until) return found.answer
    if (found) forget(key)
    return undefined
  }

  async function fresh(key: string, name: string, type: DnsType): Promise<DnsAnswer> {
    const shared = underWay.get(key)
    if (shared) return shared
    const promise = question(name, type).then((answer) => {
      underWay.delete(key)
      if (answer !== LIMIT) remember(key, answer)
      return answer
    })
    underWay.set(key, promise)
    return promise
  }

  return {
    within({ mostQuestions, mostBytes, signal }) {
      let asked = 0
      let bytes = 0
      const lookup: Lookup = async (given, type) => {
        const name = given.toLowerCase().replace(/\.$/, '')
        if (!NAME.test(name)) return { status: 'failed', reason: 'bad_name' }
        // Only the resolver of this machine knows such names, and strangers' zones may name them.
        if (isPrivateName(name) && !REVERSE.test(name)) return { status: 'no_name' }
        const key = `${type} ${name}`
        const remembered = recall(key)
        if (!remembered && (asked >= mostQuestions || bytes >= mostBytes)) return LIMIT
        if (!remembered) asked++
        const answer = remembered ?? (await orAborted(fresh(key, name, type), signal))
        bytes += sizeOf(answer)
        return bytes > mostBytes ? LIMIT : answer
      }
      return { ask: lookup, asked: () => asked }
    },
  }
}

const LIMIT: DnsAnswer = { status: 'failed', reason: 'limit' }

/** The question goes on for others who wait for it; only this wait ends. */
async function orAborted(promise: Promise<DnsAnswer>, signal: AbortSignal): Promise<DnsAnswer> {
  const late: DnsAnswer = { status: 'failed', reason: 'timeout' }
  if (signal.aborted) return late
  let stop = (): void => {}
  const aborted = new Promise<DnsAnswer>((resolve) => {
    stop = () => resolve(late)
  })
  signal.addEventListener('abort', stop, { once: true })
  try {
    return await Promise.race([promise, aborted])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

/** The answer, as much of it as is kept. */
function bounded(answer: DnsAnswer): DnsAnswer {
  if (answer.status !== 'found') return answer
  let left = MOST_ANSWER_BYTES
  const values = answer.values.slice(0, MOST_VALUES).map((value) => {
    const kept = value.slice(0, left)
    left -= kept.length
    return kept
  })
  return { status: 'found', values }
}

const sizeOf = (answer: DnsAnswer): number =>
  answer.status === 'found' ? answer.values.reduce((sum, { length }) => sum + length, 0) : 0
