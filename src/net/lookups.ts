import { isPrivateName } from '../domain/deliverability/domain-name.ts'
import { askDns, type DnsAnswer, type DnsFailed, type DnsType } from './dns.ts'
import { createQuestions } from './questions.ts'

/** Asks the domain name system. Never throws. */
export type Lookup = (name: string, type: DnsType) => Promise<DnsAnswer>

interface Budget {
  /** Questions that may be asked; what is in the cache costs none. */
  mostQuestions: number
  /** Of all answers together; the last one may go beyond it by what one answer may have. */
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
  /** Questions that nobody answered; asked again in a while, somebody may. */
  unanswered: () => number
}

interface Options {
  /** `127.0.0.1:5353`; none: those of the machine. */
  servers?: readonly string[]
  /** Milliseconds, any clock. */
  now?: () => number
  /** Asks one question; tests and benchmarks put their own in its place. */
  ask?: typeof askDns
}

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

const LIMIT: DnsFailed = { status: 'failed', reason: 'limit' }
/** Failures that another time may not be there. */
const PASSING: readonly DnsFailed['reason'][] = ['timeout', 'server', 'busy']
const REVERSE = /\.(?:in-addr|ip6)\.arpa$/

/**
 * The one bounded way to the domain name system for what strangers name: so many questions at once,
 * each question asked once at a time, answers remembered (also that there are none).
 */
export function createLookups({
  servers,
  now = () => performance.now(),
  ask = askDns,
}: Options = {}): Lookups {
  const memory = createMemory(now)
  const question = createQuestions({
    ask: async (what) => bounded(await ask(what)),
    servers,
    onAnswer: memory.remember,
  })

  return {
    within({ mostQuestions, mostBytes, signal }) {
      const room = createRoom(mostBytes)
      let asked = 0
      let unanswered = 0

      async function fresh(key: string, name: string, type: DnsType): Promise<DnsAnswer> {
        if (asked >= mostQuestions) return LIMIT
        asked++
        if (!(await room.reserve())) {
          asked--
          return LIMIT
        }
        let bytes = 0
        try {
          const answer = await question(key, { name, type, signal })
          bytes = sizeOf(answer)
          return answer
        } finally {
          room.fill(bytes)
        }
      }

      const lookup: Lookup = async (given, type) => {
        const name = given.toLowerCase().replace(/\.$/, '')
        if (!NAME.test(name)) return { status: 'failed', reason: 'bad_name' }
        // Only the resolver of this machine knows such names, and strangers' zones may name them.
        if (isPrivateName(name) && !REVERSE.test(name)) return { status: 'no_name' }
        const key = `${type} ${name}`
        const remembered = memory.recall(key)
        const isKept = remembered !== undefined && room.take(sizeOf(remembered))
        const answer = remembered ? (isKept ? remembered : LIMIT) : await fresh(key, name, type)
        if (answer.status === 'failed' && PASSING.includes(answer.reason)) unanswered++
        return answer
      }
      return { ask: lookup, asked: () => asked, unanswered: () => unanswered }
    },
  }
}

/** Answers by their questions, as many as there is memory for. */
function createMemory(now: () => number) {
  const known = new Map<string, { answer: DnsAnswer; bytes: number; until: number }>()
  let knownBytes = 0

  function forget(key: string): void {
    knownBytes -= known.get(key)?.bytes ?? 0
    known.delete(key)
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

  function recall(key: string): DnsAnswer | undefined {
    const found = known.get(key)
    if (found && now() < found.until) return found.answer
    if (found) forget(key)
    return undefined
  }

  return { remember, recall }
}

/** The bytes that answers may have together. One under way may be as large as any is kept. */
function createRoom(mostBytes: number) {
  let used = 0
  let reserved = 0
  let waiting: (() => void)[] = []

  const mayBeUsedUp = (): boolean => reserved > 0 && used + reserved + MOST_ANSWER_BYTES > mostBytes

  return {
    /** Waits while answers under way could use up what is left. `false`: nothing is left. */
    reserve: async (): Promise<boolean> => {
      while (mayBeUsedUp()) {
        await new Promise<void>((resolve) => waiting.push(resolve))
      }
      if (used >= mostBytes) return false
      reserved += MOST_ANSWER_BYTES
      return true
    },
    /** An answer has come into what was reserved for it. */
    fill: (bytes: number): void => {
      reserved -= MOST_ANSWER_BYTES
      used += bytes
      const released = waiting
      waiting = []
      for (const resume of released) resume()
    },
    /** Takes what is known already. `false`: nothing is left. */
    take: (bytes: number): boolean => {
      if (used >= mostBytes) return false
      used += bytes
      return true
    },
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
