import { setTimeout as sleep } from 'node:timers/promises'

export async function eachOf<T, Account>(
  accounts: readonly Account[],
  most: number,
  ask: (account: Account) => Promise<T>,
): Promise<T[]> {
  const answers: T[] = []
  const waiting = [...accounts.entries()]
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [place, account] = next
      answers[place] = await ask(account)
    }
  }
  await Promise.all(Array.from({ length: Math.min(most, accounts.length) }, work))
  return answers
}

/**
 * Wait after which the next account is asked as well. The more accounts are open, the shorter it
 * is.
 */
const HEAD_START_MS = 1_500
const MOST_PENDING = 50
/**
 * Additional wait. Each question ends itself at its time limit, and its error says more than a
 * timeout.
 */
const GRACE_MS = 500

export interface Searched<T, Account> {
  match: { value: T; account: Account } | undefined
  unreachable: Account[]
}

/**
 * Asks accounts one after the other until one has the object. A slow account is not awaited: after
 * a moment the next is asked as well, and the first answer wins. Half of the time is for asking all
 * of them, however many there are. `ask` returns undefined if the account does not have it. An
 * error ends the search, unless another account has it first.
 */
export async function search<T extends object, Account>(
  accounts: readonly Account[],
  until: number,
  now: () => number,
  ask: (account: Account) => Promise<T | 'unreachable' | undefined>,
): Promise<Searched<T, Account>> {
  const waiting = [...accounts]
  const pending = new Map<Account, Promise<EndedCall<T, Account>>>()
  const unreachable: Account[] = []
  while (waiting.length > 0 || pending.size > 0) {
    const isFull = pending.size >= MOST_PENDING
    const next = isFull ? undefined : waiting.shift()
    if (next !== undefined) pending.set(next, whenEnded(next, ask(next)))
    const remainingMs = until - now()
    const isLast = waiting.length === 0 || isFull
    const headStart = Math.min(HEAD_START_MS, remainingMs / (2 * (waiting.length + 1)))
    const endedCall = await first(
      [...pending.values()],
      isLast ? remainingMs + GRACE_MS : headStart,
    )
    if (endedCall === undefined) {
      if (waiting.length > 0 && now() < until) continue
      break
    }
    const { account, answer } = endedCall
    pending.delete(account)
    if ('error' in answer) throw answer.error
    if (answer.value === 'unreachable') unreachable.push(account)
    else if (answer.value !== undefined) {
      const silent = accounts.filter((each) => pending.has(each) || unreachable.includes(each))
      return { match: { value: answer.value, account }, unreachable: silent }
    }
  }
  const silent = new Set([...unreachable, ...pending.keys(), ...waiting])
  return { match: undefined, unreachable: accounts.filter((each) => silent.has(each)) }
}

interface EndedCall<T, Account> {
  account: Account
  answer: { value: T | 'unreachable' | undefined } | { error: unknown }
}

/** Never rejects, since an unawaited rejection would end the process. */
const whenEnded = <T, Account>(
  account: Account,
  call: Promise<T | 'unreachable' | undefined>,
): Promise<EndedCall<T, Account>> =>
  call.then(
    (value) => ({ account, answer: { value } }),
    (error: unknown) => ({ account, answer: { error } }),
  )

async function first<T>(promises: Promise<T>[], ms: number): Promise<T | undefined> {
  const timer = new AbortController()
  const late = sleep(Math.max(0, ms), undefined, { signal: timer.signal }).catch(() => undefined)
  try {
    return await Promise.race([...promises, late])
  } finally {
    timer.abort()
  }
}
