import { type Lane, LANES } from '../../src/domain/mails/mail-priority.ts'

/** Each lane leaves this share of all sockets to each lane above it. */
const KEPT_SHARE = 1 / 16
/** Share of a lane's sockets that the calls of one account may use. */
const ACCOUNT_SHARE = 1 / 2

export type Sockets = ReturnType<typeof createSockets>

interface Call {
  lane: Lane
  account: string
}

/**
 * Counts sockets to one endpoint: `most` are in use at once. A call that finds none free waits;
 * those of higher lanes go first, and in a lane the accounts take turns. Lower lanes leave some
 * free, and so does each account: nobody else can have a socket whose answer takes ten seconds.
 */
export function createSockets(most: number) {
  let usedCount = 0
  /** Sockets in use, by account. */
  const usedBy = new Map<string, number>()
  const lanes = LANES.map((lane, above) => {
    const mostOfLane = Math.ceil(most * (1 - above * KEPT_SHARE))
    return {
      lane,
      most: mostOfLane,
      mostOfAccount: Math.ceil(mostOfLane * ACCOUNT_SHARE),
      /** Waiting calls by account. The account whose turn is next comes first. */
      waiting: new Map<string, (() => void)[]>(),
    }
  })
  type LaneState = (typeof lanes)[number]

  const hasRoom = (own: LaneState, account: string): boolean =>
    usedCount < own.most && (usedBy.get(account) ?? 0) < own.mostOfAccount
  const use = (account: string, more: number): void => {
    usedCount += more
    const used = (usedBy.get(account) ?? 0) + more
    if (used === 0) usedBy.delete(account)
    else usedBy.set(account, used)
  }

  /** Removes the next call of a lane that may have a socket. Undefined: there is none. */
  function takeWaiting(own: LaneState): { account: string; begin: () => void } | undefined {
    for (const [account, calls] of own.waiting) {
      if (!hasRoom(own, account)) continue
      const begin = calls.shift()
      own.waiting.delete(account)
      if (calls.length > 0) own.waiting.set(account, calls)
      if (begin) return { account, begin }
    }
    return undefined
  }

  return {
    take({ lane, account }: Call): Promise<void> | undefined {
      const own = lanes.find((each) => each.lane === lane)
      if (!own || hasRoom(own, account)) {
        use(account, 1)
        return undefined
      }
      return new Promise((resolve) => {
        const calls = own.waiting.get(account) ?? []
        calls.push(resolve)
        own.waiting.set(account, calls)
      })
    },
    free(account: string): void {
      use(account, -1)
      for (const own of lanes) {
        const next = takeWaiting(own)
        if (!next) continue
        use(next.account, 1)
        next.begin()
        return
      }
    },
  }
}
