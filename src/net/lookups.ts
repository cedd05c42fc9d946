import { isPrivateName } from '../domain/deliverability/domain-name.ts'
import { askDns, type DnsAnswer, type DnsFailed, type DnsType } from './dns.ts'
import { createQuestions } from './questions.ts'

export type Lookup = (name: string, type: DnsType) => Promise<DnsAnswer>

interface Budget {
  mostQuestions: number
  /** Bytes of all answers together. The last answer may exceed it by its own size. */
  mostBytes: number
  signal: AbortSignal
}

export interface Lookups {
  within(budget: Budget): BudgetedLookup
}

export interface BudgetedLookup {
  ask: Lookup
  askedCount: () => number
  /** Queries without an answer. They may succeed later. */
  unansweredCount: () => number
}

interface Options {
  servers?: readonly string[]
  now?: () => number
  ask?: typeof askDns
}

/**
 * Lifetime of a cached answer. Failures are cached only for as long as a burst of questions lasts.
 */
const KNOWN_MS = 60_000
const FAILED_MS = 3_000
const MOST_KNOWN = 10_000
const MOST_KNOWN_BYTES = 16_000_000
/** Limit of one answer, since strangers control their zones. */
const MOST_VALUES = 100
const MOST_ANSWER_BYTES = 65_536
/**
 * Names that may be asked for: printable, labels of 1 to 63 octets, 253 in all (RFC 1035, 2.3.4).
 */
const NAME = /^(?=.{1,253}$)(?:[!-\-/-[\]-~]{1,63}\.)*[!-\-/-[\]-~]{1,63}$/

const LIMIT: DnsFailed = { status: 'failed', reason: 'limit' }
const PASSING: readonly DnsFailed['reason'][] = ['timeout', 'server', 'busy']
const REVERSE = /\.(?:in-addr|ip6)\.arpa$/

/**
 * The one bounded way to the domain name system for names that strangers chose. Concurrency is
 * limited, equal questions share one query, and answers are cached, negative ones too.
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
      let askedQuestions = 0
      let unansweredQuestions = 0

      async function fresh(key: string, name: string, type: DnsType): Promise<DnsAnswer> {
        if (askedQuestions >= mostQuestions) return LIMIT
        askedQuestions++
        if (!(await room.reserve())) {
          askedQuestions--
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

      const lookup: Lookup = async (queriedName, type) => {
        const name = queriedName.toLowerCase().replace(/\.$/, '')
        if (!NAME.test(name)) return { status: 'failed', reason: 'bad_name' }
        // Only this machine's resolver knows such names, and strangers' zones may name them.
        if (isPrivateName(name) && !REVERSE.test(name)) return { status: 'no_name' }
        const key = `${type} ${name}`
        const remembered = memory.recall(key)
        const isKept = remembered !== undefined && room.take(sizeOf(remembered))
        const answer = remembered ? (isKept ? remembered : LIMIT) : await fresh(key, name, type)
        if (answer.status === 'failed' && PASSING.includes(answer.reason)) unansweredQuestions++
        return answer
      }
      return {
        ask: lookup,
        askedCount: () => askedQuestions,
        unansweredCount: () => unansweredQuestions,
      }
    },
  }
}

function createMemory(now: () => number) {
  const cachedAnswers = new Map<string, { answer: DnsAnswer; bytes: number; until: number }>()
  let knownBytes = 0

  function forget(key: string): void {
    knownBytes -= cachedAnswers.get(key)?.bytes ?? 0
    cachedAnswers.delete(key)
  }

  function remember(key: string, answer: DnsAnswer): void {
    forget(key)
    const bytes = sizeOf(answer) + key.length
    const isFailure = answer.status === 'failed'
    cachedAnswers.set(key, { answer, bytes, until: now() + (isFailure ? FAILED_MS : KNOWN_MS) })
    knownBytes += bytes
    for (const oldest of cachedAnswers.keys()) {
      if (cachedAnswers.size <= MOST_KNOWN && knownBytes <= MOST_KNOWN_BYTES) break
      forget(oldest)
    }
  }

  function recall(key: string): DnsAnswer | undefined {
    const cachedAnswer = cachedAnswers.get(key)
    if (cachedAnswer && now() < cachedAnswer.until) return cachedAnswer.answer
    if (cachedAnswer) forget(key)
    return undefined
  }

  return { remember, recall }
}

/** A budget of bytes for answers. Each query reserves the size of the largest answer. */
function createRoom(mostBytes: number) {
  let used = 0
  let reserved = 0
  let waiting: (() => void)[] = []

  const mayBeUsedUp = (): boolean => reserved > 0 && used + reserved + MOST_ANSWER_BYTES > mostBytes

  return {
    /**
     * Waits while pending answers could use up the rest. Resolves to `false` when nothing is left.
     */
    reserve: async (): Promise<boolean> => {
      while (mayBeUsedUp()) {
        await new Promise<void>((resolve) => waiting.push(resolve))
      }
      if (used >= mostBytes) return false
      reserved += MOST_ANSWER_BYTES
      return true
    },
    fill: (bytes: number): void => {
      reserved -= MOST_ANSWER_BYTES
      used += bytes
      const released = waiting
      waiting = []
      for (const resume of released) resume()
    },
    take: (bytes: number): boolean => {
      if (used >= mostBytes) return false
      used += bytes
      return true
    },
  }
}

function bounded(answer: DnsAnswer): DnsAnswer {
  if (answer.status !== 'found') return answer
  let remainingBytes = MOST_ANSWER_BYTES
  const values = answer.values.slice(0, MOST_VALUES).map((value) => {
    const text = value.slice(0, remainingBytes)
    remainingBytes -= text.length
    return text
  })
  return { status: 'found', values }
}

const sizeOf = (answer: DnsAnswer): number =>
  answer.status === 'found' ? answer.values.reduce((sum, { length }) => sum + length, 0) : 0
