import { organizationalDomain } from '../text/public-suffixes.ts'
import type { askDns, DnsAnswer, DnsFailed, DnsType } from './dns.ts'

interface Options {
  ask: typeof askDns
  servers?: readonly string[] | undefined
  onAnswer: (key: string, answer: DnsAnswer) => void
}

interface Question {
  name: string
  type: DnsType
  signal: AbortSignal
}

/** Concurrent queries in all, and for names of one owner. */
const MOST_AT_ONCE = 100
const MOST_OF_ONE_OWNER = 10
/** Queries beyond this many waiting ones fail at once. */
const MOST_WAITING = 1_000
const QUESTION_MS = 2_500
/** Labels that tell one network's reverse names from another's: a /24 of IPv4, a /32 of IPv6. */
const LABELS_OF_NETWORK = { 'in-addr': 5, ip6: 10 } as const

const BUSY: DnsFailed = { status: 'failed', reason: 'busy' }
const LATE: DnsFailed = { status: 'failed', reason: 'timeout' }

interface UnderWay {
  answer: Promise<DnsAnswer>
  waiters: number
  withdraw: () => void
}

interface Waiting {
  owner: string
  resume: (isWanted: boolean) => void
}

/**
 * Sends each query once at a time, within limits. Slow name servers of one domain hold up only
 * queries of its owner, and a query that nobody waits for is dropped.
 */
export function createQuestions({ ask, servers, onAnswer }: Options) {
  const underWay = new Map<string, UnderWay>()
  const waiting = new Set<Waiting>()
  const running = new Map<string, number>()
  let total = 0

  const hasPlace = (owner: string): boolean =>
    total < MOST_AT_ONCE && (running.get(owner) ?? 0) < MOST_OF_ONE_OWNER

  function occupy(owner: string): void {
    total++
    running.set(owner, (running.get(owner) ?? 0) + 1)
  }

  function release(owner: string): void {
    total--
    const remainingCount = (running.get(owner) ?? 1) - 1
    if (remainingCount === 0) running.delete(owner)
    else running.set(owner, remainingCount)
    // A place is free for the longest-waiting query that may have it.
    for (const each of waiting) {
      if (!hasPlace(each.owner)) continue
      waiting.delete(each)
      occupy(each.owner)
      each.resume(true)
      return
    }
  }

  async function asked(owner: string, { name, type }: Omit<Question, 'signal'>) {
    try {
      return await ask({ name, type, servers, signal: AbortSignal.timeout(QUESTION_MS) })
    } finally {
      release(owner)
    }
  }

  function begin(key: string, { name, type }: Omit<Question, 'signal'>): UnderWay | undefined {
    const owner = ownerOf(name)
    let turn: Promise<boolean> = Promise.resolve(true)
    let withdraw = (): void => {}
    if (hasPlace(owner)) occupy(owner)
    else {
      if (waiting.size >= MOST_WAITING) return undefined
      turn = new Promise((resume) => {
        const place = { owner, resume }
        waiting.add(place)
        withdraw = () => {
          if (!waiting.delete(place)) return
          underWay.delete(key)
          resume(false)
        }
      })
    }
    const answer = turn.then(async (isWanted): Promise<DnsAnswer> => {
      if (!isWanted) return LATE
      try {
        const answer = await asked(owner, { name, type })
        onAnswer(key, answer)
        return answer
      } finally {
        underWay.delete(key)
      }
    })
    const question = { answer, waiters: 0, withdraw }
    underWay.set(key, question)
    return question
  }

  return async (key: string, { signal, ...what }: Question): Promise<DnsAnswer> => {
    if (signal.aborted) return LATE
    const question = underWay.get(key) ?? begin(key, what)
    if (question === undefined) return BUSY
    question.waiters++
    try {
      return await orAborted(question.answer, signal)
    } finally {
      question.waiters--
      if (question.waiters === 0) question.withdraw()
    }
  }
}

/** Returns the owner of a name: its organizational domain, or the network of a reverse name. */
function ownerOf(name: string): string {
  const [zone] = /(?<=\.)(?:in-addr|ip6)(?=\.arpa$)/.exec(name) ?? []
  if (zone !== 'in-addr' && zone !== 'ip6') return organizationalDomain(name) ?? name
  return name.split('.').slice(-LABELS_OF_NETWORK[zone]).join('.')
}

async function orAborted(answer: Promise<DnsAnswer>, signal: AbortSignal): Promise<DnsAnswer> {
  let stop = (): void => {}
  const aborted = new Promise<DnsAnswer>((resolve) => {
    stop = () => resolve(LATE)
  })
  signal.addEventListener('abort', stop, { once: true })
  try {
    return await Promise.race([answer, aborted])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
