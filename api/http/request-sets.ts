import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AppError } from '../../src/domain/errors.ts'
import type { Transaction } from '../../src/store/db/sql.ts'

/** Requests of one set at most. */
const MOST = 100
/** After a set that could not be, requests of the organization are done one by one for so long. */
const ALONE_MS = 10_000
/** Requests wait this long for one that is being done, which may wait for somebody's lock. */
const PATIENCE_MS = 100

/** Requests of one organization that are done in one transaction. */
export interface RequestSets {
  /**
   * Says what a request is about. Two requests with a common word are never in one set.
   */
  wordsOf: (request: FastifyRequest) => readonly string[]
  /**
   * Does the work of all requests in one transaction. Returns the answer of each, or why it is
   * refused. Whatever it throws, the transaction is rolled back and each request is done alone.
   */
  work: (
    tx: Transaction,
    requests: readonly FastifyRequest[],
  ) => Promise<readonly (object | AppError)[]>
}

export interface RequestOfSet {
  request: FastifyRequest
  reply: FastifyReply
}

interface Ways {
  wordsOf: RequestSets['wordsOf']
  alone: (one: RequestOfSet) => Promise<unknown>
  /** Returns the answers in the order given. Undefined: one, or all, are to be done alone. */
  together: (
    set: readonly RequestOfSet[],
  ) => Promise<readonly (Promise<unknown> | undefined)[] | undefined>
}

interface Waiting extends RequestOfSet {
  settle: (answer: Promise<unknown>) => void
}

/**
 * Collects concurrent requests of an organization: while one of them is being done the others wait,
 * and are done as one set after it. One by one they would wait for each other all the same, for a
 * row that each of them changes, and with it for each other's commit. A request that comes alone
 * waits for nobody.
 */
export function collectRequests({ wordsOf, alone, together }: Ways) {
  const lines = new Map<string, Waiting[]>()
  const aloneUntil = new Map<string, number>()

  return async function add(one: RequestOfSet): Promise<unknown> {
    const { organizationId } = one.request.caller
    const until = aloneUntil.get(organizationId)
    if (until !== undefined) {
      if (performance.now() < until) return alone(one)
      aloneUntil.delete(organizationId)
    }
    const line = lines.get(organizationId)
    if (line) return new Promise((settle) => line.push({ ...one, settle }))
    lines.set(organizationId, [])
    const answer = alone(one)
    void patiently(answer).then(() => goOn(organizationId))
    return answer
  }

  /** Does what has come meanwhile, set after set, until nothing has. */
  async function goOn(organizationId: string): Promise<void> {
    for (;;) {
      const line = lines.get(organizationId) ?? []
      if (line.length === 0) {
        lines.delete(organizationId)
        return
      }
      await patiently(answerAll(organizationId, takeSet(line)))
    }
  }

  async function answerAll(organizationId: string, set: Waiting[]): Promise<void> {
    const isSet = set.length > 1
    const answers = isSet ? await together(set) : undefined
    if (isSet && answers === undefined) {
      aloneUntil.set(organizationId, performance.now() + ALONE_MS)
      set.push(...(lines.get(organizationId)?.splice(0) ?? []))
    }
    const settled = set.map((each, at) => {
      const answer = answers?.[at] ?? alone(each)
      each.settle(answer)
      return answer
    })
    await Promise.allSettled(settled)
  }

  /** Takes the first requests of a line that have no word in common. */
  function takeSet(line: Waiting[]): Waiting[] {
    const words = new Set<string>()
    const set: Waiting[] = []
    const left: Waiting[] = []
    for (const each of line.splice(0)) {
      const own = wordsOf(each.request)
      const isFree = set.length < MOST && !own.some((word) => words.has(word))
      // Those that come later with a word of one that is left wait behind it.
      for (const word of own) words.add(word)
      if (isFree) set.push(each)
      else left.push(each)
    }
    line.push(...left)
    return set
  }
}

/** Resolves when the work has ended, or has taken too long for others to wait for it. */
async function patiently(work: Promise<unknown>): Promise<void> {
  const over = new AbortController()
  const isLong = sleep(PATIENCE_MS, undefined, { signal: over.signal }).catch(() => {})
  await Promise.race([work.catch(() => {}), isLong])
  over.abort()
}
